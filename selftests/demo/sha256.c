// SPDX-License-Identifier: GPL-2.0
/*
 * SHA-256 by the program of that name: the demo's own code could be wrong in the
 * same way twice.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sha256.h"

/* Start the program; it reads @in and writes @out, which close on exec. */
static int start(pid_t *pid, int in, int out)
{
	char name[] = "sha256sum";
	char *const argv[] = { name, NULL };
	posix_spawn_file_actions_t actions;
	int error;

	error = posix_spawn_file_actions_init(&actions);
	if (error)
		return -error;
	error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, out,
							 STDOUT_FILENO);
	if (!error)
		error = posix_spawnp(pid, name, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

static int write_all(int fd, const char *from, size_t bytes)
{
	while (bytes) {
		ssize_t written = write(fd, from, bytes);

		if (written < 0)
			return -errno;
		from += written;
		bytes -= written;
	}
	return 0;
}

static int read_hash(int fd, char hex[SHA256_HEX])
{
	size_t have = 0;

	while (have < SHA256_HEX - 1) {
		ssize_t got = read(fd, hex + have, SHA256_HEX - 1 - have);

		if (got < 0)
			return -errno;
		if (!got)
			return -ENODATA;
		have += got;
	}
	hex[have] = '\0';
	return 0;
}

static int reap(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -ECHILD;
}

/* The parent's ends of the pipes: @to is closed when all is written. */
static int converse(pid_t pid, int to, int from, const void *data, size_t bytes,
		    char hex[SHA256_HEX])
{
	int error = write_all(to, data, bytes);
	int reaped;

	close(to);
	if (!error)
		error = read_hash(from, hex);
	close(from);
	reaped = reap(pid);
	return error ? error : reaped;
}

/* Returns 0 or -errno. SIGPIPE has to be ignored. */
int sha256(const void *from, size_t bytes, char hex[SHA256_HEX])
{
	int in[2], out[2];
	int error;
	pid_t pid;

	if (pipe2(in, O_CLOEXEC))
		return -errno;
	if (pipe2(out, O_CLOEXEC)) {
		error = -errno;
		close(in[0]);
		close(in[1]);
		return error;
	}
	error = start(&pid, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	if (!error)
		return converse(pid, in[1], out[0], from, bytes, hex);
	close(in[1]);
	close(out[0]);
	return error;
}

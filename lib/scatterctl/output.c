// SPDX-License-Identifier: GPL-2.0
/*
 * Output of scatter and gather. A regular file gets its name when it is
 * whole: until then it is called NAME.part-XXXXXX, and goes when the tool ends,
 * by a signal too.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transfer.h"

/* The file that has no name yet; empty if there is none. */
static char unfinished[PATH_MAX];

static void remove_unfinished(void)
{
	if (*unfinished)
		unlink(unfinished);
}

static void end_by_signal(int signal)
{
	remove_unfinished();
	/* SA_RESETHAND: now the signal does what it does by default. */
	raise(signal);
}

static void catch_signals(void)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction action = {
		.sa_handler = end_by_signal,
		.sa_flags = SA_RESETHAND,
	};
	struct sigaction before;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		if (!sigaction(signals[i], NULL, &before) &&
		    before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
	atexit(remove_unfinished);
}

static int fail(const struct output *output, int error)
{
	complain("%s: %s", output->name, strerror(error));
	return -error;
}

static mode_t default_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int open_temporary(struct output *output, mode_t mode)
{
	static const char suffix[] = ".part-XXXXXX";
	sigset_t all, before;

	if (strlen(output->final) + sizeof(suffix) > sizeof(unfinished))
		return fail(output, ENAMETOOLONG);
	catch_signals();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	strcpy(unfinished, output->final);
	strcat(unfinished, suffix);
	output->fd = mkostemp(unfinished, O_CLOEXEC);
	if (output->fd < 0)
		*unfinished = 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (output->fd < 0 || fchmod(output->fd, mode))
		return fail(output, errno);
	return 0;
}

/* A file that is replaced must be one that could have been written. */
static int replace_file(struct output *output, mode_t mode)
{
	output->final = realpath(output->name, NULL);
	if (!output->final || access(output->final, W_OK))
		return fail(output, errno);
	return open_temporary(output, mode & 0777);
}

static int create_file(struct output *output)
{
	output->final = strdup(output->name);
	if (!output->final)
		return fail(output, ENOMEM);
	return open_temporary(output, default_mode());
}

/* Devices, pipes and sockets are written as they are. */
static int open_special(struct output *output)
{
	do {
		output->fd = open(output->name, O_WRONLY | O_CLOEXEC);
	} while (output->fd < 0 && errno == EINTR);
	return output->fd < 0 ? fail(output, errno) : 0;
}

/**
 * output_open() - open the output; at most once in a process
 * @output: (out) to be ended with output_commit()
 * @path: a file; NULL and "-" are standard output
 *
 * Return: 0, or -errno after a message.
 */
int output_open(struct output *output, const char *path)
{
	struct stat stat_buf;

	*output = (struct output){
		.name = "standard output", .fd = STDOUT_FILENO,
	};
	if (!path || !strcmp(path, "-"))
		return 0;
	output->name = path;
	output->fd = -1;
	if (!stat(path, &stat_buf))
		return S_ISREG(stat_buf.st_mode) ?
		       replace_file(output, stat_buf.st_mode) :
		       open_special(output);
	return errno == ENOENT ? create_file(output) : fail(output, errno);
}

/**
 * output_write() - write data
 * @output: where to
 * @data: what
 * @length: its length in bytes
 *
 * Return: 0, or -errno after a message.
 */
int output_write(const struct output *output, const void *data, size_t length)
{
	int error = write_all(output->fd, data, length);

	return error ? fail(output, -error) : 0;
}

/**
 * output_commit() - all is written: give the file its name
 * @output: is closed
 *
 * Return: 0, or -errno after a message.
 */
int output_commit(struct output *output)
{
	int error;

	/* main() closes standard output. */
	if (output->fd == STDOUT_FILENO)
		return 0;
	error = close(output->fd) ? -errno : 0;
	output->fd = -1;
	if (!error && output->final) {
		if (rename(unfinished, output->final))
			error = -errno;
		else
			*unfinished = 0;
	}
	free(output->final);
	output->final = NULL;
	return error ? fail(output, -error) : 0;
}

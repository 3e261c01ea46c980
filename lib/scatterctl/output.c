// SPDX-License-Identifier: GPL-2.0
/*
 * Output of scatter and gather. A regular file gets its name when it is whole.
 * Until then it has none; where the file system has no such files it is called
 * NAME.part-XXXXXX, and goes when the tool ends, by a signal too.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transfer.h"

#define SUFFIX	".part-XXXXXX"

/* The file that has not got its name; empty if there is none. */
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
	static const int signals[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGXFSZ,
	};
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

/* The path by which linkat() takes the file; needs /proc, but no privilege. */
static void path_of_fd(char *path, size_t size, int fd)
{
	snprintf(path, size, "/proc/self/fd/%d", fd);
}

/* A file without a name, if such a one can be made and get its name later. */
static bool open_nameless(struct output *output)
{
	char *copy = strdup(output->final);
	char path[64];

	if (!copy)
		return false;
	output->fd = open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC,
			  0600);
	free(copy);
	if (output->fd < 0)
		return false;
	path_of_fd(path, sizeof(path), output->fd);
	if (!access(path, F_OK))
		return true;
	close(output->fd);
	output->fd = -1;
	return false;
}

static void open_named(struct output *output)
{
	sigset_t all, before;
	int error;

	catch_signals();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	strcpy(unfinished, output->final);
	strcat(unfinished, SUFFIX);
	output->fd = mkostemp(unfinished, O_CLOEXEC);
	error = errno;
	if (output->fd < 0)
		*unfinished = 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
}

static int open_temporary(struct output *output, mode_t mode)
{
	const char *slash = strrchr(output->final, '/');
	const char *base = slash ? slash + 1 : output->final;

	/* Now, as it would be a pity when all is written. */
	if (strlen(output->final) + sizeof(SUFFIX) > sizeof(unfinished) ||
	    strlen(base) + sizeof(SUFFIX) - 1 > NAME_MAX)
		return fail(output, ENAMETOOLONG);
	if (!open_nameless(output))
		open_named(output);
	if (output->fd < 0 || fchmod(output->fd, mode))
		return fail(output, errno);
	return 0;
}

/* A file that is replaced must be one that could have been written. */
static int replace_file(struct output *output, mode_t mode)
{
	output->replaces = true;
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

/* A file behind the name of a descriptor is written, not replaced. */
static int open_descriptor(struct output *output, const char *number)
{
	uint64_t fd;

	if (!parse_number(number, 10, 0, INT_MAX, &fd))
		return fail(output, ENOENT);
	output->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return output->fd < 0 ? fail(output, errno) : 0;
}

static const char *descriptor_of(const char *path)
{
	static const char *const directories[] = {
		"/dev/fd/", "/proc/self/fd/",
	};
	size_t i, length;

	if (!strcmp(path, "/dev/stdout"))
		return "1";
	if (!strcmp(path, "/dev/stderr"))
		return "2";
	for (i = 0; i < ARRAY_SIZE(directories); i++) {
		length = strlen(directories[i]);
		if (!strncmp(path, directories[i], length))
			return path + length;
	}
	return NULL;
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
	const char *descriptor;
	struct stat stat_buf;

	*output = (struct output){
		.name = "standard output", .fd = STDOUT_FILENO,
	};
	if (!path || !strcmp(path, "-"))
		return 0;
	output->name = path;
	output->fd = -1;
	descriptor = descriptor_of(path);
	if (descriptor)
		return open_descriptor(output, descriptor);
	if (!stat(path, &stat_buf))
		return S_ISREG(stat_buf.st_mode) ?
		       replace_file(output, stat_buf.st_mode) :
		       open_special(output);
	return errno == ENOENT ? create_file(output) : fail(output, errno);
}

/** output_in_order() - whether the data must be written in order */
bool output_in_order(const struct output *output)
{
	return !output->final;
}

/**
 * output_reserve() - take the space before the data comes, where that works
 * @output: where
 * @length: bytes to come
 *
 * Return: 0, or -errno after a message.
 */
int output_reserve(const struct output *output, uint64_t length)
{
	int error;

	if (!length || output_in_order(output))
		return 0;
	do {
		error = fallocate(output->fd, 0, 0, length) ? errno : 0;
	} while (error == EINTR);
	if (error == ENOSPC || error == EDQUOT || error == EFBIG)
		return fail(output, error);
	return 0;
}

static int fail_to_write(const struct output *output, int error)
{
	/* The data is a mapped file. */
	if (error != EFAULT)
		return fail(output, error);
	complain("%s: no data: was the input cut short while it was read? (EFAULT)",
		 output->name);
	return -error;
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

	return error ? fail_to_write(output, -error) : 0;
}

/**
 * output_write_at() - write data somewhere in a file
 * @output: where to; not output_in_order()
 * @data: what
 * @length: its length in bytes
 * @offset: where in the file
 *
 * Return: 0, or -errno after a message.
 */
int output_write_at(const struct output *output, const void *data,
		    size_t length, uint64_t offset)
{
	const unsigned char *from = data;

	while (length) {
		ssize_t n = pwrite(output->fd, from, length, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_to_write(output, errno);
		from += n;
		length -= n;
		offset += n;
	}
	return 0;
}

/* A link cannot replace a file: it gets another name and is renamed. */
static int link_and_rename(const struct output *output, const char *path)
{
	char name[PATH_MAX];
	int error, i;

	for (i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "%s.part-%d.%d", output->final,
			 getpid() % 10000, i);
		error = linkat(AT_FDCWD, path, AT_FDCWD, name,
			       AT_SYMLINK_FOLLOW) ? errno : 0;
		if (error != EEXIST)
			break;
	}
	if (!error && rename(name, output->final)) {
		error = errno;
		unlink(name);
	}
	return error;
}

/* Between the link and the rename nothing can end the tool. */
static int name_nameless(const struct output *output)
{
	sigset_t all, before;
	char path[64];
	int error;

	path_of_fd(path, sizeof(path), output->fd);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	error = EEXIST;
	if (!output->replaces)
		error = linkat(AT_FDCWD, path, AT_FDCWD, output->final,
			       AT_SYMLINK_FOLLOW) ? errno : 0;
	if (error == EEXIST)
		error = link_and_rename(output, path);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

static int name_unfinished(const struct output *output)
{
	if (rename(unfinished, output->final))
		return errno;
	*unfinished = 0;
	return 0;
}

/**
 * output_commit() - all is written: give the file its name
 * @output: is closed, if it was opened
 *
 * Return: 0, or -errno after a message.
 */
int output_commit(struct output *output)
{
	int error = 0;

	/* main() closes standard output. */
	if (output->fd < 0 || output->fd == STDOUT_FILENO)
		return 0;
	if (output->final && !*unfinished)
		error = name_nameless(output);
	if (close(output->fd) && !error)
		error = errno;
	output->fd = -1;
	if (!error && *unfinished)
		error = name_unfinished(output);
	free(output->final);
	output->final = NULL;
	return error ? fail(output, error) : 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A stream must be read to its end before anybody knows who gets what of it: it
 * goes to a file without a name, as it may be larger than memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "transfer.h"

#define READ_BYTES	(256UL << 10)

/* One that goes away by itself, however the tool ends. */
static int open_in(const char *directory)
{
	static const char name[] = "/scatterctl-XXXXXX";
	char *path;
	int fd;

	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if (asprintf(&path, "%s%s", directory, name) < 0)
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

/* Where no directory can be written, memory must do. */
static int spool_open(const char **where)
{
	int fd;

	*where = getenv("TMPDIR");
	if (*where && **where)
		return open_in(*where);
	*where = "/var/tmp";
	fd = open_in(*where);
	if (fd < 0) {
		*where = "/tmp";
		fd = open_in(*where);
	}
	if (fd < 0) {
		*where = "memory";
		fd = memfd_create("scatterctl", MFD_CLOEXEC);
	}
	return fd;
}

static int fail(const char *name, int error)
{
	complain("%s: %s", name, strerror(error));
	return -error;
}

static int copy(const struct input *input, int to, const char *where,
		unsigned char *buffer, uint64_t *length)
{
	ssize_t n;
	int error;

	for (;;) {
		n = read(input->fd, buffer, READ_BYTES);
		if (!n)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(input->name, errno);
		error = write_all(to, buffer, n);
		if (error) {
			complain("%s, to keep %s: %s; set TMPDIR to where there is space",
				 where, input->name, strerror(-error));
			return error;
		}
		*length += n;
		progress_add(n);
	}
}

/**
 * spool() - read a stream to its end into a file
 * @input: a stream; becomes that file
 *
 * Return: 0, or -errno after a message.
 */
int spool(struct input *input)
{
	unsigned char *buffer;
	uint64_t length = 0;
	const char *where;
	int error, fd;

	fd = spool_open(&where);
	if (fd < 0) {
		error = errno;
		complain("%s, to keep %s: %s", where, input->name,
			 strerror(error));
		return -error;
	}
	buffer = memory_get(READ_BYTES);
	if (!buffer) {
		close(fd);
		return fail(input->name, ENOMEM);
	}
	error = copy(input, fd, where, buffer, &length);
	memory_put(buffer, READ_BYTES);
	if (error) {
		close(fd);
		return error;
	}
	if (input->fd > STDIN_FILENO)
		close(input->fd);
	input->fd = fd;
	input->length = length;
	input->offset = 0;
	return 0;
}

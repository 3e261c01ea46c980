// SPDX-License-Identifier: GPL-2.0
/*
 * Group descriptors, and what is behind a descriptor that was inherited.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "transfer.h"

/* Shells use the ones below for themselves, and scripts name them. */
#define FIRST_FD	10

/**
 * descriptor_create() - create a group without a name
 * @size: in members
 * @sides: members of each side, or zeros
 *
 * Return: its descriptor, which closes on exec, or -errno after a message.
 */
int descriptor_create(unsigned int size, const unsigned int *sides)
{
	struct scatter_join_opts terms = {
		.size = size, .sides = { sides[0], sides[1] },
	};
	int fd = scatter_create(&terms);
	enum stage stage = STAGE_JOIN;
	int high;

	if (fd < 0) {
		if (fd == -EACCES || fd == -ENOENT)
			stage = STAGE_DEVICE;
		complain_error("cannot create a group", stage, -fd,
			       SCATTER_RANK_ANY);
		return fd;
	}
	high = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

/**
 * descriptor_status() - state of the group behind a descriptor that was inherited
 * @fd: of a member, or of a group
 * @status: (out) the state
 *
 * The library has no handle for what somebody else joined with.
 *
 * Return: 0, or -errno after a message.
 */
int descriptor_status(int fd, struct scatter_status *status)
{
	const char *why;
	int error;

	*status = (struct scatter_status){ .size = sizeof(*status) };
	if (!ioctl(fd, SCATTER_IOCTL_STATUS, status))
		return 0;
	error = errno;
	why = strerror(error);
	if (error == ENOTTY || error == EINVAL)
		why = "it is not one of " DEVICE;
	else if (error == EBADF)
		why = "it is not open: was it left close-on-exec?";
	else if (error == ENOTCONN)
		why = "it has not joined a group, and is none";
	complain("descriptor %d: %s (%s)", fd, why, error_name(error));
	return -error;
}

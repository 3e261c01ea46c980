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

static int ask_status(int fd, struct scatter_status *status, struct masks *masks)
{
	*status = (struct scatter_status){ .size = sizeof(*status) };
	if (masks) {
		status->bits = MEMBERS_MAX;
		status->dead = (uintptr_t)masks->dead;
		status->left = (uintptr_t)masks->left;
		status->missing = (uintptr_t)masks->missing;
	}
	return ioctl(fd, SCATTER_IOCTL_STATUS, status) ? errno : 0;
}

static int complain_status(int fd, int error)
{
	const char *why = strerror(error);

	if (error == ENOTTY || error == EINVAL)
		why = "it is not one of " DEVICE;
	else if (error == EBADF)
		why = "it is not open: was it left close-on-exec?";
	else if (error == ENOTCONN)
		why = "it has not joined a group, and is none";
	complain("descriptor %d: %s (%s)", fd, why, error_name(error));
	return -error;
}

/**
 * descriptor_status() - state of the group behind a descriptor that was inherited
 * @fd: of a member, or of a group
 * @status: (out) the state
 * @masks: (out) likewise; may be NULL
 *
 * The library has no handle for what somebody else joined with.
 *
 * Return: 0, or -errno after a message.
 */
int descriptor_status(int fd, struct scatter_status *status, struct masks *masks)
{
	int error = ask_status(fd, status, NULL);

	if (!error && status->members > MEMBERS_MAX) {
		complain("descriptor %d: its group has %u members; this tool handles up to %d",
			 fd, status->members, MEMBERS_MAX);
		return -EINVAL;
	}
	if (!error && masks)
		error = ask_status(fd, status, masks);
	return error ? complain_status(fd, error) : 0;
}

/**
 * descriptor_counters() - what was counted in the group behind an inherited descriptor
 * @fd: of a member, or of a group
 * @counters: (out) the counters
 * @total: of all members, not only of this one
 *
 * Return: 0, or -errno after a message.
 */
int descriptor_counters(int fd, struct scatter_counters *counters, bool total)
{
	int error;

	*counters = (struct scatter_counters){
		.size = sizeof(*counters),
		.flags = total ? SCATTER_COUNTERS_TOTAL : 0,
	};
	if (!ioctl(fd, SCATTER_IOCTL_COUNTERS, counters))
		return 0;
	error = errno;
	complain("descriptor %d: counters: %s (%s)", fd, strerror(error),
		 error_name(error));
	return -error;
}

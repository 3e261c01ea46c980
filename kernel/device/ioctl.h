/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_IOCTL_H
#define _SCATTER_IOCTL_H

#include <linux/container_of.h>
#include <linux/scatter.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include "device/made.h"

struct file;
struct scatter_ioctl;

/* The kernel's copy of the user's struct, and the answer. */
union scatter_command {
	struct scatter_info info;
	struct scatter_join join;
	struct scatter_leave leave;
	struct scatter_revoke revoke;
	struct scatter_coll coll;
	struct scatter_status status;
	struct scatter_create create;
	struct scatter_regroup regroup;
	struct scatter_agree agree;
	struct scatter_get_failed get_failed;
	struct scatter_credentials credentials;
	struct scatter_counters counters;
};

/**
 * struct scatter_request - one ioctl, while it runs
 * @ioctl: its row of the table
 * @busy: bit 0 is held while the ioctl runs; NULL: others may run meanwhile
 * @user: where the user's struct is
 * @size: bytes of that to write back
 * @command: the user's struct
 * @made: a file that the call has made, to be installed when the call has succeeded
 */
struct scatter_request {
	const struct scatter_ioctl *ioctl;
	unsigned long *busy;
	void __user *user;
	u32 size;
	union scatter_command command;
	struct scatter_made made;
};

/* Where a command's handler puts a file that the handler makes. */
static inline struct scatter_made *
scatter_command_made(union scatter_command *command)
{
	return &container_of(command, struct scatter_request, command)->made;
}

/**
 * struct scatter_ioctl - one row of a table of ioctls
 * @size: bytes of the struct now
 * @size_min: bytes of the struct's first published form
 * @flags: the known flags
 * @exclusive: only one exclusive ioctl runs at a time on a file
 * @answers: the kernel's copy is written back whatever @run returns
 * @run: works on the kernel's copy; NULL: there is no such ioctl
 */
struct scatter_ioctl {
	u32 size;
	u32 size_min;
	u32 flags;
	bool exclusive;
	bool answers;
	int (*run)(struct file *filp, union scatter_command *command);
};

#define SCATTER_IOCTL_ROW(nr, type, last, known, alone, writes, function) \
	[_IOC_NR(nr)] = {						\
		.size = sizeof(struct type),				\
		.size_min = offsetofend(struct type, last),		\
		.flags = (known),					\
		.exclusive = (alone),					\
		.answers = (writes),					\
		.run = (function),					\
	}

int scatter_ioctl_read(void *to, u32 known, u32 least, void __user *user,
		       bool answers);
int scatter_ioctl_begin(struct scatter_request *request, const struct scatter_ioctl *table,
			unsigned int rows, unsigned long *busy,
			unsigned int number, unsigned long argument);
long scatter_ioctl_end(struct scatter_request *request, long error);

#endif /* _SCATTER_IOCTL_H */

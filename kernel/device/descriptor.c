// SPDX-License-Identifier: GPL-2.0
/*
 * Group descriptors: files that stand for a group without a name; processes JOIN by them.
 *
 * A group has one group descriptor, whose copies may be anywhere; the descriptor holds a reference
 * on the group. A process that joins by the descriptor gets a file of its own, which behaves like a
 * device file that has joined.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/scatter.h>
#include <linux/string.h>

#include "device/check.h"
#include "device/descriptor.h"
#include "device/file.h"
#include "device/ioctl.h"
#include "device/made.h"
#include "device/status.h"
#include "group/group.h"
#include "group/identity.h"
#include "group/wait.h"
#include "masks.h"
#include "membership/join.h"

static int group_join(struct file *filp, union scatter_command *command)
{
	struct scatter_group *group = filp->private_data;
	struct scatter_join *join = &command->join;
	struct scatter_file *file;
	int error;

	join->fd = -1;
	if (!scatter_check_schedule(&join->schedule) || join->__reserved)
		return -EOPNOTSUPP;
	if (join->mode || join->owner ||
	    memchr_inv(join->name, 0, sizeof(join->name)))
		return -EINVAL;
	if (!join->members && !scatter_join_terms(group, join))
		return -EINVAL;
	error = scatter_check_join(join);
	if (error)
		return error;
	file = scatter_file_open(scatter_command_made(command), 0);
	if (IS_ERR(file))
		return PTR_ERR(file);
	error = scatter_file_join(file, group, join, false);
	if (error && error != -EINPROGRESS)
		return error;
	join->fd = scatter_command_made(command)->fd;
	return 0;
}

static int group_status(struct file *filp, union scatter_command *command)
{
	struct scatter_status *status = &command->status;
	struct scatter_masks masks = {};

	return scatter_status_begin(status) ?:
	       scatter_status_of_group(filp->private_data, status, &masks) ?:
	       scatter_status_tell(status, &masks);
}

static int group_counters(struct file *filp, union scatter_command *command)
{
	struct scatter_counters *counters = &command->counters;

	*counters = (struct scatter_counters){
		.size = counters->size,
		.flags = counters->flags,
	};
	if (counters->flags & SCATTER_COUNTERS_TOTAL)
		scatter_status_count_all(filp->private_data, counters);
	return 0;
}

static int group_credentials(struct file *filp, union scatter_command *command)
{
	return scatter_identity_tell(filp->private_data,
					&command->credentials);
}

static const struct scatter_ioctl ioctls[] = {
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_JOIN, scatter_join, __reserved,
			  SCATTER_JOIN_NONBLOCK | SCATTER_JOIN_RELATIVE, false, true, group_join),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_STATUS, scatter_status, missing, 0,
			  false, true, group_status),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_COUNTERS, scatter_counters, spins,
			  SCATTER_COUNTERS_TOTAL, false, true, group_counters),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_CREDENTIALS, scatter_credentials, mode, 0,
			  false, true, group_credentials),
};

static long group_ioctl(struct file *filp, unsigned int number,
			unsigned long argument)
{
	struct scatter_request request;
	int error;

	error = scatter_ioctl_begin(&request, ioctls, ARRAY_SIZE(ioctls), NULL, number, argument);
	if (error)
		return error;
	return scatter_ioctl_end(&request, request.ioctl->run(filp, &request.command));
}

static __poll_t group_poll(struct file *filp, poll_table *wait)
{
	struct scatter_group *group = filp->private_data;

	poll_wait(filp, &group->poll, wait);
	scatter_wait_watch(group);
	return scatter_status_poll_group(group);
}

static int group_release(struct inode *inode, struct file *filp)
{
	scatter_group_close(filp->private_data);
	return 0;
}

static const struct file_operations group_fops = {
	.owner = THIS_MODULE,
	.release = group_release,
	.poll = group_poll,
	.unlocked_ioctl = group_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/**
 * scatter_descriptor_create_group() - create a group and a descriptor to join it by
 * @made: (out) the descriptor
 * @terms: size and schedule of the group, checked
 *
 * Context: may sleep; no locks.
 * Return: 0, -ENOSPC, -EMFILE, -ENFILE or -ENOMEM.
 */
int scatter_descriptor_create_group(struct scatter_made *made,
				    const struct scatter_join *terms)
{
	struct scatter_group *group = scatter_join_create_group(terms);
	int error;

	if (IS_ERR(group))
		return PTR_ERR(group);
	error = scatter_made_open(made, "[scatter-group]", &group_fops,
				  group, 0);
	if (error)
		scatter_group_put(group);
	return error;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/scatter: open, release, poll and the ioctl table.
 */
#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/scatter.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include "abi.h"
#include "device/chardev.h"
#include "device/check.h"
#include "device/coll.h"
#include "device/descriptor.h"
#include "device/file.h"
#include "device/ioctl.h"
#include "device/regroup.h"
#include "device/status.h"
#include "group/group.h"
#include "group/identity.h"
#include "group/member.h"
#include "group/spec.h"
#include "masks.h"
#include "membership/join.h"
#include "membership/meet.h"
#include "memory/user.h"
#include "node/node.h"
#include "operation/fail.h"
#include "param.h"
#include "span/span.h"

static int ioctl_info(struct file *filp, union scatter_command *command)
{
	const struct scatter_file *file = filp->private_data;
	struct scatter_info *info = &command->info;

	*info = (struct scatter_info){
		.size = info->size,
		.operations = SCATTER_OPERATIONS | SCATTER_REGROUPINGS,
		.algorithms = SCATTER_ALGORITHMS,
		.block_max = SCATTER_BLOCK_MAX,
		.size_max = SCATTER_SIZE_MAX,
		.name_max = SCATTER_NAME_MAX,
		.ring_bytes = READ_ONCE(scatter_param_ring_bytes),
		.ring_bytes_min = PAGE_SIZE,
		.ring_bytes_max = SCATTER_RING_BYTES_MAX,
		.eager_limit = READ_ONCE(scatter_param_eager_limit),
		.gather_limit = READ_ONCE(scatter_param_gather_limit),
		.window = READ_ONCE(scatter_param_window),
		.user_bytes = READ_ONCE(scatter_param_user_bytes),
		.user_bytes_used = scatter_user_bytes(),
	};
	/* A file that a call has made for one membership has no namespace. */
	if (file->net)
		scatter_node_info(file->net, &info->node, &info->cluster);
	return 0;
}

/* Whether a file may JOIN or CREATE: it was opened from the device for reading and writing. */
static int check_mode(const struct file *filp)
{
	const struct scatter_file *file = filp->private_data;
	const fmode_t both = FMODE_READ | FMODE_WRITE;

	if (!file->net)
		return -EPERM;
	return (filp->f_mode & both) == both ? 0 : -EBADF;
}

static int ioctl_join(struct file *filp, union scatter_command *command)
{
	struct scatter_file *file = filp->private_data;
	struct scatter_join *join = &command->join;
	int error;

	error = scatter_check_join(join);
	if (error)
		return error;
	if (!scatter_check_name(join->name))
		return -EINVAL;
	if (file->member)
		return -EISCONN;
	error = check_mode(filp);
	if (error)
		return error;
	return scatter_file_join(file, NULL, join, filp->f_flags & O_NONBLOCK);
}

static int ioctl_create(struct file *filp, union scatter_command *command)
{
	struct scatter_create *create = &command->create;
	struct scatter_join terms = {
		.members = create->members,
		.rank = SCATTER_RANK_ANY,
		.schedule = create->schedule,
	};
	int error;

	memcpy(terms.sides, create->sides, sizeof(terms.sides));
	error = scatter_check_join(&terms);
	if (!error)
		error = check_mode(filp);
	if (error)
		return error;
	error = scatter_descriptor_create_group(scatter_command_made(command), &terms);
	create->fd = error ? -1 : scatter_command_made(command)->fd;
	return error;
}

static int ioctl_leave(struct file *filp, union scatter_command *command)
{
	struct scatter_file *file = filp->private_data;
	struct scatter_member *member;
	int error;

	error = scatter_file_get_member(file, &member);
	if (error)
		return error;
	scatter_file_set_member(file, NULL);
	scatter_join_end(member, SCATTER_LEFT);
	return 0;
}

static int ioctl_coll(struct file *filp, union scatter_command *command)
{
	return scatter_coll_run(filp->private_data, &command->coll);
}

static int ioctl_status(struct file *filp, union scatter_command *command)
{
	struct scatter_file *file = filp->private_data;
	struct scatter_status *status = &command->status;
	struct scatter_masks masks = {};
	int error;

	error = scatter_status_begin(status);
	if (error)
		return error;
	error = -ENOTCONN;
	spin_lock(&file->lock);
	if (file->member)
		error = scatter_status_of_member(file->member, status, &masks);
	spin_unlock(&file->lock);
	return error ?: scatter_status_tell(status, &masks);
}

static int ioctl_counters(struct file *filp, union scatter_command *command)
{
	struct scatter_file *file = filp->private_data;
	struct scatter_counters *counters = &command->counters;
	struct scatter_group *group;
	int error = -ENOTCONN;

	*counters = (struct scatter_counters){
		.size = counters->size,
		.flags = counters->flags,
	};
	if (counters->flags & SCATTER_COUNTERS_TOTAL) {
		group = scatter_file_get_group(file);
		if (!group)
			return -ENOTCONN;
		scatter_status_count_all(group, counters);
		scatter_group_put(group);
		return 0;
	}
	spin_lock(&file->lock);
	if (file->member && READ_ONCE(file->member->presence) != SCATTER_LOST) {
		scatter_status_count(file->member, counters);
		error = 0;
	}
	spin_unlock(&file->lock);
	return error;
}

static int ioctl_credentials(struct file *filp, union scatter_command *command)
{
	struct scatter_group *group = scatter_file_get_group(filp->private_data);
	int error;

	if (!group)
		return -ENOTCONN;
	error = scatter_identity_tell(group, &command->credentials);
	scatter_group_put(group);
	return error;
}

/* Allowed while another thread of the member is inside a call. */
static int ioctl_get_failed(struct file *filp, union scatter_command *command)
{
	struct scatter_get_failed *get = &command->get_failed;
	struct scatter_file *file = filp->private_data;
	u64 failed[SCATTER_MASK_WORDS] = {};
	struct scatter_member *member;
	int error;

	if (get->__reserved)
		return -EOPNOTSUPP;
	spin_lock(&file->lock);
	error = scatter_file_get_member(file, &member);
	if (!error && get->failed)
		error = scatter_masks_check(get->bits, member->group->size);
	if (!error)
		scatter_meet_get_failed(member, get, failed);
	spin_unlock(&file->lock);
	if (!error)
		error = scatter_masks_tell(get->failed, get->bits, failed);
	if (error || !(get->flags & SCATTER_GET_FAILED_ACK))
		return error;
	/* Acknowledge only what the user has been told, and only once the user has been told. */
	spin_lock(&file->lock);
	error = scatter_file_get_member(file, &member);
	if (!error)
		get->acknowledged = scatter_meet_acknowledge(member, failed);
	spin_unlock(&file->lock);
	return error;
}

/* Allowed while another thread of the member is inside a call. */
static int ioctl_revoke(struct file *filp, union scatter_command *command)
{
	struct scatter_file *file = filp->private_data;
	struct scatter_group *group;
	struct scatter_member *member;
	bool first;
	u32 rank;
	int error;

	spin_lock(&file->lock);
	error = scatter_file_get_member(file, &member);
	if (!error)
		error = scatter_fail_revoke(member, &first);
	if (!error) {
		group = member->group;
		rank = member->rank;
		scatter_group_get(group);
	}
	spin_unlock(&file->lock);
	if (error)
		return error;
	scatter_fail_abort(group);
	/* A user may revoke as often as he likes: other nodes hear of it once. */
	if (first)
		scatter_span_revoked(group, rank);
	scatter_group_put(group);
	return 0;
}

static int ioctl_regroup(struct file *filp, union scatter_command *command)
{
	struct scatter_regroup *regroup = &command->regroup;
	struct scatter_member *member;
	int error;

	regroup->fd = -1;
	regroup->rank = -1;
	regroup->members = 0;
	regroup->remote = 0;
	regroup->culprit = SCATTER_RANK_ANY;
	if (!scatter_check_schedule(&regroup->schedule) || regroup->__reserved)
		return -EOPNOTSUPP;
	error = scatter_regroup_check(regroup);
	if (error)
		return error;
	error = scatter_file_get_member(filp->private_data, &member);
	if (error)
		return error;
	return scatter_regroup_run(member, regroup, scatter_command_made(command));
}

static int ioctl_agree(struct file *filp, union scatter_command *command)
{
	struct scatter_agree *agree = &command->agree;
	struct scatter_member *member;
	int error;

	agree->culprit = SCATTER_RANK_ANY;
	agree->gone = 0;
	if (agree->deadline_ns > KTIME_MAX)
		return -EINVAL;
	error = scatter_file_get_member(filp->private_data, &member);
	return error ?: scatter_meet_agree(member, agree);
}

static const struct scatter_ioctl ioctls[] = {
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_INFO, scatter_info, cluster, 0,
			  false, true, ioctl_info),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_JOIN, scatter_join, __reserved,
			  SCATTER_JOIN_NONBLOCK | SCATTER_JOIN_EXCL |
			  SCATTER_JOIN_RELATIVE | SCATTER_JOIN_LOCAL | SCATTER_JOIN_DECLINE,
			  true, true, ioctl_join),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_LEAVE, scatter_leave, flags, 0,
			  true, false, ioctl_leave),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_COLL, scatter_coll, results,
			  SCATTER_COLL_IN_PLACE | SCATTER_COLL_AGREED |
			  SCATTER_COLL_RELATIVE, true, false, ioctl_coll),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_STATUS, scatter_status, missing, 0,
			  false, true, ioctl_status),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_COUNTERS, scatter_counters, spins,
			  SCATTER_COUNTERS_TOTAL, false, true, ioctl_counters),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_REVOKE, scatter_revoke, flags, 0,
			  false, false, ioctl_revoke),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_CREATE, scatter_create, schedule, 0,
			  false, true, ioctl_create),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_REGROUP, scatter_regroup, __reserved,
			  SCATTER_REGROUP_RELATIVE,
			  true, true, ioctl_regroup),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_AGREE, scatter_agree, gone, SCATTER_AGREE_RELATIVE,
			  true, true, ioctl_agree),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_GET_FAILED, scatter_get_failed, __reserved,
			  SCATTER_GET_FAILED_ACK, false, true, ioctl_get_failed),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_CREDENTIALS, scatter_credentials, mode, 0,
			  false, true, ioctl_credentials),
};

static long scatter_ioctl(struct file *filp, unsigned int number,
			  unsigned long argument)
{
	struct scatter_file *file = filp->private_data;
	struct scatter_request request;
	int error;

	error = scatter_ioctl_begin(&request, ioctls, ARRAY_SIZE(ioctls), &file->busy,
				    number, argument);
	if (error)
		return error;
	return scatter_ioctl_end(&request, request.ioctl->run(filp, &request.command));
}

static int scatter_open(struct inode *inode, struct file *filp)
{
	filp->private_data = scatter_file_create(current->nsproxy->net_ns);
	return filp->private_data ? nonseekable_open(inode, filp) : -ENOMEM;
}

static int scatter_release(struct inode *inode, struct file *filp)
{
	scatter_file_free(filp->private_data);
	return 0;
}

static const struct file_operations scatter_fops = {
	.owner = THIS_MODULE,
	.open = scatter_open,
	.release = scatter_release,
	.poll = scatter_file_poll,
	.unlocked_ioctl = scatter_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice scatter_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "scatter",
	.fops = &scatter_fops,
	.mode = 0660,
};

/**
 * scatter_chardev_register() - make /dev/scatter appear
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int scatter_chardev_register(void)
{
	scatter_file_init(&scatter_fops);
	return misc_register(&scatter_device);
}

/**
 * scatter_chardev_unregister() - make /dev/scatter go away
 *
 * Context: may sleep; no file is open.
 */
void scatter_chardev_unregister(void)
{
	misc_deregister(&scatter_device);
}

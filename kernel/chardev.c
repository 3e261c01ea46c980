// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/scatter: open, release, poll and the ioctl table.
 */
#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/nsproxy.h>
#include <linux/overflow.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/scatter.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>

#include "abi.h"
#include "chardev.h"
#include "coll.h"
#include "descriptor.h"
#include "file.h"
#include "group.h"
#include "identity.h"
#include "inter.h"
#include "ioctl.h"
#include "masks.h"
#include "meeting.h"
#include "member.h"
#include "operation.h"
#include "params.h"
#include "plan.h"
#include "regroup.h"
#include "ring.h"
#include "schedule/schedule.h"
#include "status.h"
#include "user.h"

/* In step with the pure code, which does not include the uapi header. */
#define SAME_ALGORITHM(name)						\
	static_assert((int)SCATTER_ALGORITHM_##name ==			\
		      (int)SCATTER_SCHEDULE_##name)

SAME_ALGORITHM(LINEAR);
SAME_ALGORITHM(HYPERCUBE);
SAME_ALGORITHM(MESH);
SAME_ALGORITHM(TORUS);
SAME_ALGORITHM(KNOMIAL);
SAME_ALGORITHM(ROTATED);
SAME_ALGORITHM(BALANCED);
SAME_ALGORITHM(IRREGULAR);
SAME_ALGORITHM(OR_BROADCAST);

#define SCATTER_OPERATIONS	(BIT(SCATTER_OP_SCATTER) | \
				 BIT(SCATTER_OP_GATHER) | \
				 BIT(SCATTER_OP_SCATTERV) | \
				 BIT(SCATTER_OP_GATHERV) | \
				 BIT(SCATTER_OP_BARRIER))
#define SCATTER_REGROUPINGS	(BIT(SCATTER_OP_DUP) | BIT(SCATTER_OP_SPLIT) | \
				 BIT(SCATTER_OP_SHRINK) | BIT(SCATTER_OP_AGREE))
#define SCATTER_ALGORITHMS	(BIT(SCATTER_ALGORITHM_AUTO) | \
				 BIT(SCATTER_ALGORITHM_LINEAR) | \
				 BIT(SCATTER_ALGORITHM_HYPERCUBE) | \
				 BIT(SCATTER_ALGORITHM_MESH) | \
				 BIT(SCATTER_ALGORITHM_TORUS) | \
				 BIT(SCATTER_ALGORITHM_KNOMIAL) | \
				 BIT(SCATTER_ALGORITHM_ROTATED) | \
				 BIT(SCATTER_ALGORITHM_BALANCED) | \
				 BIT(SCATTER_ALGORITHM_IRREGULAR) | \
				 BIT(SCATTER_ALGORITHM_OR_BROADCAST))

static int ioctl_info(struct file *filp, union scatter_command *command)
{
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
	return 0;
}

static bool name_ok(const char *name)
{
	size_t length = strnlen(name, SCATTER_NAME_MAX);
	size_t i;

	if (!length || length == SCATTER_NAME_MAX)
		return false;
	for (i = 0; i < length; i++)
		if (!isascii(name[i]) || !isprint(name[i]) || name[i] == '/')
			return false;
	return !memchr_inv(name + length, 0, SCATTER_NAME_MAX - length);
}

/**
 * scatter_chardev_knows() - whether this kernel knows all that a schedule says
 * @schedule: as the user gave it
 *
 * Context: any.
 */
bool scatter_chardev_knows(const struct scatter_schedule *schedule)
{
	return schedule->algorithm < BITS_PER_LONG &&
	       SCATTER_ALGORITHMS & BIT(schedule->algorithm) && !schedule->__reserved;
}

static bool schedule_ok(const struct scatter_join *join)
{
	const struct scatter_schedule schedule = scatter_plan_asked(&join->schedule);

	return scatter_inter_possible(&schedule, join->members, join->sides);
}

/**
 * scatter_chardev_check_join() - whether a JOIN asks for what there can be
 * @join: what the user asked for; its name and owner are not looked at
 *
 * Context: any.
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int scatter_chardev_check_join(const struct scatter_join *join)
{
	if (!scatter_chardev_knows(&join->schedule) || join->__reserved)
		return -EOPNOTSUPP;
	if (!join->members || join->members > SCATTER_SIZE_MAX)
		return -EINVAL;
	if (!scatter_inter_sides_ok(join))
		return -EINVAL;
	if (join->rank != SCATTER_RANK_ANY &&
	    (join->rank < 0 || join->rank >= scatter_inter_seats(join)))
		return -EINVAL;
	if (join->mode & ~0777)
		return -EINVAL;
	if (join->ring_bytes && !scatter_param_ring_bytes_ok(join->ring_bytes))
		return -EINVAL;
	if (join->deadline_ns > KTIME_MAX)
		return -EINVAL;
	return schedule_ok(join) ? 0 : -EINVAL;
}

/* Groups are for files that were opened from the device, for reading and writing. */
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

	error = scatter_chardev_check_join(join);
	if (error)
		return error;
	if (!name_ok(join->name))
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
	error = scatter_chardev_check_join(&terms);
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
	scatter_member_leave(member, SCATTER_LEFT);
	return 0;
}

static int check_coll(const struct scatter_coll *coll)
{
	if (coll->op >= BITS_PER_LONG || !(SCATTER_OPERATIONS & BIT(coll->op)))
		return -EOPNOTSUPP;
	if (!scatter_chardev_knows(&coll->schedule))
		return -EOPNOTSUPP;
	if (coll->block > SCATTER_BLOCK_MAX || coll->deadline_ns > KTIME_MAX)
		return -EINVAL;
	if (coll->op == SCATTER_OP_BARRIER &&
	    (coll->root || coll->block || coll->flags & SCATTER_COLL_IN_PLACE ||
	     memchr_inv(&coll->schedule, 0, sizeof(coll->schedule))))
		return -EINVAL;
	if (!scatter_op_is_vector(coll->op) && (coll->counts || coll->displs))
		return -EINVAL;
	return 0;
}

static int ioctl_coll(struct file *filp, union scatter_command *command)
{
	const struct scatter_coll *coll = &command->coll;
	void __user *user = u64_to_user_ptr(coll->results);
	struct scatter_results results = {};
	struct scatter_member *member;
	int error, size;

	size = scatter_ioctl_read(&results, sizeof(results),
				  offsetofend(struct scatter_results, error),
				  user, true);
	if (size < 0)
		return size;
	if (results.flags)
		return -EOPNOTSUPP;
	results.culprit = SCATTER_RANK_ANY;
	results.bytes = 0;
	error = check_coll(coll);
	if (!error)
		error = scatter_file_get_member(filp->private_data, &member);
	if (!error)
		error = scatter_coll_run(member, coll, &results);
	results.error = -error;
	return copy_to_user(user, &results, size) ? -EFAULT : error;
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

/* Also while another thread of the member is inside a call. */
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
		scatter_meeting_get_failed(member, get, failed);
	spin_unlock(&file->lock);
	if (!error)
		error = scatter_masks_tell(get->failed, get->bits, failed);
	if (error || !(get->flags & SCATTER_GET_FAILED_ACK))
		return error;
	/* Nobody acknowledges what could not be told, nor more than that. */
	spin_lock(&file->lock);
	error = scatter_file_get_member(file, &member);
	if (!error)
		get->acknowledged = scatter_meeting_acknowledge(member, failed);
	spin_unlock(&file->lock);
	return error;
}

/* Likewise. */
static int ioctl_revoke(struct file *filp, union scatter_command *command)
{
	struct scatter_file *file = filp->private_data;
	struct scatter_group *group;
	struct scatter_member *member;
	int error;

	spin_lock(&file->lock);
	error = scatter_file_get_member(file, &member);
	if (!error)
		error = scatter_member_revoke(member);
	if (!error) {
		group = member->group;
		scatter_group_get(group);
	}
	spin_unlock(&file->lock);
	if (error)
		return error;
	scatter_operation_abort(group);
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
	if (!scatter_chardev_knows(&regroup->schedule) || regroup->__reserved)
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
	return error ?: scatter_meeting_agree(member, agree);
}

static const struct scatter_ioctl ioctls[] = {
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_INFO, scatter_info, cluster, 0,
			  false, true, ioctl_info),
	SCATTER_IOCTL_ROW(SCATTER_IOCTL_JOIN, scatter_join, __reserved,
			  SCATTER_JOIN_NONBLOCK | SCATTER_JOIN_EXCL |
			  SCATTER_JOIN_RELATIVE, true, true, ioctl_join),
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

	return scatter_ioctl_run(filp, ioctls, ARRAY_SIZE(ioctls), &file->busy,
				 number, argument);
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

const struct file_operations scatter_fops = {
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

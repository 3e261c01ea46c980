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
#include "group.h"
#include "inter.h"
#include "member.h"
#include "operation.h"
#include "params.h"
#include "plan.h"
#include "ring.h"
#include "schedule/schedule.h"

/**
 * struct scatter_file - one open file
 * @net: constant; the network namespace of whoever opened it
 * @busy: bit 0: a JOIN, LEAVE or COLL is running
 * @lock: protects @member
 * @member: lock; set and cleared only with @busy held
 * @poll: pollers; the member points here
 */
struct scatter_file {
	struct net *net;
	unsigned long busy;
	spinlock_t lock; /* @member */
	struct scatter_member *member;
	wait_queue_head_t poll;
};

union scatter_command {
	struct scatter_info info;
	struct scatter_join join;
	struct scatter_leave leave;
	struct scatter_revoke revoke;
	struct scatter_coll coll;
	struct scatter_status status;
};

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
		.operations = SCATTER_OPERATIONS,
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

static bool algorithm_ok(u32 algorithm)
{
	return algorithm < BITS_PER_LONG && SCATTER_ALGORITHMS & BIT(algorithm);
}

static bool schedule_fits(const struct scatter_join *join, u32 ranks)
{
	struct scatter_spec spec = {
		.op = SCATTER_OP_SCATTERV, .ranks = ranks,
	};

	scatter_choice_fill(&spec.choice, join->algorithm, join->ports,
			    join->dims, join->extent);
	return scatter_plan_possible(&spec);
}

/*
 * The group's schedule must do for some operations: v forms take all that there are, and
 * with two sides those towards one of them will do.
 */
static bool schedule_ok(const struct scatter_join *join)
{
	if (!join->sides[0])
		return schedule_fits(join, join->members);
	return schedule_fits(join, join->sides[0] + 1) ||
	       schedule_fits(join, join->sides[1] + 1);
}

static int check_join(const struct scatter_join *join)
{
	if (join->__reserved || join->__reserved2 ||
	    !algorithm_ok(join->algorithm))
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
	return schedule_ok(join) && name_ok(join->name) ? 0 : -EINVAL;
}

static void set_member(struct scatter_file *file, struct scatter_member *member)
{
	spin_lock(&file->lock);
	file->member = member;
	spin_unlock(&file->lock);
	/* Pollers that looked meanwhile saw a file without a member. */
	wake_up_all(&file->poll);
}

static int ioctl_join(struct file *filp, union scatter_command *command)
{
	struct scatter_file *file = filp->private_data;
	struct scatter_join *join = &command->join;
	struct scatter_member *member;
	int error;

	error = check_join(join);
	if (error)
		return error;
	if (file->member)
		return -EISCONN;
	member = scatter_member_join(file->net, join, &file->poll);
	if (IS_ERR(member))
		return PTR_ERR(member);
	if (filp->f_flags & O_NONBLOCK) {
		error = scatter_member_formed(member) ? 0 : -EINPROGRESS;
	} else {
		error = scatter_member_wait_formed(member, join->deadline_ns);
		/* The last one may have joined just now. */
		if (error && scatter_group_unseat(member->group, member)) {
			scatter_member_leave(member, SCATTER_DEAD);
			return error;
		}
		error = 0;
	}
	join->rank = scatter_inter_rank(member->group, member->rank);
	set_member(file, member);
	return error;
}

/* The member of a file whose caller must be the address space that joined. */
static int get_member(const struct scatter_file *file,
		      struct scatter_member **member)
{
	*member = file->member;
	if (!*member)
		return -ENOTCONN;
	return (*member)->mm == current->mm ? 0 : -EIO;
}

static int ioctl_leave(struct file *filp, union scatter_command *command)
{
	struct scatter_file *file = filp->private_data;
	struct scatter_member *member;
	int error;

	error = get_member(file, &member);
	if (error)
		return error;
	set_member(file, NULL);
	scatter_member_leave(member, SCATTER_LEFT);
	return 0;
}

static int check_coll(const struct scatter_coll *coll)
{
	if (coll->__reserved)
		return -EOPNOTSUPP;
	if (coll->op >= BITS_PER_LONG || !(SCATTER_OPERATIONS & BIT(coll->op)))
		return -EOPNOTSUPP;
	if (!algorithm_ok(coll->algorithm))
		return -EOPNOTSUPP;
	if (coll->block > SCATTER_BLOCK_MAX || coll->deadline_ns > KTIME_MAX)
		return -EINVAL;
	if (coll->op == SCATTER_OP_BARRIER &&
	    (coll->algorithm || coll->root || coll->block || coll->flags ||
	     coll->ports || coll->dims))
		return -EINVAL;
	if (!scatter_op_is_vector(coll->op) && (coll->counts || coll->displs))
		return -EINVAL;
	return 0;
}

static int ioctl_coll(struct file *filp, union scatter_command *command)
{
	struct scatter_coll *coll = &command->coll;
	struct scatter_member *member;
	int error;

	coll->culprit = SCATTER_RANK_ANY;
	coll->number = 0;
	error = check_coll(coll);
	if (error)
		return error;
	error = get_member(filp->private_data, &member);
	return error ?: scatter_coll_run(member, coll);
}

static int ioctl_status(struct file *filp, union scatter_command *command)
{
	struct scatter_file *file = filp->private_data;
	struct scatter_status *status = &command->status;
	int error = -ENOTCONN;

	*status = (struct scatter_status){ .size = status->size };
	spin_lock(&file->lock);
	if (file->member)
		error = scatter_member_status(file->member, status);
	spin_unlock(&file->lock);
	return error;
}

static int ioctl_revoke(struct file *filp, union scatter_command *command)
{
	struct scatter_file *file = filp->private_data;
	struct scatter_member *member;
	int error;

	spin_lock(&file->lock);
	error = get_member(file, &member);
	if (!error)
		error = scatter_member_revoke(member);
	spin_unlock(&file->lock);
	return error;
}

/**
 * struct scatter_ioctl - one row of the ioctl table
 * @size: bytes of the struct now
 * @size_min: bytes of its first published form
 * @flags: the flags that are known
 * @exclusive: only one of these runs at a time on a file
 * @answers: the kernel's copy is written back whatever @run returns
 * @run: works on the kernel's copy
 */
struct scatter_ioctl {
	u32 size;
	u32 size_min;
	u32 flags;
	bool exclusive;
	bool answers;
	int (*run)(struct file *filp, union scatter_command *command);
};

#define IOCTL(nr, type, last, known, alone, writes, function)		\
	[_IOC_NR(nr)] = {						\
		.size = sizeof(struct type),				\
		.size_min = offsetofend(struct type, last),		\
		.flags = (known),					\
		.exclusive = (alone),					\
		.answers = (writes),					\
		.run = (function),					\
	}

static const struct scatter_ioctl ioctls[] = {
	IOCTL(SCATTER_IOCTL_INFO, scatter_info, gather_limit, 0, false, true,
	      ioctl_info),
	IOCTL(SCATTER_IOCTL_JOIN, scatter_join, __reserved, 0, true, true,
	      ioctl_join),
	IOCTL(SCATTER_IOCTL_LEAVE, scatter_leave, flags, 0, true, false,
	      ioctl_leave),
	IOCTL(SCATTER_IOCTL_COLL, scatter_coll, __reserved,
	      SCATTER_COLL_IN_PLACE, true, true, ioctl_coll),
	IOCTL(SCATTER_IOCTL_STATUS, scatter_status, total, 0, false, true,
	      ioctl_status),
	IOCTL(SCATTER_IOCTL_REVOKE, scatter_revoke, flags, 0, false, false,
	      ioctl_revoke),
};

static long run_ioctl(struct file *filp, const struct scatter_ioctl *ioctl,
		      union scatter_command *command)
{
	struct scatter_file *file = filp->private_data;
	long error;

	/* flags follows size in every struct. */
	if (command->leave.flags & ~ioctl->flags)
		return -EOPNOTSUPP;
	if (!ioctl->exclusive)
		return ioctl->run(filp, command);
	if (test_and_set_bit_lock(0, &file->busy))
		return -EBUSY;
	error = ioctl->run(filp, command);
	clear_bit_unlock(0, &file->busy);
	return error;
}

/*
 * What cannot be written back must not happen. A struct is shorter than a page,
 * so its first and last bytes are in all the pages that it is in.
 */
static bool writable(void __user *user, const union scatter_command *command,
		     u32 size)
{
	const u8 *bytes = (const u8 *)command;
	u8 __user *to = user;

	return !put_user(bytes[0], to) &&
	       !put_user(bytes[size - 1], to + size - 1);
}

static long scatter_ioctl(struct file *filp, unsigned int number,
			  unsigned long argument)
{
	void __user *user = (void __user *)argument;
	unsigned int nr = _IOC_NR(number);
	union scatter_command command;
	const struct scatter_ioctl *ioctl;
	long error;
	u32 size;

	if (number != _IO(SCATTER_IOCTL_TYPE, nr) || nr >= ARRAY_SIZE(ioctls))
		return -ENOTTY;
	ioctl = &ioctls[array_index_nospec(nr, ARRAY_SIZE(ioctls))];
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < ioctl->size_min)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	memset(&command, 0, sizeof(command));
	error = copy_struct_from_user(&command, ioctl->size, user, size);
	if (error)
		return error;
	/* Read once: whoever changed it meanwhile gets what was checked. */
	command.leave.size = size;
	size = min(size, ioctl->size);
	if (ioctl->answers && !writable(user, &command, size))
		return -EFAULT;
	error = run_ioctl(filp, ioctl, &command);
	if (ioctl->answers && copy_to_user(user, &command, size))
		return -EFAULT;
	/*
	 * A signal without a handler, such as a stop that is over, restarts the
	 * call: it resumes where it was, and its deadline is absolute.
	 */
	return error == -EINTR ? -ERESTARTNOHAND : error;
}

static __poll_t scatter_poll(struct file *filp, poll_table *wait)
{
	struct scatter_file *file = filp->private_data;
	__poll_t events = EPOLLHUP;

	poll_wait(filp, &file->poll, wait);
	spin_lock(&file->lock);
	if (file->member)
		events = scatter_member_poll(file->member);
	spin_unlock(&file->lock);
	return events;
}

static int scatter_open(struct inode *inode, struct file *filp)
{
	struct scatter_file *file;

	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file)
		return -ENOMEM;
	spin_lock_init(&file->lock);
	init_waitqueue_head(&file->poll);
	file->net = get_net(current->nsproxy->net_ns);
	filp->private_data = file;
	return nonseekable_open(inode, filp);
}

static int scatter_release(struct inode *inode, struct file *filp)
{
	struct scatter_file *file = filp->private_data;

	if (file->member)
		scatter_member_leave(file->member, SCATTER_DEAD);
	put_net(file->net);
	kfree(file);
	return 0;
}

static const struct file_operations scatter_fops = {
	.owner = THIS_MODULE,
	.open = scatter_open,
	.release = scatter_release,
	.poll = scatter_poll,
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

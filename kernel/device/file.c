// SPDX-License-Identifier: GPL-2.0
/*
 * Open files that are, or can become, a member.
 */
#include <linux/cache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/scatter.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "device/file.h"
#include "device/made.h"
#include "device/status.h"
#include "group/group.h"
#include "group/member.h"
#include "group/sides.h"
#include "group/wait.h"
#include "membership/applicant.h"
#include "membership/join.h"

/* Operations of all files that can be a member, device files too; constant once there are any. */
static const struct file_operations *device_fops __ro_after_init;

/**
 * scatter_file_init() - set the operations of all files that are, or can become, a member
 * @fops: the operations
 *
 * Context: there is no file yet.
 */
void scatter_file_init(const struct file_operations *fops)
{
	device_fops = fops;
}

/**
 * scatter_file_create() - make the object behind an open file
 * @net: the namespace in which the file looks for names; NULL: the file does not
 *
 * Context: may sleep.
 * Return: the file, for scatter_file_free(), or NULL.
 */
struct scatter_file *scatter_file_create(struct net *net)
{
	struct scatter_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return NULL;
	spin_lock_init(&file->lock);
	init_waitqueue_head(&file->poll);
	if (net)
		file->net = get_net(net);
	return file;
}

/**
 * scatter_file_open() - make a file that is going to be a member
 * @made: (out) the file and a descriptor for the file
 * @flags: O_NONBLOCK or 0
 *
 * Context: may sleep; no locks.
 * Return: the object behind the file, which goes with the file; or ERR_PTR(-errno).
 */
struct scatter_file *scatter_file_open(struct scatter_made *made,
				       unsigned int flags)
{
	struct scatter_file *file = scatter_file_create(NULL);
	int error;

	if (!file)
		return ERR_PTR(-ENOMEM);
	error = scatter_made_open(made, "[scatter]", device_fops, file, flags);
	if (!error)
		return file;
	scatter_file_free(file);
	return ERR_PTR(error);
}

/**
 * scatter_file_seated() - free the applicant behind a file that has got its seat, or never will
 * @file: made for an applicant; nobody else uses the file
 *
 * Context: may sleep; no locks.
 * Return: the member that the file has now; NULL if none.
 */
struct scatter_member *scatter_file_seated(struct scatter_file *file)
{
	file->member = scatter_applicant_free(file->applicant);
	file->applicant = NULL;
	return file->member;
}

static void forget_refused(struct scatter_file *file)
{
	if (file->refused)
		scatter_group_put(file->refused);
	file->refused = NULL;
}

/**
 * scatter_file_free() - free the object behind a file whose last descriptor is closed
 * @file: nobody uses the file any more
 *
 * Context: may sleep; no locks.
 */
void scatter_file_free(struct scatter_file *file)
{
	if (file->applicant)
		scatter_file_seated(file);
	if (file->member)
		scatter_join_end(file->member, SCATTER_DEAD);
	forget_refused(file);
	if (file->net)
		put_net(file->net);
	kfree(file);
}

/**
 * scatter_file_set_member() - make a file a member, or end that
 * @file: busy, or not yet known to anybody else
 * @member: the member or NULL
 *
 * Context: any; no locks.
 */
void scatter_file_set_member(struct scatter_file *file,
			     struct scatter_member *member)
{
	spin_lock(&file->lock);
	file->member = member;
	spin_unlock(&file->lock);
	/* Pollers that looked meanwhile saw a file without a member. */
	wake_up_all(&file->poll);
}

/**
 * scatter_file_join() - make a file a member
 * @file: busy, or not yet known to anybody else; it has no member
 * @group: the group to join; NULL: by name, in the network namespace of the file
 * @join: (in, out) what the user asked for, checked; its rank becomes the rank taken
 * @nonblock: do not wait for the others
 *
 * Context: may sleep; no locks.
 * Return: 0: a member, or declined; -EINPROGRESS: a member, but the group is not complete; else
 * -errno, and no rank is taken.
 */
int scatter_file_join(struct scatter_file *file, struct scatter_group *group,
		      struct scatter_join *join, bool nonblock)
{
	u64 deadline_ns = scatter_wait_deadline(join->deadline_ns,
						join->flags & SCATTER_JOIN_RELATIVE);
	struct scatter_member *member;
	int error = 0;

	if (join->flags & SCATTER_JOIN_DECLINE)
		return scatter_join_decline(file->net, join, &file->refused);
	member = scatter_join(group, file->net, join, &file->poll, deadline_ns, &file->refused);
	if (IS_ERR(member))
		return PTR_ERR(member);
	if (nonblock || join->flags & SCATTER_JOIN_NONBLOCK) {
		error = scatter_member_formed(member) ? 0 : -EINPROGRESS;
	} else {
		error = scatter_member_wait_formed(member, deadline_ns);
		/* The last member may have joined just now. */
		if (error && scatter_join_withdraw(member)) {
			if (scatter_join_refused(member, &file->refused))
				error = -ECONNREFUSED;
			scatter_join_end(member, SCATTER_DEAD);
			return error;
		}
		error = 0;
	}
	forget_refused(file);
	join->rank = scatter_sides_rank(member->group, member->rank);
	scatter_file_set_member(file, member);
	return error;
}

/**
 * scatter_file_get_member() - find the member that the current task may act for
 * @file: busy or locked
 * @member: (out) the member
 *
 * Context: any.
 * Return: 0; -ENOTCONN if there is none; -EIO if another address space has joined, or
 * the process that joined has ended.
 */
int scatter_file_get_member(const struct scatter_file *file,
			    struct scatter_member **member)
{
	*member = file->member;
	if (!*member)
		return -ENOTCONN;
	if ((*member)->mm != current->mm || scatter_member_has_ended(*member))
		return -EIO;
	return 0;
}

/**
 * scatter_file_get_group() - find the group that a file is a member of
 * @file: the file
 *
 * Context: any; no locks.
 * Return: the group, for scatter_group_put(); NULL if there is none, or the address space
 * ended before the group formed.
 */
struct scatter_group *scatter_file_get_group(struct scatter_file *file)
{
	struct scatter_group *group = NULL;
	bool is_lost = false;

	spin_lock(&file->lock);
	if (file->member) {
		group = file->member->group;
		spin_lock(&group->lock);
		is_lost = file->member->presence == SCATTER_LOST;
		if (!is_lost)
			scatter_group_get(group);
		spin_unlock(&group->lock);
	}
	spin_unlock(&file->lock);
	return is_lost ? NULL : group;
}

/**
 * scatter_file_poll() - answer poll() on a file that is or can become a member
 * @filp: the file
 * @wait: as of poll()
 *
 * Context: may sleep; no locks.
 * Return: EPOLL* bits as the uapi header says.
 */
__poll_t scatter_file_poll(struct file *filp, poll_table *wait)
{
	struct scatter_file *file = filp->private_data;
	__poll_t events = EPOLLHUP;

	poll_wait(filp, &file->poll, wait);
	spin_lock(&file->lock);
	if (file->member) {
		scatter_wait_watch(file->member->group);
		events = scatter_status_poll_member(file->member);
	}
	spin_unlock(&file->lock);
	return events;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Open files: those of the device, and those that calls make.
 *
 * A call that makes a file reserves its number and makes it before anything else, so that
 * nothing can fail after a membership has begun. It is installed when the answer has been
 * written to the user; until then it is dropped like any file whose last descriptor is
 * closed.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/scatter.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "chardev.h"
#include "death.h"
#include "file.h"
#include "group.h"
#include "inter.h"
#include "member.h"
#include "regroup.h"
#include "status.h"
#include "wait.h"

/**
 * scatter_descriptor_open() - make a file and reserve a descriptor for it
 * @descriptor: (out) both; untouched on failure
 * @name: what /proc shows
 * @fops: of the file; release() has to do with @data once this has succeeded
 * @data: private_data
 * @flags: O_NONBLOCK or 0
 *
 * Context: may sleep; no locks.
 * Return: 0, -EMFILE, -ENFILE or -ENOMEM.
 */
int scatter_descriptor_open(struct scatter_descriptor *descriptor,
			    const char *name,
			    const struct file_operations *fops, void *data,
			    unsigned int flags)
{
	struct file *file;
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0)
		return fd;
	file = anon_inode_getfile(name, fops, data, O_RDWR | flags);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	descriptor->fd = fd;
	descriptor->file = file;
	return 0;
}

/**
 * scatter_descriptor_reserve() - reserve a descriptor for a file that there is
 * @descriptor: (out) both; untouched on failure
 * @file: the file, which is referenced
 *
 * Context: may sleep; no locks.
 * Return: 0 or -EMFILE.
 */
int scatter_descriptor_reserve(struct scatter_descriptor *descriptor,
			       struct file *file)
{
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0)
		return fd;
	descriptor->fd = fd;
	descriptor->file = get_file(file);
	return 0;
}

/**
 * scatter_descriptor_install() - let the process have what was made for it
 * @descriptor: there need not be anything in it
 *
 * Context: process context.
 */
void scatter_descriptor_install(struct scatter_descriptor *descriptor)
{
	if (descriptor->file)
		fd_install(descriptor->fd, descriptor->file);
}

/**
 * scatter_descriptor_drop() - forget what was made
 * @descriptor: there need not be anything in it; nothing is afterwards
 *
 * Context: process context.
 */
void scatter_descriptor_drop(struct scatter_descriptor *descriptor)
{
	if (!descriptor->file)
		return;
	put_unused_fd(descriptor->fd);
	fput(descriptor->file);
	descriptor->fd = -1;
	descriptor->file = NULL;
}

/**
 * scatter_file_create() - make what is behind an open file
 * @net: where it looks for names; NULL: it does not
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
 * @descriptor: (out) the file and a descriptor for it
 * @flags: O_NONBLOCK or 0
 *
 * Context: may sleep; no locks.
 * Return: what is behind it, which goes with the file; or ERR_PTR(-errno).
 */
struct scatter_file *scatter_file_open(struct scatter_descriptor *descriptor,
				       unsigned int flags)
{
	struct scatter_file *file = scatter_file_create(NULL);
	int error;

	if (!file)
		return ERR_PTR(-ENOMEM);
	error = scatter_descriptor_open(descriptor, "[scatter]", &scatter_fops,
					file, flags);
	if (!error)
		return file;
	scatter_file_free(file);
	return ERR_PTR(error);
}

/**
 * scatter_file_free() - the last descriptor of a file is closed
 * @file: nobody uses it any more
 *
 * Context: may sleep; no locks.
 */
void scatter_file_free(struct scatter_file *file)
{
	if (file->seat)
		scatter_seat_free(file->seat);
	if (file->member)
		scatter_member_leave(file->member, SCATTER_DEAD);
	if (file->net)
		put_net(file->net);
	kfree(file);
}

/**
 * scatter_file_set_member() - a file becomes a member, or is one no more
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
 * @group: of which group; NULL: by name, in the network namespace of the file
 * @join: (in, out) what the user asked for, checked; its rank becomes the one taken
 * @nonblock: do not wait for the others
 *
 * Context: may sleep; no locks.
 * Return: 0; -EINPROGRESS: a member, but the group is not complete; else -errno, and
 * no rank is taken.
 */
int scatter_file_join(struct scatter_file *file, struct scatter_group *group,
		      struct scatter_join *join, bool nonblock)
{
	u64 deadline_ns = scatter_wait_deadline(join->deadline_ns,
						join->flags & SCATTER_JOIN_RELATIVE);
	struct scatter_member *member;
	int error = 0;

	member = scatter_member_join(group, file->net, join, &file->poll);
	if (IS_ERR(member))
		return PTR_ERR(member);
	if (nonblock || join->flags & SCATTER_JOIN_NONBLOCK) {
		error = scatter_member_formed(member) ? 0 : -EINPROGRESS;
	} else {
		error = scatter_member_wait_formed(member, deadline_ns);
		/* The last one may have joined just now. */
		if (error && scatter_group_unseat(member->group, member)) {
			scatter_member_leave(member, SCATTER_DEAD);
			return error;
		}
		error = 0;
	}
	join->rank = scatter_inter_rank(member->group, member->rank);
	scatter_file_set_member(file, member);
	return error;
}

/**
 * scatter_file_get_member() - the member that the current task may act for
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
 * scatter_file_get_group() - the group that a file is a member of
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
 * scatter_file_poll() - poll() on a file that is or can become a member
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
		scatter_death_watch(file->member->group);
		events = scatter_status_poll_member(file->member);
	}
	spin_unlock(&file->lock);
	return events;
}

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_FILE_H
#define _SCATTER_FILE_H

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct net;
struct scatter_group;
struct scatter_join;
struct scatter_member;
struct scatter_seat;

/**
 * struct scatter_file - one open file that is, or can become, a member
 * @net: constant; the network namespace of whoever opened the device; NULL: it was not
 *	opened there, but made by a call, and belongs to one membership
 * @busy: bit 0: a call that only one at a time may make is running
 * @lock: protects @member
 * @member: lock; set and cleared only with @busy held
 * @poll: pollers; the member points here
 * @seat: REGROUP: of whoever makes this file, NULL once it is installed
 */
struct scatter_file {
	struct net *net;
	unsigned long busy;
	spinlock_t lock; /* @member */
	struct scatter_member *member;
	wait_queue_head_t poll;
	struct scatter_seat *seat;
};

/**
 * struct scatter_descriptor - a file that a call makes, and its number
 * @fd: reserved, negative if there is none; nobody sees it before it is installed
 * @file: the file
 */
struct scatter_descriptor {
	int fd;
	struct file *file;
};

int scatter_descriptor_open(struct scatter_descriptor *descriptor,
			    const char *name,
			    const struct file_operations *fops, void *data,
			    unsigned int flags);
int scatter_descriptor_reserve(struct scatter_descriptor *descriptor,
			       struct file *file);
void scatter_descriptor_install(struct scatter_descriptor *descriptor);
void scatter_descriptor_drop(struct scatter_descriptor *descriptor);

struct scatter_file *scatter_file_create(struct net *net);
struct scatter_file *scatter_file_open(struct scatter_descriptor *descriptor,
				       unsigned int flags);
void scatter_file_free(struct scatter_file *file);
int scatter_file_join(struct scatter_file *file, struct scatter_group *group,
		      struct scatter_join *join, bool nonblock);
void scatter_file_set_member(struct scatter_file *file,
			     struct scatter_member *member);
int scatter_file_get_member(const struct scatter_file *file,
			    struct scatter_member **member);
struct scatter_group *scatter_file_get_group(struct scatter_file *file);
__poll_t scatter_file_poll(struct file *filp, poll_table *wait);

#endif /* _SCATTER_FILE_H */

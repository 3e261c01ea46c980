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
struct scatter_made;
struct scatter_member;
struct scatter_applicant;

/**
 * struct scatter_file - one open file that is, or can become, a member
 * @net: constant; the network namespace of the process that opened the device; NULL: the file was
 *	not opened from the device, but made by a call for one membership
 * @busy: bit 0: a call that only one at a time may make is running
 * @lock: protects @member
 * @member: lock; set and cleared only with @busy held, or while nobody else knows the file
 * @refused: with @busy held; the name that the file's last JOIN has declined, or has been refused;
 *	NULL: none
 * @poll: pollers; the member points here
 * @applicant: REGROUP: the applicant for which a call makes this file, NULL once it is installed
 */
struct scatter_file {
	struct net *net;
	unsigned long busy;
	spinlock_t lock; /* @member */
	struct scatter_member *member;
	struct scatter_group *refused;
	wait_queue_head_t poll;
	struct scatter_applicant *applicant;
};

void scatter_file_init(const struct file_operations *fops);
struct scatter_file *scatter_file_create(struct net *net);
struct scatter_file *scatter_file_open(struct scatter_made *made, unsigned int flags);
struct scatter_member *scatter_file_seated(struct scatter_file *file);
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

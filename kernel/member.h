/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MEMBER_H
#define _SCATTER_MEMBER_H

#include <linux/bitmap.h>
#include <linux/mmu_notifier.h>
#include <linux/scatter.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "ring.h"
#include "stats.h"

struct net;
struct page;
struct scatter_coll;
struct scatter_group;
struct scatter_join;
struct scatter_meeting;
struct scatter_operation;
struct scatter_status;
struct scatter_user;
struct task_struct;

/* Space of a member that its calls use. */
#define SCATTER_SCRATCH_BYTES	2048
/* Most pages of a peer that are pinned at a time, and their bytes. */
#define SCATTER_CHUNK_PAGES	256
#define SCATTER_CHUNK_BYTES	((u64)SCATTER_CHUNK_PAGES << PAGE_SHIFT)

/**
 * enum scatter_presence - why a member is a member no more
 * @SCATTER_PRESENT: it is one
 * @SCATTER_LEFT: LEAVE
 * @SCATTER_DEAD: last close without LEAVE, or the end of its address space
 * @SCATTER_LOST: gave up, or died, before the group was complete: no rank
 */
enum scatter_presence {
	SCATTER_PRESENT,
	SCATTER_LEFT,
	SCATTER_DEAD,
	SCATTER_LOST,
};

/**
 * struct scatter_member - one open file that joined a group
 * @notifier: tells when the address space that joined ends
 * @mm: constant; that address space, for comparison and pinning; the notifier
 *	holds it
 * @group: constant once seated; holds a reference on behalf of the file
 * @rank: constant once seated
 * @presence: group lock
 * @next: group lock; number of the operation it is in or calls next
 * @current_operation: group lock; the operation it is inside or paused in
 * @next_meeting: group lock; number of the SHRINK or AGREE it is in or calls next
 * @meeting: group lock; that, while it is inside
 * @acknowledged: group lock; ranks whose end it has acknowledged
 * @late: group lock; who had not called its last operation when the deadline of that
 *	passed for all
 * @user: constant; who is charged for it and its operations, referenced
 * @actor: group lock; the last task that acted for it, referenced
 * @ring: group lock; receive buffer
 * @wait: where the one task inside a call sleeps
 * @poll: group lock; pollers of the file, NULL once the file lets go
 * @event: somebody has something for this member; see scatter_wait()
 * @tally: counters
 * @scratch: for the one task inside a call
 * @scratch.pages: the chunk that it has pinned
 * @scratch.bytes: of its own block
 */
struct scatter_member {
	struct mmu_notifier notifier;
	struct mm_struct *mm;
	struct scatter_group *group;
	u32 rank;
	enum scatter_presence presence;
	u64 next;
	struct scatter_operation *current_operation;
	u64 next_meeting;
	struct scatter_meeting *meeting;
	DECLARE_BITMAP(acknowledged, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(late, SCATTER_SIZE_MAX);
	struct scatter_user *user;
	struct task_struct *actor;
	struct scatter_ring ring;
	wait_queue_head_t wait;
	wait_queue_head_t *poll;
	bool event;
	struct scatter_tally tally;
	union {
		struct page *pages[SCATTER_CHUNK_PAGES];
		u8 bytes[SCATTER_SCRATCH_BYTES];
	} scratch;
};

struct scatter_member *scatter_member_create(u32 ring_bytes,
					     wait_queue_head_t *poll);
void scatter_member_discard(struct scatter_member *member);
struct scatter_member *scatter_member_join(struct scatter_group *group,
					   struct net *net,
					   const struct scatter_join *join,
					   wait_queue_head_t *poll);
bool scatter_member_formed(struct scatter_member *member);
__poll_t scatter_member_poll(struct scatter_member *member);
int scatter_member_wait_formed(struct scatter_member *member, u64 deadline_ns);
void scatter_member_leave(struct scatter_member *member,
			  enum scatter_presence how);
void scatter_member_free(struct scatter_member *member);
int scatter_member_revoke(struct scatter_member *member);
int scatter_member_status(struct scatter_member *member,
			  struct scatter_status *status);

#endif /* _SCATTER_MEMBER_H */

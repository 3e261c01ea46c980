/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MEMBER_H
#define _SCATTER_MEMBER_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/cache.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/scatter.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "group/group.h"
#include "group/identity.h"
#include "masks.h"
#include "memory/buffer.h"
#include "memory/hands.h"
#include "memory/ring.h"

struct mm_struct;
struct pid;
struct scatter_group;
struct scatter_space;
struct scatter_meeting;
struct scatter_operation;
struct task_struct;

/**
 * enum scatter_presence - whether a member is still a member, or why not
 * @SCATTER_PRESENT: still a member
 * @SCATTER_LEFT: the member left by LEAVE
 * @SCATTER_DEAD: the member's last file was closed without LEAVE, or its process or address space
 *	ended
 * @SCATTER_LOST: the member gave up or died before the group was complete, and has no rank
 */
enum scatter_presence {
	SCATTER_PRESENT,
	SCATTER_LEFT,
	SCATTER_DEAD,
	SCATTER_LOST,
};

/**
 * struct scatter_member - one open file that joined a group
 * @mm: constant; the address space that joined, for comparison and pinning; @space holds @mm
 * @space: constant; tells when the address space ends
 * @neighbour: in @space
 * @pid: constant; the process that joined, referenced
 * @group: constant once seated; holds a reference on behalf of the file
 * @rank: constant once seated
 * @identity: constant; the process that joined
 * @presence: group lock
 * @next: group lock; number of the operation that the member is in or calls next
 * @current_operation: group lock; the operation that the member is inside or paused in
 * @source: group lock; what the member contributes to @current_operation, in its own address space;
 *	constant once posted
 * @target: group lock; where the member receives to, in its own address space; constant once posted
 * @in_place: group lock; the member's own block of @current_operation stays where it is
 * @length: group lock; scatter_call.length of @current_operation
 * @counts: group lock; v form, root: user address of the counts of @current_operation
 * @displs: group lock; v form, root: user address of the displacements of @current_operation
 * @receives: group lock; bytes that the member gets in @current_operation
 * @failure: for the one task inside a call; -errno with which the member's part of a decreed
 *	@current_operation has failed; 0: it has not failed
 * @blamed: for the one task inside a call; the rank that has caused @failure, or %SCATTER_RANK_ANY
 * @timeout_ns: group lock; scatter_call.timeout_ns of the call that a signal has paused last; 0 if
 *	the call has none
 * @until_ns: group lock; deadline of the paused call
 * @holds: group lock; takers that read the member's memory right now
 * @inside: group lock; a task is in a call of @current_operation, and passes the operation even if
 *	the member dies meanwhile
 * @queued: group lock; the member waits for a place for its next operation
 * @crowded: group lock; the member waits for room among what its user has in all groups
 * @next_meeting: group lock; number of the SHRINK or AGREE that the member is in or calls next
 * @meeting: group lock; the SHRINK or AGREE that the member is inside; NULL: none
 * @acknowledged: group lock; ranks whose end the member has acknowledged
 * @late: group lock; ranks that had not called the member's last operation when the deadline of
 *	that operation passed for all
 * @actor: group lock; the last task that acted for the member, referenced
 * @cpus: for the one task inside a call; tells when @actor's CPUs change, see actor.c
 * @ring: group lock; receive buffer
 * @poll: group lock; pollers of the file, NULL once the file lets go
 * @spin_ns: for the one task inside a call; how long the task spins before it sleeps
 * @yields: for the one task inside a call; how often the task yields before it sleeps
 * @event: somebody has something for this member; see scatter_wait(). Here begins a cache line that
 *	only wake-ups and going to sleep write.
 * @event_ns: local_clock() when somebody woke this member up last
 * @wait: where the one task inside a call sleeps
 * @wakeups: how often others woke this member up
 * @hands: for the one task inside a call; its user is charged for the member and the member's
 *	operations
 */
struct scatter_member {
	struct mm_struct *mm;
	struct scatter_space *space;
	struct list_head neighbour;
	struct pid *pid;
	struct scatter_group *group;
	u32 rank;
	struct scatter_identity identity;
	enum scatter_presence presence;
	u64 next;
	struct scatter_operation *current_operation;
	struct scatter_buffer source;
	struct scatter_buffer target;
	bool in_place;
	u64 length;
	u64 counts;
	u64 displs;
	u64 receives;
	int failure;
	s32 blamed;
	u64 timeout_ns;
	u64 until_ns;
	u32 holds;
	bool inside;
	bool queued;
	bool crowded;
	u64 next_meeting;
	struct scatter_meeting *meeting;
	DECLARE_BITMAP(acknowledged, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(late, SCATTER_SIZE_MAX);
	struct task_struct *actor;
	u64 cpus;
	struct scatter_ring ring;
	wait_queue_head_t *poll;
	u32 spin_ns;
	u32 yields;

	bool event ____cacheline_aligned_in_smp;
	u64 event_ns;
	wait_queue_head_t wait;
	atomic64_t wakeups;

	struct scatter_hands hands ____cacheline_aligned_in_smp;
};

/* Give a new member the seat of a rank. The lock of the group is held. */
static inline void scatter_member_sit_locked(struct scatter_member *member,
					     struct scatter_group *group, u32 rank)
{
	lockdep_assert_held(&group->lock);
	member->rank = rank;
	member->hands.rank = rank;
	group->members[rank] = member;
}

/* Whether a member has ended. Without the group's lock, a member may end right after the answer. */
static inline bool scatter_member_has_ended(const struct scatter_member *member)
{
	enum scatter_presence presence = READ_ONCE(member->presence);

	return presence == SCATTER_DEAD || presence == SCATTER_LOST;
}

struct scatter_member *scatter_member_create(u32 ring_bytes,
					     wait_queue_head_t *poll,
					     const struct scatter_member *parent);
void scatter_member_free(struct scatter_member *member);
void scatter_member_shed(struct scatter_member *member);
bool scatter_member_formed(struct scatter_member *member);
int scatter_member_wait_formed(struct scatter_member *member, u64 deadline_ns);

#endif /* _SCATTER_MEMBER_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_CALL_H
#define _SCATTER_CALL_H

#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "group/group.h"
#include "memory/buffer.h"
#include "operation/operation.h"

struct scatter_hands;
struct scatter_member;
struct scatter_applicant;
struct scatter_slice;
struct scatter_tree;

/**
 * struct scatter_prefault - how far a waiting call has faulted in its own buffer
 * @rank: rank of the block that the call has come to
 * @done: bytes of that block that the call has gone through
 */
struct scatter_prefault {
	u32 rank;
	u64 done;
};

/**
 * struct scatter_vector - what the root of a v form says of the blocks
 * @counts: user address of the counts
 * @displs: user address of the displacements
 * @slices: what the counts and displacements say; not in a call that resumes
 * @tree: irregular schedule: the tree for the slices, until the operation takes it
 */
struct scatter_vector {
	u64 counts;
	u64 displs;
	struct scatter_slice *slices;
	struct scatter_tree *tree;
};

/**
 * struct scatter_call - one COLL, DUP or SPLIT, while its ioctl runs
 * @member: the member that calls
 * @group: the member's group
 * @operation: the operation, NULL before there is one
 * @part: the member's part in the operation
 * @kind: the operation's kind
 * @hands: the member's hands
 * @rank: the member's rank
 * @send: the buffer that the member sends from, until the call posts it
 * @recv: the buffer that the member receives to; likewise
 * @length: bytes of the member's own block. With AT_MOST: what the user says of that block; at the
 *	root, unless in a v form, what the user says of every block
 * @vector: v form, at the root: what the root says of the blocks
 * @prefault: of kind move: how far the call has faulted in its own buffer while it waited
 * @boxes: OR-broadcast: the member's boxes, until the operation takes them; not in a call that
 *	resumes
 * @charged: OR-broadcast between nodes, likewise: bytes that the member's user is charged for
 * @applicant: DUP and SPLIT: the applicant that the call brings
 * @in_place: the root's own block stays where it is
 * @idle: the member is on the root's side and not the root: the member only calls
 * @number: (in, out) as scatter_results.number
 * @bytes: (out) on success; as scatter_results.bytes
 * @deadline_ns: as of scatter_wait()
 * @timeout_ns: the user's relative deadline, which ends at @deadline_ns; 0: none
 * @made: the call has made the operation
 * @last: the call is the last one that has posted the operation
 * @disagrees: the call has found that members disagree: later operations are to fail, too
 * @culprit: the rank that caused the error
 */
struct scatter_call {
	struct scatter_member *member;
	struct scatter_group *group;
	struct scatter_operation *operation;
	struct scatter_part *part;
	const struct scatter_kind *kind;
	struct scatter_hands *hands;
	u32 rank;
	struct scatter_buffer send;
	struct scatter_buffer recv;
	u64 length;
	struct scatter_vector vector;
	union {
		struct scatter_prefault prefault;
		u64 *boxes;
		u64 charged;
		struct scatter_applicant *applicant;
	};
	bool in_place;
	bool idle;
	u64 number;
	u64 bytes;
	u64 deadline_ns;
	u64 timeout_ns;
	bool made;
	bool last;
	bool disagrees;
	s32 culprit;
};

/* The member's own block, in an operation whose kind has any. */
static inline struct scatter_slice *scatter_call_slice(const struct scatter_call *call)
{
	return scatter_operation_slice(call->operation, call->rank);
}

/* The cargo of the member's own block, in an operation of kind move. */
static inline struct scatter_cargo *scatter_call_cargo(const struct scatter_call *call)
{
	return scatter_operation_cargo(call->operation, call->rank);
}

/* When the call is to stop waiting, as of scatter_wait(); 0: never. With the group's lock held. */
static inline u64 scatter_call_deadline_locked(const struct scatter_call *call)
{
	u64 paused_ns = call->operation ? call->operation->deadline_ns : 0;

	lockdep_assert_held(&call->group->lock);
	return min_not_zero(call->deadline_ns, paused_ns);
}

#endif /* _SCATTER_CALL_H */

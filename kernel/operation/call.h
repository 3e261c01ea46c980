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
 * @rank: the block that it has come to
 * @done: bytes of that block which are behind us
 */
struct scatter_prefault {
	u32 rank;
	u64 done;
};

/**
 * struct scatter_vector - what the root of a v form says of the blocks
 * @counts: user address of the counts
 * @displs: user address of the displacements
 * @slices: not when it resumes: what those say
 * @tree: irregular, until the operation has it: for those
 */
struct scatter_vector {
	u64 counts;
	u64 displs;
	struct scatter_slice *slices;
	struct scatter_tree *tree;
};

/**
 * struct scatter_call - one COLL ioctl, while it runs
 * @member: whose call it is
 * @group: its group
 * @operation: the operation, NULL before there is one
 * @part: the member's part in it
 * @kind: of which kind of operation it is
 * @hands: the member's
 * @rank: the member's rank
 * @send: what it contributes; until the operation has it
 * @recv: where it receives to; likewise
 * @length: bytes of its own block. With AT_MOST: what the user says of that; of the root, unless in
 *	a v form, of every block
 * @vector: v form, root
 * @prefault: of kind move: how far it has faulted in its own buffer while it waited
 * @boxes: OR-broadcast, not when it resumes, until the operation has them
 * @charged: OR-broadcast between nodes, likewise: bytes that the member's user is charged for
 * @applicant: DUP and SPLIT: what it brings
 * @in_place: the root's own block stays where it is
 * @idle: the member is on the root's side and not the root: it only calls
 * @number: (in, out) as of struct scatter_results
 * @bytes: (out) on success; likewise
 * @deadline_ns: as of scatter_wait()
 * @timeout_ns: the relative deadline that the user gave, whose end that is; 0: none
 * @made: it has made the operation
 * @last: it is the last that has posted the operation
 * @disagrees: it has found that members disagree: later operations are to fail, too
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

/* The same of kind move: where it is. */
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

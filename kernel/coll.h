/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_COLL_H
#define _SCATTER_COLL_H

#include <linux/types.h>

#include "buffer.h"
#include "prefault.h"

struct scatter_coll;
struct scatter_group;
struct scatter_member;
struct scatter_operation;
struct scatter_results;
struct scatter_seat;
struct scatter_spec;
struct scatter_span;

/**
 * struct scatter_call - one COLL ioctl, while it runs
 * @member: whose call it is
 * @group: its group
 * @operation: the operation, NULL before there is one
 * @part: the member's part in it
 * @rank: the member's rank
 * @ready: first of the branches whose sends this call has claimed, a list through
 *	scatter_branch.link
 * @send: what it contributes; until the operation has it
 * @recv: where it receives to; likewise
 * @length: bytes of its own block
 * @counts: v form, root: user address of the counts
 * @displs: v form, root: user address of the displacements
 * @spans: v form, root, not when it resumes: what those say
 * @tree: irregular, root, until the operation has it: for those
 * @boxes: OR-broadcast, not when it resumes, until the operation has them
 * @seat: DUP and SPLIT: what it brings
 * @in_place: the root's own block stays where it is
 * @idle: the member is on the root's side and not the root: it only calls
 * @number: (in, out) as of struct scatter_results
 * @bytes: (out) on success; likewise
 * @deadline_ns: as of scatter_wait()
 * @timeout_ns: the relative deadline that the user gave, whose end that is; 0: none
 * @prefault: how far it has faulted in its own buffer while it waited
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
	u32 rank;
	u32 ready;
	struct scatter_buffer send;
	struct scatter_buffer recv;
	u64 length;
	u64 counts;
	u64 displs;
	struct scatter_span *spans;
	struct scatter_tree *tree;
	u64 *boxes;
	struct scatter_seat *seat;
	bool in_place;
	bool idle;
	u64 number;
	u64 bytes;
	u64 deadline_ns;
	u64 timeout_ns;
	struct scatter_prefault prefault;
	bool made;
	bool last;
	bool disagrees;
	s32 culprit;
};

int scatter_coll_perform(struct scatter_call *call,
			 const struct scatter_spec *spec);
void scatter_coll_limit(struct scatter_call *call, u64 deadline_ns, bool relative);
int scatter_coll_check_number(const struct scatter_member *member, u64 number);
int scatter_coll_run(struct scatter_member *member, const struct scatter_coll *coll,
		     struct scatter_results *results);
void scatter_coll_expect_locked(struct scatter_call *call);
int scatter_coll_sleep_locked(struct scatter_call *call, u32 awaited);
int scatter_coll_wait_locked(struct scatter_call *call, u32 awaited);
int scatter_coll_blame_locked(struct scatter_call *call);

void scatter_coll_fault_locked(struct scatter_call *call, u32 rank);

typedef bool scatter_done_fn(const struct scatter_call *call, u32 rank);
int scatter_coll_await_locked(struct scatter_call *call,
			      scatter_done_fn *done, u32 rank, u32 awaited);

#endif /* _SCATTER_COLL_H */

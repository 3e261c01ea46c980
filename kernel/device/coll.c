// SPDX-License-Identifier: GPL-2.0
/*
 * COLL: from what the user says to a call of an operation.
 */
#include <linux/err.h>
#include <linux/nospec.h>
#include <linux/scatter.h>
#include <linux/stddef.h>
#include <linux/uaccess.h>

#include "call/barrier.h"
#include "call/combine.h"
#include "call/merge.h"
#include "call/move.h"
#include "call/perform.h"
#include "device/check.h"
#include "device/coll.h"
#include "device/file.h"
#include "device/ioctl.h"
#include "device/layout.h"
#include "group/group.h"
#include "group/member.h"
#include "group/places.h"
#include "group/sides.h"
#include "group/spec.h"
#include "memory/buffer.h"
#include "memory/memory.h"
#include "memory/user.h"
#include "operation/call.h"
#include "operation/operation.h"
#include "operation/plan.h"

/* Fill in what a call asks for, except which ranks take part. */
static void fill_spec(struct scatter_spec *spec, const struct scatter_coll *coll)
{
	*spec = (struct scatter_spec){
		.op = coll->op,
		.flags = coll->flags & SCATTER_COLL_AGREED,
		.schedule = scatter_spec_asked(&coll->schedule),
	};
	if (!scatter_spec_is_open(spec))
		spec->block = coll->block;
}

/* All members own a block. */
static int direct_all(struct scatter_spec *spec, const struct scatter_coll *coll,
		      const struct scatter_member *member)
{
	u32 size = member->group->size;

	if (coll->root >= size)
		return -EINVAL;
	spec->root = array_index_nospec(coll->root, size);
	spec->first = 0;
	spec->blocks = size;
	spec->ranks = size;
	if (coll->flags & SCATTER_COLL_IN_PLACE && spec->root != member->rank)
		return -EINVAL;
	return 0;
}

/* A member on the side opposite the root gives the root's rank within that side. */
static int direct_sides(struct scatter_spec *spec,
			const struct scatter_coll *coll,
			const struct scatter_member *member)
{
	const u32 *sides = member->group->sides;
	u32 own = scatter_sides_side(member->group, member->rank);
	u32 peers = sides[!own];
	u32 blocks = !own;

	if (coll->flags & SCATTER_COLL_IN_PLACE)
		return -EINVAL;
	if (coll->root == SCATTER_ROOT) {
		spec->root = member->rank;
	} else if (coll->root == SCATTER_PROC_NULL) {
		spec->root = SCATTER_NO_RANK;
		spec->block = 0;
		spec->idle = true;
	} else if (coll->root < peers) {
		spec->root = array_index_nospec(coll->root, peers);
		if (!own)
			spec->root += sides[0];
		blocks = own;
	} else {
		return -EINVAL;
	}
	spec->first = blocks ? sides[0] : 0;
	spec->blocks = sides[blocks];
	spec->ranks = spec->blocks + 1;
	return 0;
}

/*
 * Find the ranks between which the operation runs. -EINVAL if there is no such root, or the call
 * does not fit the member's part.
 */
static int direct(struct scatter_spec *spec, const struct scatter_coll *coll,
		  const struct scatter_member *member)
{
	int error;

	if (member->group->sides[0] && spec->op != SCATTER_OP_BARRIER)
		error = direct_sides(spec, coll, member);
	else
		error = direct_all(spec, coll, member);
	if (!error && scatter_op_is_vector(spec->op) &&
	    spec->root == member->rank && !coll->counts)
		error = -EINVAL;
	return error;
}

static int read_slices(struct scatter_call *call,
		       const struct scatter_coll *coll,
		       const struct scatter_spec *spec)
{
	struct scatter_user *user = call->hands->user;
	struct scatter_slice *slices;
	struct scatter_tree *tree;

	slices = scatter_layout_slices(user, coll, spec->blocks);
	if (IS_ERR(slices))
		return PTR_ERR(slices);
	call->vector.slices = slices;
	/* Between nodes the tree is about nodes. */
	if (spec->schedule.algorithm != SCATTER_ALGORITHM_IRREGULAR || call->group->spans)
		return 0;
	tree = scatter_plan_tree(user, slices, spec);
	if (IS_ERR(tree))
		return PTR_ERR(tree);
	call->vector.tree = tree;
	return 0;
}

/* Allocate and read all that the call needs. */
static int prepare(struct scatter_call *call, const struct scatter_coll *coll,
		   const struct scatter_spec *spec)
{
	bool lays_out = scatter_op_is_vector(coll->op) && call->rank == spec->root;
	int error = 0;

	if (lays_out) {
		call->vector.counts = coll->counts;
		call->vector.displs = coll->displs;
	}
	if (call->number != SCATTER_NUMBER_NEW)
		return 0;
	if (call->kind->prepare && !spec->idle)
		error = call->kind->prepare(call, spec);
	if (!error && lays_out)
		error = read_slices(call, coll, spec);
	return error ?: scatter_layout_prepare(call, coll, spec);
}

static const struct scatter_kind *kind_of(const struct scatter_group *group,
					  const struct scatter_spec *spec)
{
	if (spec->op == SCATTER_OP_BARRIER)
		return &scatter_barrier_kind;
	if (spec->schedule.algorithm == SCATTER_ALGORITHM_OR_BROADCAST)
		return group->spans ? &scatter_merge_kind : &scatter_combine_kind;
	return &scatter_move_kind;
}

/* Whether the length that a member gives is that of its own block, or of all. */
static bool tells_length(const struct scatter_spec *spec, u32 rank)
{
	return scatter_spec_owns(spec, rank) ||
	       (rank == spec->root && !scatter_op_is_vector(spec->op) &&
		scatter_spec_is_at_most(spec));
}

/* Run one collective operation for a member. @results gets the results, except the error. */
static int run(struct scatter_member *member, const struct scatter_coll *coll,
	       struct scatter_results *results)
{
	struct scatter_call call = {
		.member = member,
		.group = member->group,
		.hands = &member->hands,
		.rank = member->rank,
		.send = { .base = coll->sendbuf, .layout = coll->send_layout },
		.recv = { .base = coll->recvbuf, .layout = coll->recv_layout },
		.length = coll->block,
		.in_place = coll->flags & SCATTER_COLL_IN_PLACE,
		.number = results->number,
		.culprit = SCATTER_RANK_ANY,
	};
	struct scatter_spec spec;
	int error;

	fill_spec(&spec, coll);
	error = direct(&spec, coll, member);
	if (error)
		return error;
	/* Which calls are possible depends on where the members are. */
	if (member->group->portal && !smp_load_acquire(&member->group->formed))
		return -EINPROGRESS;
	if (!scatter_places_possible(member->group, &spec))
		return -EINVAL;
	call.idle = spec.idle;
	if (!tells_length(&spec, call.rank))
		call.length = 0;
	scatter_places_settle(member->group, &spec);
	call.kind = kind_of(member->group, &spec);
	scatter_sides_shape(member->group);
	scatter_perform_limit(&call, coll->deadline_ns,
			      coll->flags & SCATTER_COLL_RELATIVE);
	error = scatter_perform_check(member, call.number) ?:
		prepare(&call, coll, &spec);
	if (!error)
		error = scatter_perform(&call, &spec);
	if (call.kind->discard)
		call.kind->discard(&call);
	scatter_buffer_free(&call.send);
	scatter_buffer_free(&call.recv);
	scatter_memory_free(call.vector.slices);
	scatter_memory_free(call.vector.tree);
	scatter_user_tell(member->hands.user);
	results->number = call.number;
	results->bytes = call.bytes;
	if (error)
		results->culprit = call.culprit;
	return error;
}

/* A copy whose length is constant is not checked against the bounds of what is copied. */
static bool write_results(void __user *to, const struct scatter_results *results, u32 size)
{
	if (likely(size == sizeof(*results)))
		return !copy_to_user(to, results, sizeof(*results));
	return !copy_to_user(to, results, size);
}

/**
 * scatter_coll_run() - run one COLL
 * @file: busy
 * @coll: what the user asked for
 *
 * Context: may sleep and fault; no locks.
 * Return: 0 or -errno as the uapi header says.
 */
int scatter_coll_run(struct scatter_file *file, const struct scatter_coll *coll)
{
	void __user *user = u64_to_user_ptr(coll->results);
	struct scatter_results results = {};
	struct scatter_member *member;
	int error, size;

	size = scatter_ioctl_read(&results, sizeof(results),
				  offsetofend(struct scatter_results, error),
				  user, true);
	if (size < 0)
		return size;
	if (results.flags)
		return -EOPNOTSUPP;
	results.culprit = SCATTER_RANK_ANY;
	results.bytes = 0;
	error = scatter_check_coll(coll);
	if (!error)
		error = scatter_file_get_member(file, &member);
	if (!error)
		error = run(member, coll, &results);
	results.error = -error;
	return write_results(user, &results, size) ? error : -EFAULT;
}

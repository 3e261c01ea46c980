/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links: what crosses the edges of a schedule. This header is the only interface of link/: a call
 * moves blocks only by these functions, and only these functions choose between links. The comment
 * of each function says which of the ranks concerned may be *remote*, that is on another node.
 */
#ifndef _SCATTER_LINK_H
#define _SCATTER_LINK_H

#include "group/group.h"
#include "link/local.h"
#include "link/remote.h"
#include "link/stage.h"
#include "link/transfer.h"
#include "operation/call.h"
#include "operation/operation.h"

/* Send what other nodes get of a scatter, see scatter_remote_send(). Remote: the takers. */
static inline int scatter_link_send(struct scatter_call *call)
{
	return call->group->spans ? scatter_remote_send(call) : 0;
}

/*
 * Let the call's block of a gather go to another node, see scatter_remote_offer(). Remote: the
 * root. False: the root is on this node.
 */
static inline bool scatter_link_offer(struct scatter_call *call)
{
	if (!call->group->spans ||
	    scatter_group_member(call->group, call->operation->spec.root))
		return false;
	scatter_remote_offer(call);
	return true;
}

/* Take a block of another node, see scatter_remote_take(). Remote: the owner. */
static inline int scatter_link_fetch(struct scatter_call *call, u32 rank)
{
	return scatter_remote_take(call, rank);
}

/* Send a bundle to its next rank, see scatter_local_cross(). Remote: none. */
static inline void scatter_link_cross(struct scatter_hands *hands,
				      struct scatter_operation *operation,
				      const struct scatter_walk *walk,
				      struct scatter_step *step)
{
	scatter_local_cross(hands, operation, walk, step);
}

/* Put the call's block of a gather aside, see scatter_local_stash(). Remote: none. */
static inline bool scatter_link_stash(struct scatter_hands *hands,
				      struct scatter_operation *operation)
{
	return scatter_local_stash(hands, operation);
}

/* Copy a block out of its owner's memory, see scatter_transfer_take(). Remote: none. */
static inline int scatter_link_take(struct scatter_call *call, u32 rank)
{
	return scatter_transfer_take(call, rank);
}

/* Copy the root's own block to its place, see scatter_transfer_own(). Remote: none. */
static inline int scatter_link_take_own(struct scatter_call *call)
{
	return scatter_transfer_own(call);
}

/* Copy the call's block into a root's memory, see scatter_transfer_give(). Remote: none. */
static inline int scatter_link_give(struct scatter_call *call)
{
	return scatter_transfer_give(call);
}

/* Copy blocks out of a record, see scatter_transfer_record(). Remote: none. */
static inline int scatter_link_unpack(struct scatter_hands *hands,
				      struct scatter_operation *operation, u32 rank, u64 bytes)
{
	return scatter_transfer_record(hands, operation, rank, bytes);
}

/* Note that blocks have arrived, see scatter_transfer_taken(). Remote: the owner. */
static inline void scatter_link_taken(struct scatter_operation *operation, u32 rank, u32 n)
{
	scatter_transfer_taken(operation, rank, n);
}

/* Get the error of a block that will not come, see scatter_stage_void(). Remote: the owner. */
static inline int scatter_link_void(struct scatter_call *call, u32 rank)
{
	return scatter_stage_void(call, rank);
}

/*
 * Bring bytes that takers on this node found absent, see scatter_stage_answer_locked(). Send bytes
 * that takers on other nodes ask for, see scatter_remote_answer_locked(). Remote: the takers.
 */
static inline int scatter_link_answer_locked(struct scatter_call *call)
{
	int error = scatter_stage_answer_locked(call);

	return error || !call->group->spans ? error : scatter_remote_answer_locked(call);
}

/* Keep takers out of the memory of an ending call, see scatter_transfer_cease(). Remote: none. */
static inline void scatter_link_cease(struct scatter_call *call)
{
	scatter_transfer_cease(call);
}

#endif /* _SCATTER_LINK_H */

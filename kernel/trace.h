/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM scatter

#if !defined(_SCATTER_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _SCATTER_TRACE_H

#include <linux/tracepoint.h>

#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/slot.h"
#include "operation/call.h"
#include "operation/operation.h"

/* A member has got its rank; formed: the member is the last. */
TRACE_EVENT(scatter_join,
	TP_PROTO(const struct scatter_member *member),
	TP_ARGS(member),
	TP_STRUCT__entry(
		__string(group, member->group->name)
		__array(u64, id, 2)
		__field(u32, rank)
		__field(u32, size)
		__field(bool, formed)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, member->group->name);
		memcpy(__entry->id, member->group->id, sizeof(__entry->id));
		__entry->rank = member->rank;
		__entry->size = member->group->size;
		__entry->formed = member->group->formed;
	),
	TP_printk("group=%s id=%016llx%016llx rank=%u size=%u formed=%d",
		  __get_str(group), __entry->id[0], __entry->id[1],
		  __entry->rank, __entry->size, __entry->formed)
);

/* A member of a complete group is gone. */
TRACE_EVENT(scatter_death,
	TP_PROTO(const struct scatter_member *member, bool left),
	TP_ARGS(member, left),
	TP_STRUCT__entry(
		__string(group, member->group->name)
		__array(u64, id, 2)
		__field(u32, rank)
		__field(bool, left)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, member->group->name);
		memcpy(__entry->id, member->group->id, sizeof(__entry->id));
		__entry->rank = member->rank;
		__entry->left = left;
	),
	TP_printk("group=%s id=%016llx%016llx rank=%u left=%d",
		  __get_str(group), __entry->id[0], __entry->id[1],
		  __entry->rank,
		  __entry->left)
);

/* A group has looked whether its members' processes live. */
TRACE_EVENT(scatter_watch,
	TP_PROTO(const struct scatter_group *group, bool waited),
	TP_ARGS(group, waited),
	TP_STRUCT__entry(
		__string(group, group->name)
		__array(u64, id, 2)
		__field(bool, waited)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, group->name);
		memcpy(__entry->id, group->id, sizeof(__entry->id));
		__entry->waited = waited;
	),
	TP_printk("group=%s id=%016llx%016llx waited=%d",
		  __get_str(group), __entry->id[0], __entry->id[1],
		  __entry->waited)
);

/* A task has woken a member that slept. */
TRACE_EVENT(scatter_wake,
	TP_PROTO(const struct scatter_member *member),
	TP_ARGS(member),
	TP_STRUCT__entry(
		__string(group, member->group->name)
		__array(u64, id, 2)
		__field(u32, rank)
		__field(pid_t, by)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, member->group->name);
		memcpy(__entry->id, member->group->id, sizeof(__entry->id));
		__entry->rank = member->rank;
		__entry->by = current->pid;
	),
	TP_printk("group=%s id=%016llx%016llx rank=%u by=%d",
		  __get_str(group), __entry->id[0], __entry->id[1],
		  __entry->rank,
		  __entry->by)
);

/* A member took hold of pages of a rank's memory. */
TRACE_EVENT(scatter_pin,
	TP_PROTO(const struct scatter_member *member, u32 rank, long pages),
	TP_ARGS(member, rank, pages),
	TP_STRUCT__entry(
		__string(group, member->group->name)
		__array(u64, id, 2)
		__field(u64, number)
		__field(u32, by)
		__field(u32, rank)
		__field(u64, pages)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, member->group->name);
		memcpy(__entry->id, member->group->id, sizeof(__entry->id));
		__entry->number = member->next;
		__entry->by = member->rank;
		__entry->rank = rank;
		__entry->pages = pages;
	),
	TP_printk("group=%s id=%016llx%016llx number=%llu by=%u rank=%u pages=%llu",
		  __get_str(group), __entry->id[0], __entry->id[1],
		  __entry->number, __entry->by,
		  __entry->rank, __entry->pages)
);

/* A rank has called an operation, and said what it brings. */
TRACE_EVENT(scatter_post,
	TP_PROTO(const struct scatter_call *call),
	TP_ARGS(call),
	TP_STRUCT__entry(
		__string(group, call->group->name)
		__array(u64, id, 2)
		__field(u32, op)
		__field(u64, number)
		__field(u32, rank)
		__field(u32, root)
		__field(u64, block)
		__field(u32, algorithm)
		__field(u32, flags)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, call->group->name);
		memcpy(__entry->id, call->group->id, sizeof(__entry->id));
		__entry->op = call->operation->spec.op;
		__entry->number = call->operation->number;
		__entry->rank = call->rank;
		__entry->root = call->operation->spec.root;
		__entry->block = call->length;
		__entry->algorithm = call->operation->spec.schedule.algorithm;
		__entry->flags = call->operation->spec.flags;
	),
	TP_printk("group=%s id=%016llx%016llx op=%u number=%llu rank=%u root=%u block=%llu algorithm=%u flags=%#x",
		  __get_str(group), __entry->id[0], __entry->id[1],
		  __entry->op, __entry->number,
		  __entry->rank, __entry->root, __entry->block,
		  __entry->algorithm, __entry->flags)
);

/* A call of a rank ends. */
DECLARE_EVENT_CLASS(scatter_end,
	TP_PROTO(const struct scatter_call *call, int error),
	TP_ARGS(call, error),
	TP_STRUCT__entry(
		__string(group, call->group->name)
		__array(u64, id, 2)
		__field(u32, op)
		__field(u64, number)
		__field(u32, rank)
		__field(int, error)
		__field(s32, culprit)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, call->group->name);
		memcpy(__entry->id, call->group->id, sizeof(__entry->id));
		__entry->op = call->operation->spec.op;
		__entry->number = call->operation->number;
		__entry->rank = call->rank;
		__entry->error = -error;
		__entry->culprit = error ? call->culprit : SCATTER_RANK_ANY;
	),
	TP_printk("group=%s id=%016llx%016llx op=%u number=%llu rank=%u error=%d culprit=%d",
		  __get_str(group), __entry->id[0], __entry->id[1],
		  __entry->op, __entry->number,
		  __entry->rank, __entry->error, __entry->culprit)
);

DEFINE_EVENT(scatter_end, scatter_pause,
	TP_PROTO(const struct scatter_call *call, int error),
	TP_ARGS(call, error)
);

DEFINE_EVENT(scatter_end, scatter_complete,
	TP_PROTO(const struct scatter_call *call, int error),
	TP_ARGS(call, error)
);

/* A bundle or descriptor has arrived at a rank. */
TRACE_EVENT(scatter_receive,
	TP_PROTO(const struct scatter_group *group,
		 const struct scatter_operation *operation, u32 from, u32 rank,
		 const struct scatter_step *step),
	TP_ARGS(group, operation, from, rank, step),
	TP_STRUCT__entry(
		__string(group, group->name)
		__array(u64, id, 2)
		__field(u32, op)
		__field(u64, number)
		__field(u32, rank)
		__field(u32, from)
		__field(u32, round)
		__field(u32, first)
		__field(u32, count)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, group->name);
		memcpy(__entry->id, group->id, sizeof(__entry->id));
		__entry->op = operation->spec.op;
		__entry->number = operation->number;
		__entry->rank = rank;
		__entry->from = from;
		__entry->round = step->round;
		__entry->first = step->first;
		__entry->count = step->count;
	),
	TP_printk("group=%s id=%016llx%016llx op=%u number=%llu rank=%u from=%u round=%u first=%u count=%u",
		  __get_str(group), __entry->id[0], __entry->id[1],
		  __entry->op, __entry->number,
		  __entry->rank, __entry->from, __entry->round,
		  __entry->first, __entry->count)
);

/* A bundle or descriptor crossed an edge of the schedule. */
TRACE_EVENT(scatter_edge,
	TP_PROTO(const struct scatter_group *group,
		 const struct scatter_operation *operation, u32 from,
		 const struct scatter_step *step, u64 bytes, bool payload),
	TP_ARGS(group, operation, from, step, bytes, payload),
	TP_STRUCT__entry(
		__string(group, group->name)
		__array(u64, id, 2)
		__field(u32, op)
		__field(u64, number)
		__field(u32, from)
		__field(u32, to)
		__field(u32, round)
		__field(u32, first)
		__field(u32, count)
		__field(u64, bytes)
		__field(bool, payload)
		__field(u32, tree)
		__field(u32, piece)
		__field(u32, pieces)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, group->name);
		memcpy(__entry->id, group->id, sizeof(__entry->id));
		__entry->op = operation->spec.op;
		__entry->number = operation->number;
		__entry->from = from;
		__entry->to = step->peer;
		__entry->round = step->round;
		__entry->first = step->first;
		__entry->count = step->count;
		__entry->bytes = bytes;
		__entry->payload = payload;
		__entry->tree = step->tree;
		__entry->piece = step->piece;
		__entry->pieces = step->pieces;
	),
	TP_printk("group=%s id=%016llx%016llx op=%u number=%llu from=%u to=%u round=%u first=%u count=%u bytes=%llu payload=%d tree=%u piece=%u pieces=%u",
		  __get_str(group), __entry->id[0], __entry->id[1],
		  __entry->op, __entry->number,
		  __entry->from, __entry->to, __entry->round, __entry->first,
		  __entry->count, __entry->bytes, __entry->payload,
		  __entry->tree, __entry->piece, __entry->pieces)
);

/* A rank copied payload of consecutive blocks, from the given rank on. */
TRACE_EVENT(scatter_copy,
	TP_PROTO(const struct scatter_group *group,
		 const struct scatter_operation *operation, u32 by, u32 block,
		 u64 bytes),
	TP_ARGS(group, operation, by, block, bytes),
	TP_STRUCT__entry(
		__string(group, group->name)
		__array(u64, id, 2)
		__field(u32, op)
		__field(u64, number)
		__field(u32, by)
		__field(u32, block)
		__field(u64, bytes)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, group->name);
		memcpy(__entry->id, group->id, sizeof(__entry->id));
		__entry->op = operation->spec.op;
		__entry->number = operation->number;
		__entry->by = by;
		__entry->block = block;
		__entry->bytes = bytes;
	),
	TP_printk("group=%s id=%016llx%016llx op=%u number=%llu by=%u block=%u bytes=%llu",
		  __get_str(group), __entry->id[0], __entry->id[1],
		  __entry->op, __entry->number, __entry->by,
		  __entry->block, __entry->bytes)
);

/* This node has sent a bundle to another node. */
TRACE_EVENT(scatter_bundle,
	TP_PROTO(const struct scatter_group *group, const struct scatter_wide_bundle *wide, u64 to,
		 u64 bytes),
	TP_ARGS(group, wide, to, bytes),
	TP_STRUCT__entry(
		__string(group, group->name)
		__array(u64, id, 2)
		__field(u32, op)
		__field(u64, number)
		__field(u64, from)
		__field(u64, to)
		__field(u32, tree)
		__field(u32, blocks)
		__field(u64, bytes)
		__field(bool, payload)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, group->name);
		memcpy(__entry->id, group->id, sizeof(__entry->id));
		__entry->op = wide->op;
		__entry->number = wide->number;
		__entry->from = group->portal->nodes[group->portal->self].id;
		__entry->to = to;
		__entry->tree = wide->tree;
		__entry->blocks = wide->count;
		__entry->bytes = bytes;
		__entry->payload = !(wide->flags & SCATTER_WIDE_PLAIN);
	),
	TP_printk("group=%s id=%016llx%016llx op=%u number=%llu from=%llu to=%llu tree=%u blocks=%u bytes=%llu payload=%d",
		  __get_str(group), __entry->id[0], __entry->id[1],
		  __entry->op, __entry->number, __entry->from, __entry->to,
		  __entry->tree, __entry->blocks, __entry->bytes, __entry->payload)
);

/*
 * This node has sent a part of a block to another node. @granted: the other node READs it; @begins:
 * the part counts as a bundle.
 */
DECLARE_EVENT_CLASS(scatter_part_sent,
	TP_PROTO(const struct scatter_group *group, const struct scatter_slot *slot, u64 to,
		 u32 rank, u64 offset, u64 bytes, bool granted, bool begins),
	TP_ARGS(group, slot, to, rank, offset, bytes, granted, begins),
	TP_STRUCT__entry(
		__string(group, group->name)
		__array(u64, id, 2)
		__field(u32, op)
		__field(u64, number)
		__field(u64, from)
		__field(u64, to)
		__field(u32, rank)
		__field(u64, offset)
		__field(u64, bytes)
		__field(bool, granted)
		__field(bool, begins)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, group->name);
		memcpy(__entry->id, group->id, sizeof(__entry->id));
		__entry->op = slot->head.op;
		__entry->number = slot->number;
		__entry->from = group->portal->nodes[group->portal->self].id;
		__entry->to = to;
		__entry->rank = rank;
		__entry->offset = offset;
		__entry->bytes = bytes;
		__entry->granted = granted;
		__entry->begins = begins;
	),
	TP_printk("group=%s id=%016llx%016llx op=%u number=%llu from=%llu to=%llu rank=%u offset=%llu bytes=%llu granted=%d begins=%d",
		  __get_str(group), __entry->id[0], __entry->id[1],
		  __entry->op, __entry->number, __entry->from, __entry->to,
		  __entry->rank, __entry->offset, __entry->bytes, __entry->granted,
		  __entry->begins)
);

/* The other node has asked for the part. */
DEFINE_EVENT(scatter_part_sent, scatter_pulled,
	TP_PROTO(const struct scatter_group *group, const struct scatter_slot *slot, u64 to,
		 u32 rank, u64 offset, u64 bytes, bool granted, bool begins),
	TP_ARGS(group, slot, to, rank, offset, bytes, granted, begins)
);

/* The part is a cell of an OR-broadcast. */
DEFINE_EVENT(scatter_part_sent, scatter_cell,
	TP_PROTO(const struct scatter_group *group, const struct scatter_slot *slot, u64 to,
		 u32 rank, u64 offset, u64 bytes, bool granted, bool begins),
	TP_ARGS(group, slot, to, rank, offset, bytes, granted, begins)
);

#endif /* _SCATTER_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>

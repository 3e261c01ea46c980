/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM scatter

#if !defined(_SCATTER_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _SCATTER_TRACE_H

#include <linux/tracepoint.h>

#include "group.h"
#include "operation.h"

/* A bundle or descriptor crossed an edge of the schedule. */
TRACE_EVENT(scatter_edge,
	TP_PROTO(const struct scatter_group *group,
		 const struct scatter_operation *operation, u32 from,
		 const struct scatter_step *step, u64 bytes, bool payload),
	TP_ARGS(group, operation, from, step, bytes, payload),
	TP_STRUCT__entry(
		__string(group, group->name)
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
	TP_printk("group=%s op=%u number=%llu from=%u to=%u round=%u first=%u count=%u bytes=%llu payload=%d tree=%u piece=%u pieces=%u",
		  __get_str(group), __entry->op, __entry->number,
		  __entry->from, __entry->to, __entry->round, __entry->first,
		  __entry->count, __entry->bytes, __entry->payload,
		  __entry->tree, __entry->piece, __entry->pieces)
);

/* A rank copied payload of the blocks from one rank on. */
TRACE_EVENT(scatter_copy,
	TP_PROTO(const struct scatter_group *group,
		 const struct scatter_operation *operation, u32 by, u32 block,
		 u64 bytes),
	TP_ARGS(group, operation, by, block, bytes),
	TP_STRUCT__entry(
		__string(group, group->name)
		__field(u32, op)
		__field(u64, number)
		__field(u32, by)
		__field(u32, block)
		__field(u64, bytes)
	),
	TP_fast_assign(
		scatter_compat_assign_str(group, group->name);
		__entry->op = operation->spec.op;
		__entry->number = operation->number;
		__entry->by = by;
		__entry->block = block;
		__entry->bytes = bytes;
	),
	TP_printk("group=%s op=%u number=%llu by=%u block=%u bytes=%llu",
		  __get_str(group), __entry->op, __entry->number, __entry->by,
		  __entry->block, __entry->bytes)
);

#endif /* _SCATTER_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>

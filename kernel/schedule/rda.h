/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recursive halving of a line of vertices (recursive doubling algorithm, RDA): the
 * source splits its segment, gives one half to a vertex there, and both go on with
 * their halves.
 *
 * On an odd split a scatter's source keeps the GREATER half: a block more would cost
 * its port the time of a block. A broadcast's keeps the SMALLER one: the message
 * is the same, and its way shorter. A source in the middle of an odd segment is in
 * both halves or in neither, according to which one it keeps; then it keeps
 * the greater.
 */
#ifndef _SCATTER_SCHEDULE_RDA_H
#define _SCATTER_SCHEDULE_RDA_H

#include "types.h"

/**
 * struct scatter_segment - part of a line whose blocks one vertex holds
 * @first: its first position
 * @count: how many positions, 1 and up
 * @source: position of the vertex that holds them
 */
struct scatter_segment {
	u32 first;
	u32 count;
	u32 source;
};

/*
 * Split @segment, of more than one position; what is given away becomes @given. It
 * goes to the nearest vertex, which is at the end of its half.
 */
static inline void scatter_segment_split(struct scatter_segment *segment,
					 bool greater,
					 struct scatter_segment *given)
{
	u32 small = segment->count / 2, big = segment->count - small;
	u32 before = segment->source - segment->first;
	u32 keep = greater ? big : small;

	if (before >= keep && before < segment->count - keep)
		keep = big;
	given->count = segment->count - keep;
	segment->count = keep;
	if (before < keep) {
		given->first = segment->first + keep;
		given->source = given->first;
	} else {
		given->first = segment->first;
		segment->first += given->count;
		given->source = segment->first - 1;
	}
}

#endif /* _SCATTER_SCHEDULE_RDA_H */

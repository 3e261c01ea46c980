/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recursive halving of a line of vertices (recursive doubling algorithm, RDA): the source splits
 * its segment and gives one half to a vertex in that half. Both vertices go on with their halves.
 *
 * On an odd split the source of a scatter keeps the GREATER half: sending one block more would cost
 * the source's port the time of a block. The source of a broadcast keeps the SMALLER half: the
 * message is the same, and its way is shorter. A source in the middle of an odd segment is in both
 * halves or in neither, depending on which half it keeps; such a source keeps the greater half.
 */
#ifndef _SCATTER_SCHEDULE_RDA_H
#define _SCATTER_SCHEDULE_RDA_H

#include "types.h"

/**
 * struct scatter_stretch - part of a line whose blocks one vertex holds
 * @first: first position of the segment
 * @count: how many positions, 1 and up
 * @source: position of the vertex that holds the blocks
 */
struct scatter_stretch {
	u32 first;
	u32 count;
	u32 source;
};

/*
 * Split @segment, of more than one position; @given becomes the half that is given away. That half
 * goes to the nearest vertex, which is at the end of the half.
 */
static inline void scatter_stretch_split(struct scatter_stretch *segment,
					 bool greater,
					 struct scatter_stretch *given)
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

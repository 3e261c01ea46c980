/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one member brings to a scatter or gather and what it gets, in buffers of any
 * layout, with all that is around them poisoned.
 */
#ifndef _KSELFTEST_CARGO_H
#define _KSELFTEST_CARGO_H

#include "crew.h"
#include "shape.h"

#define CARGO_BLOCK_MAX	(3ULL << 20)

struct cargo {
	/* Given: */
	__u32 op;
	__u64 base;		/* as of block_bytes() */
	__u64 seed;
	unsigned int blocks;	/* that the root has */
	int own;		/* which is the member's; negative: none */
	bool root;
	bool in_place;
	/* Made: */
	__u64 counts[CREW_MAX];
	__u64 displs[CREW_MAX];
	struct shape send;
	struct shape recv;
};

void cargo_make(struct cargo *cargo, enum shape_kind send, enum shape_kind recv);
void cargo_load(struct cargo *cargo, struct scatter_coll *coll);
bool cargo_arrived(const struct cargo *cargo);
bool cargo_contained(const struct cargo *cargo);

#endif /* _KSELFTEST_CARGO_H */

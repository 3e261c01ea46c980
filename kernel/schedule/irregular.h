/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of an irregular schedule: one tree for blocks of different lengths, built once from all
 * blocks and shared by all ranks.
 */
#ifndef _SCATTER_SCHEDULE_IRREGULAR_H
#define _SCATTER_SCHEDULE_IRREGULAR_H

#include "types.h"

/* No fixed root: the rank that needs the least volume becomes the root. */
#define SCATTER_IRREGULAR_FREE	((u32)-1)
/* In place of a rank: nobody */
#define SCATTER_IRREGULAR_NONE	((u32)-1)

/**
 * struct scatter_irregular_node - one rank of the tree
 * @block: bytes of the rank's own block
 * @bundle: bytes of the rank's whole subtree
 * @parent: the rank at the other end of the bundle's transfer; %SCATTER_IRREGULAR_NONE for the root
 *	and for ranks that need no message, since their subtree is empty
 * @child: the rank's child of the highest level, which comes first in a scatter
 * @sibling: the parent's next child
 * @first: first rank of the subtree
 * @count: ranks of the subtree, which are consecutive modulo the size
 * @level: the subtree is sent in round @level + 1 of a gather
 * @head: while building: the root of the tree that begins at this rank
 */
struct scatter_irregular_node {
	u64 block;
	u64 bundle;
	u32 parent;
	u32 child;
	u32 sibling;
	u32 first;
	u32 count;
	u32 level;
	u32 head;
};

/**
 * struct scatter_irregular - the tree
 * @node: by rank; the caller's memory
 * @size: ranks
 * @root: rank of the root, whether it was free or not
 * @rounds: how many rounds the tree takes
 * @bytes: of all blocks
 */
struct scatter_irregular {
	const struct scatter_irregular_node *node;
	u32 size;
	u32 root;
	u32 rounds;
	u64 bytes;
};

int scatter_irregular_build(struct scatter_irregular *table,
			    struct scatter_irregular_node *node,
			    const u64 *bytes, u32 size, u32 root);

#endif /* _SCATTER_SCHEDULE_IRREGULAR_H */

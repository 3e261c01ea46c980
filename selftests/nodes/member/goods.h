/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buffers of one call of a member: what is in them before the call, and what has to be in them
 * afterwards.
 */
#ifndef MEMBER_GOODS_H
#define MEMBER_GOODS_H

#include <stdbool.h>
#include <stdint.h>

#include "shape.h"

#define GOODS_BLOCKS	256

/**
 * struct goods - what one member brings to a call, and what it is to get
 * @op: enum scatter_op
 * @number: the call's number in this process, of which all bytes depend
 * @base: bytes of a block; in v forms the most
 * @empty: in v forms this block is empty, and every third one after it: 0 to 2
 * @blocks: how many blocks the root has
 * @first: the owner of block 0, a group rank; the other owners follow
 * @own: the member's block, or -1
 * @root: the member has, or gets, all blocks
 * @in_place: the root's own block stays where it is
 * @laid_out: the buffers have layouts
 * @faulty: the member cannot access its buffer: at the root that of all blocks
 * @counts: (made) bytes of each block
 * @displs: (made) where each block is in the root's stream
 * @dense: (made) the blocks lie side by side, in the order of the ranks
 * @send: (made) where the bytes are that the member sends
 * @recv: (made) likewise of what it gets
 */
struct goods {
	uint32_t op;
	uint64_t number;
	uint64_t base;
	int empty;
	int blocks;
	int first;
	int own;
	bool root;
	bool in_place;
	bool laid_out;
	bool faulty;
	uint64_t counts[GOODS_BLOCKS];
	uint64_t displs[GOODS_BLOCKS];
	bool dense;
	struct shape send;
	struct shape recv;
};

/**
 * struct flaw - a byte that is wrong
 * @what: of which buffer, or which block
 * @byte: where, from the beginning of that
 * @got: what is there
 * @expected: what should be there
 */
struct flaw {
	char what[40];
	long long byte;
	unsigned char got;
	unsigned char expected;
};

uint64_t goods_mix(uint64_t x);
bool goods_make(struct goods *goods);
bool goods_has_all(const struct goods *goods, bool sends);
bool goods_has_one(const struct goods *goods, bool sends);
uint64_t goods_arriving(const struct goods *goods);
bool goods_intact(const struct goods *goods, bool arrived, struct flaw *flaw);

#endif /* MEMBER_GOODS_H */

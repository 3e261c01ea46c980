// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "cargo.h"

static bool moves(const struct cargo *cargo)
{
	return cargo->op != SCATTER_OP_BARRIER;
}

/* Whether the member's buffer has all blocks, or its own one. */
static bool has_all(const struct cargo *cargo, bool sends)
{
	return moves(cargo) && cargo->root && is_scatter(cargo->op) == sends;
}

static bool has_one(const struct cargo *cargo, bool sends)
{
	return moves(cargo) && cargo->own >= 0 && !cargo->in_place &&
	       is_scatter(cargo->op) != sends;
}

static const struct shape *shape_of(const struct cargo *cargo, bool sends)
{
	return sends ? &cargo->send : &cargo->recv;
}

static __u64 stream_bytes(const struct cargo *cargo, bool sends)
{
	if (has_all(cargo, sends))
		return block_offset(cargo->op, cargo->base, cargo->blocks,
				    cargo->blocks);
	return has_one(cargo, sends) ? cargo->counts[cargo->own] : 0;
}

/* Place the buffers. All other fields are set already. */
void cargo_make(struct cargo *cargo, enum shape_kind send, enum shape_kind recv)
{
	unsigned int i;

	for (i = 0; i < cargo->blocks; i++) {
		cargo->counts[i] = block_bytes(cargo->op, cargo->base, i);
		cargo->displs[i] = block_offset(cargo->op, cargo->base,
						cargo->blocks, i);
	}
	shape_make(&cargo->send, send, stream_bytes(cargo, true), cargo->seed,
		   SEND_BUFFER);
	shape_make(&cargo->recv, recv, stream_bytes(cargo, false),
		   cargo->seed + 1, RECV_BUFFER);
}

static void poison(const struct shape *shape)
{
	memset(shape->low - GUARD_BYTES, POISON,
	       shape->high - shape->low + 2 * GUARD_BYTES);
}

static bool is_poison(const struct shape *shape)
{
	return poison_holds(shape->low - GUARD_BYTES,
			    shape->high - shape->low + 2 * GUARD_BYTES);
}

static char data[CARGO_BLOCK_MAX];

static void put_block(const struct cargo *cargo, bool sends, unsigned int block,
		      __u64 offset)
{
	if (cargo->counts[block] > sizeof(data))
		abort();
	pattern_fill(data, cargo->counts[block], cargo->seed, block);
	shape_put(shape_of(cargo, sends), offset, data, cargo->counts[block]);
}

/* A checked part is poison afterwards. */
static bool take_block(const struct cargo *cargo, bool sends, unsigned int block,
		       __u64 offset)
{
	const struct shape *shape = shape_of(cargo, sends);

	shape_get(shape, offset, data, cargo->counts[block]);
	shape_poison(shape, offset, cargo->counts[block]);
	return pattern_holds(data, cargo->counts[block], cargo->seed, block);
}

/* Fill the buffers, and say in @coll where they are. */
void cargo_load(struct cargo *cargo, struct scatter_coll *coll)
{
	unsigned int i;

	poison(&cargo->send);
	poison(&cargo->recv);
	for (i = 0; has_all(cargo, true) && i < cargo->blocks; i++)
		put_block(cargo, true, i, cargo->displs[i]);
	if (has_one(cargo, true))
		put_block(cargo, true, cargo->own, 0);
	if (has_all(cargo, false) && cargo->in_place)
		put_block(cargo, false, cargo->own, cargo->displs[cargo->own]);
	if (!moves(cargo))
		return;
	coll->sendbuf = address(cargo->send.base);
	coll->recvbuf = address(cargo->recv.base);
	coll->send_layout = has_all(cargo, true) || has_one(cargo, true) ?
			    shape_layout(&cargo->send) : BOGUS_ADDRESS;
	coll->recv_layout = has_all(cargo, false) || has_one(cargo, false) ?
			    shape_layout(&cargo->recv) : BOGUS_ADDRESS;
	if (cargo->own >= 0)
		coll->block = cargo->counts[cargo->own];
	if (is_vector(cargo->op) && cargo->root) {
		coll->counts = address(cargo->counts);
		coll->displs = address(cargo->displs);
	}
}

/* The sent bytes are still there, and nothing around them has changed. */
static bool is_kept(const struct cargo *cargo)
{
	bool good = true;
	unsigned int i;

	/* Blocks of a scatter and pieces of what is sent do not overlap here. */
	for (i = 0; has_all(cargo, true) && i < cargo->blocks; i++)
		good = take_block(cargo, true, i, cargo->displs[i]) && good;
	if (has_one(cargo, true))
		good = take_block(cargo, true, cargo->own, 0);
	return good && is_poison(&cargo->send);
}

/* The call has succeeded: all that was to arrive is there, and nothing else. */
bool cargo_arrived(const struct cargo *cargo)
{
	bool good = true;
	unsigned int i;

	for (i = 0; has_all(cargo, false) && i < cargo->blocks; i++)
		good = take_block(cargo, false, i, cargo->displs[i]) && good;
	if (has_one(cargo, false))
		good = take_block(cargo, false, cargo->own, 0);
	return good && is_poison(&cargo->recv) && is_kept(cargo);
}

/* After a failure the blocks to arrive are undefined, and nothing else has changed. */
bool cargo_contained(const struct cargo *cargo)
{
	bool good = true;
	unsigned int i;

	for (i = 0; has_all(cargo, false) && i < cargo->blocks; i++)
		if (!take_block(cargo, false, i, cargo->displs[i]) &&
		    cargo->in_place && (int)i == cargo->own)
			good = false;
	if (has_one(cargo, false))
		(void)take_block(cargo, false, cargo->own, 0);
	return good && is_poison(&cargo->recv) && is_kept(cargo);
}

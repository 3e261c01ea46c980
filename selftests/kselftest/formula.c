// SPDX-License-Identifier: GPL-2.0
#include "formula.h"

static unsigned int log_up(unsigned int base, unsigned int size)
{
	unsigned int log = 0;
	__u64 power;

	for (power = 1; power < size; power *= base)
		log++;
	return log;
}

/*
 * Edges that the block of the member at @distance from the root crosses in a tree of (k+1)-nomial
 * kind: one for each digit that is not zero.
 */
static unsigned int digits(unsigned int distance, unsigned int base)
{
	unsigned int count = 0;

	for (; distance; distance /= base)
		count += distance % base > 0;
	return count;
}

/* In a hypercube distances are by exclusive or, in a part of one around a ring. */
static unsigned int distance(const struct call *call, unsigned int rank, unsigned int size)
{
	if (call->algorithm != SCATTER_ALGORITHM_KNOMIAL && !(size & (size - 1)))
		return rank ^ call->root;
	return (rank + size - call->root) % size;
}

static __u64 bytes_of_trees(const struct call *call, unsigned int size, unsigned int base)
{
	__u64 bytes = 0;
	unsigned int r;

	for (r = 0; r < size; r++)
		bytes += block_bytes(call->op, call->block, r) *
			 digits(distance(call, r, size), base);
	return bytes;
}

static __u64 bytes_of_stars(const struct call *call, unsigned int size)
{
	__u64 bytes = 0;
	unsigned int r;

	for (r = 0; r < size; r++)
		if (r != call->root)
			bytes += block_bytes(call->op, call->block, r);
	return bytes;
}

/* Blocks over all edges of an array that is halved again and again. */
static __u64 halved(unsigned int size)
{
	return size < 2 ? 0 : size / 2 + halved(size / 2) + halved(size - size / 2);
}

/* One dimension after the other: each array moves what is behind its members. */
static void mesh(const struct call *call, unsigned int size, struct figures *figures)
{
	__u64 blocks = 0;
	unsigned int i;

	for (i = 0; i < call->dims; i++) {
		blocks += halved(call->extent[i]) * (size / call->extent[i]);
		figures->rounds += log_up(2, call->extent[i]);
	}
	figures->bytes = blocks * call->block;
}

/*
 * The figures of an operation of @size members that all name the schedule of @call; false: there
 * is no such formula here. Blocks of a v form may be empty, and what they cost is left open.
 */
bool formula_of(const struct call *call, unsigned int size, struct figures *figures)
{
	const unsigned int base = call->algorithm == SCATTER_ALGORITHM_KNOMIAL && call->ports ?
				  call->ports + 1 : 2;

	*figures = (struct figures){ .startups = is_vector(call->op) ? 0 : size - 1 };
	if (call->sides[0])
		return false;
	switch (call->algorithm) {
	case SCATTER_ALGORITHM_LINEAR:
		figures->bytes = bytes_of_stars(call, size);
		figures->rounds = size - 1;
		return true;
	case SCATTER_ALGORITHM_HYPERCUBE:
	case SCATTER_ALGORITHM_KNOMIAL:
		figures->bytes = bytes_of_trees(call, size, base);
		figures->rounds = log_up(base, size);
		return true;
	case SCATTER_ALGORITHM_ROTATED:
		/* A tree for each dimension, which moves a piece of each block. */
		figures->startups *= log_up(2, size);
		figures->bytes = bytes_of_trees(call, size, base);
		figures->rounds = log_up(2, size);
		return true;
	case SCATTER_ALGORITHM_BALANCED:
		/* Bundles are divided over the rounds, and how is not as simple as this. */
		figures->startups = 0;
		figures->bytes = bytes_of_trees(call, size, base);
		return true;
	case SCATTER_ALGORITHM_MESH:
	case SCATTER_ALGORITHM_TORUS:
		mesh(call, size, figures);
		return !is_vector(call->op);
	default:
		return false;
	}
}

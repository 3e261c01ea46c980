// SPDX-License-Identifier: GPL-2.0
/*
 * The combining schedule for k ports: a (k+1)-nomial tree.
 *
 * The binomial tree with another base: in each round every rank that has a bundle gives k of the
 * bundle's k + 1 parts away, one through each port. Ranks count relative to the root; relative rank
 * v hears from the number v without the lowest digit that is not 0. Subtrees are cut off at the
 * size, so any size has this tree. The tree needs ceil(log_{k+1} p) rounds and, if p is a power of
 * k + 1, sends (p - 1) / k blocks through each port of the root: both are lower bounds for k ports.
 */
#include "ops.h"

/* More ports than other ranks are of no use. */
static u32 knomial_ports(const struct scatter_schedule_spec *spec)
{
	u32 ports = spec->ports ? spec->ports : 1;

	if (spec->size == 1)
		return 1;
	return ports >= spec->size ? spec->size - 1 : ports;
}

static u32 knomial_rounds(const struct scatter_schedule_spec *spec)
{
	u64 radix = (u64)knomial_ports(spec) + 1, reach = 1;
	u32 rounds = 0;

	for (; reach < spec->size; reach *= radix)
		rounds++;
	return rounds;
}

/**
 * struct place - where a rank is in the tree
 * @radix: k + 1, at most the size
 * @relative: the rank's number from the root
 * @mask: the power of @radix that is the weight of the lowest digit of @relative that is not 0; for
 *	the root, the first power that is at least the size
 * @round: round in which the rank's bundle arrives, 0 for the root
 */
struct place {
	u32 radix;
	u32 relative;
	u64 mask;
	u32 round;
};

static struct place find_place(const struct scatter_walk *walk)
{
	const struct scatter_schedule_spec *spec = &walk->spec;
	struct place place = {
		.radix = knomial_ports(spec) + 1,
		.relative = scatter_rank_relative(walk, walk->rank),
		.mask = 1,
		.round = knomial_rounds(spec),
	};

	for (; place.round; place.round--) {
		u64 next = place.mask * place.radix;

		if (place.relative && (next > place.relative ||
				       place.relative % (u32)next))
			break;
		place.mask = next;
	}
	return place;
}

/* Go to the next smaller subtrees; returns how many of these are children. */
static u32 next_children(const struct scatter_walk *walk,
			 struct place *place)
{
	u32 rest = walk->spec.size - 1 - place->relative, children;

	place->mask /= place->radix;
	place->round++;
	children = rest / (u32)place->mask;
	return children < place->radix ? children : place->radix - 1;
}

static u32 knomial_children(const struct scatter_walk *walk)
{
	struct place place = find_place(walk);
	u32 children = 0;

	while (place.mask > 1)
		children += next_children(walk, &place);
	return children;
}

/* The transfer that brings @place its bundle, the same for both ends. */
static void fill_transfer(const struct scatter_walk *walk,
			  const struct place *place, struct scatter_step *step)
{
	u32 rest = walk->spec.size - place->relative;
	u32 mask = (u32)place->mask;

	step->round = place->round;
	step->first = scatter_rank_real(walk, place->relative);
	step->count = mask < rest ? mask : rest;
	step->port = place->relative / mask % place->radix - 1;
}

static bool knomial_parent(const struct scatter_walk *walk,
			   struct scatter_step *step)
{
	struct place place = find_place(walk);
	u64 up;

	if (scatter_is_root(walk))
		return false;
	fill_transfer(walk, &place, step);
	up = place.relative % (place.mask * place.radix);
	step->peer = scatter_rank_real(walk, place.relative - (u32)up);
	return true;
}

/* The biggest subtrees come first: their blocks have the longest way to go. */
static void knomial_child(const struct scatter_walk *walk, u32 index,
			  struct scatter_step *step)
{
	struct place place = find_place(walk);
	u32 children = next_children(walk, &place);

	while (index >= children && place.mask > 1) {
		index -= children;
		children = next_children(walk, &place);
	}
	place.relative += (index + 1) * (u32)place.mask;
	fill_transfer(walk, &place, step);
	step->peer = scatter_rank_real(walk, place.relative);
}

const struct scatter_schedule_ops scatter_knomial_ops = {
	.contiguous = true,
	.broadcasts = true,
	.rounds = knomial_rounds,
	.ports = knomial_ports,
	.children = knomial_children,
	.parent = knomial_parent,
	.child = knomial_child,
};

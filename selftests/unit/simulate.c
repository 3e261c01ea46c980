// SPDX-License-Identifier: GPL-2.0
/*
 * Delivery simulated: see simulate.h.
 */
#include <stdlib.h>
#include <string.h>

#include "simulate.h"

/**
 * sim_property_name - what a property says, for the test's line
 * @property: which
 *
 * Return: a phrase
 */
const char *sim_property_name(enum sim_property property)
{
	static const char * const names[SIM_PROPERTIES] = {
		[SIM_WELL_FORMED] = "steps are well formed",
		[SIM_ORDERED] = "a rank's rounds increase",
		[SIM_FAMILY] = "parent and children agree with the iteration",
		[SIM_MATCHED] = "every send has exactly one receive",
		[SIM_ONE_PORT] = "one transfer per rank and round",
		[SIM_HELD] = "ranks send only blocks that they hold",
		[SIM_DELIVERED] = "each block delivered once to its rank",
		[SIM_STARTUPS] = "p - 1 startups",
		[SIM_VOLUME] = "p - 1 blocks at the root's port",
	};

	return names[property];
}

static void require(struct sim *sim, enum sim_property property, bool holds)
{
	if (!holds)
		sim->broken |= 1u << property;
}

static bool holds(const struct sim *sim, enum sim_property property)
{
	return !(sim->broken & 1u << property);
}

static int compare_u32(u32 a, u32 b)
{
	return (a > b) - (a < b);
}

static int compare_transfers(const void *left, const void *right)
{
	const struct sim_transfer *a = left, *b = right;
	int order = compare_u32(a->round, b->round);

	if (!order)
		order = compare_u32(a->from, b->from);
	if (!order)
		order = compare_u32(a->to, b->to);
	if (!order)
		order = compare_u32(a->first, b->first);
	return order ? order : compare_u32(a->count, b->count);
}

static void sort_transfers(struct sim *sim)
{
	qsort(sim->send, sim->sends, sizeof(*sim->send), compare_transfers);
	qsort(sim->receive, sim->receives, sizeof(*sim->receive),
	      compare_transfers);
}

static bool step_is_well_formed(const struct sim *sim, u32 rank,
				const struct scatter_step *step)
{
	return step->round >= 1 && step->round <= sim->rounds &&
	       step->peer < sim->size && step->peer != rank &&
	       step->first < sim->size &&
	       step->count >= 1 && step->count < sim->size;
}

static bool steps_equal(const struct scatter_step *a,
			const struct scatter_step *b)
{
	return a->round == b->round && a->peer == b->peer &&
	       a->first == b->first && a->count == b->count &&
	       a->send == b->send;
}

static void add_step(struct sim *sim, u32 rank, const struct scatter_step *step)
{
	struct sim_transfer transfer = {
		.round = step->round,
		.from = step->send ? rank : step->peer,
		.to = step->send ? step->peer : rank,
		.first = step->first,
		.count = step->count,
	};

	if (step->send)
		sim->send[sim->sends++] = transfer;
	else
		sim->receive[sim->receives++] = transfer;
}

/* The parent asked for at any time is the one transfer up that was iterated. */
static void check_family(struct sim *sim,
			 const struct scatter_schedule *schedule,
			 const struct scatter_step *up, u32 ups, u32 downs)
{
	struct scatter_step parent;
	bool orphan = schedule->rank == sim->root;

	require(sim, SIM_FAMILY, ups == (orphan ? 0 : 1));
	require(sim, SIM_FAMILY, downs == scatter_schedule_children(schedule));
	if (scatter_schedule_parent(schedule, &parent))
		require(sim, SIM_FAMILY, ups == 1 && steps_equal(&parent, up));
	else
		require(sim, SIM_FAMILY, orphan);
}

static void collect_rank(struct sim *sim, u32 algorithm, u32 rank)
{
	struct scatter_schedule schedule, fresh;
	struct scatter_step step, up = { 0 };
	u32 last = 0, ups = 0, downs = 0;

	/* what init leaves out stays poison */
	memset(&schedule, 0xa5, sizeof(schedule));
	if (!scatter_schedule_init(&schedule, algorithm, sim->gather, sim->size,
				   sim->root, rank)) {
		require(sim, SIM_WELL_FORMED, false);
		return;
	}
	fresh = schedule;
	while (scatter_schedule_next(&schedule, &step)) {
		if (!step_is_well_formed(sim, rank, &step) ||
		    sim->sends + sim->receives >= 2 * SIM_SIZE_MAX) {
			require(sim, SIM_WELL_FORMED, false);
			return;
		}
		require(sim, SIM_ORDERED, step.round > last);
		last = step.round;
		if (step.send == sim->gather) {
			up = step;
			ups++;
		} else {
			downs++;
		}
		add_step(sim, rank, &step);
	}
	require(sim, SIM_WELL_FORMED, !scatter_schedule_next(&schedule, &step));
	check_family(sim, &fresh, &up, ups, downs);
	check_family(sim, &schedule, &up, ups, downs);
}

/**
 * sim_collect - all steps of all ranks of one operation
 * @sim: filled in
 * @algorithm: enum scatter_schedule_algorithm
 * @gather: false: scatter, true: gather
 * @size: ranks, at most SIM_SIZE_MAX
 * @root: rank of the root
 */
void sim_collect(struct sim *sim, u32 algorithm, bool gather, u32 size,
		 u32 root)
{
	u32 rank;

	sim->gather = gather;
	sim->size = size;
	sim->root = root;
	sim->rounds = scatter_schedule_rounds(algorithm, size);
	sim->broken = 0;
	sim->sends = 0;
	sim->receives = 0;
	for (rank = 0; rank < size; rank++)
		collect_rank(sim, algorithm, rank);
	sort_transfers(sim);
}

/* Both ends tell the same transfers; sorted, they are the same list. */
static void check_matched(struct sim *sim)
{
	size_t bytes = sim->sends * sizeof(*sim->send);

	require(sim, SIM_MATCHED, sim->sends == sim->receives &&
		!memcmp(sim->send, sim->receive, bytes));
}

static void check_one_port(struct sim *sim)
{
	static u32 busy[SIM_SIZE_MAX];
	u32 i;

	memset(busy, 0, sim->size * sizeof(*busy));
	for (i = 0; i < sim->sends; i++) {
		const struct sim_transfer *transfer = &sim->send[i];

		require(sim, SIM_ONE_PORT,
			busy[transfer->from] != transfer->round &&
			busy[transfer->to] != transfer->round);
		busy[transfer->from] = transfer->round;
		busy[transfer->to] = transfer->round;
	}
}

/* Where each block is, since which round, and how often it got home. */
struct blocks {
	u32 holder[SIM_SIZE_MAX];
	u32 since[SIM_SIZE_MAX];
	u32 arrivals[SIM_SIZE_MAX];
};

static u32 home_of(const struct sim *sim, u32 block)
{
	return sim->gather ? sim->root : block;
}

static void move_bundle(struct sim *sim, struct blocks *blocks,
			const struct sim_transfer *transfer)
{
	u32 i;

	for (i = 0; i < transfer->count; i++) {
		u32 block = (transfer->first + i) % sim->size;

		/* what arrives in a round can leave in the next at the earliest */
		require(sim, SIM_HELD,
			blocks->holder[block] == transfer->from &&
			blocks->since[block] < transfer->round);
		blocks->holder[block] = transfer->to;
		blocks->since[block] = transfer->round;
		if (transfer->to == home_of(sim, block))
			blocks->arrivals[block]++;
	}
}

static void check_delivery(struct sim *sim)
{
	static struct blocks blocks;
	u32 i;

	for (i = 0; i < sim->size; i++) {
		blocks.holder[i] = sim->gather ? i : sim->root;
		blocks.since[i] = 0;
		blocks.arrivals[i] = 0;
	}
	for (i = 0; i < sim->sends; i++)
		move_bundle(sim, &blocks, &sim->send[i]);
	for (i = 0; i < sim->size; i++)
		require(sim, SIM_DELIVERED,
			blocks.holder[i] == home_of(sim, i) &&
			blocks.arrivals[i] == (i == sim->root ? 0 : 1));
}

static u64 root_volume(const struct sim *sim)
{
	u64 volume = 0;
	u32 i;

	for (i = 0; i < sim->sends; i++) {
		const struct sim_transfer *transfer = &sim->send[i];

		if (transfer->from == sim->root || transfer->to == sim->root)
			volume += transfer->count;
	}
	return volume;
}

/**
 * sim_check - does the operation keep every property of enum sim_property?
 * @sim: as collected; @sim->broken gets the answer
 */
void sim_check(struct sim *sim)
{
	check_matched(sim);
	check_one_port(sim);
	check_delivery(sim);
	require(sim, SIM_STARTUPS, sim->sends == sim->size - 1);
	require(sim, SIM_VOLUME, root_volume(sim) == sim->size - 1);
	/* steps that are out of range were not collected: nothing is known */
	if (!holds(sim, SIM_WELL_FORMED))
		sim->broken = ~0u;
}

/**
 * sim_last_round - the highest round in which anything travels
 * @sim: as collected
 *
 * Return: a round; 0 if nothing travels
 */
u32 sim_last_round(const struct sim *sim)
{
	return sim->sends ? sim->send[sim->sends - 1].round : 0;
}

/**
 * sim_traffic - blocks over edges, all transfers together
 * @sim: as collected
 *
 * Return: blocks
 */
u64 sim_traffic(const struct sim *sim)
{
	u64 blocks = 0;
	u32 i;

	for (i = 0; i < sim->sends; i++)
		blocks += sim->send[i].count;
	return blocks;
}

/**
 * sim_time - store-and-forward time: every round lasts as long as its longest
 *	transfer
 * @sim: as collected
 * @startup: t_s
 * @block_time: m t_w
 *
 * Return: time in the unit of the parameters
 */
u64 sim_time(const struct sim *sim, u64 startup, u64 block_time)
{
	u64 time = 0;
	u32 i = 0;

	while (i < sim->sends) {
		u32 round = sim->send[i].round, longest = 0;

		for (; i < sim->sends && sim->send[i].round == round; i++)
			if (sim->send[i].count > longest)
				longest = sim->send[i].count;
		time += startup + longest * block_time;
	}
	return time;
}

static void reverse_transfer(struct sim_transfer *transfer, u32 rounds)
{
	u32 from = transfer->from;

	transfer->round = rounds + 1 - transfer->round;
	transfer->from = transfer->to;
	transfer->to = from;
}

/**
 * sim_reverse - run the operation backwards: scatter becomes gather
 * @sim: as collected; changed in place
 */
void sim_reverse(struct sim *sim)
{
	u32 i;

	for (i = 0; i < sim->sends; i++)
		reverse_transfer(&sim->send[i], sim->rounds);
	for (i = 0; i < sim->receives; i++)
		reverse_transfer(&sim->receive[i], sim->rounds);
	sim->gather = !sim->gather;
	sort_transfers(sim);
}

/**
 * sim_same - are two operations the same, transfer by transfer?
 * @sim: one
 * @other: the other
 *
 * Return: true if they are
 */
bool sim_same(const struct sim *sim, const struct sim *other)
{
	return sim->gather == other->gather && sim->root == other->root &&
	       sim_equals(sim, other->send, other->sends);
}

/**
 * sim_equals - does the operation consist of exactly these transfers?
 * @sim: as collected
 * @transfers: sorted by round, sender, receiver
 * @count: how many
 *
 * Return: true if it does
 */
bool sim_equals(const struct sim *sim, const struct sim_transfer *transfers,
		u32 count)
{
	return sim->sends == count &&
	       !memcmp(sim->send, transfers, count * sizeof(*transfers));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes too large to simulate: some ranks of some roots, and what can be said
 * of a rank and its neighbours alone. Nothing may overflow up to 2^32 - 1.
 */
#include "schedule/schedule.h"
#include "tap.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

/* A linear root has too many children to see them all. */
#define STEPS_MAX 100

static const u32 sizes[] = {
	1u << 20, (1u << 20) - 1, (1u << 20) + 1, (1u << 31) - 1, 1u << 31,
	(1u << 31) + 1, UINT32_MAX,
};

enum sampled_property {
	SAMPLED_WELL_FORMED,	/* steps in range, rounds increase */
	SAMPLED_BUNDLES,	/* the children's bundles divide the own one */
	SAMPLED_PEERS,		/* the peer has the same step, mirrored */
	SAMPLED_CLIMB,		/* parents lead to the root in falling rounds */
	SAMPLED_PROPERTIES
};

static const char * const says[SAMPLED_PROPERTIES] = {
	[SAMPLED_WELL_FORMED] = "steps are well formed",
	[SAMPLED_BUNDLES] = "bundles divide into one's own and the children's",
	[SAMPLED_PEERS] = "both ends agree",
	[SAMPLED_CLIMB] = "parents lead to the root",
};

static u32 broken;

static void require(enum sampled_property property, bool holds)
{
	if (!holds)
		broken |= 1u << property;
}

static u64 random_state = 88172645463325252u;

/* xorshift: the same numbers in every run */
static u32 random_below(u32 limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (u32)((random_state >> 32) % limit);
}

/* How far @block lies behind @first, around the end */
static u32 distance(u32 size, u32 first, u32 block)
{
	return (u32)(((u64)block + size - first) % size);
}

static bool is_down(const struct scatter_schedule *schedule,
		    const struct scatter_step *step)
{
	return step->send != schedule->gather;
}

static bool step_is_well_formed(const struct scatter_schedule *schedule,
				const struct scatter_step *step)
{
	u32 rounds = scatter_schedule_rounds(schedule->algorithm,
					     schedule->size);

	return step->round >= 1 && step->round <= rounds &&
	       step->peer < schedule->size && step->peer != schedule->rank &&
	       step->first < schedule->size &&
	       step->count >= 1 && step->count < schedule->size;
}

static bool is_mirrored(const struct scatter_schedule *schedule,
			const struct scatter_step *step,
			const struct scatter_step *theirs)
{
	return theirs->peer == schedule->rank && theirs->round == step->round &&
	       theirs->first == step->first && theirs->count == step->count &&
	       theirs->send == !step->send;
}

/* Looks for our step with a peer in the peer's own walk. */
static bool peer_agrees(const struct scatter_schedule *schedule,
			const struct scatter_step *step)
{
	struct scatter_schedule peer;
	struct scatter_step theirs;
	u32 i;

	if (!scatter_schedule_init(&peer, schedule->algorithm, schedule->gather,
				   schedule->size, schedule->root, step->peer))
		return false;
	if (is_down(schedule, step))
		return scatter_schedule_parent(&peer, &theirs) &&
		       is_mirrored(schedule, step, &theirs);
	/* a linear root: jump to the round */
	if (scatter_schedule_children(&peer) > STEPS_MAX)
		peer.cursor = step->round - 1;
	for (i = 0; i < STEPS_MAX && scatter_schedule_next(&peer, &theirs); i++)
		if (is_mirrored(schedule, step, &theirs))
			return true;
	return false;
}

/* The bundle that the rank has when it has most */
static void own_bundle(const struct scatter_schedule *schedule,
		       struct scatter_step *bundle)
{
	if (scatter_schedule_parent(schedule, bundle))
		return;
	bundle->first = schedule->rank;
	bundle->count = schedule->size;
}

static void check_rank(const struct scatter_schedule *start)
{
	struct scatter_schedule schedule = *start;
	struct scatter_step step, bundle = { 0 };
	u32 size = schedule.size, last = 0, steps = 0;
	u64 given = 0;

	own_bundle(start, &bundle);
	while (steps < STEPS_MAX && scatter_schedule_next(&schedule, &step)) {
		steps++;
		require(SAMPLED_WELL_FORMED, step.round > last &&
			step_is_well_formed(start, &step));
		last = step.round;
		require(SAMPLED_PEERS, peer_agrees(start, &step));
		if (!is_down(start, &step))
			continue;
		given += step.count;
		require(SAMPLED_BUNDLES,
			(u64)distance(size, bundle.first, step.first) +
			step.count <= bundle.count);
		require(SAMPLED_BUNDLES,
			distance(size, step.first, step.peer) < step.count &&
			distance(size, step.first, start->rank) >= step.count);
	}
	if (steps < STEPS_MAX)
		require(SAMPLED_BUNDLES, given + 1 == bundle.count);
	else
		require(SAMPLED_BUNDLES,
			scatter_schedule_children(start) == size - 1);
}

/* Rounds fall on the way up in a scatter, and rise in a gather. */
static void check_climb(struct scatter_schedule schedule)
{
	struct scatter_step step;
	u32 height = 0, last = 0;

	while (scatter_schedule_parent(&schedule, &step)) {
		require(SAMPLED_CLIMB, !height ||
			(step.round < last) != schedule.gather);
		last = step.round;
		if (++height > 32 ||
		    !scatter_schedule_init(&schedule, schedule.algorithm,
					   schedule.gather, schedule.size,
					   schedule.root, step.peer)) {
			require(SAMPLED_CLIMB, false);
			return;
		}
	}
	require(SAMPLED_CLIMB, schedule.rank == schedule.root);
}

static void check_sample(u32 algorithm, bool gather, u32 size, u32 root,
			 u32 rank)
{
	struct scatter_schedule schedule;

	if (!scatter_schedule_init(&schedule, algorithm, gather, size, root,
				   rank)) {
		require(SAMPLED_WELL_FORMED, false);
		return;
	}
	check_rank(&schedule);
	check_climb(schedule);
}

static void sample_size(u32 algorithm, bool gather, u32 size)
{
	const u32 roots[] = {
		0, 1, size / 3, size / 2, size - 2, size - 1,
		random_below(size), random_below(size),
	};
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(roots); i++) {
		const u32 ranks[] = {
			0, 1, 2, size / 2 - 1, size / 2, size - 2, size - 1,
			roots[i], distance(size, size - roots[i], size / 2),
		};

		for (k = 0; k < ARRAY_SIZE(ranks); k++)
			check_sample(algorithm, gather, size, roots[i],
				     ranks[k]);
		for (k = 0; k < 200; k++)
			check_sample(algorithm, gather, size, roots[i],
				     random_below(size));
	}
}

static void test_size(u32 algorithm, const char *name, u32 size)
{
	u32 i;

	broken = 0;
	sample_size(algorithm, false, size);
	sample_size(algorithm, true, size);
	for (i = 0; i < SAMPLED_PROPERTIES; i++)
		ok(!(broken & 1u << i), "%s, p %u, sampled: %s", name, size,
		   says[i]);
}

/* The far end of the longest walk there is, in both directions of time */
static void test_linear_end(u32 size)
{
	struct scatter_schedule schedule;
	struct scatter_step step;
	int gather;

	for (gather = 0; gather < 2; gather++) {
		bool good = scatter_schedule_init(&schedule,
						  SCATTER_SCHEDULE_LINEAR,
						  gather, size, 5, 5);

		schedule.cursor = size - 2;
		good = good && scatter_schedule_next(&schedule, &step) &&
		       step.round == size - 1 && step.count == 1 &&
		       step.first == step.peer && step.send == !gather &&
		       step.peer == (gather ? 6 : 4);
		ok(good && !scatter_schedule_next(&schedule, &step),
		   "linear %s, p %u: the last step",
		   gather ? "gather" : "scatter", size);
	}
}

int main(void)
{
	static const u32 hypercube_rounds[] = { 20, 20, 21, 31, 31, 32, 32 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		test_size(SCATTER_SCHEDULE_LINEAR, "linear", sizes[i]);
		test_size(SCATTER_SCHEDULE_HYPERCUBE, "hypercube", sizes[i]);
		ok(scatter_schedule_rounds(SCATTER_SCHEDULE_LINEAR, sizes[i]) ==
		   sizes[i] - 1 &&
		   scatter_schedule_rounds(SCATTER_SCHEDULE_HYPERCUBE,
					   sizes[i]) == hypercube_rounds[i],
		   "p %u: rounds", sizes[i]);
		test_linear_end(sizes[i]);
	}
	return tap_done();
}

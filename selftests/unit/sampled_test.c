// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes too large to simulate: some ranks of some roots, and what can be said
 * of a rank and its neighbours alone. Nothing may overflow up to 2^32 - 1.
 */
#include "check.h"
#include "tap.h"

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

/* How far @block lies behind @first, around the end */
static u32 distance(u32 size, u32 first, u32 block)
{
	return (u32)(((u64)block + size - first) % size);
}

static bool is_gather(const struct scatter_walk *walk)
{
	return walk->spec.op == SCATTER_SCHEDULE_GATHER;
}

static bool is_down(const struct scatter_walk *walk,
		    const struct scatter_step *step)
{
	return step->send != is_gather(walk);
}

static bool step_is_well_formed(const struct scatter_walk *walk,
				const struct scatter_step *step)
{
	u32 rounds = scatter_schedule_rounds(&walk->spec);

	return step->round >= 1 && step->round <= rounds &&
	       step->peer < walk->spec.size && step->peer != walk->rank &&
	       step->first < walk->spec.size &&
	       step->count >= 1 && step->count < walk->spec.size;
}

static bool is_mirrored(const struct scatter_walk *walk,
			const struct scatter_step *step,
			const struct scatter_step *theirs)
{
	return theirs->peer == walk->rank && theirs->round == step->round &&
	       theirs->first == step->first && theirs->count == step->count &&
	       theirs->send == !step->send;
}

/* Looks for our step with a peer in the peer's own walk. */
static bool peer_agrees(const struct scatter_walk *walk,
			const struct scatter_step *step)
{
	struct scatter_walk peer;
	struct scatter_step theirs;
	u32 i;

	if (!scatter_schedule_init(&peer, &walk->spec, step->peer))
		return false;
	if (is_down(walk, step))
		return scatter_schedule_parent(&peer, 0, &theirs) &&
		       is_mirrored(walk, step, &theirs);
	/* a linear root: jump to the round */
	if (scatter_schedule_children(&peer, 0) > STEPS_MAX)
		peer.cursor = step->round - is_gather(walk);
	for (i = 0; i < STEPS_MAX && scatter_schedule_next(&peer, &theirs); i++)
		if (is_mirrored(walk, step, &theirs))
			return true;
	return false;
}

/* The bundle that the rank has when it has most */
static void own_bundle(const struct scatter_walk *walk,
		       struct scatter_step *bundle)
{
	if (scatter_schedule_parent(walk, 0, bundle))
		return;
	bundle->first = walk->rank;
	bundle->count = walk->spec.size;
}

static void check_rank(const struct scatter_walk *start)
{
	struct scatter_walk walk = *start;
	struct scatter_step step, bundle = { 0 };
	u32 size = walk.spec.size, last = 0, steps = 0;
	u64 given = 0;

	own_bundle(start, &bundle);
	while (steps < STEPS_MAX && scatter_schedule_next(&walk, &step)) {
		steps++;
		require(SAMPLED_WELL_FORMED,
			step_is_well_formed(start, &step));
		require(SAMPLED_WELL_FORMED, step.round > last ||
			(step.round == last && start->spec.ports > 1));
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
			scatter_schedule_children(start, 0) == size - 1);
}

/* Rounds fall on the way up in a scatter, and rise in a gather. */
static void check_climb(struct scatter_walk walk)
{
	const struct scatter_schedule_spec spec = walk.spec;
	struct scatter_step step;
	u32 height = 0, last = 0;

	while (scatter_schedule_parent(&walk, 0, &step)) {
		require(SAMPLED_CLIMB, !height ||
			(step.round < last) != is_gather(&walk));
		last = step.round;
		if (++height > 32 ||
		    !scatter_schedule_init(&walk, &spec, step.peer)) {
			require(SAMPLED_CLIMB, false);
			return;
		}
	}
	require(SAMPLED_CLIMB, walk.rank == walk.spec.root);
}

static void check_sample(const struct scatter_schedule_spec *spec, u32 rank)
{
	struct scatter_walk walk;

	if (!scatter_schedule_init(&walk, spec, rank)) {
		require(SAMPLED_WELL_FORMED, false);
		return;
	}
	check_rank(&walk);
	check_climb(walk);
}

static void sample_spec(struct scatter_schedule_spec *spec)
{
	u32 size = spec->size, i, k;
	const u32 roots[] = {
		0, 1, size / 3, size / 2, size - 2, size - 1,
		check_random(size), check_random(size),
	};

	for (i = 0; i < ARRAY_SIZE(roots); i++) {
		const u32 ranks[] = {
			0, 1, 2, size / 2 - 1, size / 2, size - 2, size - 1,
			roots[i], distance(size, size - roots[i], size / 2),
		};

		spec->root = roots[i];
		for (k = 0; k < ARRAY_SIZE(ranks); k++)
			check_sample(spec, ranks[k]);
		for (k = 0; k < 200; k++)
			check_sample(spec, check_random(size));
	}
}

static void test_size(u32 algorithm, const char *name, u32 size, u32 ports)
{
	struct scatter_schedule_spec spec = {
		.algorithm = algorithm, .size = size, .ports = ports,
		.dims = 1, .extent = { size },
	};
	u32 i;

	/* 3, 5, 17, 257 and 65537 make 2^32 - 1 */
	if (algorithm == SCATTER_SCHEDULE_MESH && size == UINT32_MAX) {
		static const u32 fermat[] = { 17, 3, 257, 5, 65537 };

		spec.dims = ARRAY_SIZE(fermat);
		for (i = 0; i < spec.dims; i++)
			spec.extent[i] = fermat[i];
	}
	broken = 0;
	sample_spec(&spec);
	spec.op = SCATTER_SCHEDULE_GATHER;
	sample_spec(&spec);
	for (i = 0; i < SAMPLED_PROPERTIES; i++)
		ok(!(broken & 1u << i), "%s, p %u, sampled: %s", name, size,
		   says[i]);
}

/* The far end of the longest walk there is, in both directions of time */
static void test_linear_end(u32 size)
{
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_LINEAR, .size = size, .root = 5,
	};
	struct scatter_walk walk;
	struct scatter_step step;
	int gather;

	for (gather = 0; gather < 2; gather++) {
		bool good;

		spec.op = gather ? SCATTER_SCHEDULE_GATHER :
				   SCATTER_SCHEDULE_SCATTER;
		good = scatter_schedule_init(&walk, &spec, 5);
		/* the root has no parent, whose slot comes first or last */
		walk.cursor = size - 2 + !gather;
		good = good && scatter_schedule_next(&walk, &step) &&
		       step.round == size - 1 && step.count == 1 &&
		       step.first == step.peer && step.send == !gather &&
		       step.peer == (gather ? 6 : 4);
		ok(good && !scatter_schedule_next(&walk, &step),
		   "linear %s, p %u: the last step",
		   gather ? "gather" : "scatter", size);
	}
}

int main(void)
{
	static const u32 rounds[] = { 20, 20, 21, 31, 31, 32, 32 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		const struct scatter_schedule_spec linear = {
			.algorithm = SCATTER_SCHEDULE_LINEAR, .size = sizes[i],
		}, hypercube = {
			.algorithm = SCATTER_SCHEDULE_HYPERCUBE,
			.size = sizes[i],
		};

		test_size(SCATTER_SCHEDULE_LINEAR, "linear", sizes[i], 0);
		test_size(SCATTER_SCHEDULE_HYPERCUBE, "hypercube", sizes[i], 0);
		test_size(SCATTER_SCHEDULE_MESH, "mesh", sizes[i], 0);
		test_size(SCATTER_SCHEDULE_TORUS, "ring", sizes[i], 0);
		test_size(SCATTER_SCHEDULE_KNOMIAL, "k-nomial", sizes[i], 0);
		test_size(SCATTER_SCHEDULE_KNOMIAL, "4-nomial", sizes[i], 3);
		ok(scatter_schedule_rounds(&linear) == sizes[i] - 1 &&
		   scatter_schedule_rounds(&hypercube) == rounds[i],
		   "p %u: rounds", sizes[i]);
		test_linear_end(sizes[i]);
	}
	return tap_done();
}

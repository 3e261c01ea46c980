// SPDX-License-Identifier: GPL-2.0
/*
 * Schedules written down by hand, and arguments that are refused.
 */
#include "check.h"
#include "tap.h"

#define LINEAR		SCATTER_SCHEDULE_LINEAR
#define HYPERCUBE	SCATTER_SCHEDULE_HYPERCUBE
#define MESH		SCATTER_SCHEDULE_MESH

#define SCATTER		SCATTER_SCHEDULE_SCATTER
#define GATHER		SCATTER_SCHEDULE_GATHER
#define BROADCAST	SCATTER_SCHEDULE_BROADCAST

/* {round, from, to, first block, how many} */
struct transfer {
	u32 round;
	u32 from;
	u32 to;
	u32 first;
	u32 count;
};

/* Figure 4.15 of Grama et al.: the scatter on an eight-node hypercube. */
static const struct transfer figure[] = {
	{ 1, 0, 4, 4, 4 },
	{ 2, 0, 2, 2, 2 }, { 2, 4, 6, 6, 2 },
	{ 3, 0, 1, 1, 1 }, { 3, 2, 3, 3, 1 },
	{ 3, 4, 5, 5, 1 }, { 3, 6, 7, 7, 1 },
};

/* The text beside it: first every odd node sends to the even one before it. */
static const struct transfer figure_gather[] = {
	{ 1, 1, 0, 1, 1 }, { 1, 3, 2, 3, 1 },
	{ 1, 5, 4, 5, 1 }, { 1, 7, 6, 7, 1 },
	{ 2, 2, 0, 2, 2 }, { 2, 6, 4, 6, 2 },
	{ 3, 4, 0, 4, 4 },
};

/* The figure with every number XOR 5 */
static const struct transfer eight_from_5[] = {
	{ 1, 5, 1, 0, 4 },
	{ 2, 1, 3, 2, 2 }, { 2, 5, 7, 6, 2 },
	{ 3, 1, 0, 0, 1 }, { 3, 3, 2, 2, 1 },
	{ 3, 5, 4, 4, 1 }, { 3, 7, 6, 6, 1 },
};

/* Six ranks: the subtree of relative rank 4 is cut to two. */
static const struct transfer six[] = {
	{ 1, 0, 4, 4, 2 },
	{ 2, 0, 2, 2, 2 },
	{ 3, 0, 1, 1, 1 }, { 3, 2, 3, 3, 1 }, { 3, 4, 5, 5, 1 },
};

/* The same rotated by 3: the bundle of rank 5 wraps around to block 0. */
static const struct transfer six_from_3[] = {
	{ 1, 3, 1, 1, 2 },
	{ 2, 3, 5, 5, 2 },
	{ 3, 1, 2, 2, 1 }, { 3, 3, 4, 4, 1 }, { 3, 5, 0, 0, 1 },
};

static const struct transfer linear_four_from_2[] = {
	{ 1, 2, 3, 3, 1 }, { 2, 2, 0, 0, 1 }, { 3, 2, 1, 1, 1 },
};

static const struct transfer linear_four_to_2[] = {
	{ 1, 1, 2, 1, 1 }, { 2, 0, 2, 0, 1 }, { 3, 3, 2, 3, 1 },
};

/* Three ports: each round divides by four. */
static const struct transfer knomial_ten_from_8[] = {
	{ 1, 8, 2, 2, 4 }, { 1, 8, 6, 6, 2 },
	{ 2, 2, 3, 3, 1 }, { 2, 2, 4, 4, 1 }, { 2, 2, 5, 5, 1 },
	{ 2, 6, 7, 7, 1 },
	{ 2, 8, 0, 0, 1 }, { 2, 8, 1, 1, 1 }, { 2, 8, 9, 9, 1 },
};

/* A line of five from its middle: the greater half stays. */
static const struct transfer line_five_from_2[] = {
	{ 1, 2, 3, 3, 2 },
	{ 2, 2, 0, 0, 1 }, { 2, 3, 4, 4, 1 },
	{ 3, 2, 1, 1, 1 },
};

/* The same broadcast from its end: the smaller half stays. */
static const struct transfer line_five_broadcast[] = {
	{ 1, 0, 2, 0, 1 },
	{ 2, 0, 1, 0, 1 }, { 2, 2, 3, 0, 1 },
	{ 3, 3, 4, 0, 1 },
};

/* A ring of five: segments begin half-way around, and cross the end. */
static const struct transfer ring_five_from_4[] = {
	{ 1, 4, 0, 0, 2 },
	{ 2, 0, 1, 1, 1 }, { 2, 4, 2, 2, 1 },
	{ 3, 4, 3, 3, 1 },
};

/* Two rows of three: first the rows, then in each row. */
static const struct transfer mesh_two_by_three[] = {
	{ 1, 1, 4, 3, 3 },
	{ 2, 1, 2, 2, 1 }, { 2, 4, 5, 5, 1 },
	{ 3, 1, 0, 0, 1 }, { 3, 4, 3, 3, 1 },
};

struct example {
	const char *name;
	u32 algorithm;
	u32 op;
	u32 size;
	u32 root;
	const struct transfer *transfers;	/* one per rank but the root */
	u32 dims;
	u32 extent[2];
};

static const struct example examples[] = {
	{ "figure 4.15", HYPERCUBE, SCATTER, 8, 0, figure, 0, { 0 } },
	{ "figure 4.15 reversed", HYPERCUBE, GATHER, 8, 0, figure_gather, 0, { 0 } },
	{ "8 ranks, root 5", HYPERCUBE, SCATTER, 8, 5, eight_from_5, 0, { 0 } },
	{ "6 ranks, root 0", HYPERCUBE, SCATTER, 6, 0, six, 0, { 0 } },
	{ "6 ranks, root 3", HYPERCUBE, SCATTER, 6, 3, six_from_3, 0, { 0 } },
	{ "linear scatter", LINEAR, SCATTER, 4, 2, linear_four_from_2, 0, { 0 } },
	{ "linear gather", LINEAR, GATHER, 4, 2, linear_four_to_2, 0, { 0 } },
	{ "10 ranks, 3 ports", SCATTER_SCHEDULE_KNOMIAL, SCATTER, 10, 8,
	  knomial_ten_from_8, 0, { 0 } },
	{ "line of 5", MESH, SCATTER, 5, 2, line_five_from_2, 1, { 5 } },
	{ "line of 5, broadcast", MESH, BROADCAST, 5, 0, line_five_broadcast, 1,
	  { 5 } },
	{ "ring of 5", SCATTER_SCHEDULE_TORUS, SCATTER, 5, 4, ring_five_from_4,
	  1, { 5 } },
	{ "mesh of 2 x 3", MESH, SCATTER, 6, 1, mesh_two_by_three, 2,
	  { 2, 3 } },
};

/* What is left of an example's transfers */
struct expected {
	const struct transfer *next;
	u32 left;
	u32 size;
};

/* The blocks of @message as first and count, around the end if need be */
static bool has_blocks(const struct plan_message *message,
		       const struct transfer *want, u32 size)
{
	const struct scatter_range *range = message->range;

	if (message->count != want->count)
		return false;
	if (message->ranges == 1)
		return range->first == want->first;
	return message->ranges == 2 && !range[0].first &&
	       range[1].first == want->first &&
	       range[1].first + range[1].count == size;
}

static int compare_message(const struct plan_message *message, void *context)
{
	struct expected *expected = context;
	const struct transfer *want = expected->next++;

	if (!expected->left--)
		return 1000;
	return message->round == want->round && message->from == want->from &&
	       message->to == want->to && message->hops == 1 &&
	       message->bytes == 7 * message->count &&
	       has_blocks(message, want, expected->size) ? 0 : 1000;
}

static void test_examples(void)
{
	const struct scatter_machine machine = check_machine();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(examples); i++) {
		const struct example *example = &examples[i];
		const struct scatter_schedule_spec spec = {
			.algorithm = example->algorithm, .op = example->op,
			.size = example->size, .root = example->root,
			.ports = 3, .dims = example->dims,
			.extent = { example->extent[0], example->extent[1] },
		};
		struct expected expected = {
			example->transfers, example->size - 1, example->size,
		};

		ok(!plan_each_message(&spec, &machine, 7, compare_message,
				      &expected) && !expected.left,
		   "example: %s", example->name);
	}
}

/* One rank's own view, in the order in which it acts */
static void test_walk(void)
{
	static const struct transfer steps[] = {
		{ 1, 5, 4, 5, 1 }, { 2, 6, 4, 6, 2 }, { 3, 4, 0, 4, 4 },
	};
	const struct scatter_schedule_spec spec = {
		.algorithm = HYPERCUBE, .op = GATHER, .size = 8,
	};
	struct scatter_walk walk;
	struct scatter_step step;
	bool same = scatter_schedule_init(&walk, &spec, 4);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		bool send = steps[i].from == 4;

		same = same && scatter_schedule_next(&walk, &step) &&
		       step.round == steps[i].round && step.send == send &&
		       step.peer == (send ? steps[i].to : steps[i].from) &&
		       step.first == steps[i].first &&
		       step.count == steps[i].count;
	}
	ok(same && !scatter_schedule_next(&walk, &step),
	   "rank 4 of 8 gathers from its children, then sends");
	ok(!scatter_schedule_next(&walk, &step), "the end stays the end");
}

/* Two ranges of a ring in a mesh: they wrap within their row. */
static void test_ring_range(void)
{
	const struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_TORUS, .size = 10, .root = 3,
		.dims = 2, .extent = { 2, 5 },
	};
	struct scatter_walk walk;
	struct scatter_step step;
	struct scatter_range range;
	u32 cursor = 0;

	ok(scatter_schedule_init(&walk, &spec, 8) &&
	   scatter_schedule_next(&walk, &step) && step.count == 5 &&
	   scatter_schedule_next(&walk, &step) && step.send &&
	   step.peer == 9 && step.first == 9 && step.count == 2 &&
	   scatter_schedule_range(&walk, &step, &cursor, &range) &&
	   range.first == 9 && range.count == 1 &&
	   scatter_schedule_range(&walk, &step, &cursor, &range) &&
	   range.first == 5 && range.count == 1 &&
	   !scatter_schedule_range(&walk, &step, &cursor, &range),
	   "torus of 2 x 5: a bundle of ranks 9 and 5");
}

/* Pieces cover a block without gaps, whatever its length. */
static void test_pieces(void)
{
	const struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_ROTATED, .size = 8,
	};
	static const u64 blocks[] = { 0, 1, 2, 3, 1000, UINT64_MAX };
	struct scatter_walk walk;
	struct scatter_step step;
	bool good = true;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		u64 sum = 0;

		scatter_schedule_init(&walk, &spec, 0);
		while (scatter_schedule_next(&walk, &step))
			sum += scatter_schedule_bytes(&walk, &step,
						      blocks[i]);
		good = good && sum == 7 * blocks[i];
	}
	ok(good, "all pieces together are all blocks");
}

static void test_alone(u32 algorithm, const char *name)
{
	const struct scatter_schedule_spec spec = {
		.algorithm = algorithm, .size = 1, .dims = 1, .extent = { 1 },
	};
	struct scatter_walk walk;
	struct scatter_step step;

	ok(scatter_schedule_init(&walk, &spec, 0) &&
	   !scatter_schedule_next(&walk, &step) &&
	   !scatter_schedule_parent(&walk, 0, &step) &&
	   !scatter_schedule_children(&walk, 0) &&
	   !scatter_schedule_rounds(&spec) && scatter_schedule_ports(&spec),
	   "%s: a group of one has nothing to do", name);
}

static void test_refused(const char *name, const char *what,
			 const struct scatter_schedule_spec *spec, u32 rank,
			 int error)
{
	struct scatter_walk walk = {
		.spec = { .algorithm = HYPERCUBE, .size = 8, .root = 1 },
		.rank = 2,
	};
	struct scatter_step step;

	ok(scatter_schedule_check(spec) == error &&
	   !scatter_schedule_init(&walk, spec, rank) &&
	   !scatter_schedule_next(&walk, &step) &&
	   !scatter_schedule_parent(&walk, 0, &step) &&
	   !scatter_schedule_children(&walk, 0),
	   "%s: refused and without steps: %s", name, what);
	if (error)
		ok(!scatter_schedule_rounds(spec) &&
		   !scatter_schedule_trees(spec) &&
		   !scatter_schedule_ports(spec),
		   "%s: no rounds, trees, ports: %s", name, what);
}

static void test_arguments(u32 algorithm, const char *name)
{
	static const struct {
		const char *what;
		u32 size;
		u32 root;
		u32 rank;
		int error;
	} refused[] = {
		{ "size 0", 0, 0, 0, SCATTER_SCHEDULE_BAD_SIZE },
		{ "root is the size", 8, 8, 0, SCATTER_SCHEDULE_BAD_ROOT },
		{ "root is the largest number", 8, UINT32_MAX, 0,
		  SCATTER_SCHEDULE_BAD_ROOT },
		{ "rank is the size", 8, 0, 8, 0 },
		{ "rank is the largest number", 8, 0, UINT32_MAX, 0 },
		{ "rank and root are the size", 8, 8, 8,
		  SCATTER_SCHEDULE_BAD_ROOT },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		const struct scatter_schedule_spec spec = {
			.algorithm = algorithm, .size = refused[i].size,
			.root = refused[i].root, .dims = 1, .extent = { 8 },
		};

		test_refused(name, refused[i].what, &spec, refused[i].rank,
			     refused[i].error);
	}
	test_alone(algorithm, name);
}

static void test_unknown(u32 algorithm, const char *name)
{
	const struct scatter_schedule_spec spec = {
		.algorithm = algorithm, .size = 8,
	};

	test_refused(name, "unknown", &spec, 0, SCATTER_SCHEDULE_BAD_ALGORITHM);
}

static void test_special(void)
{
	struct scatter_schedule_spec spec = {
		.algorithm = HYPERCUBE, .op = BROADCAST + 1, .size = 8,
	};

	test_refused("any", "no such operation", &spec, 0,
		     SCATTER_SCHEDULE_BAD_OP);
	spec.op = BROADCAST;
	spec.algorithm = SCATTER_SCHEDULE_ROTATED;
	test_refused("rotated", "broadcast", &spec, 0, SCATTER_SCHEDULE_BAD_OP);
	spec.op = SCATTER;
	spec.size = 6;
	test_refused("rotated", "6 ranks", &spec, 0,
		     SCATTER_SCHEDULE_BAD_POWER);
	spec.algorithm = SCATTER_SCHEDULE_BALANCED;
	test_refused("balanced", "6 ranks", &spec, 0,
		     SCATTER_SCHEDULE_BAD_POWER);
	spec.algorithm = MESH;
	test_refused("mesh", "no dimensions", &spec, 0,
		     SCATTER_SCHEDULE_BAD_DIMS);
	spec.dims = SCATTER_SCHEDULE_DIMS + 1;
	test_refused("mesh", "nine dimensions", &spec, 0,
		     SCATTER_SCHEDULE_BAD_DIMS);
	spec.dims = 2;
	spec.extent[0] = 3;
	spec.extent[1] = 3;
	test_refused("mesh", "6 is not 3 x 3", &spec, 0,
		     SCATTER_SCHEDULE_BAD_EXTENT);
	spec.extent[0] = 0;
	test_refused("mesh", "an extent of 0", &spec, 0,
		     SCATTER_SCHEDULE_BAD_EXTENT);
	/* 2 (2^31 + 3) is 6 in 32 bits */
	spec.extent[0] = 2;
	spec.extent[1] = (1u << 31) + 3;
	test_refused("mesh", "a product above 32 bits", &spec, 0,
		     SCATTER_SCHEDULE_BAD_EXTENT);
}

int main(void)
{
	test_examples();
	test_walk();
	test_ring_range();
	test_pieces();
	test_arguments(LINEAR, "linear");
	test_arguments(HYPERCUBE, "hypercube");
	test_arguments(MESH, "mesh");
	test_arguments(SCATTER_SCHEDULE_TORUS, "torus");
	test_arguments(SCATTER_SCHEDULE_KNOMIAL, "k-nomial");
	test_arguments(SCATTER_SCHEDULE_ROTATED, "rotated");
	test_arguments(SCATTER_SCHEDULE_BALANCED, "balanced");
	test_arguments(SCATTER_SCHEDULE_OR_BROADCAST, "OR-broadcast");
	test_special();
	test_unknown(0, "algorithm 0");
	test_unknown(SCATTER_SCHEDULE_OR_BROADCAST + 1, "the algorithm behind the last");
	test_unknown(UINT32_MAX, "the largest algorithm");
	return tap_done();
}

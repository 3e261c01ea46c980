// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks of different lengths: random counts of several kinds, fixed and free root.
 *
 * Volume is what takes time if startups do not: the bytes on the longest way, waiting
 * included. Takes the number of cases as its argument, 24000 without one.
 */
#include <stdlib.h>

#include "check.h"
#include "tap.h"

#define SIZE_MOST	200

enum { SIMULATION, WALKS, REVERSAL, MESSAGES, FREE, FIXED, PREDICTION, BOUND, TALLIES };

static const char * const says[TALLIES] = {
	[SIMULATION] = "irregular: delivered, one port, holders, contiguous bundles",
	[WALKS] = "irregular: parent and children agree with the walk",
	[REVERSAL] = "irregular: gather is scatter reversed",
	[MESSAGES] = "irregular: one message for each block with bytes, none for others",
	[FREE] = "irregular, free root: volume is exactly the others' bytes",
	[FIXED] = "irregular, fixed root: volume at most twice the others' bytes",
	[PREDICTION] = "irregular: scatter_cost_time() is the simulated time",
	[BOUND] = "irregular: no volume below the bound",
};

static struct scatter_irregular_node nodes[SIZE_MOST];
static u64 counts[SIZE_MOST];
static u64 fixed_permille;
static unsigned long fixed_cases;

static void fill_counts(u32 size, u32 kind)
{
	u32 i;

	for (i = 0; i < size; i++) {
		switch (kind) {
		case 0:
			counts[i] = 1 + check_random(1000);
			break;
		case 1:	/* mostly nothing */
			counts[i] = check_random(4) ? 0 : check_random(100);
			break;
		case 2:	/* all sizes */
			counts[i] = check_random(1u << check_random(31));
			break;
		case 3:	/* falling */
			counts[i] = (u64)(size - i) * 3;
			break;
		case 4:	/* all alike */
			counts[i] = 7;
			break;
		default: /* one large block among small ones */
			counts[i] = check_random(5);
		}
	}
	if (kind == 5)
		counts[check_random(size)] = 100000;
}

/* Messages there must be: for each rank with bytes below it, but for the root */
static u64 needed_messages(const struct scatter_irregular *table)
{
	u64 messages = 0;
	u32 i;

	for (i = 0; i < table->size; i++)
		if (i != table->root && table->node[i].bundle)
			messages++;
	return messages;
}

static bool empty_ones_are_left_out(const struct scatter_irregular *table)
{
	u32 i;

	for (i = 0; i < table->size; i++) {
		const struct scatter_irregular_node *node = &nodes[i];
		bool alone = node->parent == SCATTER_IRREGULAR_NONE;

		if (i == table->root)
			continue;
		/* with a free root, nobody forwards who has nothing */
		if (!counts[i] && node->bundle)
			return false;
		if (alone != !node->bundle)
			return false;
	}
	return true;
}

static void try_volume(const struct scatter_schedule_spec *spec, bool free_root,
		       struct tally *tallies)
{
	struct scatter_machine machine = { .byte = 1, .wormhole = true,
					   .combining = true };
	const struct scatter_irregular *table = spec->irregular;
	u64 others = table->bytes - counts[spec->root];
	struct plan_result result;

	check_simulation(&tallies[SIMULATION], spec, &machine, 0, &result);
	tally_case(&tallies[MESSAGES], result.root_bytes == others &&
		   result.startups == needed_messages(table) &&
		   empty_ones_are_left_out(table), spec, "%llu messages",
		   (unsigned long long)result.startups);
	tally_case(&tallies[BOUND], result.time >= others &&
		   others == scatter_cost_bound_bytes(spec, &machine, 0), spec,
		   "%llu of %llu", (unsigned long long)result.time,
		   (unsigned long long)others);
	if (free_root) {
		tally_case(&tallies[FREE], result.time == others, spec,
			   "%llu of %llu", (unsigned long long)result.time,
			   (unsigned long long)others);
		return;
	}
	tally_case(&tallies[FIXED], result.time <= 2 * others, spec,
		   "%llu of %llu", (unsigned long long)result.time,
		   (unsigned long long)others);
	if (others) {
		fixed_permille += result.time * 1000 / others;
		fixed_cases++;
	}
}

static void try_time(const struct scatter_schedule_spec *spec,
		     struct tally *tallies)
{
	struct scatter_machine machine = check_machine();
	struct plan_result result;

	machine.wormhole = spec->root & 1;
	machine.topology = SCATTER_TOPOLOGY_TORUS;
	machine.dims = 1;
	machine.extent[0] = spec->size;
	check_simulation(&tallies[SIMULATION], spec, &machine, 0, &result);
	tally_case(&tallies[PREDICTION], result.time ==
		   scatter_cost_time(spec, &machine, 0), spec, "%llu",
		   (unsigned long long)result.time);
}

static void try_case(u32 size, u32 kind, bool free_root, struct tally *tallies)
{
	struct scatter_irregular table;
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_IRREGULAR, .size = size,
		.irregular = &table,
	};
	u32 root = free_root ? SCATTER_IRREGULAR_FREE : check_random(size);

	fill_counts(size, kind);
	if (scatter_irregular_build(&table, nodes, counts, size, root)) {
		tally_case(&tallies[SIMULATION], false, &spec, "no table");
		return;
	}
	spec.root = table.root;
	tally_case(&tallies[SIMULATION], free_root || table.root == root, &spec,
		   "another root");
	spec.op = check_random(2);
	try_volume(&spec, free_root, tallies);
	try_time(&spec, tallies);
	check_walks(&tallies[WALKS], &spec);
	spec.op = SCATTER_SCHEDULE_SCATTER;
	check_reversal(&tallies[REVERSAL], &spec);
}

/* Three ranks by hand: the middle one is ready as late as the last, but has more. */
static void test_by_hand(void)
{
	static const u64 bytes[] = { 5, 9, 0, 4 };
	struct scatter_irregular table;

	ok(!scatter_irregular_build(&table, nodes, bytes, 4,
				    SCATTER_IRREGULAR_FREE) &&
	   table.root == 1 && table.bytes == 18 && nodes[0].parent == 1 &&
	   nodes[0].level == 0 && nodes[3].parent == 1 && nodes[3].level == 1 &&
	   nodes[3].first == 2 && nodes[3].count == 2 && nodes[1].child == 3 &&
	   nodes[3].sibling == 0 && nodes[2].parent == SCATTER_IRREGULAR_NONE,
	   "by hand: 5 9 0 4, free root");
	ok(!scatter_irregular_build(&table, nodes, bytes, 4, 2) &&
	   table.root == 2 && nodes[3].parent == 2 && nodes[1].parent == 2 &&
	   nodes[1].bundle == 14 && nodes[1].level == 1,
	   "by hand: 5 9 0 4, root 2");
}

static void test_refused(void)
{
	static const u64 large[] = { UINT64_MAX, 1 };
	struct scatter_irregular table;
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_IRREGULAR, .size = 2,
	};

	counts[0] = 1;
	counts[1] = 2;
	ok(scatter_irregular_build(&table, nodes, large, 2, 0) &&
	   scatter_irregular_build(&table, nodes, counts, 0, 0) &&
	   scatter_irregular_build(&table, nodes, counts, 2, 2),
	   "no table: sum of 65 bits, no ranks, no such root");
	ok(scatter_schedule_check(&spec) == SCATTER_SCHEDULE_BAD_TABLE,
	   "no table, no schedule");
	scatter_irregular_build(&table, nodes, counts, 2, 1);
	spec.irregular = &table;
	ok(scatter_schedule_check(&spec) == SCATTER_SCHEDULE_BAD_ROOT,
	   "not the table's root");
	spec.root = 1;
	ok(scatter_schedule_check(&spec) == SCATTER_SCHEDULE_OK, "its root");
	spec.size = 3;
	ok(scatter_schedule_check(&spec) == SCATTER_SCHEDULE_BAD_TABLE,
	   "a table of another size");
}

int main(int argc, char **argv)
{
	u32 limit = argc > 1 ? strtoul(argv[1], NULL, 0) : 24000;
	struct tally tallies[TALLIES] = { 0 };
	u32 i;

	for (i = 0; i < TALLIES; i++)
		tallies[i].says = says[i];
	for (i = 0; i < limit; i++)
		try_case(1 + check_random(i % 8 ? 40 : SIZE_MOST), i / 2 % 6,
			 i & 1, tallies);
	for (i = 0; i < TALLIES; i++)
		tally_report(&tallies[i]);
	if (fixed_cases)
		fixed_permille /= fixed_cases;
	printf("# fixed root: volume is %llu permille of the bound on average\n",
	       (unsigned long long)fixed_permille);
	test_by_hand();
	test_refused();
	return tap_done();
}

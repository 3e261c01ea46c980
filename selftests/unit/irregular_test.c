// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks of different lengths: random counts of several kinds, fixed and free root, and
 * all small cases.
 *
 * Volume is what takes time if startups do not: the bytes on the longest way, waiting
 * included. Takes the number of cases as its argument, 24000 without one.
 */
#include <stdlib.h>

#include "check.h"
#include "tap.h"

#define SIZE_MOST	200

enum {
	SIMULATION, WALKS, REVERSAL, MESSAGES, FREE, FIXED, DIRECT, ROUNDS, PREDICTION,
	BOUND, TALLIES
};

static const char * const says[TALLIES] = {
	[SIMULATION] = "irregular: delivered, one port, holders, contiguous bundles",
	[WALKS] = "irregular: parent and children agree with the walk",
	[REVERSAL] = "irregular: gather is scatter reversed",
	[MESSAGES] = "irregular: one message for each block with bytes, none for others",
	[FREE] = "irregular, free root: volume is exactly the others' bytes",
	[FIXED] = "irregular, fixed root: volume at most twice the others' bytes",
	[DIRECT] = "irregular: a block over half goes direct, for no more bytes in all",
	[ROUNDS] = "irregular: a round more only if a block over half had to be forwarded",
	[PREDICTION] = "irregular: scatter_predict_time() is the simulated time",
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

static u64 others_of(u32 size, u32 root)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < size; i++)
		sum += i == root ? 0 : counts[i];
	return sum;
}

/* One block of about as many bytes as all others but the root's together */
static void balance_counts(u32 size, u32 root)
{
	u32 large = check_random(size);

	counts[large] = 0;
	counts[large] = others_of(size, root) + check_random(3);
	if (counts[large])
		counts[large]--;
}

/* The rank with more bytes than all others but the root */
static u32 largest_of(u32 size, u32 root)
{
	u64 others = others_of(size, root);
	u32 i;

	for (i = 0; i < size; i++)
		if (i != root && counts[i] > others - counts[i])
			return i;
	return SCATTER_IRREGULAR_NONE;
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

/*
 * Would the block of @large be forwarded if it did not go direct, and how many bytes would
 * all messages have then? With exactly half of the bytes it does not, and compares with
 * what is there as before, unless one block is the other half: that one comes to @large.
 */
static bool is_forwarded(u32 size, u32 root, u32 large, u64 *volume)
{
	static struct scatter_irregular_node usual[SIZE_MOST];
	u64 bytes = counts[large], rest = others_of(size, root) - bytes;
	struct scatter_irregular table;
	u32 i;

	for (i = 0; i < size; i++)
		if (i != root && i != large && counts[i] == rest)
			return false;
	counts[large] = rest;
	scatter_irregular_build(&table, usual, counts, size, root);
	counts[large] = bytes;
	*volume = 0;
	for (i = 0; i < size; i++)
		if (usual[i].parent != SCATTER_IRREGULAR_NONE)
			*volume += usual[i].bundle;
	for (i = large; usual[i].parent != SCATTER_IRREGULAR_NONE;
	     i = usual[i].parent)
		*volume += bytes - rest;
	return usual[large].parent != root &&
	       usual[large].parent != SCATTER_IRREGULAR_NONE;
}

static void try_direct(const struct scatter_schedule_spec *spec,
		       const struct plan_result *result, struct tally *tallies)
{
	u32 size = spec->size, rounds = check_log(2, size);
	u32 large = largest_of(size, spec->root);
	u64 volume;

	if (large != SCATTER_IRREGULAR_NONE) {
		tally_case(&tallies[DIRECT], nodes[large].parent == spec->root,
			   spec, "%u is forwarded", large);
		if (is_forwarded(size, spec->root, large, &volume)) {
			rounds = 1 + check_log(2, size - 1);
			tally_case(&tallies[DIRECT], nodes[large].level == 0 &&
				   nodes[large].count == 1 &&
				   result->time == others_of(size, spec->root) &&
				   result->volume <= volume, spec,
				   "time %llu volume %llu, not %llu",
				   (unsigned long long)result->time,
				   (unsigned long long)result->volume,
				   (unsigned long long)volume);
		}
	}
	tally_case(&tallies[ROUNDS], result->rounds == rounds, spec,
		   "%u, not %u", result->rounds, rounds);
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
		   others == scatter_predict_bound_bytes(spec, &machine, 0), spec,
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
	try_direct(spec, &result, tallies);
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
		   scatter_predict_time(spec, &machine, 0), spec, "%llu",
		   (unsigned long long)result.time);
}

static void try_counts(u32 size, u32 root, struct tally *tallies)
{
	struct scatter_irregular table;
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_IRREGULAR, .size = size,
		.irregular = &table,
	};
	bool free_root = root == SCATTER_IRREGULAR_FREE;

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

static void try_random(u32 size, u32 kind, bool free_root,
		       struct tally *tallies)
{
	u32 root = free_root ? SCATTER_IRREGULAR_FREE : check_random(size);

	fill_counts(size, kind);
	if (kind == 6)
		balance_counts(size, root);
	try_counts(size, root, tallies);
}

/* All lengths of a few, for each root and none */
static void try_small(u32 size, struct tally *tallies)
{
	static const u64 lengths[] = { 0, 1, 3, 9 };
	u32 cases = 1u << 2 * size, i, k;

	for (i = 0; i < cases; i++) {
		for (k = 0; k < size; k++)
			counts[k] = lengths[i >> 2 * k & 3];
		for (k = 0; k < size; k++)
			try_counts(size, k, tallies);
		try_counts(size, SCATTER_IRREGULAR_FREE, tallies);
	}
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

/* Rank 4 has more than half; 6 would be ready later than it, and forward its block. */
static void test_direct_by_hand(void)
{
	static const u64 bytes[] = { 0, 2, 3, 1, 50, 1, 5, 3 };
	static const u64 less[] = { 0, 2, 3, 1, 15, 1, 5, 3 };
	static const u64 children[] = { 0, 2, 3, 1, 50, 1, 1, 0 };
	struct scatter_irregular table;

	ok(!scatter_irregular_build(&table, nodes, bytes, 8, 0) &&
	   table.rounds == 4 && table.bytes == 65 && nodes[4].parent == 0 &&
	   nodes[4].level == 0 && nodes[4].sibling == SCATTER_IRREGULAR_NONE &&
	   nodes[5].first == 5 && nodes[6].parent != 4 && nodes[7].parent != 4,
	   "by hand: a block of over half goes direct");
	ok(!scatter_irregular_build(&table, nodes, less, 8, 0) &&
	   table.rounds == 3 && nodes[4].parent == 6,
	   "by hand: one of half is forwarded");
	ok(!scatter_irregular_build(&table, nodes, bytes, 8,
				    SCATTER_IRREGULAR_FREE) &&
	   table.rounds == 3 && table.root == 6 && nodes[4].level == 1,
	   "by hand: for a free root nothing does, as it does not wait");
	ok(!scatter_irregular_build(&table, nodes, children, 8, 0) &&
	   table.rounds == 3 && nodes[4].parent == 0 && nodes[5].parent == 4,
	   "by hand: a child of the root needs no round of its own");
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
		try_random(1 + check_random(i % 8 ? 40 : SIZE_MOST), i / 2 % 7,
			   i & 1, tallies);
	for (i = 1; i <= (limit < 6000 ? 5 : 6); i++)
		try_small(i, tallies);
	for (i = 0; i < TALLIES; i++)
		tally_report(&tallies[i]);
	if (fixed_cases)
		fixed_permille /= fixed_cases;
	printf("# fixed root: volume is %llu permille of the bound on average\n",
	       (unsigned long long)fixed_permille);
	test_by_hand();
	test_direct_by_hand();
	test_refused();
	return tap_done();
}

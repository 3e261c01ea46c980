// SPDX-License-Identifier: GPL-2.0
/*
 * Plans for several nodes: every message is followed block by block, and counts, bytes and
 * times are found again by other means: brute force, and closed forms.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plan/levels.h"
#include "tap.h"

#define RANKS_MAX	40
#define VERTICES_MAX	(2 * RANKS_MAX)
#define PIECES_MAX	5
#define LEGS_MAX	2000

/* t_s, t_d and t_w of the memory; those of the network are check_machine()'s. */
#define MEMORY_STARTUP	70000001ull
#define MEMORY_HOP	30011ull
#define MEMORY_BYTE	3ull

/**
 * struct trial - a plan, and what becomes of it
 * @node: by rank
 * @counts: by rank
 * @placement: of @node
 * @network: between nodes
 * @memory: at a node
 * @table: of irregular
 * @tables: of @table
 * @levels: the plan
 * @sums: what the library says of it
 * @result: likewise
 * @holds: by vertex, block and piece: round in which it came, or 0
 * @leg: messages, without their ranges
 * @legs: how many
 * @wrong: the first thing that is wrong, or NULL
 */
struct trial {
	u64 node[RANKS_MAX];
	u64 counts[RANKS_MAX];
	struct plan_placement placement;
	struct scatter_machine network;
	struct scatter_machine memory;
	struct scatter_irregular table;
	struct scatter_irregular_node tables[RANKS_MAX];
	struct plan_levels levels;
	struct plan_sums sums;
	struct plan_result result;
	u32 holds[VERTICES_MAX][RANKS_MAX][PIECES_MAX];
	struct plan_message leg[LEGS_MAX];
	size_t legs;
	const char *wrong;
};

static void blame(struct trial *trial, bool good, const char *wrong)
{
	if (!good && !trial->wrong)
		trial->wrong = wrong;
}

static u64 node_of(const struct trial *trial, u32 vertex)
{
	u32 size = trial->placement.size;

	return vertex < size ? trial->node[vertex] :
			       trial->placement.node[vertex - size];
}

static bool is_gather(const struct trial *trial)
{
	return trial->levels.spec.op == SCATTER_SCHEDULE_GATHER;
}

/* Blocks -------------------------------------------------------------------- */

static void begin(struct trial *trial)
{
	u32 pieces = trial->levels.spec.algorithm == SCATTER_SCHEDULE_ROTATED ?
		scatter_schedule_trees(&trial->levels.spec) : 1, i, k;

	memset(trial->holds, 0, sizeof(trial->holds));
	for (i = 0; i < trial->placement.size; i++)
		for (k = 0; k < pieces; k++)
			trial->holds[is_gather(trial) ? i : trial->levels.root]
				    [i][k] = 1;
	trial->legs = 0;
	trial->wrong = NULL;
}

/* "Came in round r" is kept as r + 1, and 1 is "from the beginning". */
static void move(struct trial *trial, const struct plan_message *message,
		 u32 block)
{
	u32 first = message->pieces > 1 ? message->piece : 0, k;
	u32 last = message->pieces > 1 ? first : PIECES_MAX - 1;

	for (k = first; k <= last; k++) {
		u32 since = trial->holds[message->from][block][k];

		if (!since && k)
			continue;
		blame(trial, since && since <= message->round,
		      "sends what it has not got");
		trial->holds[message->from][block][k] = 0;
		blame(trial, !trial->holds[message->to][block][k],
		      "brings what is there");
		trial->holds[message->to][block][k] = message->round + 1;
	}
}

/* Blocks without bytes need not travel. */
static bool is_needed(const struct trial *trial, u32 block)
{
	return plan_levels_block(&trial->levels, block) ||
	       trial->levels.spec.algorithm != SCATTER_SCHEDULE_IRREGULAR;
}

/* A block that is cut is cut with all others of its node, so by bytes only the sum shows. */
static int follow(const struct plan_message *message, void *context)
{
	struct trial *trial = context;
	u32 size = trial->placement.size, k;
	u64 bytes = 0;
	size_t i;

	for (i = 0; i < message->ranges; i++)
		for (k = 0; k < message->range[i].count; k++) {
			bytes += plan_levels_block(&trial->levels,
						   message->range[i].first + k);
			if (is_needed(trial, message->range[i].first + k))
				move(trial, message,
				     message->range[i].first + k);
		}
	blame(trial, message->pieces > 1 ? message->bytes <= bytes :
					   message->bytes == bytes,
	      "has other bytes than its blocks");
	blame(trial, message->between ==
	      (message->from >= size && message->to >= size) &&
	      message->between ==
	      (node_of(trial, message->from) != node_of(trial, message->to)),
	      "crosses where it should not");
	blame(trial, message->copied <= (message->between ? 0 : message->bytes),
	      "is copied too often");
	blame(trial, message->way != PLAN_WAY_EAGER || !message->between ||
	      message->bytes <= PLAN_EAGER_MAX, "is too long to be eager");
	blame(trial, !trial->legs ||
	      trial->leg[trial->legs - 1].round <= message->round,
	      "comes too late");
	if (trial->legs < LEGS_MAX)
		trial->leg[trial->legs++] = *message;
	return 0;
}

static void arrive(struct trial *trial)
{
	u32 pieces = trial->levels.spec.algorithm == SCATTER_SCHEDULE_ROTATED ?
		scatter_schedule_trees(&trial->levels.spec) : 1, i, k;

	for (i = 0; i < trial->placement.size; i++) {
		u32 home = is_gather(trial) ? trial->levels.root : i;

		for (k = 0; k < pieces && is_needed(trial, i); k++)
			blame(trial, trial->holds[home][i][k],
			      "does not bring all");
	}
}

/* Ports and time ------------------------------------------------------------- */

static u32 wire_ports(const struct trial *trial)
{
	u32 ports = scatter_schedule_ports(&trial->levels.spec);

	return ports ? ports : 1;
}

static bool shares(const struct plan_message *a, const struct plan_message *b)
{
	return a->from == b->from || a->from == b->to || a->to == b->from ||
	       a->to == b->to;
}

static bool shares_tree(const struct plan_message *a,
			const struct plan_message *b)
{
	return a->tree == b->tree || a->tree == PLAN_TREES_ALL ||
	       b->tree == PLAN_TREES_ALL;
}

/* Whether @later has to wait for @before, which is before it in the list */
static bool waits(const struct trial *trial, const struct plan_message *later,
		  const struct plan_message *before)
{
	if (before->to == later->from && shares_tree(before, later))
		return true;
	if (before->between != later->between || !shares(before, later))
		return false;
	return !later->between || before->port % wire_ports(trial) ==
				  later->port % wire_ports(trial);
}

static void check_ports(struct trial *trial)
{
	size_t i, k;

	for (i = 0; i < trial->legs; i++)
		for (k = 0; k < i; k++)
			blame(trial, trial->leg[i].round != trial->leg[k].round ||
			      !waits(trial, &trial->leg[i], &trial->leg[k]),
			      "needs a port twice in a round");
}

static u64 find_time(const struct trial *trial)
{
	static u64 end[LEGS_MAX];
	u64 latest = 0;
	size_t i, k;

	for (i = 0; i < trial->legs; i++) {
		const struct plan_message *leg = &trial->leg[i];

		end[i] = 0;
		for (k = 0; k < i; k++)
			if (end[k] > end[i] && waits(trial, leg, &trial->leg[k]))
				end[i] = end[k];
		end[i] += leg->between ?
			CHECK_STARTUP + leg->hops * CHECK_HOP +
				leg->bytes * CHECK_BYTE :
			MEMORY_STARTUP + MEMORY_HOP + leg->copied * MEMORY_BYTE;
		if (end[i] > latest)
			latest = end[i];
	}
	return latest;
}

/* Sums ----------------------------------------------------------------------- */

static void check_sums(struct trial *trial)
{
	const struct plan_sums *sums = &trial->sums;
	struct plan_level between = { 0 }, inside = { 0 };
	u64 root = node_of(trial, plan_levels_root(&trial->levels));
	u64 root_bytes = 0;
	size_t i;

	for (i = 0; i < trial->legs; i++) {
		const struct plan_message *leg = &trial->leg[i];
		struct plan_level *level = leg->between ? &between : &inside;

		level->startups++;
		level->bytes += leg->bytes;
		level->copied += leg->copied;
		if (leg->between && node_of(trial, is_gather(trial) ?
					    leg->to : leg->from) == root)
			root_bytes += leg->bytes;
	}
	blame(trial, between.startups == sums->between.startups &&
	      between.bytes == sums->between.bytes &&
	      inside.startups == sums->inside.startups &&
	      inside.bytes == sums->inside.bytes &&
	      inside.copied == sums->inside.copied &&
	      root_bytes == sums->root_bytes, "is summed up wrongly");
	blame(trial, between.startups >= sums->between.least_startups &&
	      between.bytes >= sums->between.least_bytes &&
	      inside.startups >= sums->inside.least_startups &&
	      inside.bytes >= sums->inside.least_bytes &&
	      inside.copied >= sums->inside.least_copied &&
	      sums->time >= sums->bound, "is better than its bound");
	blame(trial, root_bytes == sums->least_root_bytes,
	      "has the root's node send more than is for others");
	blame(trial, find_time(trial) == sums->time, "takes another time");
}

/* Trials --------------------------------------------------------------------- */

static void set_machines(struct trial *trial)
{
	trial->network = check_machine();
	trial->memory = check_machine();
	trial->memory.startup = MEMORY_STARTUP;
	trial->memory.hop = MEMORY_HOP;
	trial->memory.byte = MEMORY_BYTE;
	trial->memory.ports = 1;
}

/* Set the schedule between the nodes; false if there is none. */
static bool set_spec(struct trial *trial, u32 algorithm, u32 op, u32 root)
{
	struct scatter_schedule_spec *spec = &trial->levels.spec;
	const struct plan_placement *placement = &trial->placement;
	u64 bytes[RANKS_MAX] = { 0 };
	u32 i;

	*spec = (struct scatter_schedule_spec){
		.algorithm = algorithm,
		.op = op,
		.size = placement->places,
		.root = placement->place[root],
		.ports = 2,
		.dims = 1,
		.extent = { placement->places },
		.irregular = &trial->table,
	};
	for (i = 0; i < placement->size; i++)
		bytes[placement->place[i]] += trial->counts[i];
	if (scatter_irregular_build(&trial->table, trial->tables, bytes,
				    placement->places, spec->root))
		return false;
	trial->network.ports = scatter_schedule_ports(spec);
	return !scatter_schedule_check(spec);
}

static bool run(struct trial *trial, u32 algorithm, u32 op, u32 root)
{
	trial->levels = (struct plan_levels){
		.placement = &trial->placement,
		.network = &trial->network,
		.memory = &trial->memory,
		.root = root,
		.counts = trial->counts,
	};
	set_machines(trial);
	if (!set_spec(trial, algorithm, op, root))
		return false;
	begin(trial);
	blame(trial, !plan_levels_make(&trial->levels), "cannot be made");
	blame(trial, !plan_levels_simulate(&trial->levels, &trial->sums,
					   &trial->result) &&
	      !*trial->result.violation, "cannot be simulated");
	return true;
}

static void follow_all(struct trial *trial)
{
	blame(trial, !plan_levels_each(&trial->levels, follow, trial),
	      "cannot be visited");
	arrive(trial);
	check_ports(trial);
	check_sums(trial);
}

static bool is_tree(u32 algorithm)
{
	return algorithm != SCATTER_SCHEDULE_ROTATED &&
	       algorithm != SCATTER_SCHEDULE_BALANCED;
}

/* Ranks anywhere, blocks of any length, some empty */
static void place(struct trial *trial, u32 size, u32 nodes, u32 longest)
{
	u32 i;

	for (i = 0; i < size; i++) {
		/* Ids are far apart, and no rising ones. */
		trial->node[i] = (u64)(check_random(nodes) + 1) *
				 0x9e3779b97f4a7c15ull;
		trial->counts[i] = check_random(longest);
	}
	plan_placement_open(&trial->placement, trial->node, size);
}

static void test_any(struct trial *trial)
{
	struct tally all = {
		.says = "blocks arrive; ports, counts, bytes and times are right",
	};
	struct tally mirror = {
		.says = "a gather that pulls as its scatter takes as long",
	};
	u32 turn, algorithm;

	for (turn = 0; turn < 600; turn++) {
		u32 size = check_random(RANKS_MAX) + 1;
		u32 longest = turn % 3 ? 5000 << turn % 5 : 2;
		u32 root = check_random(size);

		place(trial, size, check_random(12) + 1, longest);
		for (algorithm = SCATTER_SCHEDULE_LINEAR;
		     algorithm < SCATTER_SCHEDULE_OR_BROADCAST; algorithm++) {
			u64 time = 0, eager = 0;
			u32 op;

			for (op = 0; op < 2; op++) {
				bool fits = run(trial, algorithm, op, root);

				if (fits)
					follow_all(trial);
				tally_case(&all, !fits || !trial->wrong,
					   &trial->levels.spec, "%u ranks: %s",
					   size, trial->wrong);
				if (fits && op && is_tree(algorithm) &&
				    trial->network.ports == 1 &&
				    trial->sums.eager == eager)
					tally_case(&mirror, trial->sums.time ==
						   time, &trial->levels.spec,
						   "%u ranks", size);
				time = trial->sums.time;
				eager = trial->sums.eager;
				plan_levels_close(&trial->levels);
			}
		}
		plan_placement_close(&trial->placement);
	}
	tally_report(&all);
	tally_report(&mirror);
}

/* Closed forms --------------------------------------------------------------- */

/* N nodes of q ranks by block or cyclic, blocks of m bytes */
static void place_evenly(struct trial *trial, u32 nodes, u32 ranks, bool cyclic,
			 u64 block)
{
	u32 i;

	for (i = 0; i < nodes * ranks; i++) {
		trial->node[i] = cyclic ? i % nodes : i / ranks;
		trial->counts[i] = block;
	}
	plan_placement_open(&trial->placement, trial->node, nodes * ranks);
}

/* As in Documentation/algorithms.rst: all bundles are eager, or all are pulled. */
static u64 closed_form(u64 nodes, u64 ranks, u64 block, bool pulls)
{
	u64 remote = (nodes - 1) * ranks * block;
	u64 startup = MEMORY_STARTUP + MEMORY_HOP;
	u64 copied = pulls ? 0 : block * MEMORY_BYTE;
	u64 own = (ranks - 1) * (startup + block * MEMORY_BYTE), others;

	if (nodes == 1)
		return own;
	others = check_log(2, (u32)nodes) * (CHECK_STARTUP + CHECK_HOP) +
		 remote * CHECK_BYTE + ranks * (startup + copied);
	return startup + (pulls ? 0 : remote * MEMORY_BYTE) +
	       (own > others ? own : others);
}

static void test_closed_forms(struct trial *trial)
{
	static const u64 blocks[] = { 0, 1, 100, 70000 };
	struct tally time = {
		.says = "N nodes of q ranks take what the closed form says",
	};
	struct tally count = {
		.says = "N - 1 cross, log2 N from the root's node, with (p - q) m bytes",
	};
	u32 turn;

	for (turn = 0; turn < 8 * 5 * 2 * ARRAY_SIZE(blocks); turn++) {
		u32 nodes = turn % 8 + 1, ranks = turn / 8 % 5 + 1;
		u64 m = blocks[turn / 80];

		place_evenly(trial, nodes, ranks, turn / 40 % 2, m);
		run(trial, SCATTER_SCHEDULE_HYPERCUBE, check_random(2),
		    check_random(nodes * ranks));
		tally_case(&time, trial->sums.time ==
			   closed_form(nodes, ranks, m, m > PLAN_EAGER_MAX),
			   &trial->levels.spec, "%u nodes of %u", nodes, ranks);
		tally_case(&count, trial->sums.between.startups == nodes - 1 &&
			   trial->sums.root_startups == check_log(2, nodes) &&
			   trial->sums.root_bytes == (nodes - 1) * ranks * m &&
			   trial->sums.inside.startups ==
				nodes * ranks - (nodes == 1),
			   &trial->levels.spec, "%u nodes of %u", nodes, ranks);
		plan_levels_close(&trial->levels);
		plan_placement_close(&trial->placement);
	}
	tally_report(&time);
	tally_report(&count);
}

static void test_barrier(struct trial *trial)
{
	struct tally tally = {
		.says = "a barrier is 2 (N - 1) messages, and twice the way home",
	};
	u32 nodes, ranks;

	for (nodes = 2; nodes <= 8; nodes++)
		for (ranks = 1; ranks <= 5; ranks++) {
			u64 way = check_log(2, nodes) * (CHECK_STARTUP + CHECK_HOP) +
				  ranks * (MEMORY_STARTUP + MEMORY_HOP);

			place_evenly(trial, nodes, ranks, false, 0);
			set_machines(trial);
			trial->levels = (struct plan_levels){
				.placement = &trial->placement,
				.network = &trial->network,
				.memory = &trial->memory,
				.barrier = true,
			};
			set_spec(trial, SCATTER_SCHEDULE_HYPERCUBE,
				 SCATTER_SCHEDULE_GATHER, 0);
			tally_case(&tally, !plan_levels_make(&trial->levels) &&
				   !plan_levels_simulate(&trial->levels,
							 &trial->sums,
							 &trial->result) &&
				   trial->sums.between.startups ==
					2 * (nodes - 1) &&
				   trial->sums.inside.startups ==
					2 * nodes * ranks &&
				   trial->sums.time == 2 * way &&
				   trial->sums.bound <= trial->sums.time &&
				   !trial->sums.between.bytes,
				   &trial->levels.spec, "%u nodes of %u", nodes,
				   ranks);
			plan_levels_close(&trial->levels);
			plan_placement_close(&trial->placement);
		}
	tally_report(&tally);
}

int main(void)
{
	struct trial *trial = calloc(1, sizeof(*trial));

	if (!trial)
		return 1;
	test_any(trial);
	test_closed_forms(trial);
	test_barrier(trial);
	free(trial);
	return tap_done();
}

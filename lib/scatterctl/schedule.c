// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan: what a schedule does and costs, before it runs.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "schedule.h"

static const char help[] =
	"usage: scatterctl plan --size P [OPTION]...\n"
	"       scatterctl plan --nodes PLACEMENT [OPTION]...\n"
	"\n"
	"Prints who sends which blocks to whom in which round, and what that costs. It\n"
	"needs no module.\n"
	"\n"
	"  --size P           members (the product of --dims, or the lines of --counts)\n"
	"  --op NAME          scatter, gather or bcast; with --nodes, scatter, gather or\n"
	"                     barrier (scatter)\n"
	"  --algorithm NAME   hypercube, mesh, torus, linear, knomial, rotated, balanced,\n"
	"                     irregular or or-broadcast (hypercube; irregular if there are\n"
	"                     --counts or a free root, mesh or torus if there are --dims)\n"
	"  --root R           the root's rank; 'free': irregular chooses (0)\n"
	"  --dims AxBxC       extents of mesh and torus, ranks row-major, the last one\n"
	"                     fastest (P: an array, or a ring)\n"
	"  --ports K          that each member can send and receive by at once; knomial\n"
	"                     uses all (as many as the algorithm uses; knomial: 1)\n"
	"  --bytes M          of a block; of the message of a bcast; with K, M or G for\n"
	"                     powers of 1024 (1K)\n"
	"  --counts FILE      irregular: bytes of each rank's block, a decimal number a line\n"
	"                     ('-': standard input)\n"
	"  --topology NAME    full, hypercube, mesh or torus (what the algorithm is for;\n"
	"                     --compare: full)\n"
	"  --switching NAME   wormhole, or sf for store-and-forward (wormhole)\n"
	"  --ts NS            time of a startup (1500)\n"
	"  --td NS            time of a hop (0)\n"
	"  --tw NS            time of a byte (0.1)\n"
	"  --nodes PLACEMENT  the members are on several nodes. 8x4: 8 nodes, 4 ranks\n"
	"                     each, node after node; 8x4:cyclic: one rank at each node\n"
	"                     in turn; 2x4+1x2: two nodes of 4, one of 2; 8: the ranks\n"
	"                     of --size spread over 8 nodes; 0,0,1,1: the node of each\n"
	"                     rank. Algorithm, --dims, --ports and network are those\n"
	"                     between the nodes; --ts, --td and --tw are of the memory\n"
	"                     at each\n"
	"  --net-ts NS        time of a startup between nodes (5000)\n"
	"  --net-td NS        time of a hop between nodes (0)\n"
	"  --net-tw NS        time of a byte between nodes (0.32)\n"
	"\n"
	"Times are in ns with up to three decimals. Instead of the table:\n"
	"\n"
	"  --json             rounds, startups, root_bytes, time, bound, messages\n"
	"  --draw             a picture of the tree\n"
	"  --dot              the graph, for Graphviz\n"
	"  --compare          all algorithms side by side\n"
	"  --help             this text\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

static int print_plan(const struct schedule *schedule)
{
	switch (schedule->options->output) {
	case OUTPUT_JSON:
		return schedule_json(schedule);
	case OUTPUT_DRAW:
		return schedule_draw(schedule);
	case OUTPUT_DOT:
		return schedule_dot(schedule);
	default:
		return schedule_table(schedule);
	}
}

static int plan(const struct schedule_options *options)
{
	struct schedule schedule;
	char why[WHY_MAX];
	int status;

	if (!schedule_make(&schedule, options, options->algorithm, why))
		status = usage_error("%s", why);
	else if (schedule_messages(&schedule) > MESSAGES_MAX)
		status = usage_error("%" PRIu64 " messages are too many to list; see --compare",
				     schedule_messages(&schedule));
	else
		status = print_plan(&schedule);
	schedule_free(&schedule);
	return status;
}

static int run(int argc, char **argv)
{
	struct schedule_options options = {
		.op = SCATTER_SCHEDULE_SCATTER,
		.bytes = 1024,
		.topology = TOPOLOGY_OWN,
		.startup = 1500000,
		.hop = 0,
		.byte = 100,
		.net_startup = 5000000,
		.net_hop = 0,
		.net_byte = 320,
	};
	int status = schedule_options_parse(argc, argv, &options);

	/* Any two nodes have a way to each other. */
	if (options.topology == TOPOLOGY_OWN &&
	    (options.nodes || options.output == OUTPUT_COMPARE))
		options.topology = SCATTER_TOPOLOGY_FULL;
	if (status == PARSE_GO_ON && options.output == OUTPUT_COMPARE)
		status = schedule_compare(&options);
	else if (status == PARSE_GO_ON)
		status = plan(&options);
	free(options.counts);
	plan_placement_close(&options.placement);
	return status;
}

const struct command plan_command = {
	.name = "plan",
	.summary = "what a schedule does and costs",
	.help = help,
	.run = run,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * The costs of a plan for several nodes, on a machine of two levels: sums, time, bounds.
 *
 * A message inside a node takes t_s + c t_w of the memory, c being the bytes of it that a CPU
 * copies; one between nodes takes what a machine says. Each vertex has a port into the
 * memory; each portal has also those of the network, and all of them work at once.
 */
#include "clocks.h"
#include "levels.h"
#include "predict.h"
#include "schedule/bits.h"

static bool is_portal(const struct plan_levels *levels, u32 vertex)
{
	return vertex >= levels->placement->size;
}

static u64 startup(const struct plan_levels *levels)
{
	return scatter_machine_message(levels->memory, 0, 1);
}

static u64 max_time(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* Clocks --------------------------------------------------------------------- */

/**
 * struct run - a simulation
 * @levels: the plan
 * @memory: by vertex: its port into the memory is free again
 * @wire: the ports of the portals into the network, by place
 */
struct run {
	const struct plan_levels *levels;
	u64 *memory;
	struct plan_clocks wire;
};

static int open_run(struct run *run, const struct plan_levels *levels)
{
	u32 places = levels->placement->places;
	u32 limit = scatter_schedule_ports(&levels->spec);
	u32 ports = levels->network->ports;

	*run = (struct run){ .levels = levels };
	if (!ports || ports > limit)
		ports = limit ? limit : 1;
	run->memory = calloc((size_t)levels->placement->size + places,
			     sizeof(*run->memory));
	if (!run->memory)
		return -1;
	return plan_clocks_open(&run->wire, places, ports,
				scatter_schedule_trees(&levels->spec), false);
}

static void close_run(struct run *run)
{
	free(run->memory);
	plan_clocks_close(&run->wire);
}

static u64 run_between(struct run *run, const struct plan_message *leg)
{
	const struct plan_levels *levels = run->levels;
	const struct scatter_step step = {
		.round = leg->round,
		.peer = plan_levels_place(levels, leg->to),
		.tree = leg->tree,
		.port = leg->port,
	};

	return plan_clocks_run(&run->wire, plan_levels_place(levels, leg->from),
			       &step, scatter_machine_message(levels->network,
							      leg->bytes,
							      leg->hops));
}

static u64 run_inside(struct run *run, const struct plan_message *leg)
{
	const struct plan_levels *levels = run->levels;
	u64 end = max_time(run->memory[leg->from], run->memory[leg->to]);
	u32 place = plan_levels_place(levels, leg->to);

	if (is_portal(levels, leg->from))
		end = max_time(end, plan_clocks_ready(&run->wire, place));
	end += scatter_machine_message(levels->memory, leg->copied, 1);
	run->memory[leg->from] = end;
	run->memory[leg->to] = end;
	if (is_portal(levels, leg->to))
		plan_clocks_arrive(&run->wire, place, end);
	return end;
}

/* Sums ----------------------------------------------------------------------- */

/* Between nodes: out of the root's node, or in a gather into it; of a barrier both */
static bool is_at_root(const struct plan_levels *levels,
		       const struct plan_message *leg)
{
	bool from = plan_levels_place(levels, leg->from) == levels->spec.root;
	bool to = plan_levels_place(levels, leg->to) == levels->spec.root;

	if (levels->barrier)
		return from || to;
	return levels->spec.op == SCATTER_SCHEDULE_GATHER ? to : from;
}

static void add_sums(const struct plan_levels *levels,
		     const struct plan_message *leg, struct plan_sums *sums)
{
	bool between = leg->between;
	struct plan_level *level = between ? &sums->between : &sums->inside;
	bool gather = levels->spec.op == SCATTER_SCHEDULE_GATHER;
	u32 end = gather ? leg->to : leg->from;

	level->startups++;
	level->bytes += leg->bytes;
	level->copied += leg->copied;
	if (end == levels->root)
		sums->member_bytes += leg->bytes;
	if (!between)
		return;
	sums->eager += leg->way == PLAN_WAY_EAGER;
	sums->pulled += leg->way == PLAN_WAY_PULL;
	if (is_at_root(levels, leg)) {
		sums->root_startups++;
		sums->root_bytes += leg->bytes;
	}
}

/* Bounds --------------------------------------------------------------------- */

/* Members of a place that get or give anything */
static u32 takers(const struct plan_levels *levels, u32 place)
{
	const struct plan_placement *placement = levels->placement;
	u32 count = 0, i;

	for (i = placement->first[place]; i < placement->first[place + 1]; i++) {
		u32 rank = placement->rank[i];

		if (rank == plan_levels_root(levels))
			continue;
		count += levels->barrier || plan_levels_block(levels, rank);
	}
	return count;
}

/* In a round at most as many more know of anything as do already. */
static u64 local_bound(const struct plan_levels *levels, u32 parties)
{
	return scatter_ceil_log2(parties + 1) * startup(levels);
}

/**
 * struct remote - what any plan has to do at the other nodes
 * @places: nodes that get or give anything
 * @least: time that the node with the fewest takers needs
 * @longest: time that the node which takes longest needs, if all begins with it
 */
struct remote {
	u32 places;
	u64 least;
	u64 longest;
};

static struct remote find_remote(const struct plan_levels *levels,
				 struct plan_sums *sums)
{
	const struct scatter_machine *network = levels->network;
	struct remote remote = { .least = UINT64_MAX };
	u32 root = levels->spec.root, place;

	for (place = 0; place < levels->placement->places; place++) {
		u32 count = takers(levels, place);
		u64 local = local_bound(levels, count), time;

		sums->inside.least_startups += count;
		/* Nobody says which node is the last to know of a barrier. */
		if (count && (place != root || levels->barrier) &&
		    local < remote.least)
			remote.least = local;
		if (!count || place == root)
			continue;
		time = scatter_machine_message(network, levels->bytes[place],
					       scatter_topology_distance(network,
									 root,
									 place));
		remote.places++;
		sums->between.least_bytes += levels->bytes[place];
		remote.longest = max_time(remote.longest, time + local);
	}
	return remote;
}

/* The schedule between the nodes, as one for bundles of these lengths */
static int bound_network(const struct plan_levels *levels,
			 struct plan_sums *sums, u64 *time)
{
	u32 places = levels->placement->places;
	struct scatter_irregular_node *node = calloc(places, sizeof(*node));
	struct scatter_irregular table;
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_IRREGULAR,
		.size = places,
		.root = levels->spec.root,
		.irregular = &table,
	};
	int error = -1;

	if (levels->barrier)
		spec = levels->spec;
	if (node)
		error = scatter_irregular_build(&table, node, levels->bytes,
						places, levels->spec.root);
	if (!error) {
		*time = scatter_predict_bound(&spec, levels->network, 0);
		sums->least_rounds =
			scatter_predict_bound_rounds(&spec, levels->network);
	}
	free(node);
	return error ? -1 : 0;
}

/*
 * The way to the last node that is reached, and from its portal to the last of its
 * members; the way to any one node; and what the root's own node has to do.
 */
static int set_bounds(const struct plan_levels *levels, struct plan_sums *sums)
{
	struct remote remote = find_remote(levels, sums);
	u32 root = levels->spec.root, own = takers(levels, root);
	u64 turns = levels->barrier ? 2 : 1, network = 0;
	u64 others = levels->bytes[root];

	sums->between.least_startups = turns * remote.places;
	sums->inside.least_startups *= turns;
	sums->least_root_bytes = sums->between.least_bytes;
	if (!levels->barrier)
		others -= plan_levels_block(levels, levels->root);
	sums->inside.least_copied = others;
	sums->inside.least_bytes = others + 2 * sums->between.least_bytes;
	sums->bound = local_bound(levels, own + (remote.places && !levels->barrier)) +
		      others * levels->memory->byte;
	if (!remote.places)
		return 0;
	if (bound_network(levels, sums, &network))
		return -1;
	if (!levels->barrier)
		sums->inside.least_startups++;
	sums->bound = max_time(sums->bound, startup(levels) + network + remote.least);
	sums->bound = max_time(sums->bound, startup(levels) + remote.longest);
	return 0;
}

/* Simulation ----------------------------------------------------------------- */

/* The schedule between the nodes must be right, and a barrier's way back, too. */
static int check_between(const struct plan_levels *levels,
			 struct plan_result *result)
{
	struct scatter_schedule_spec spec = levels->spec;
	int error = plan_simulate(&spec, levels->network, 1, result);

	if (error || *result->violation || !levels->barrier)
		return error;
	spec.op = SCATTER_SCHEDULE_SCATTER;
	return plan_simulate(&spec, levels->network, 1, result);
}

/**
 * plan_levels_simulate() - run a plan for all vertices, and check it
 * @levels: the plan
 * @sums: filled in
 * @result: filled in for the schedule between the nodes, with blocks of 1 byte; what is
 *	wrong with it is in there
 *
 * Return: 0, or what plan_error() has words for
 */
int plan_levels_simulate(const struct plan_levels *levels,
			 struct plan_sums *sums, struct plan_result *result)
{
	int error = check_between(levels, result);
	struct run run;
	size_t i;

	*sums = (struct plan_sums){ 0 };
	if (error)
		return error;
	error = open_run(&run, levels);
	for (i = 0; i < levels->legs && !error; i++) {
		const struct plan_message *leg = &levels->leg[i].message;
		u64 end = leg->between ? run_between(&run, leg) :
					 run_inside(&run, leg);

		sums->time = max_time(sums->time, end);
		add_sums(levels, leg, sums);
	}
	close_run(&run);
	if (!error)
		error = set_bounds(levels, sums);
	/* Lengths that only the root knows, down a binomial tree first */
	if (levels->counts && levels->spec.op == SCATTER_SCHEDULE_GATHER &&
	    levels->spec.algorithm == SCATTER_SCHEDULE_IRREGULAR)
		sums->counts = levels->placement->places - 1;
	return error;
}

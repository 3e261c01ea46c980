// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan: from the command line to what the engine is asked for, and back to
 * words if it does not fit.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "schedule.h"

/* Returns false, for who returns whether something fits. */
__attribute__((format(printf, 2, 3)))
static bool refuse(char why[WHY_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, WHY_MAX, format, args);
	va_end(args);
	return false;
}

static u32 log2_up(u32 number)
{
	u32 log = 0;

	while (number > 1ULL << log)
		log++;
	return log;
}

static bool is_power_of_two(u32 number)
{
	return !(number & (number - 1));
}

static bool is_grid(u32 algorithm)
{
	return algorithm == SCATTER_SCHEDULE_MESH ||
	       algorithm == SCATTER_SCHEDULE_TORUS;
}

/* The network that an algorithm is for. */
static u32 own_topology(const struct scatter_schedule_spec *spec)
{
	switch (spec->algorithm) {
	case SCATTER_SCHEDULE_MESH:
		return SCATTER_TOPOLOGY_MESH;
	case SCATTER_SCHEDULE_TORUS:
		return SCATTER_TOPOLOGY_TORUS;
	case SCATTER_SCHEDULE_HYPERCUBE:
	case SCATTER_SCHEDULE_ROTATED:
	case SCATTER_SCHEDULE_BALANCED:
		return is_power_of_two(spec->size) ?
			SCATTER_TOPOLOGY_HYPERCUBE : SCATTER_TOPOLOGY_FULL;
	}
	return SCATTER_TOPOLOGY_FULL;
}

/* Extents as given; without any, all members in one dimension. */
static u32 settle_dims(u32 *extent, const struct schedule_options *options)
{
	memcpy(extent, options->extent, sizeof(options->extent));
	if (options->dims)
		return options->dims;
	extent[0] = options->size;
	return 1;
}

static bool fits_op(const struct schedule_options *options, u32 algorithm,
		    char *why)
{
	const char *name = schedule_algorithm_name(algorithm);

	if (options->op != SCATTER_SCHEDULE_BROADCAST && !options->barrier)
		return true;
	switch (algorithm) {
	case SCATTER_SCHEDULE_ROTATED:
	case SCATTER_SCHEDULE_BALANCED:
	case SCATTER_SCHEDULE_IRREGULAR:
	case SCATTER_SCHEDULE_OR_BROADCAST:
		return refuse(why, "%s scatters and gathers, it does not %s",
			      name, options->barrier ? "make barriers" : "broadcast");
	}
	return true;
}

/* The word before a size */
static const char *unit_of(const struct schedule_options *options)
{
	return options->nodes ? "nodes:" : "--size";
}

static bool fits_options(const struct schedule_options *options, u32 algorithm,
			 char *why)
{
	const char *name = schedule_algorithm_name(algorithm);
	bool irregular = algorithm == SCATTER_SCHEDULE_IRREGULAR;

	if (options->root_free && !irregular)
		return refuse(why, "--root free: only irregular chooses its root, %s does not",
			      name);
	if (options->counts && !irregular)
		return refuse(why, "--counts: %s has blocks of one length", name);
	if ((algorithm == SCATTER_SCHEDULE_ROTATED ||
	     algorithm == SCATTER_SCHEDULE_BALANCED) &&
	    !is_power_of_two(options->size))
		return refuse(why, "%s is for powers of two, not for %s %u",
			      name, unit_of(options), options->size);
	if (options->topology == SCATTER_TOPOLOGY_HYPERCUBE &&
	    !is_power_of_two(options->size))
		return refuse(why, "--topology hypercube has a power of two of %s, not %u",
			      options->nodes ? "nodes" : "members", options->size);
	if (options->dims && options->output != OUTPUT_COMPARE &&
	    !is_grid(algorithm) &&
	    options->topology != SCATTER_TOPOLOGY_MESH &&
	    options->topology != SCATTER_TOPOLOGY_TORUS)
		return refuse(why, "--dims is for mesh and torus, as algorithm or as topology");
	return fits_op(options, algorithm, why);
}

/* The lengths as given; without any, all alike. */
static int fill_table(struct schedule *schedule)
{
	const struct schedule_options *options = schedule->options;
	u32 root = options->root_free ? SCATTER_IRREGULAR_FREE : options->root;
	u32 size = options->size;
	u64 *counts;
	int error;
	u32 i;

	if (options->counts)
		return scatter_irregular_build(&schedule->table,
					       schedule->nodes, options->counts,
					       size, root);
	counts = malloc(size * sizeof(*counts));
	if (!counts)
		return -1;
	for (i = 0; i < size; i++)
		counts[i] = schedule->block;
	error = scatter_irregular_build(&schedule->table, schedule->nodes,
					counts, size, root);
	free(counts);
	return error;
}

static bool build_table(struct schedule *schedule, char *why)
{
	u32 size = schedule->options->size;

	if (size > MESSAGES_MAX)
		return refuse(why, "irregular: --size %u is too large, at most %llu",
			      size, MESSAGES_MAX);
	schedule->nodes = calloc(size, sizeof(*schedule->nodes));
	if (!schedule->nodes || fill_table(schedule))
		return refuse(why, "irregular: not enough memory, or more than 2^64 bytes");
	schedule->spec.root = schedule->table.root;
	schedule->spec.irregular = &schedule->table;
	return true;
}

static void make_machine(struct schedule *schedule)
{
	const struct schedule_options *options = schedule->options;
	u32 needed = scatter_schedule_ports(&schedule->spec);
	struct scatter_machine *machine = &schedule->machine;

	*machine = (struct scatter_machine){
		.startup = options->startup,
		.hop = options->hop,
		.byte = options->byte,
		.ports = options->ports ? options->ports : needed ? needed : 1,
		.wormhole = !options->store_forward,
		.combining = true,
	};
	machine->topology = options->topology == TOPOLOGY_OWN ?
		own_topology(&schedule->spec) : (u32)options->topology;
	machine->dims = settle_dims(machine->extent, options);
}

static u64 diameter(const struct scatter_machine *machine, u32 size)
{
	u64 hops = 0;
	u32 i;

	switch (machine->topology) {
	case SCATTER_TOPOLOGY_FULL:
		return 1;
	case SCATTER_TOPOLOGY_HYPERCUBE:
		return log2_up(size);
	default:
		for (i = 0; i < machine->dims; i++)
			hops += machine->extent[i];
		return hops;
	}
}

/* Generous: no plan takes more rounds, nor moves more bytes one after another. */
static bool fits_times(const struct schedule *schedule, char *why)
{
	const struct scatter_machine *machine = &schedule->machine;
	u32 size = schedule->spec.size;
	double factor = 2.0 * (log2_up(size) + 1);
	double hops = diameter(machine, size);
	double rounds = factor * size;
	double bytes = factor * size * schedule->block;

	if (schedule->options->counts)
		bytes = factor * schedule->table.bytes;
	if (!machine->wormhole) {
		rounds *= hops;
		bytes *= hops;
	}
	if (rounds * (machine->startup + hops * machine->hop) +
	    bytes * machine->byte < 0x1p63L && bytes < 0x1p63L)
		return true;
	return refuse(why, "--size, --bytes and ns so large: times do not fit into 64 bits of ps");
}

static bool make_one(struct schedule *schedule,
		     const struct schedule_options *options, u32 algorithm,
		     char *why)
{
	struct scatter_schedule_spec *spec = &schedule->spec;
	u32 needed;
	int error;

	*schedule = (struct schedule){
		.options = options,
		.block = options->bytes,
		.spec = {
			.algorithm = algorithm,
			.op = options->op,
			.size = options->size,
			.root = options->root,
		},
	};
	if (!fits_options(options, algorithm, why))
		return false;
	if (algorithm == SCATTER_SCHEDULE_KNOMIAL)
		spec->ports = options->ports ? options->ports : 1;
	if (is_grid(algorithm))
		spec->dims = settle_dims(spec->extent, options);
	if (algorithm == SCATTER_SCHEDULE_IRREGULAR &&
	    !build_table(schedule, why))
		return false;
	error = scatter_schedule_check(spec);
	if (error)
		return refuse(why, "%s: %s", schedule_algorithm_name(algorithm),
			      plan_error(error));
	needed = scatter_schedule_ports(spec);
	if (options->ports && options->ports < needed)
		return refuse(why, "%s needs %u ports, --ports gives %u",
			      schedule_algorithm_name(algorithm), needed,
			      options->ports);
	make_machine(schedule);
	return fits_times(schedule, why);
}

/* Several nodes -------------------------------------------------------------- */

/* Bytes of the blocks at each node, for the schedule between the nodes */
static u64 *node_bytes(const struct schedule_options *options, u64 *most)
{
	const struct plan_placement *placement = &options->placement;
	u64 *bytes = calloc(placement->places, sizeof(*bytes));
	u32 i;

	*most = 0;
	for (i = 0; bytes && i < placement->size; i++) {
		u32 place = placement->place[i];

		if (!options->barrier)
			bytes[place] += options->counts ? options->counts[i] :
							  options->bytes;
		if (bytes[place] > *most)
			*most = bytes[place];
	}
	return bytes;
}

/* With --nodes, --algorithm and --dims are about the schedule between the nodes. */
static bool make_between(struct schedule *schedule,
			 const struct schedule_options *options, u32 algorithm,
			 char *why)
{
	struct schedule_options between = *options;
	bool irregular = algorithm == SCATTER_SCHEDULE_IRREGULAR;
	u64 *bytes = node_bytes(options, &between.bytes);
	bool good;

	if (!bytes)
		return refuse(why, "not enough memory");
	between.size = options->placement.places;
	/* All of a barrier meet at the home, the lowest node. */
	between.root = options->barrier ? 0 :
		       options->placement.place[options->root];
	between.counts = irregular ? bytes : NULL;
	between.startup = options->net_startup;
	between.hop = options->net_hop;
	between.byte = options->net_byte;
	good = make_one(schedule, &between, algorithm, why);
	schedule->options = options;
	free(bytes);
	return good;
}

/* Generous: all messages at a node one after another. */
static bool fits_memory(const struct schedule *schedule, char *why)
{
	const struct schedule_options *options = schedule->options;
	double bytes = (double)options->bytes * options->size;
	double time;
	u32 i;

	if (options->counts)
		for (bytes = 0, i = 0; i < options->size; i++)
			bytes += options->counts[i];
	time = 4.0 * options->size * (options->startup + options->hop) +
	       2 * bytes * options->byte;
	if (time < 0x1p62)
		return true;
	return refuse(why, "--nodes, --bytes and ns so large: times do not fit into 64 bits of ps");
}

static bool make_placed(struct schedule *schedule,
			const struct schedule_options *options, u32 algorithm,
			char *why)
{
	int error;

	if (!make_between(schedule, options, algorithm, why) ||
	    !fits_memory(schedule, why))
		return false;
	if (algorithm == SCATTER_SCHEDULE_OR_BROADCAST)
		return refuse(why, "or-broadcast is no tree, as --nodes shows them");
	if (schedule_messages(schedule) > SIMULATED_MAX)
		return refuse(why, "%" PRIu64 " messages are too many for --nodes",
			      schedule_messages(schedule));
	schedule->memory = (struct scatter_machine){
		.startup = options->startup,
		.hop = options->hop,
		.byte = options->byte,
		.ports = 1,
		.wormhole = true,
		.combining = true,
	};
	schedule->levels = (struct plan_levels){
		.placement = &options->placement,
		.spec = schedule->spec,
		.network = &schedule->machine,
		.memory = &schedule->memory,
		.barrier = options->barrier,
		.root = options->root,
		.block = options->bytes,
		.counts = options->counts,
	};
	schedule->placed = true;
	error = plan_levels_make(&schedule->levels);
	if (error)
		return refuse(why, "%s", plan_error(error));
	return true;
}

/**
 * schedule_make() - what to ask the engine for
 * @schedule: (out) that, which then stays where it is; free it, in any case
 * @options: the command line
 * @algorithm: enum scatter_schedule_algorithm
 * @why: (out) why not
 *
 * Return: whether the algorithm can do it.
 */
bool schedule_make(struct schedule *schedule,
		   const struct schedule_options *options, u32 algorithm,
		   char why[WHY_MAX])
{
	*schedule = (struct schedule){ .options = options };
	if (options->nodes)
		return make_placed(schedule, options, algorithm, why);
	return make_one(schedule, options, algorithm, why);
}

/** schedule_free() - what schedule_make() has allocated */
void schedule_free(struct schedule *schedule)
{
	plan_levels_close(&schedule->levels);
	free(schedule->nodes);
}

static u64 messages_of_spec(const struct schedule *schedule)
{
	u64 size = schedule->spec.size;

	switch (schedule->spec.algorithm) {
	case SCATTER_SCHEDULE_ROTATED:
	case SCATTER_SCHEDULE_BALANCED:
		return (size - 1) * log2_up(size);
	case SCATTER_SCHEDULE_OR_BROADCAST:
		/* To a tree's root and back, or along each dimension. */
		if (is_power_of_two(size))
			return size > UINT32_MAX ? UINT64_MAX :
				size * size * log2_up(size);
		return 2 * size * (size - 1);
	}
	return size - 1;
}

/**
 * schedule_messages() - how many messages a plan has, without going over them
 * @schedule: the plan
 *
 * Return: an upper bound, which says whether they can be listed.
 */
u64 schedule_messages(const struct schedule *schedule)
{
	const struct schedule_options *options = schedule->options;
	u64 messages = messages_of_spec(schedule);

	if (!options->nodes)
		return messages;
	return (messages + options->size) * (options->barrier ? 2 : 1);
}

/** schedule_rounds() - how many rounds a plan takes */
u32 schedule_rounds(const struct schedule *schedule)
{
	return schedule->placed ? schedule->levels.rounds :
				  scatter_schedule_rounds(&schedule->spec);
}

/** schedule_vertices() - how many there are at the ends of messages: members, and portals */
u32 schedule_vertices(const struct schedule *schedule)
{
	const struct schedule_options *options = schedule->options;

	return options->size + (schedule->placed ? options->placement.places : 0);
}

/** schedule_root() - the vertex that all messages come from, in a gather go to */
u32 schedule_root(const struct schedule *schedule)
{
	return schedule->placed ? plan_levels_root(&schedule->levels) :
				  schedule->spec.root;
}

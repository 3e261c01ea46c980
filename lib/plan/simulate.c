// SPDX-License-Identifier: GPL-2.0
/*
 * The simulation: blocks move as the messages say, and clocks as the machine says.
 *
 * The simulation knows only the steps of a schedule, so it judges all families alike. A
 * message begins when its data is at the sender and the port is free at both ends, and
 * keeps them busy until it has arrived. A rank with one port does its steps one
 * after the other; only what is in one round (an exchange) goes on at once.
 */
#include "blocks.h"
#include "clocks.h"
#include "links.h"
#include "simulate.h"
#include "stream.h"
#include "system.h"

/**
 * struct simulation - all of it
 * @spec: which schedule
 * @machine: where it runs
 * @block: bytes per block
 * @result: what is found
 * @limit: transfers in one direction of a rank and round
 * @round: the current one
 * @longest: hops of the current round's longest way
 * @sent: sum of hashes of what senders told about the current round
 * @received: the same of receivers
 * @clocks: time
 * @blocks: who has which
 * @links: which are in use
 */
struct simulation {
	const struct scatter_schedule_spec *spec;
	const struct scatter_machine *machine;
	u64 block;
	struct plan_result *result;
	u32 limit;
	u32 round;
	u32 longest;
	u64 sent;
	u64 received;
	struct plan_clocks clocks;
	struct plan_blocks blocks;
	struct plan_links links;
};

/* The first violation is the one that is told. */
static void __attribute__((format(printf, 2, 3)))
violated(struct simulation *sim, const char *format, ...)
{
	char *text = sim->result->violation;
	va_list args;

	if (*text)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(sim->result->violation), format, args);
	va_end(args);
}

static int open_clocks(struct simulation *sim)
{
	u32 ports = sim->machine->ports;

	if (!ports || ports > sim->limit)
		ports = sim->limit;
	return plan_clocks_open(&sim->clocks, sim->spec->size, ports,
				scatter_schedule_trees(sim->spec),
				sim->limit == 1);
}

/* Messages ------------------------------------------------------------------ */

static u64 mix(u64 hash, u64 number)
{
	hash = (hash ^ number) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/* The same for both ends of a transfer, and hardly ever for two of them */
static u64 hash_transfer(u32 rank, const struct scatter_step *step)
{
	u64 from = step->send ? rank : step->peer;
	u64 to = step->send ? step->peer : rank;
	u64 hash = mix(step->round, from << 32 | to);

	hash = mix(hash, (u64)step->first << 32 | step->count);
	hash = mix(hash, (u64)step->piece << 32 | step->pieces);
	hash = mix(hash, (u64)step->tree << 32 | step->port);
	return mix(hash, step->combine);
}

static bool is_at_root(const struct simulation *sim, u32 from, u32 to)
{
	if (sim->spec->op == SCATTER_SCHEDULE_GATHER)
		return to == sim->spec->root;
	return from == sim->spec->root;
}

static bool is_own_mesh(const struct simulation *sim)
{
	return (sim->spec->algorithm == SCATTER_SCHEDULE_MESH &&
		sim->machine->topology == SCATTER_TOPOLOGY_MESH) ||
	       (sim->spec->algorithm == SCATTER_SCHEDULE_TORUS &&
		sim->machine->topology == SCATTER_TOPOLOGY_TORUS);
}

/* One message a round cannot meet another, however far it goes. */
static void cross_links(struct simulation *sim, u32 from,
			const struct scatter_step *step)
{
	u32 conflicts;

	if (!sim->links.used || sim->spec->algorithm == SCATTER_SCHEDULE_LINEAR)
		return;
	conflicts = plan_links_use(&sim->links, from, step->peer, step->round);
	sim->result->conflicts += conflicts;
	if (conflicts && is_own_mesh(sim))
		violated(sim, "round %u: %u to %u shares a link", step->round,
			 from, step->peer);
}

static void send_message(struct simulation *sim,
			 const struct scatter_walk *walk,
			 const struct scatter_step *step)
{
	struct plan_result *result = sim->result;
	u32 from = walk->rank;
	u64 bytes = scatter_schedule_bytes(walk, step, sim->block);
	u32 hops = scatter_topology_distance(sim->machine, from, step->peer);
	const char *wrong;
	u64 end;

	result->startups++;
	result->volume += bytes;
	result->hops += hops;
	if (hops > sim->longest)
		sim->longest = hops;
	if (is_at_root(sim, from, step->peer)) {
		result->root_startups++;
		result->root_bytes += bytes;
	}
	cross_links(sim, from, step);
	end = plan_clocks_run(&sim->clocks, from, step,
			      scatter_machine_message(sim->machine, bytes, hops));
	if (end > result->time)
		result->time = end;
	wrong = plan_blocks_move(&sim->blocks, walk, step);
	if (wrong)
		violated(sim, "round %u: %u to %u: %s", step->round, from,
			 step->peer, wrong);
}

/* Is our step, mirrored, one of the peer's? */
static bool has_counterpart(const struct scatter_schedule_spec *spec, u32 rank,
			    const struct scatter_step *step)
{
	u64 hash = hash_transfer(rank, step);
	struct scatter_walk peer;
	struct scatter_step theirs;

	scatter_schedule_init(&peer, spec, step->peer);
	while (scatter_schedule_next(&peer, &theirs))
		if (theirs.peer == rank && theirs.send != step->send &&
		    hash_transfer(step->peer, &theirs) == hash)
			return true;
	return false;
}

/* The sums differ: look for a transfer that only one end knows. */
static void tell_unmatched(struct simulation *sim)
{
	struct scatter_walk walk;
	struct scatter_step step;
	u32 rank;

	for (rank = 0; rank < sim->spec->size; rank++) {
		scatter_schedule_init(&walk, sim->spec, rank);
		while (scatter_schedule_next(&walk, &step) &&
		       step.round <= sim->round) {
			if (step.round < sim->round ||
			    has_counterpart(sim->spec, rank, &step))
				continue;
			violated(sim, "round %u: only %u knows of %s %u",
				 sim->round, rank,
				 step.send ? "sending to" : "receiving from",
				 step.peer);
			return;
		}
	}
	violated(sim, "round %u: sends and receives differ", sim->round);
}

static void end_round(struct simulation *sim)
{
	if (sim->sent != sim->received && !*sim->result->violation)
		tell_unmatched(sim);
	sim->sent = 0;
	sim->received = 0;
	sim->result->hop_rounds += sim->longest;
	sim->longest = 0;
}

static void run_group(struct simulation *sim, const struct plan_group *group)
{
	u32 receives = group->steps - group->sends, i;
	struct scatter_walk walk;

	if (group->round != sim->round) {
		end_round(sim);
		sim->round = group->round;
	}
	if (group->sends > sim->limit || receives > sim->limit)
		violated(sim, "round %u: %u has %u sends and %u receives for %u ports",
			 group->round, group->rank, group->sends, receives,
			 sim->limit);
	scatter_schedule_init(&walk, sim->spec, group->rank);
	for (i = 0; i < group->steps; i++) {
		const struct scatter_step *step = &group->step[i];
		u64 hash = hash_transfer(group->rank, step);

		if (step->send) {
			sim->sent += hash;
			send_message(sim, &walk, step);
		} else {
			sim->received += hash;
		}
	}
}

static int run_stream(struct simulation *sim)
{
	struct plan_stream stream;
	struct plan_group group;
	const char *wrong;
	int more;

	if (plan_stream_open(&stream, sim->spec))
		return -1;
	while ((more = plan_stream_next(&stream, &group)) > 0)
		run_group(sim, &group);
	end_round(sim);
	if (stream.wrong)
		violated(sim, "rank %u %s", stream.wrong_rank, stream.wrong);
	plan_stream_close(&stream);
	wrong = plan_blocks_finish(&sim->blocks);
	if (wrong)
		violated(sim, "block %u %s", sim->blocks.culprit, wrong);
	return more;
}

/**
 * plan_simulate() - run a schedule for all ranks, and check it
 * @spec: which schedule
 * @machine: where it runs
 * @block: bytes per block
 * @result: filled in; what is wrong with the schedule is in there, too
 *
 * Return: 0, or what plan_error() has words for
 */
int plan_simulate(const struct scatter_schedule_spec *spec,
		  const struct scatter_machine *machine, u64 block,
		  struct plan_result *result)
{
	struct simulation sim = {
		.spec = spec, .machine = machine, .block = block,
		.result = result,
	};
	int error = scatter_schedule_check(spec);

	*result = (struct plan_result){ 0 };
	if (error)
		return error;
	error = scatter_machine_check(machine, spec->size);
	if (error)
		return PLAN_BAD_MACHINE + error;
	sim.limit = scatter_schedule_ports(spec);
	result->rounds = scatter_schedule_rounds(spec);
	error = -1;
	if (!open_clocks(&sim) &&
	    !plan_blocks_open(&sim.blocks, spec) &&
	    !plan_links_open(&sim.links, machine, spec->size))
		error = run_stream(&sim);
	plan_clocks_close(&sim.clocks);
	plan_blocks_close(&sim.blocks);
	plan_links_close(&sim.links);
	return error;
}

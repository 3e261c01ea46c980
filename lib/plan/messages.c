// SPDX-License-Identifier: GPL-2.0
/*
 * A plan message by message, for those who print it.
 */
#include "ranges.h"
#include "simulate.h"
#include "stream.h"

static int collect_ranges(struct plan_ranges *ranges,
			  const struct scatter_walk *walk,
			  const struct scatter_step *step)
{
	struct scatter_range range;
	u32 cursor = 0;

	ranges->count = 0;
	while (scatter_schedule_range(walk, step, &cursor, &range))
		if (plan_ranges_add(ranges, &range))
			return -1;
	plan_ranges_tidy(ranges);
	return 0;
}

static int visit_group(const struct plan_group *group,
		       const struct scatter_schedule_spec *spec,
		       const struct scatter_machine *machine, u64 block,
		       struct plan_ranges *ranges, plan_visitor *visitor,
		       void *context)
{
	struct scatter_walk walk;
	u32 i;

	scatter_schedule_init(&walk, spec, group->rank);
	for (i = 0; i < group->sends; i++) {
		const struct scatter_step *step = &group->step[i];
		struct plan_message message = {
			.round = step->round,
			.from = group->rank,
			.to = step->peer,
			.tree = step->tree,
			.piece = step->piece,
			.pieces = step->pieces,
			.port = step->port,
			.hops = scatter_topology_distance(machine, group->rank,
							  step->peer),
			.combine = step->combine,
			.count = step->count,
			.bytes = scatter_schedule_bytes(&walk, step, block),
		};
		int answer;

		if (collect_ranges(ranges, &walk, step))
			return -1;
		message.ranges = ranges->count;
		message.range = ranges->range;
		answer = visitor(&message, context);
		if (answer)
			return answer;
	}
	return 0;
}

/**
 * plan_each_message() - visit all messages of a plan
 * @spec: which schedule
 * @machine: whose hops count
 * @block: bytes per block
 * @visitor: called for each message in the order of rounds, senders and receivers
 * @context: for the visitor
 *
 * Return: 0; what plan_error() has words for; or the visitor's answer if that is not 0
 */
int plan_each_message(const struct scatter_schedule_spec *spec,
		      const struct scatter_machine *machine, u64 block,
		      plan_visitor *visitor, void *context)
{
	struct plan_stream stream;
	struct plan_ranges ranges = { 0 };
	struct plan_group group;
	int answer = scatter_schedule_check(spec);

	if (answer)
		return answer;
	answer = scatter_machine_check(machine, spec->size);
	if (answer)
		return PLAN_BAD_MACHINE + answer;
	if (plan_stream_open(&stream, spec))
		return -1;
	while ((answer = plan_stream_next(&stream, &group)) > 0) {
		answer = visit_group(&group, spec, machine, block, &ranges,
				     visitor, context);
		if (answer)
			break;
	}
	plan_ranges_close(&ranges);
	plan_stream_close(&stream);
	return answer;
}

/**
 * plan_error() - what an answer of this library means
 * @error: as returned
 *
 * Return: a phrase, without a full stop
 */
const char *plan_error(int error)
{
	switch (error) {
	case 0:
		return "nothing is wrong";
	case -1:
		return "not enough memory";
	case SCATTER_SCHEDULE_BAD_ALGORITHM:
		return "no such algorithm";
	case SCATTER_SCHEDULE_BAD_OP:
		return "the algorithm cannot do this operation";
	case SCATTER_SCHEDULE_BAD_SIZE:
		return "there has to be at least one rank";
	case SCATTER_SCHEDULE_BAD_ROOT:
		return "the root is not one of the ranks";
	case SCATTER_SCHEDULE_BAD_DIMS:
		return "the algorithm needs 1 to 8 dimensions";
	case SCATTER_SCHEDULE_BAD_EXTENT:
		return "the product of the dimensions is not the size";
	case SCATTER_SCHEDULE_BAD_POWER:
		return "the algorithm needs a size that is a power of two";
	case SCATTER_SCHEDULE_BAD_TABLE:
		return "the algorithm needs the length of each block";
	case SCATTER_SCHEDULE_BAD_ROUNDS:
		return "the algorithm takes too many rounds for so many ranks";
	case PLAN_BAD_MACHINE + SCATTER_SCHEDULE_BAD_ALGORITHM:
		return "no such topology";
	case PLAN_BAD_MACHINE + SCATTER_SCHEDULE_BAD_POWER:
		return "a hypercube needs a size that is a power of two";
	case PLAN_BAD_MACHINE + SCATTER_SCHEDULE_BAD_DIMS:
		return "the topology needs 1 to 8 dimensions";
	case PLAN_BAD_MACHINE + SCATTER_SCHEDULE_BAD_EXTENT:
		return "the product of the topology's dimensions is not the size";
	default:
		return "stopped";
	}
}

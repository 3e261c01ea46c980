// SPDX-License-Identifier: GPL-2.0
/*
 * Schedules checked by simulation: see check.h.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tap.h"

/* A specification in words, for who has to find out what is wrong */
static int print_spec(char *text, size_t room,
		      const struct scatter_schedule_spec *spec)
{
	int used = snprintf(text, room, "algorithm %u op %u size %u root %u ports %u dims",
			    spec->algorithm, spec->op, spec->size, spec->root,
			    spec->ports);
	u32 i;

	for (i = 0; i < spec->dims; i++)
		used += snprintf(text + used, room - used, " %u",
				 spec->extent[i]);
	return used;
}

/* One more case; what is wrong with it is a format. */
void tally_case(struct tally *tally, bool good,
		const struct scatter_schedule_spec *spec, const char *format,
		...)
{
	va_list args;
	int used;

	tally->cases++;
	if (good || tally->failed)
		return;
	tally->failed = true;
	used = print_spec(tally->first, sizeof(tally->first), spec);
	used += snprintf(tally->first + used, sizeof(tally->first) - used,
			 ": ");
	va_start(args, format);
	vsnprintf(tally->first + used, sizeof(tally->first) - used, format,
		  args);
	va_end(args);
}

/* The line of a tally; nothing may have no cases. */
void tally_report(struct tally *tally)
{
	if (!ok(!tally->failed && tally->cases, "%s (%lu cases)", tally->says,
		tally->cases))
		printf("# first: %s\n", tally->first);
}

u32 check_log(u32 base, u32 number)
{
	u64 power = 1;
	u32 n = 0;

	for (; power < number; power *= base)
		n++;
	return n;
}

u32 check_random(u32 limit)
{
	static u64 state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (u32)((state >> 32) % limit);
}

struct scatter_machine check_machine(void)
{
	return (struct scatter_machine){
		.startup = CHECK_STARTUP, .hop = CHECK_HOP, .byte = CHECK_BYTE,
		.wormhole = true, .combining = true,
	};
}

/* Simulate one case, which must have no violation. */
void check_simulation(struct tally *tally,
		      const struct scatter_schedule_spec *spec,
		      const struct scatter_machine *machine, u64 block,
		      struct plan_result *result)
{
	int error = plan_simulate(spec, machine, block, result);

	tally_case(tally, !error && !*result->violation, spec, "%s: %s",
		   plan_error(error), result->violation);
}

static bool steps_equal(const struct scatter_step *a,
			const struct scatter_step *b)
{
	return a->round == b->round && a->peer == b->peer &&
	       a->first == b->first && a->count == b->count &&
	       a->tree == b->tree && a->piece == b->piece &&
	       a->pieces == b->pieces && a->port == b->port &&
	       a->send == b->send && a->combine == b->combine;
}

/* One rank's steps, sorted out by trees, as its walk tells them */
struct steps {
	struct scatter_step up[32];
	u32 ups[32];
	u32 downs[32];
};

static const char *sort_out(const struct scatter_schedule *start,
			    struct steps *steps)
{
	struct scatter_schedule schedule = *start;
	bool gather = start->spec.op == SCATTER_SCHEDULE_GATHER;
	bool one_port = scatter_schedule_ports(&start->spec) == 1;
	struct scatter_step step;
	u32 last = 0;

	memset(steps, 0, sizeof(*steps));
	while (scatter_schedule_next(&schedule, &step)) {
		if (step.round < last || (one_port && step.round == last))
			return "rounds do not rise";
		last = step.round;
		if (step.tree >= 32)
			return "too many trees";
		if (step.send == gather) {
			steps->up[step.tree] = step;
			steps->ups[step.tree]++;
		} else {
			steps->downs[step.tree]++;
		}
	}
	if (last > scatter_schedule_rounds(&start->spec))
		return "a round too many";
	return scatter_schedule_next(&schedule, &step) ?
		       "the end is not the end" : NULL;
}

static const char *check_rank(const struct scatter_schedule_spec *spec,
			      u32 rank)
{
	u32 trees = scatter_schedule_trees(spec), tree;
	struct scatter_schedule schedule;
	struct scatter_step parent;
	struct steps steps;
	const char *wrong;

	/* what init leaves out stays poison */
	memset(&schedule, 0xa5, sizeof(schedule));
	if (!scatter_schedule_init(&schedule, spec, rank))
		return "refused";
	wrong = sort_out(&schedule, &steps);
	if (wrong)
		return wrong;
	for (tree = 0; tree < trees; tree++) {
		u32 ups = scatter_schedule_parent(&schedule, tree, &parent);

		if (ups != steps.ups[tree])
			return "parent and walk disagree";
		if (ups && !steps_equal(&parent, &steps.up[tree]))
			return "the parent's step differs from the walk's";
		if (scatter_schedule_children(&schedule, tree) !=
		    steps.downs[tree])
			return "children and walk disagree";
	}
	if (scatter_schedule_parent(&schedule, trees, &parent) ||
	    scatter_schedule_children(&schedule, trees))
		return "a tree too many";
	return NULL;
}

/* Do a rank's parent and children agree with its walk, whose rounds rise? */
void check_walks(struct tally *tally, const struct scatter_schedule_spec *spec)
{
	const char *wrong = NULL;
	u32 rank;

	for (rank = 0; rank < spec->size && !wrong; rank++)
		wrong = check_rank(spec, rank);
	tally_case(tally, !wrong, spec, "rank %u: %s", rank - 1, wrong);
}

/* Is the rank's walk in @gather that in the scatter, the other way round? */
static const char *check_backwards(const struct scatter_schedule_spec *spec,
				   u32 rank)
{
	struct scatter_schedule_spec other = *spec;
	struct scatter_schedule schedule;
	struct scatter_step there[1024], back;
	u32 rounds, steps = 0;

	other.op = SCATTER_SCHEDULE_SCATTER;
	rounds = scatter_schedule_rounds(&other);
	scatter_schedule_init(&schedule, &other, rank);
	while (steps < ARRAY_SIZE(there) &&
	       scatter_schedule_next(&schedule, &there[steps]))
		steps++;
	other.op = SCATTER_SCHEDULE_GATHER;
	scatter_schedule_init(&schedule, &other, rank);
	while (scatter_schedule_next(&schedule, &back)) {
		if (!steps--)
			return "has more steps";
		back.round = rounds + 1 - back.round;
		back.send = !back.send;
		if (!steps_equal(&back, &there[steps]))
			return "has another step";
	}
	return steps ? "has fewer steps" : NULL;
}

/* Is the gather the scatter reversed? */
void check_reversal(struct tally *tally,
		    const struct scatter_schedule_spec *spec)
{
	const char *wrong = NULL;
	u32 rank;

	for (rank = 0; rank < spec->size && !wrong; rank++)
		wrong = check_backwards(spec, rank);
	tally_case(tally, !wrong, spec, "gather, rank %u: %s", rank - 1, wrong);
}

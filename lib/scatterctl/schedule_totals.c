// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan: going over all messages, and what they come to.
 */
#include "schedule.h"

/* Report an error of the simulator. */
static int refused(int error)
{
	complain("the plan cannot be made: %s", plan_error(error));
	return STATUS_FAILED;
}

/**
 * schedule_each() - go over all messages
 * @schedule: the plan
 * @visit: called for each, in order of round, sender, receiver
 * @arg: its first argument
 *
 * Return: the exit status.
 */
int schedule_each(const struct schedule *schedule, plan_visitor *visit,
		  void *arg)
{
	int error;

	if (schedule->placed)
		error = plan_levels_each(&schedule->levels, visit, arg);
	else
		error = plan_each_message(&schedule->spec, &schedule->machine,
					  schedule->block, visit, arg);
	return error ? refused(error) : STATUS_OK;
}

/**
 * struct count - sums in the making
 * @totals: the sums
 * @root: whose bytes count
 * @gather: those into it
 */
struct count {
	struct schedule_totals *totals;
	u32 root;
	bool gather;
};

static int count_message(const struct plan_message *message, void *arg)
{
	const struct count *count = arg;
	u32 end = count->gather ? message->to : message->from;

	count->totals->startups++;
	count->totals->hops += message->hops;
	if (end == count->root)
		count->totals->root_bytes += message->bytes;
	return 0;
}

/* Runs the plan, which must not only be cheap, but right. */
static int simulate(const struct schedule *schedule,
		    struct schedule_totals *totals)
{
	struct plan_result result;
	int error;

	error = plan_simulate(&schedule->spec, &schedule->machine,
			      schedule->block, &result);
	if (error)
		return refused(error);
	if (result.violation[0]) {
		complain("the plan is wrong: %s", result.violation);
		return STATUS_FAILED;
	}
	totals->startups = result.startups;
	totals->root_bytes = result.root_bytes;
	totals->hops = result.hops;
	totals->time = result.time;
	return STATUS_OK;
}

/* The same on several nodes, which are never too many. */
static int simulate_placed(const struct schedule *schedule,
			   struct schedule_totals *totals)
{
	struct plan_sums *sums = &totals->sums;
	struct plan_result result;
	int error = plan_levels_simulate(&schedule->levels, sums, &result);

	if (error)
		return refused(error);
	if (result.violation[0]) {
		complain("the plan is wrong: %s", result.violation);
		return STATUS_FAILED;
	}
	totals->simulated = true;
	totals->counted = true;
	totals->time = sums->time;
	totals->bound = sums->bound;
	totals->startups = sums->between.startups + sums->inside.startups;
	totals->root_bytes = sums->member_bytes;
	totals->hops = result.hops;
	return STATUS_OK;
}

/**
 * schedule_sum_up() - what a plan comes to
 * @schedule: the plan
 * @totals: (out) the sums
 *
 * Return: the exit status.
 */
int schedule_sum_up(const struct schedule *schedule,
		    struct schedule_totals *totals)
{
	const struct scatter_schedule_spec *spec = &schedule->spec;
	const struct scatter_machine *machine = &schedule->machine;
	u64 messages = schedule_messages(schedule);
	struct count count = {
		.totals = totals,
		.root = spec->root,
		.gather = spec->op == SCATTER_SCHEDULE_GATHER,
	};

	*totals = (struct schedule_totals){ 0 };
	if (schedule->placed)
		return simulate_placed(schedule, totals);
	*totals = (struct schedule_totals){
		.predicted = scatter_predict_time(spec, machine, schedule->block),
		.simulated = messages <= SIMULATED_MAX,
		.bound = scatter_predict_bound(spec, machine, schedule->block),
		.counted = messages <= MESSAGES_MAX,
	};
	totals->time = totals->predicted;
	if (totals->simulated)
		return simulate(schedule, totals);
	if (totals->counted)
		return schedule_each(schedule, count_message, &count);
	return STATUS_OK;
}

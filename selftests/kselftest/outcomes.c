// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "death.h"
#include "outcomes.h"
#include "regroup.h"

/*
 * @first: in place of the row's first call, or NULL
 * @named: whom the last operation of each rank that failed has named
 * @blamed: whom each rank has been told to have broken the group by a mismatch or REVOKE
 * @killed_ns: when the last death was
 * @revoked: the group has been
 */
struct scene {
	struct crew crew;
	const struct outcome *outcome;
	const struct call *first;
	int named[CREW_MAX];
	int blamed[CREW_MAX];
	__u64 killed_ns;
	bool revoked;
};

static struct call step_call(const struct scene *scene, const struct step *step)
{
	const unsigned int near = scene->outcome->near;
	struct call call = scene->outcome->call[step->call];

	if (!step->call && scene->first)
		call = *scene->first;
	call.seed = 7;
	call.timeout_ms = PATIENCE_MS;
	if (near) {
		call.sides[0] = near;
		call.sides[1] = scene->crew.size - near;
	}
	return call;
}

/* No rank has been told yet who has broken the group. */
static void blame_nobody(struct scene *scene)
{
	unsigned int r;

	for (r = 0; r < CREW_MAX; r++)
		scene->blamed[r] = SCATTER_RANK_ANY;
}

/* Whether @culprit is whom the step names; nodes may hear of events in different orders. */
static bool is_named(const struct scene *scene, const struct step *step, int culprit)
{
	return culprit == step->culprit ||
	       (across_nodes() && culprit >= 0 && scene->outcome->any & RANK(culprit));
}

/* Whether @rank is told the culprit that it has been told before, if any; notes the first one. */
static bool blames_same(struct scene *scene, const struct step *step, unsigned int rank,
			int culprit)
{
	int *blamed = &scene->blamed[rank];

	if (step->error != EPROTO && step->error != ECANCELED)
		return true;
	if (*blamed == SCATTER_RANK_ANY)
		*blamed = culprit;
	return *blamed == culprit;
}

/* Calls -------------------------------------------------------------------------- */

bool act_start(struct scene *scene, const struct step *step)
{
	const struct call call = step_call(scene, step);

	crew_start(&scene->crew, step->ranks, &call);
	return true;
}

bool act_sleep(struct scene *scene, const struct step *step)
{
	return crew_sleeps(&scene->crew, step->ranks);
}

bool act_wait(struct scene *scene, const struct step *step)
{
	return act_start(scene, step) && act_sleep(scene, step);
}

bool act_call(struct scene *scene, const struct step *step)
{
	return act_start(scene, step) && crew_succeeds(&scene->crew, step->ranks);
}

bool act_interrupt(struct scene *scene, const struct step *step)
{
	return act_wait(scene, step) && crew_is_interrupted(&scene->crew, step->ranks);
}

bool act_give_up(struct scene *scene, const struct step *step)
{
	struct call call = step_call(scene, step);

	call.timeout_ms = 5;
	crew_start(&scene->crew, step->ranks, &call);
	return crew_fails(&scene->crew, step->ranks, ETIMEDOUT, SCATTER_RANK_ANY);
}

bool act_resume(struct scene *scene, const struct step *step)
{
	const unsigned int rank = (unsigned int)__builtin_ctzll(step->ranks);
	const struct call_args *got = &scene->crew.worker[rank].reply.args.call;
	const struct call call = step_call(scene, step);
	const __s64 result = crew_resume(&scene->crew, rank, &call);

	if (result == -step->error && is_named(scene, step, got->results.culprit) &&
	    blames_same(scene, step, rank, got->results.culprit) && (result || got->intact))
		return true;
	diag("rank %u resumes: result %lld culprit %d, not %d %d", rank, (long long)result,
	     got->results.culprit, -step->error, step->culprit);
	return false;
}

/* REGROUP, of which nothing is made ------------------------------------------------ */

bool act_regroup_start(struct scene *scene, const struct step *step)
{
	const struct scatter_regroup regroup = regroup_of(step->call);

	crew_regroup_start(&scene->crew, step->ranks, &regroup);
	return true;
}

bool act_regroup_wait(struct scene *scene, const struct step *step)
{
	return act_regroup_start(scene, step) &&
	       crew_sleeps_in(&scene->crew, step->ranks, SCATTER_IOCTL_REGROUP);
}

bool act_regroup_give_up(struct scene *scene, const struct step *step)
{
	struct scatter_regroup regroup = regroup_of(step->call);

	regroup.deadline_ns = 1;
	crew_regroup_start(&scene->crew, step->ranks, &regroup);
	return crew_regroup_fails(&scene->crew, step->ranks, ETIMEDOUT, SCATTER_RANK_ANY);
}

bool act_regroup_see(struct scene *scene, const struct step *step)
{
	return crew_regroup_fails(&scene->crew, step->ranks, step->error, step->culprit);
}

/* Events ------------------------------------------------------------------------- */

static struct worker *worker_of(struct scene *scene, const struct step *step)
{
	return &scene->crew.worker[__builtin_ctzll(step->ranks)];
}

bool act_die(struct scene *scene, const struct step *step)
{
	scene->killed_ns = now_ns();
	return worker_end(worker_of(scene, step));
}

bool act_close(struct scene *scene, const struct step *step)
{
	return !worker_do(worker_of(scene, step), task_close, NULL);
}

bool act_leave(struct scene *scene, const struct step *step)
{
	return !worker_do(worker_of(scene, step), task_leave, NULL);
}

bool act_revoke(struct scene *scene, const struct step *step)
{
	scene->revoked = true;
	return !worker_do(worker_of(scene, step), task_revoke, NULL);
}

bool act_shrink(struct scene *scene, const struct step *step)
{
	blame_nobody(scene);
	return crew_shrink(&scene->crew, step->ranks);
}

static bool hears(struct scene *scene, unsigned int rank)
{
	const __u64 until = now_ns() + soon_ms() * NSEC_PER_MSEC;
	const struct seen *seen;

	do {
		seen = crew_seen(&scene->crew, rank);
		if (!seen || seen->state == SCATTER_STATE_BROKEN)
			return seen;
		nap_us(1000);
	} while (now_ns() < until);
	diag("rank %u has not heard that the group is broken", rank);
	return false;
}

bool act_hear(struct scene *scene, const struct step *step)
{
	unsigned int r;

	for (r = 0; r < scene->crew.size; r++)
		if (step->ranks & RANK(r) && !hears(scene, r))
			return false;
	return true;
}

/* What members see --------------------------------------------------------------- */

/* Whether the operation of @rank ends as the step has it; notes whom it names. */
static bool ends_so(struct scene *scene, const struct step *step, unsigned int rank)
{
	struct worker *worker = &scene->crew.worker[rank];
	const __s64 result = worker_finish(worker);
	const int culprit = worker->reply.args.call.results.culprit;

	scene->named[rank] = culprit;
	if (result == -step->error && is_named(scene, step, culprit) &&
	    blames_same(scene, step, rank, culprit))
		return true;
	diag("rank %u of %u: result %lld culprit %d, not %d, %d", rank, scene->crew.size,
	     (long long)result, culprit, -step->error, step->culprit);
	return false;
}

bool act_see(struct scene *scene, const struct step *step)
{
	bool good = true;
	unsigned int r;

	if (!step->error)
		return crew_succeeds(&scene->crew, step->ranks);
	for (r = 0; r < scene->crew.size; r++)
		if (step->ranks & RANK(r))
			good = ends_so(scene, step, r) && good;
	return good;
}

bool act_know_soon(struct scene *scene, const struct step *step)
{
	return crew_knows_soon(&scene->crew, step->ranks, scene->killed_ns);
}

/* POLLPRI is for deaths and for REVOKE, POLLHUP for the latter. */
static bool is_polled(struct scene *scene, unsigned int rank, const struct step *step)
{
	const union task_args args = { .word = { POLLERR } };
	int wanted = POLLOUT | POLLERR;

	if (step->error == ECONNRESET || scene->revoked)
		wanted |= POLLPRI;
	if (scene->revoked)
		wanted |= POLLHUP;
	return worker_do(&scene->crew.worker[rank], task_events, &args) == wanted;
}

bool act_see_later(struct scene *scene, const struct step *step)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	unsigned int r;

	crew_start(&scene->crew, step->ranks, &barrier);
	if (!act_see(scene, step))
		return false;
	for (r = 0; r < scene->crew.size; r++) {
		if (!(step->ranks & RANK(r)))
			continue;
		if (!crew_is_told(&scene->crew, r, step->error, scene->named[r]) ||
		    !is_polled(scene, r, step))
			return false;
	}
	return true;
}

/* Rows --------------------------------------------------------------------------- */

static bool scene_form(struct scene *scene)
{
	const unsigned int near = scene->outcome->near;

	if (!near)
		return crew_form(&scene->crew, OUTCOME_SIZE, 0);
	return crew_form_sides(&scene->crew, near, 2, NULL);
}

/* Whether the step is one of several nodes, or of one. */
static bool is_step_of(const struct step *step, bool apart)
{
	return apart ? !step[1].apart : !step->apart;
}

static bool scene_plays(const struct outcome *outcome, const struct call *first)
{
	struct scene scene = { .outcome = outcome, .first = first };
	const struct step *step;
	bool good;

	blame_nobody(&scene);
	good = scene_form(&scene);
	for (step = outcome->steps; good && step->act; step++) {
		if (!is_step_of(step, across_nodes()))
			continue;
		good = step->act(&scene, step);
		if (!good)
			diag("step %d is not as it should be", (int)(step - outcome->steps));
	}
	return crew_end(&scene.crew) && good;
}

bool outcome_holds(const struct outcome *outcome)
{
	unsigned int i;

	if (!outcome->each)
		return scene_plays(outcome, NULL);
	for (i = 0; i < outcome->calls; i++) {
		if (scene_plays(outcome, &outcome->each[i]))
			continue;
		diag("call %u of the row", i);
		return false;
	}
	return true;
}

/* What each member sees: its errno, and in brackets the rank that is named. */
static void print_seen(const struct outcome *outcome, bool apart)
{
	const char *separator = "";
	const struct step *step;

	for (step = outcome->steps; step->act; step++) {
		if (!step->who || !is_step_of(step, apart))
			continue;
		printf("%s%s: %s", separator, step->who,
		       step->error ? strerrorname_np(step->error) : "0");
		if (step->as)
			printf(" (%s)", step->as);
		separator = "; ";
	}
}

/*
 * A line of tab-separated cells: the name of the row, when, and what each member sees; then, if
 * they see something else on several nodes, that.
 */
void outcome_print(const char *name, const struct outcome *outcome)
{
	const struct step *step = outcome->steps;

	printf("%s\t%s\t", name, outcome->when);
	print_seen(outcome, false);
	putchar('\t');
	while (step->act && !step->apart)
		step++;
	if (step->act)
		print_seen(outcome, true);
	putchar('\n');
}

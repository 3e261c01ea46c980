/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps of all ranks in the order of rounds, without keeping all of them.
 */
#ifndef _SCATTER_PLAN_STREAM_H
#define _SCATTER_PLAN_STREAM_H

#include "schedule/schedule.h"

/**
 * struct plan_group - the steps of one rank in one round
 * @round: from 1
 * @rank: whose
 * @steps: how many
 * @step: sends first, in the order of their peers
 * @sends: how many of them are sends
 */
struct plan_group {
	u32 round;
	u32 rank;
	u32 steps;
	u32 sends;
	const struct scatter_step *step;
};

/**
 * struct plan_stream - where a stream is
 * @spec: which schedule
 * @rounds: that it announces
 * @round: the current one
 * @cursor: by rank, where its walk goes on
 * @ahead: by rank, its next step
 * @next: by rank, the next one of its bucket
 * @bucket: by round, a rank whose next step is there
 * @active: ranks of the current round, rising
 * @actives: how many
 * @at: which of them comes next
 * @mark: a bit for each rank, to sort them
 * @step: of the current group
 * @room: how many steps fit there
 * @wrong: what is wrong with the steps themselves; NULL if nothing is
 * @wrong_rank: with whose
 */
struct plan_stream {
	const struct scatter_schedule_spec *spec;
	u32 rounds;
	u32 round;
	u64 *cursor;
	struct scatter_step *ahead;
	u32 *next;
	u32 *bucket;
	u32 *active;
	u32 actives;
	u32 at;
	u64 *mark;
	struct scatter_step *step;
	u32 room;
	const char *wrong;
	u32 wrong_rank;
};

int plan_stream_open(struct plan_stream *stream,
		     const struct scatter_schedule_spec *spec);
void plan_stream_close(struct plan_stream *stream);
int plan_stream_next(struct plan_stream *stream, struct plan_group *group);

#endif /* _SCATTER_PLAN_STREAM_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processes of one contender.
 */
#ifndef BENCH_GROUP_H
#define BENCH_GROUP_H

#include <stdbool.h>
#include <sys/types.h>

#include "board.h"

/**
 * struct group - processes of one contender
 * @id: which
 * @board: shared with all
 * @seats: shared with them
 * @board_name: how they find it
 * @programs: the directory that has theirs
 * @spin_us: of the barrier; negative: depends on ranks and CPUs
 * @wake_us: of the barrier, see struct seats
 * @child: what was started: ranks, or their launcher
 * @children: how many
 * @alive: takes turns; false after a failure
 */
struct group {
	enum contender_id id;
	struct board *board;
	struct seats *seats;
	const char *board_name;
	const char *programs;
	int64_t spin_us;
	int64_t wake_us;
	pid_t child[RANKS_MAX];
	unsigned int children;
	bool alive;
};

const char *contender_name(enum contender_id id);
int contender_find(const char *name);
bool contender_fits(enum contender_id id, unsigned int nodes);
void group_start(struct group *group);
int64_t group_turn(struct group *group, const struct turn *turn);
void group_stop(struct group *group);
void group_kill(struct group *group);

#endif /* BENCH_GROUP_H */

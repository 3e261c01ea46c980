// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan --draw: what is no tree, as pairs in the order of rounds.
 *
 * An OR-broadcast does the same for each block, so its first block stands for all.
 */
#include <inttypes.h>

#include "schedule.h"

#define LINE_MAX	72

/**
 * struct pairs - what has been printed
 * @rounds: of one block
 * @round: that of the line, 0 before the first
 * @column: where in the line
 * @exchanges: each message has one the other way in its round
 */
struct pairs {
	u32 rounds;
	u32 round;
	int column;
	bool exchanges;
};

static int put_pair(const struct plan_message *message, void *arg)
{
	struct pairs *pairs = arg;

	if (message->round > pairs->rounds ||
	    (pairs->exchanges && message->from > message->to))
		return 0;
	if (message->round != pairs->round) {
		pairs->column = printf("%sround %-4u", pairs->round ? "\n" : "",
				       message->round);
		pairs->round = message->round;
	} else if (pairs->column > LINE_MAX) {
		pairs->column = printf("\n%-10s", "") - 1;
	}
	pairs->column += printf("  %u %s %u", message->from,
				pairs->exchanges ? "<->" : "->", message->to);
	return 0;
}

/**
 * draw_pairs() - print who sends to whom in each round, for the first block
 * @schedule: an OR-broadcast
 *
 * Return: the exit status.
 */
int draw_pairs(const struct schedule *schedule)
{
	u32 size = schedule->spec.size;
	struct pairs pairs = {
		.rounds = scatter_schedule_rounds(&schedule->spec) / size,
		.exchanges = !(size & (size - 1)),
	};
	int status;

	printf("for each of %u block%s:\n\n", size, size == 1 ? "" : "s");
	status = schedule_each(schedule, put_pair, &pairs);
	if (pairs.round)
		putchar('\n');
	return status;
}

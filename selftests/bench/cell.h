/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One cell of the table: an operation, a number of ranks, a block.
 */
#ifndef BENCH_CELL_H
#define BENCH_CELL_H

#include "board.h"
#include "group.h"
#include "options.h"
#include "stats.h"
#include "wire.h"

/**
 * enum metric - a time of a sample, in us
 * @LAST: from the root's start to the last rank's end
 * @MEAN: over the ranks, from the own start to the own end
 * @SINCE: what of that is after the root's start
 * @EARLY: not a time: how many ranks start before the root
 */
enum metric {
	LAST,
	MEAN,
	SINCE,
	EARLY,
	METRICS
};

/**
 * struct series - what one contender did in one cell
 * @samples: what each was, by metric
 * @count: of samples
 * @room: for samples
 * @round: median of the samples of a round; NAN: it had no turn
 * @operations: those that do not count as samples, too
 * @counted: by the kernel, in all of them
 * @sent: between nodes, in all of them
 * @used: by all ranks, in all of them
 * @idle: used by all ranks between its turns
 */
struct series {
	double *samples[METRICS];
	size_t count;
	size_t room;
	double *round[METRICS];
	uint64_t operations;
	struct scatter_counters counted;
	struct wire sent;
	struct usage used;
	struct usage idle;
};

/**
 * struct cell - all contenders in one cell
 * @op: operation
 * @ranks: size of the groups
 * @block: bytes
 * @rounds: of all launches
 * @series: by contender
 */
struct cell {
	enum op op;
	uint32_t ranks;
	uint64_t block;
	unsigned int rounds;
	struct series series[CONTENDERS];
};

void cell_init(struct cell *cell, const struct options *options);
void cell_measure(struct cell *cell, const struct options *options,
		  struct group *groups, unsigned int launch);
struct spread cell_time(const struct cell *cell, enum contender_id id,
			enum metric metric);
struct spread cell_ratio(const struct cell *cell, enum contender_id over,
			 enum contender_id under, enum metric metric);
int cell_better_peer(const struct cell *cell, enum metric metric);
void cell_free(struct cell *cell);

#endif /* BENCH_CELL_H */

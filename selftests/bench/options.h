/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What to measure, and how.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"

#define LIST_MAX	16

/**
 * struct list - of numbers
 * @value: each
 * @count: how many
 */
struct list {
	uint64_t value[LIST_MAX];
	unsigned int count;
};

/**
 * struct options - of the command line
 * @ranks: group sizes
 * @blocks: in bytes
 * @late_ranks: group sizes of the trial with the late root
 * @op: which operations
 * @contender: who takes part
 * @launches: times that all processes are started anew
 * @rounds: in which each contender has a turn, per launch
 * @wanted: samples; fewer are marked
 * @seconds: for each contender in each cell
 * @late_seconds: the root's delay
 * @spin_us: of the barrier; negative: depends on ranks and CPUs
 * @wake_us: of the barrier, see struct seats
 * @pages: of buffers
 * @pin: ranks to CPUs
 * @renew: pages of buffers for each sample
 * @again: NAME=VALUE, a parameter of the module for the group again; NULL: none
 * @results: directory for the tables; NULL: none
 * @programs: directory of the ranks' programs
 * @nodes: with one rank on each; 0: all ranks are on one
 * @wires: directory with the counters of the wire between nodes
 */
struct options {
	struct list ranks;
	struct list blocks;
	struct list late_ranks;
	bool op[OPS];
	bool contender[CONTENDERS];
	unsigned int launches;
	unsigned int rounds;
	unsigned int wanted;
	double seconds;
	double late_seconds;
	int64_t spin_us;
	int64_t wake_us;
	enum pages pages;
	bool pin;
	bool renew;
	const char *again;
	const char *results;
	const char *programs;
	unsigned int nodes;
	const char *wires;
};

void options_parse(struct options *options, int argc, char **argv);

#endif /* BENCH_OPTIONS_H */

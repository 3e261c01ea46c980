/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the benchmark and the ranks of all contenders share: a named piece of
 * memory in which they wait for each other, and in which times are noted down.
 */
#ifndef BENCH_BOARD_H
#define BENCH_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/scatter.h>

#define RANKS_MAX	64
#define SAMPLES_MAX	128
#define CACHE_LINE	64

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define NSEC_PER_SEC	1000000000LL
#define NSEC_PER_USEC	1000LL

/*
 * The contenders. Ours are compared with the better of the PEERS from the first one on, and
 * everything that they have is shown for the RIVALS from ours on.
 */
enum contender_id {
	OURS,
	OPENMPI,
	MPICH,
	UCX,
	TCP,
	OPENMPI_SHIM,
	MPICH_SHIM,
	AGAIN,
	COPY,
	CONTENDERS
};

#define PEERS_FIRST	OPENMPI
#define PEERS		3
#define RIVALS		7

/**
 * enum op - what is measured
 * @SCATTER: scatter after the benchmark's own barrier
 * @GATHER: gather likewise
 * @BARRIER_SCATTER: scatter after the barrier of the contender's library, as users' suites do
 * @BARRIER_GATHER: gather likewise
 * @PAIR: scatter and gather, back to back, with no barrier at all
 */
enum op {
	SCATTER,
	GATHER,
	BARRIER_SCATTER,
	BARRIER_GATHER,
	PAIR,
	OPS
};

/* Longest block of the last three. */
#define LOOP_BLOCK	4096

/** enum pages - what buffers are made of */
enum pages {
	PAGES_DEFAULT,
	PAGES_4K,
	PAGES_HUGE,
};

/**
 * struct word - a futex on a cache line of its own
 * @value: what is waited for
 * @sleepers: how many sleep
 */
struct word {
	uint32_t value;
	uint32_t sleepers;
} __attribute__((aligned(CACHE_LINE)));

/**
 * struct barrier - the one barrier, for all contenders alike
 * @arrived: of this generation
 * @generation: counts how often all have arrived
 * @start: CLOCK_MONOTONIC when the ranks go on together
 */
struct barrier {
	struct word arrived;
	struct word generation;
	int64_t start;
};

/**
 * struct turn - what a group does while all others sleep
 * @op: operation
 * @samples: how often it is measured, after once that does not count
 * @verify: fill the buffers before, look at them after
 * @block: bytes per rank
 * @late_ns: the root comes later by this
 */
struct turn {
	enum op op;
	uint32_t samples;
	uint32_t verify;
	uint64_t block;
	int64_t late_ns;
};

/** struct stamps - CLOCK_MONOTONIC before and after an operation */
struct stamps {
	int64_t start;
	int64_t end;
};

/**
 * struct usage - what getrusage() says
 * @cpu_ns: user and system
 * @switches: of context, voluntary or not
 */
struct usage {
	int64_t cpu_ns;
	int64_t switches;
};

/**
 * struct slot - of one rank
 * @pid: its process
 * @turn: used during the turn
 * @idle: used from the turn before to this one
 * @counted: what the kernel counted during the turn, where nobody else has told
 * @stamps: of each sample
 */
struct slot {
	int32_t pid;
	struct usage turn;
	struct usage idle;
	struct scatter_counters counted;
	struct stamps stamps[SAMPLES_MAX];
} __attribute__((aligned(CACHE_LINE)));

/**
 * struct seats - of the ranks of one contender
 * @turns: how many turns have begun; 0: none; TURN_QUIT: none will
 * @ready: ranks that wait for a turn
 * @done: ranks that have done theirs
 * @failing: ranks that fail; the first writes @error
 * @failed: not 0: @error says why
 * @barrier: between samples
 * @ranks: how many there are
 * @spin_ns: how long the barrier spins
 * @wake_ns: how long after the last rank has come all go on together; 0: each as soon as it can
 * @turn: what to do
 * @error: text
 * @slot: of each rank
 */
struct seats {
	struct word turns;
	struct word ready;
	struct word done;
	struct word failing;
	struct word failed;
	struct barrier barrier;
	uint32_t ranks;
	int64_t spin_ns;
	int64_t wake_ns;
	struct turn turn;
	char error[160];
	struct slot slot[RANKS_MAX];
};

#define TURN_QUIT	UINT32_MAX

/**
 * struct board - all of it
 * @owner: the process without which all this is pointless
 * @members: size of the groups that are compared
 * @bytes: of the longest block
 * @pages: of the buffers
 * @pin: rank r runs on CPU r modulo CPUs only
 * @renew: buffers get new pages for each sample
 * @nodes: of a bed of selftests/nodes/bed.sh: rank r is on node r + 1; 0: all are on one
 * @seats: by contender
 */
struct board {
	int32_t owner;
	uint32_t members;
	uint64_t bytes;
	enum pages pages;
	uint32_t pin;
	uint32_t renew;
	uint32_t nodes;
	struct seats seats[CONTENDERS];
};

struct board *board_create(const char *name);
struct board *board_open(const char *name);
bool word_wait(struct word *word, uint32_t old, int64_t timeout_ns);
void word_wake(struct word *word);
uint32_t word_read(const struct word *word);
uint32_t word_add(struct word *word, uint32_t more);
void word_write(struct word *word, uint32_t value);
void await_change(const struct board *board, struct word *word, uint32_t old);
void barrier_wait(const struct board *board, struct seats *seats);
int64_t now_ns(void);

#endif /* BENCH_BOARD_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is compared: each program of a rank is rank.c and one of these.
 */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include <stddef.h>
#include <stdint.h>

#include <linux/scatter.h>

/**
 * struct call - one operation as one rank sees it
 * @members: size of the groups that are compared
 * @ranks: of this contender
 * @rank: this one; 0 is the root
 * @block: bytes per member
 * @send: room for all blocks
 * @recv: room for all blocks
 */
struct call {
	uint32_t members;
	uint32_t ranks;
	uint32_t rank;
	size_t block;
	char *send;
	char *recv;
};

/**
 * struct area - a part of a buffer
 * @from: where it begins, in bytes
 * @bytes: its length
 * @position: where it belongs in the whole of all blocks
 */
struct area {
	size_t from;
	size_t bytes;
	size_t position;
};

/**
 * struct contender - all functions return 0 or -errno
 * @start: arguments of the program after its board and contender; sets ranks
 *	and rank
 * @stop: ends what start began
 * @scatter: from the root's send to everybody's recv
 * @gather: from everybody's send to the root's recv
 * @barrier: wait for all ranks; NULL: the benchmark's own barrier does
 * @count: what the kernel has counted so far; NULL if it does not
 * @share: the area that this rank moves; NULL: as the operations are defined
 */
struct contender {
	int (*start)(int argc, char **argv, uint32_t *rank, uint32_t *ranks);
	void (*stop)(void);
	int (*scatter)(const struct call *call);
	int (*gather)(const struct call *call);
	int (*barrier)(void);
	int (*count)(struct scatter_counters *counters);
	struct area (*share)(const struct call *call);
};

extern const struct contender contender;

#endif /* BENCH_CONTENDER_H */

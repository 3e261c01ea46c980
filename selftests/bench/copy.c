// SPDX-License-Identifier: GPL-2.0
/*
 * What cannot be beaten: a process on each CPU copies its share of the blocks
 * that would have to move, all but the root's own, from its own memory to its
 * own memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"

/* RANK SIZE, of the copying processes */
static int start(int argc, char **argv, uint32_t *rank, uint32_t *ranks)
{
	if (argc != 2)
		return -EINVAL;
	*rank = (uint32_t)atoi(argv[0]);
	*ranks = (uint32_t)atoi(argv[1]);
	return 0;
}

static void stop(void)
{
}

static struct area share(const struct call *call)
{
	const size_t all = call->block * (call->members - 1);
	struct area area;

	area.from = all * call->rank / call->ranks;
	area.bytes = all * (call->rank + 1) / call->ranks - area.from;
	area.position = area.from;
	return area;
}

/* A call of memcpy per block that is touched. */
static int copy(const struct call *call)
{
	const struct area area = share(call);
	const size_t end = area.from + area.bytes;
	size_t from = area.from, next;

	for (; from < end; from = next) {
		next = from - from % call->block + call->block;
		if (next > end)
			next = end;
		memcpy(call->recv + from, call->send + from, next - from);
	}
	return 0;
}

const struct contender contender = {
	.start = start,
	.stop = stop,
	.scatter = copy,
	.gather = copy,
	.share = share,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * For the benchmark's own test: a contender that copies, but one byte too few.
 */
#include <stdlib.h>
#include <string.h>

#include "contender.h"

static int start(int argc, char **argv, uint32_t *rank, uint32_t *ranks)
{
	*rank = argc > 0 ? (uint32_t)atoi(argv[0]) : 0;
	*ranks = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
	return 0;
}

static void stop(void)
{
}

static struct area share(const struct call *call)
{
	const struct area area = { .bytes = call->block };

	return area;
}

static int copy(const struct call *call)
{
	memcpy(call->recv, call->send, call->block - 1);
	return 0;
}

const struct contender contender = {
	.start = start,
	.stop = stop,
	.scatter = copy,
	.gather = copy,
	.share = share,
};

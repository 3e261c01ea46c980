// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/scatter through libscatter.
 */
#include <errno.h>
#include <stdlib.h>

#include "../../lib/scatter.h"
#include "../nodes/member/namespace.h"
#include "contender.h"

#define JOIN_TIMEOUT_NS	60000000000LL

static struct scatter_group *group;

/* NAME RANK SIZE [NAMESPACE], the last if the rank is on a node of its own */
static int start(int argc, char **argv, uint32_t *rank, uint32_t *ranks)
{
	struct scatter_join_opts opts = { .timeout_ns = JOIN_TIMEOUT_NS };

	if (argc != 3 && argc != 4)
		return -EINVAL;
	if (argc == 4)
		namespace_enter(argv[3]);
	opts.rank = atoi(argv[1]);
	opts.size = (unsigned int)atoi(argv[2]);
	*rank = (uint32_t)opts.rank;
	*ranks = opts.size;
	return scatter_join(&group, argv[0], &opts);
}

static void stop(void)
{
	scatter_leave(group);
}

static int scatter(const struct call *call)
{
	return scatter_scatter(group, call->send, call->recv, call->block, 0);
}

static int gather(const struct call *call)
{
	return scatter_gather(group, call->send, call->recv, call->block, 0);
}

static int barrier(void)
{
	return scatter_barrier(group);
}

static int count(struct scatter_counters *counters)
{
	return scatter_counters(group, counters, 1);
}

const struct contender contender = {
	.start = start,
	.stop = stop,
	.scatter = scatter,
	.gather = gather,
	.barrier = barrier,
	.count = count,
};

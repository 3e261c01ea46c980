// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl run --nodes: which ranks of a group on several nodes are for this one.
 *
 * A placement numbers the nodes from 0; those of the cluster have the same numbers in the order of
 * their ids. All nodes have the same list, so each finds its own number, and no two the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "netlink.h"
#include "schedule.h"

/**
 * struct cluster - what this node knows of the cluster
 * @nodes: how many there are, with this one
 * @own: the number of this one
 */
struct cluster {
	u64 nodes;
	u64 own;
};

static void count_nodes(const struct record *self, const struct records *peers,
			struct cluster *cluster)
{
	uint64_t id = record_value(self, "id")->number;
	size_t i;

	*cluster = (struct cluster){ .nodes = peers->count + 1 };
	for (i = 0; i < peers->count; i++)
		cluster->own += record_value(&peers->list[i], "id")->number < id;
}

static int look_around(struct cluster *cluster)
{
	const struct request node = { .command = SCATTER_CMD_NODE_GET };
	const struct request peer = { .command = SCATTER_CMD_PEER_GET };
	struct records self = { }, peers = { };
	int error = netlink_call(&node, &node_fields, &self);

	if (!error)
		error = netlink_dump(&peer, &peer_fields, &peers);
	if (!error && self.count)
		count_nodes(&self.list[0], &peers, cluster);
	records_free(&self);
	records_free(&peers);
	return error;
}

/* The ranks of the node that has the same number in the placement. */
static int choose(struct job *job, const struct plan_placement *placement)
{
	u64 last = placement->node[placement->places - 1];
	struct cluster cluster = { };
	u32 rank;

	if (look_around(&cluster))
		return STATUS_FAILED;
	if (last >= cluster.nodes) {
		complain("--nodes '%.60s': there is no node %" PRIu64 ": the cluster has %" PRIu64
			 ", counted from 0", job->nodes, (uint64_t)last, (uint64_t)cluster.nodes);
		return STATUS_FAILED;
	}
	job->here = calloc(job->size, sizeof(*job->here));
	if (!job->here) {
		complain("%s", strerror(ENOMEM));
		return STATUS_FAILED;
	}
	for (rank = 0; rank < job->size; rank++)
		job->here[rank] = placement->node[placement->place[rank]] == cluster.own;
	return PARSE_GO_ON;
}

/**
 * job_place() - find the ranks of this node
 * @job: its nodes are set, and its sides if it has any; gets size and here
 *
 * Return: PARSE_GO_ON, or the exit status if it will not do.
 */
int job_place(struct job *job)
{
	unsigned int sum = job->sides[0] + job->sides[1];
	struct plan_placement placement = { };
	int status = placement_parse(job->nodes, &placement);

	if (status != PARSE_GO_ON)
		goto out;
	job->size = placement.size;
	if (placement.size > MEMBERS_MAX)
		status = usage_error("--nodes '%.60s': more than %d ranks", job->nodes,
				     MEMBERS_MAX);
	else if (sum && sum != job->size)
		status = usage_error("--nodes '%.60s': those are %u ranks, but --sides are %u",
				     job->nodes, job->size, sum);
	else
		status = choose(job, &placement);
out:
	plan_placement_close(&placement);
	return status;
}

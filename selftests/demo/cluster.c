// SPDX-License-Identifier: GPL-2.0
/*
 * One rank of the demo on a cluster: the ranks scatter a file in one operation, each
 * hashes its part, then they gather it back. scatterctl run starts them:
 *
 *	cluster FILE HASHES PEERS
 *
 * FILE and HASHES are as for demo. PEERS is a directory: PEERS/formed.RANK has what the
 * rank's node knew of its peers before the scatter, PEERS/scattered.RANK after it, and
 * PEERS/gathered.RANK after the gather. Rank 0 prints the hashes of all ranks, and fails if
 * one is wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "demo.h"
#include "hashes.h"

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		die(name, -ENOENT);
	return value;
}

int main(int argc, char **argv)
{
	static struct report report;
	struct job job;
	__u32 rank;

	if (argc != 4) {
		fprintf(stderr, "usage: cluster FILE HASHES PEERS\n");
		return 2;
	}
	rank = strtoul(variable("SCATTER_RANK"), NULL, 10);
	hashes_read(argv[2]);
	job = job_make(variable("SCATTER_GROUP"), argv[1]);
	job.peers = argv[3];
	rank_run(&job, &report, rank);
	if (rank != ROOT)
		return 0;
	job_show(&job);
	return hashes_show(&job, &report);
}

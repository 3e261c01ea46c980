/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The demos: what the launcher and the ranks tell each other.
 */
#ifndef DEMO_H
#define DEMO_H

#include <linux/types.h>
#include <linux/scatter.h>

#include "sha256.h"

#define RANKS		8U
#define ROOT		0U

/**
 * struct job - what to do; the same for all ranks
 * @group: name of the group
 * @file: what to scatter
 * @bytes: length of the file
 * @block: bytes per rank; the last blocks may reach beyond the file
 * @timeout_ns: how long to wait in one operation, in ns
 * @peers: on a cluster: a directory, for what each rank's node knows of its peers;
 *	else NULL
 */
struct job {
	char group[SCATTER_NAME_MAX];
	const char *file;
	__u64 bytes;
	__u64 block;
	__s64 timeout_ns;
	const char *peers;
};

/**
 * struct reading - what the kernel tells of the group at one time
 * @status: its state
 * @total: what all members did
 */
struct reading {
	struct scatter_status status;
	struct scatter_counters total;
};

/**
 * struct report - what the ranks found
 * @number: the scatter's number in the group
 * @formed: when the group had formed
 * @scattered: after the scatter and before the gather
 * @gathered: after the gather
 * @part: by rank: hash of the bytes of the file that it received
 * @whole: hash of what was gathered
 *
 * One rank writes each field, in memory that all share; the launcher reads when all
 * ranks have ended. On a cluster each process has a report of its own, and that of
 * rank 0 has the hashes of all parts in the end.
 */
struct report {
	__u64 number;
	struct reading formed;
	struct reading scattered;
	struct reading gathered;
	char part[RANKS][SHA256_HEX];
	char whole[SHA256_HEX];
};

/* Blocks are whole and the file need not be: how much of it a block has. */
static inline __u64 part_bytes(const struct job *job, __u32 rank)
{
	__u64 start = rank * job->block;
	__u64 rest = start < job->bytes ? job->bytes - start : 0;

	return rest < job->block ? rest : job->block;
}

/* Room for what bytes_text() writes. */
#define BYTES_TEXT	32

void die(const char *what, int error) __attribute__((noreturn));
struct job job_make(const char *group, const char *file);
void job_show(const struct job *job);
const char *bytes_text(char text[BYTES_TEXT], __u64 bytes);

void rank_run(const struct job *job, struct report *report, __u32 rank);

#endif /* DEMO_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * One rank of the demo: join, scatter, hash, gather.
 *
 * A failure is printed, and ends the process: the kernel tells the others.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../lib/scatter.h"
#include "demo.h"

/**
 * struct rank - one process
 * @job: what to do
 * @report: where to say what was found
 * @group: its membership
 * @number: its rank
 * @part: its block
 * @whole: root: all blocks
 * @opts: options of the operations
 */
struct rank {
	const struct job *job;
	struct report *report;
	struct scatter_group *group;
	__u32 number;
	char *part;
	char *whole;
	struct scatter_opts opts;
};

/* End here if there was an error (-errno). */
static void check(const struct rank *me, const char *what, int error)
{
	const char *name = strerrorname_np(-error);
	char because[32] = "";

	if (!error)
		return;
	if (me->opts.culprit != SCATTER_RANK_ANY)
		snprintf(because, sizeof(because), ", because of rank %d",
			 me->opts.culprit);
	fprintf(stderr, "demo: rank %u: %s: %s (%s)%s\n", me->number, what,
		name ? name : "?", strerror(-error), because);
	_exit(1);
}

/* An empty mapping does not exist; an empty file does. */
static size_t mapping_bytes(__u64 bytes)
{
	return bytes ? bytes : 1;
}

/* Zero, which is what pads a file whose length is no multiple of the ranks. */
static char *memory_map(const struct rank *me, __u64 bytes)
{
	void *memory = mmap(NULL, mapping_bytes(bytes), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(me, "memory", memory == MAP_FAILED ? -errno : 0);
	return memory;
}

static void memory_unmap(char *memory, __u64 bytes)
{
	munmap(memory, mapping_bytes(bytes));
}

static void file_read(const struct rank *me, char *to)
{
	__u64 left = me->job->bytes;
	int fd = open(me->job->file, O_RDONLY | O_CLOEXEC);

	check(me, me->job->file, fd < 0 ? -errno : 0);
	while (left) {
		ssize_t got = read(fd, to, left);

		check(me, me->job->file, got < 0 ? -errno : 0);
		check(me, "file became shorter", got ? 0 : -ENODATA);
		to += got;
		left -= got;
	}
	close(fd);
}

static void group_join(struct rank *me)
{
	const struct scatter_join_opts opts = {
		.size = RANKS,
		.rank = me->number,
		.timeout_ns = me->job->timeout_ns,
	};

	check(me, "join", scatter_join(&me->group, me->job->group, &opts));
}

static void barrier(struct rank *me)
{
	me->opts.schedule.algorithm = SCATTER_ALGORITHM_AUTO;
	check(me, "barrier", scatter_barrier_opts(me->group, &me->opts));
}

/* What the administrator's tool says of the peers of this node. */
static void peers_read(const struct rank *me, const char *when)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "scatterctl peer --json >'%s/%s.%u'",
		 me->job->peers, when, me->number);
	check(me, "scatterctl peer", system(command) ? -EIO : 0);
}

/*
 * The counters of all ranks while nobody is between barriers. A barrier crosses no
 * edge and copies nothing, so what is between two readings is the operation.
 */
static void reading_take(struct rank *me, const char *when,
			 struct reading *reading)
{
	barrier(me);
	if (me->number == ROOT) {
		check(me, "status", scatter_status(me->group, &reading->status));
		check(me, "counters",
		      scatter_counters(me->group, &reading->total, 1));
	}
	if (me->job->peers)
		peers_read(me, when);
	barrier(me);
}

static void scatter(struct rank *me)
{
	me->opts.schedule.algorithm = SCATTER_ALGORITHM_HYPERCUBE;
	check(me, "scatter",
	      scatter_scatter_opts(me->group, me->whole, me->part,
				   me->job->block, ROOT, &me->opts));
	if (me->number == ROOT)
		me->report->number = me->opts.number;
}

static void gather(struct rank *me)
{
	me->opts.schedule.algorithm = SCATTER_ALGORITHM_HYPERCUBE;
	check(me, "gather",
	      scatter_gather_opts(me->group, me->part, me->whole,
				  me->job->block, ROOT, &me->opts));
}

/* The root gathers into other memory than it scattered from. */
static void whole_renew(struct rank *me)
{
	__u64 bytes = RANKS * me->job->block;

	if (me->number != ROOT)
		return;
	memory_unmap(me->whole, bytes);
	me->whole = memory_map(me, bytes);
}

static void hash(const struct rank *me, const char *from, __u64 bytes,
		 char hex[SHA256_HEX])
{
	check(me, "sha256sum", sha256(from, bytes, hex));
}

/*
 * Processes on several nodes share no memory. Nobody leaves before all have called: in a group
 * that somebody has left a node begins no operation.
 */
static void parts_collect(struct rank *me)
{
	char part[SHA256_HEX];

	memcpy(part, me->report->part[me->number], sizeof(part));
	check(me, "gather of the hashes",
	      scatter_gather_opts(me->group, part, me->report->part,
				  sizeof(part), ROOT, &me->opts));
	barrier(me);
}

static void play(struct rank *me)
{
	struct report *report = me->report;

	reading_take(me, "formed", &report->formed);
	scatter(me);
	reading_take(me, "scattered", &report->scattered);
	hash(me, me->part, part_bytes(me->job, me->number),
	     report->part[me->number]);
	whole_renew(me);
	gather(me);
	reading_take(me, "gathered", &report->gathered);
	if (me->number == ROOT)
		hash(me, me->whole, me->job->bytes, report->whole);
	if (me->job->peers)
		parts_collect(me);
}

/* Does not return unless all went well. */
void rank_run(const struct job *job, struct report *report, __u32 rank)
{
	struct rank me = {
		.job = job,
		.report = report,
		.number = rank,
		.opts = {
			.timeout_ns = job->timeout_ns,
			.culprit = SCATTER_RANK_ANY,
		},
	};

	me.part = memory_map(&me, job->block);
	if (rank == ROOT) {
		me.whole = memory_map(&me, RANKS * job->block);
		file_read(&me, me.whole);
	}
	group_join(&me);
	play(&me);
	check(&me, "leave", scatter_leave(me.group));
}

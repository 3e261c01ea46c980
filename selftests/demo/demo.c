// SPDX-License-Identifier: GPL-2.0
/*
 * The demo: 8 processes scatter a file through the hypercube, in one operation,
 * each hashes its part, then they gather it back.
 *
 *	demo FILE HASHES
 *
 * HASHES has the SHA-256 of each rank's part of FILE and of FILE as a whole, one
 * per line, made by somebody else. Needs root, for the tracepoints. Exit status 0 if
 * everything is as it should be; the last line of the output has the figures.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "demo.h"
#include "edges.h"
#include "hashes.h"

/* A binomial tree on 8 ranks. */
#define STARTUPS	7ULL
#define ROUNDS		3ULL

/* Memory that the ranks inherit and share. */
static struct report *report_make(void)
{
	struct report *report = mmap(NULL, sizeof(*report),
				     PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (report == MAP_FAILED)
		die("memory", -errno);
	return report;
}

/* Without the launcher nobody needs the ranks. */
static void rank_start(const struct job *job, struct report *report,
		       __u32 rank)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork", -errno);
	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	rank_run(job, report, rank);
	_exit(0);
}

/* Every rank has deadlines; one that fails has said why. */
static void ranks_run(const struct job *job, struct report *report)
{
	bool failed = false;
	__u32 rank;
	int status;

	fflush(stdout);
	for (rank = 0; rank < RANKS; rank++)
		rank_start(job, report, rank);
	for (rank = 0; rank < RANKS; rank++) {
		if (wait(&status) < 0)
			die("wait", -errno);
		if (WIFSIGNALED(status))
			fprintf(stderr, "demo: a rank: killed by signal %d\n",
				WTERMSIG(status));
		failed |= !WIFEXITED(status) || WEXITSTATUS(status);
	}
	if (failed)
		exit(1);
}

static void edges_trace(const struct job *job, struct report *report,
			struct edges *edges)
{
	int error = edges_start();

	if (error)
		die("tracing of scatter:scatter_edge", error);
	ranks_run(job, report);
	error = edges_stop();
	if (!error)
		error = edges_take(edges, job->group);
	if (error)
		die("trace", error);
}

/* Judging ------------------------------------------------------------------ */

static bool differs(const char *what, __u64 found, __u64 wanted)
{
	if (found != wanted)
		printf("wrong: %s: %llu, should be %llu\n", what, found,
		       wanted);
	return found != wanted;
}

/* What was counted from one reading to the next; rounds are a maximum anyway. */
static struct scatter_counters counted(const struct reading *before,
				       const struct reading *after)
{
	struct scatter_counters counters = after->total;

	counters.startups -= before->total.startups;
	counters.edge_bytes -= before->total.edge_bytes;
	counters.bytes_copied -= before->total.bytes_copied;
	return counters;
}

/* Counters and tracepoints must say the same, and what the schedule promises. */
static bool edges_differ(const struct scatter_counters *counters,
			 const struct edges *edges)
{
	bool wrong = false;
	unsigned int i;

	wrong |= differs("startups", counters->startups, STARTUPS);
	wrong |= differs("rounds", counters->rounds, ROUNDS);
	wrong |= differs("edges traced", edges->count, counters->startups);
	wrong |= differs("bytes of traced edges", edges_bytes(edges, false),
			 counters->edge_bytes);
	for (i = 1; i < edges->count; i++)
		wrong |= differs("number of operation", edges->edge[i].number,
				 edges->edge[0].number);
	return wrong;
}

/*
 * One copy per byte, the root's own block too: that is what happens to bundles
 * over the eager limit, since a descriptor that crosses an edge copies nothing.
 * Every edge that is crossed by payload is one more copy of what it carried.
 */
static bool scatter_copies_differ(const struct job *job,
				  const struct scatter_status *status,
				  const struct scatter_counters *counters,
				  const struct edges *edges)
{
	__u64 payload = edges_bytes(edges, true);
	bool wrong = false;

	if (job->block > status->eager_limit)
		wrong |= differs("bytes that crossed edges as payload", payload,
				 0);
	return wrong | differs("bytes copied", counters->bytes_copied,
			       RANKS * job->block + payload);
}

/*
 * Of a gather of small blocks only the least is known: a rank that is earlier than
 * its children puts its block aside first, which is a copy too.
 */
static bool gather_copies_differ(const struct job *job,
				 const struct scatter_status *status,
				 const struct scatter_counters *counters)
{
	__u64 least = RANKS * job->block;

	if (job->block <= status->eager_limit &&
	    counters->bytes_copied >= least)
		return false;
	return differs("bytes copied", counters->bytes_copied, least);
}

static void counters_show(const char *name,
			  const struct scatter_counters *counters)
{
	char crossed[BYTES_TEXT], copied[BYTES_TEXT];

	printf("%s: %llu startups for %s on the edges, %s copied\n",
	       name, counters->startups,
	       bytes_text(crossed, counters->edge_bytes),
	       bytes_text(copied, counters->bytes_copied));
}

static bool scatter_show(const struct job *job, const struct report *report,
			 const struct edges *all)
{
	const struct scatter_counters counters =
		counted(&report->formed, &report->scattered);
	const struct edges edges = edges_of(all, SCATTER_OP_SCATTER);
	bool wrong;

	printf("\nThe scatter, as traced by the kernel:\n\n");
	wrong = differs("edges of the tree", edges_draw(&edges, ROOT, RANKS),
			STARTUPS);
	if (counters.edge_bytes > edges_bytes(&edges, true))
		printf("\nA descriptor names blocks; each rank copies its own from rank %u.\n",
		       ROOT);
	printf("\n");
	counters_show("scatter", &counters);
	wrong |= edges_differ(&counters, &edges);
	wrong |= scatter_copies_differ(job, &report->scattered.status, &counters,
				       &edges);
	if (edges.count)
		wrong |= differs("number of the scatter", edges.edge[0].number,
				 report->number);
	return wrong;
}

static bool gather_show(const struct job *job, const struct report *report,
			const struct edges *all)
{
	const struct scatter_counters counters =
		counted(&report->scattered, &report->gathered);
	const struct edges edges = edges_of(all, SCATTER_OP_GATHER);
	bool wrong;

	counters_show("gather", &counters);
	wrong = edges_differ(&counters, &edges);
	wrong |= gather_copies_differ(job, &report->gathered.status, &counters);
	return wrong;
}

/* The last line of all: what the kernel counted. */
static void figures_show(const struct job *job, const struct report *report,
			 bool hashes_wrong)
{
	const struct scatter_counters counters =
		counted(&report->formed, &report->scattered);

	printf("\ndemo: ranks=%u bytes=%llu scatter_startups=%llu rounds=%llu ",
	       report->scattered.status.members, job->bytes, counters.startups,
	       counters.rounds);
	printf("bytes_copied=%llu sha256=%s\n", counters.bytes_copied,
	       hashes_wrong ? "DIFFERENT" : "equal");
}

int main(int argc, char **argv)
{
	struct report *report;
	char group[SCATTER_NAME_MAX];
	struct edges edges;
	struct job job;
	bool wrong, hashes_wrong;

	if (argc != 3) {
		fprintf(stderr, "usage: demo FILE HASHES\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	hashes_read(argv[2]);
	snprintf(group, sizeof(group), "demo.%d", getpid());
	job = job_make(group, argv[1]);
	report = report_make();

	job_show(&job);
	edges_trace(&job, report, &edges);
	wrong = scatter_show(&job, report, &edges);
	wrong |= gather_show(&job, report, &edges);
	hashes_wrong = hashes_show(&job, report);
	figures_show(&job, report, hashes_wrong);
	return wrong || hashes_wrong;
}

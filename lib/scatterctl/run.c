// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl run: start the members of a group, and end them together.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job.h"
#include "transfer.h"

static const char help[] =
	"usage: scatterctl run -n N [OPTION]... [--] COMMAND [ARGUMENT]...\n"
	"       scatterctl run --nodes PLACEMENT --group NAME [OPTION]... [--] COMMAND\n"
	"           [ARGUMENT]...\n"
	"\n"
	"Starts COMMAND N times, with SCATTER_GROUP, SCATTER_RANK and SCATTER_SIZE\n"
	"set, and waits for all. When one fails the others get SIGTERM, and SIGKILL\n"
	"if they do not end. SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1 and SIGUSR2 sent\n"
	"to the tool are passed on to every rank; those of the terminal reach them\n"
	"anyway. All share the tool's standard input, output and error.\n"
	"\n"
	"  -n, --ranks N      how many, 1 to 1024\n"
	"  --nodes PLACEMENT  which rank is on which node, as of 'scatterctl plan': 2x4,\n"
	"                     2x4+1x2, 2x4:cyclic; or 0,0,1,1, the node of each rank. The\n"
	"                     nodes of the cluster are 0, 1, ... in the order of their ids.\n"
	"                     Starts only the ranks of this node; do the same on each\n"
	"  --group NAME       name of the group (one that is not in use)\n"
	"  --descriptor       a group without a name: SCATTER_FD, not SCATTER_GROUP\n"
	"  --sides M,N        an inter-group: SCATTER_SIDES and SCATTER_SIDE\n"
	"  --grace SECONDS    time from SIGTERM to SIGKILL (5)\n"
	"  --help             this text\n"
	"\n"
	"Exit status: 0 if every rank ended with 0, else that of the first that failed,\n"
	"128+S if signal S killed it, which counts as first of several at once; 126 or\n"
	"127 if COMMAND cannot be started or found; 1 if processes cannot be made; 2\n"
	"wrong usage.\n";

/**
 * enum phase - how far a job is
 * @PHASE_RUNNING: no rank has failed
 * @PHASE_WARNED: one has; the others got a signal from outside not long ago,
 *	and have until @deadline_ns to end by it
 * @PHASE_ENDING: they got SIGTERM, and have until @deadline_ns
 * @PHASE_KILLING: they got SIGKILL
 */
enum phase {
	PHASE_RUNNING,
	PHASE_WARNED,
	PHASE_ENDING,
	PHASE_KILLING,
};

/**
 * struct run - a job and how it goes
 * @job: its processes
 * @phase: how far it is
 * @grace_ns: time to end in, in ns
 * @deadline_ns: when the next phase begins; 0 is never
 * @signalled_ns: when a signal came from outside; 0 if none came
 * @received: signals that came from outside
 * @sent: those and what the tool sent: who dies of them needs no report
 * @failed: the first failure is in @exit_status
 * @exit_status: what to exit with
 * @death: signal that the first failure was a death by, or 0
 */
struct run {
	struct job job;
	enum phase phase;
	int64_t grace_ns;
	int64_t deadline_ns;
	int64_t signalled_ns;
	sigset_t received;
	sigset_t sent;
	bool failed;
	int exit_status;
	int death;
};

static void send(struct run *run, int signal)
{
	sigaddset(&run->sent, signal);
	job_signal(&run->job, signal);
	if (!run->job.alive)
		orphans_signal(&run->job, signal);
}

static void enter(struct run *run, enum phase phase)
{
	run->phase = phase;
	run->deadline_ns = phase == PHASE_KILLING ? 0 : now_ns() + run->grace_ns;
	if (phase == PHASE_ENDING) {
		send(run, SIGTERM);
		/* One that is stopped could not end. */
		job_signal(&run->job, SIGCONT);
	} else if (phase == PHASE_KILLING) {
		send(run, SIGKILL);
	}
}

/* Only the first failure decides, and only it makes the others end. */
static void fail(struct run *run, int exit_status, int death)
{
	if (run->failed)
		return;
	run->failed = true;
	run->exit_status = exit_status;
	run->death = death;
	job_note_ending(&run->job);
	if (run->signalled_ns && now_ns() - run->signalled_ns < run->grace_ns)
		enter(run, PHASE_WARNED);
	else
		enter(run, PHASE_ENDING);
}

static void take_death(struct run *run, const struct child *child, int signal)
{
	/* The child was dying already when another one was seen to fail: it is the cause. */
	if (child->ending && !run->death) {
		run->exit_status = 128 + signal;
		run->death = signal;
	}
	fail(run, 128 + signal, signal);
}

/* Not by a signal that the tool passed on, or sent before this one was dying. */
static bool is_own_death(const struct run *run, const struct child *child,
			 int signal)
{
	if (child->ending)
		return !sigismember(&run->received, signal);
	return !sigismember(&run->sent, signal);
}

static void take_status(struct run *run, unsigned int rank)
{
	const struct child *child = &run->job.children[rank];
	pid_t pid = child->pid;
	int status = job_reap(&run->job, rank);

	if (WIFSIGNALED(status)) {
		int signal = WTERMSIG(status);

		if (is_own_death(run, child, signal))
			complain("rank %u (process %d) was killed by signal %d (%s)",
				 rank, pid, signal, strsignal(signal));
		else if (signal == SIGKILL)
			complain("rank %u (process %d) did not end by itself and was killed",
				 rank, pid);
		take_death(run, child, signal);
	} else if (WEXITSTATUS(status)) {
		complain("rank %u (process %d) exited with status %d", rank,
			 pid, WEXITSTATUS(status));
		fail(run, WEXITSTATUS(status), 0);
	}
}

/* All of the process group have already got the signals that the terminal sends. */
static void take_signals(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->job.signals, &info, sizeof(info)) == sizeof(info)) {
		int signal = info.ssi_signo;

		if (signal == SIGCHLD)
			continue;
		if (info.ssi_code != SI_KERNEL)
			job_signal(&run->job, signal);
		sigaddset(&run->received, signal);
		sigaddset(&run->sent, signal);
		if (signal != SIGUSR1 && signal != SIGUSR2)
			run->signalled_ns = now_ns();
	}
}

static int milliseconds_left(const struct run *run)
{
	int64_t left = run->deadline_ns - now_ns();

	if (!run->deadline_ns)
		return -1;
	if (left <= 0)
		return 0;
	/* Rounded up, so that it is over when the wait is. */
	left = left / 1000000 + 1;
	return left < INT_MAX ? left : INT_MAX;
}

/* Signals first: a ^C explains the deaths that it causes. */
static void wait_events(struct run *run)
{
	struct epoll_event events[32];
	int count, i;

	count = epoll_wait(run->job.epoll, events, ARRAY_SIZE(events),
			   milliseconds_left(run));
	take_signals(run);
	for (i = 0; i < count; i++) {
		if (events[i].data.u32 != EVENT_SIGNALS)
			take_status(run, events[i].data.u32);
	}
	if (run->deadline_ns && now_ns() >= run->deadline_ns)
		enter(run, run->phase + 1);
}

/* Ends what failed ranks have left behind. */
static void end_orphans(struct run *run)
{
	if (!orphans_reap(&run->job))
		return;
	enter(run, run->phase == PHASE_KILLING ? PHASE_KILLING : PHASE_ENDING);
	while (orphans_reap(&run->job)) {
		wait_events(run);
		if (run->phase == PHASE_KILLING)
			orphans_signal(&run->job, SIGKILL);
	}
}

static void start_all(struct run *run)
{
	const char *name = run->job.argv[0];
	unsigned int rank;
	bool no_exec;
	int error;

	for (rank = 0; rank < run->job.size; rank++) {
		if (run->job.here && !run->job.here[rank])
			continue;
		error = job_start(&run->job, rank, &no_exec);
		if (!error)
			continue;
		if (no_exec)
			complain("cannot start %s: %s", name, strerror(-error));
		else
			complain("no process for rank %u: %s; see 'ulimit -u' and 'ulimit -n'",
				 rank, strerror(-error));
		if (!no_exec)
			fail(run, STATUS_FAILED, 0);
		else
			fail(run, error == -ENOENT ? 127 : 126, 0);
		return;
	}
}

/*
 * A shell that sees its command die of the signal stops a loop or script as
 * well; an exit status of 128+S alone would not do that.
 */
static void die_as_told(const struct run *run)
{
	struct rlimit none = { };
	sigset_t set;

	if (!run->death || !sigismember(&run->received, run->death))
		return;
	setrlimit(RLIMIT_CORE, &none);
	signal(run->death, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, run->death);
	kill(getpid(), run->death);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static int supervise(struct run *run)
{
	struct job *job = &run->job;
	int error = job_open(job);

	if (error) {
		complain("cannot start: %s", strerror(-error));
		return STATUS_FAILED;
	}
	if (!job->group) {
		job->fd = descriptor_create(job->size, job->sides);
		if (job->fd < 0)
			return STATUS_FAILED;
	}
	start_all(run);
	/* The ranks' alone from now on, so that the group ends with them. */
	if (!job->group)
		close(job->fd);
	while (run->job.alive) {
		wait_events(run);
		orphans_reap(&run->job);
	}
	if (run->failed)
		end_orphans(run);
	die_as_told(run);
	return run->exit_status;
}

/* A name that neither an earlier run nor one in another container has. */
static const char *fresh_group(void)
{
	static char name[SCATTER_NAME_MAX];
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), 0) < 0)
		random = now_ns();
	snprintf(name, sizeof(name), "run.%d.%08x", getpid(), random);
	return name;
}

/* The other nodes must know the name; and the processes, who they are. */
static int nodes_check(struct job *job, bool descriptor)
{
	if (job->size)
		return usage_error("-n and --nodes: the placement says how many ranks");
	if (descriptor)
		return usage_error("--descriptor and --nodes: such a group is on one node");
	if (!job->group)
		return usage_error("--nodes: which group? Give --group, the same on all nodes");
	return job_place(job);
}

static int run_check(struct run *run, bool descriptor)
{
	struct job *job = &run->job;
	unsigned int sum = job->sides[0] + job->sides[1];

	if (job->nodes)
		return nodes_check(job, descriptor);
	if (sum && job->size && job->size != sum)
		return usage_error("-n %u: sides of %u and %u are %u ranks",
				   job->size, job->sides[0], job->sides[1],
				   sum);
	if (sum)
		job->size = sum;
	if (!job->size)
		return usage_error("how many ranks? Give -n, --sides or --nodes");
	if (descriptor && job->group)
		return usage_error("--group and --descriptor: a group has a name or none");
	if (!descriptor && !job->group)
		job->group = fresh_group();
	return PARSE_GO_ON;
}

static int run_parse(int argc, char **argv, struct run *run)
{
	static const struct option options[] = {
		{ "descriptor", no_argument, NULL, 'd' },
		{ "grace", required_argument, NULL, 'G' },
		{ "group", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },
		{ "nodes", required_argument, NULL, 'N' },
		{ "ranks", required_argument, NULL, 'n' },
		{ "sides", required_argument, NULL, 's' },
		{ }
	};
	bool descriptor = false;
	uint64_t number;
	int option;

	while ((option = getopt_long(argc, argv, "+hn:", options, NULL)) != -1) {
		switch (option) {
		case 'd':
			descriptor = true;
			break;
		case 'G':
			if (!parse_seconds(optarg, &run->grace_ns))
				return usage_error("--grace: '%s' is no time in seconds",
						   optarg);
			break;
		case 'g':
			if (!parse_group(optarg))
				return usage_error("--group: '%s' is no name of a group",
						   optarg);
			run->job.group = optarg;
			break;
		case 'h':
			return show_help(&run_command);
		case 'N':
			run->job.nodes = optarg;
			break;
		case 'n':
			if (!parse_number(optarg, 10, 1, MEMBERS_MAX,
					  &number))
				return usage_error("-n: '%s' is no number from 1 to %d",
						   optarg, MEMBERS_MAX);
			run->job.size = number;
			break;
		case 's':
			if (!parse_sides(optarg, run->job.sides))
				return usage_error("--sides: '%s' are no sizes of two sides",
						   optarg);
			break;
		default:
			return STATUS_USAGE;
		}
	}
	if (optind >= argc)
		return usage_error("which command?");
	run->job.argv = argv + optind;
	return run_check(run, descriptor);
}

static int run_main(int argc, char **argv)
{
	struct run run = { .job.fd = -1, .grace_ns = 5 * NSEC_PER_SEC };
	int status;

	sigemptyset(&run.received);
	sigemptyset(&run.sent);
	status = run_parse(argc, argv, &run);
	if (status == PARSE_GO_ON)
		status = supervise(&run);
	free(run.job.children);
	free(run.job.here);
	return status;
}

const struct command run_command = {
	.name = "run",
	.summary = "start the members of a group, and end them together",
	.help = help,
	.run = run_main,
};

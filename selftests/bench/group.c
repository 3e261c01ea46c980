// SPDX-License-Identifier: GPL-2.0
/*
 * The processes of one contender: start, let them take a turn, stop.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "group.h"
#include "report.h"
#include "wire.h"

/* MPICH with more ranks than CPUs is slow to start, too. */
#define DEADLINE_NS	(120 * NSEC_PER_SEC)

/* Of the barrier, where every rank can have a CPU, and where not. */
#define SPIN_LONG_US	20
#define SPIN_SHORT_US	1

#define TEXT_MAX	32
#define PATH_BYTES	4096
#define WORDS_MAX	16

#define MPIEXEC	"mpiexec.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"
#define HYDRA	"mpiexec.hydra", "-launcher", "fork"

/**
 * struct kind - how a contender is started
 * @name: in tables
 * @program: each rank runs it
 * @launcher: NULL: the ranks are started here, with their arguments
 * @shim: preloaded into the ranks, in the directory above that of the programs; NULL: none
 * @transport: what the program gets as an argument; NULL: none
 * @nodes: takes part where each rank has a node of its own
 * @no_nodes: takes part where all are on one
 */
struct kind {
	const char *name;
	const char *program;
	const char *launcher[WORDS_MAX];
	const char *shim;
	const char *transport;
	bool nodes;
	bool no_nodes;
};

static const struct kind kinds[CONTENDERS] = {
	[OURS] = { .name = "ours", .program = "bench-ours", .nodes = true, .no_nodes = true },
	[OPENMPI] = { .name = "openmpi", .program = "bench-openmpi", .no_nodes = true,
		.launcher = { MPIEXEC, "-n" } },
	[MPICH] = { .name = "mpich", .program = "bench-mpich", .no_nodes = true,
		.launcher = { HYDRA, "-n" } },
	[OPENMPI_SHIM] = { .name = "openmpi+", .program = "bench-openmpi", .no_nodes = true,
		.launcher = { MPIEXEC, "-n" }, .shim = "libscatter-mpi-openmpi.so" },
	[MPICH_SHIM] = { .name = "mpich+", .program = "bench-mpich", .no_nodes = true,
		.launcher = { HYDRA, "-n" }, .shim = "libscatter-mpi-mpich.so" },
	[UCX] = { .name = "ucx", .program = "bench-openmpi", .nodes = true,
		.launcher = { MPIEXEC, "--mca", "pml", "ucx", "-n" }, .transport = "ucx" },
	[TCP] = { .name = "tcp", .program = "bench-openmpi", .nodes = true,
		.launcher = { MPIEXEC, "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "-n" },
		.transport = "tcp" },
	[AGAIN] = { .name = "again", .program = "bench-ours", .nodes = true, .no_nodes = true },
	[COPY] = { .name = "copy", .program = "bench-copy", .no_nodes = true },
};

const char *contender_name(enum contender_id id)
{
	return kinds[id].name;
}

/* Is there such a one with this number of nodes? */
bool contender_fits(enum contender_id id, unsigned int nodes)
{
	return nodes ? kinds[id].nodes : kinds[id].no_nodes;
}

/* -1 if there is none of this name */
int contender_find(const char *name)
{
	int id;

	for (id = 0; id < CONTENDERS; id++)
		if (!strcmp(kinds[id].name, name))
			return id;
	return -1;
}

/* Starting ----------------------------------------------------------------- */

/* In a child: become the program. */
static void __attribute__((noreturn)) become(char **words)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execvp(words[0], words);
	fprintf(stderr, "bench: %s: %s\n", words[0], strerror(errno));
	_exit(127);
}

static void child_start(struct group *group, char **words)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		become(words);
	if (pid > 0)
		group->child[group->children++] = pid;
}

/**
 * struct texts - words that differ from group to group
 * @program: path of the ranks' program
 * @preload: what loads the shim
 * @number: of the contender
 * @ranks: how many
 */
struct texts {
	char program[PATH_BYTES];
	char preload[PATH_BYTES];
	char number[TEXT_MAX];
	char ranks[TEXT_MAX];
};

static void texts_fill(struct texts *texts, const struct group *group)
{
	const struct kind *kind = &kinds[group->id];

	snprintf(texts->program, sizeof(texts->program), "%s/%s", group->programs, kind->program);
	if (kind->shim)
		snprintf(texts->preload, sizeof(texts->preload), "LD_PRELOAD=%s/../%s",
			 group->programs, kind->shim);
	snprintf(texts->number, sizeof(texts->number), "%d", group->id);
	snprintf(texts->ranks, sizeof(texts->ranks), "%u", group->seats->ranks);
}

/*
 * The launcher, if any, then the program and what all programs are told. A shim that cannot use the
 * device ends the program.
 */
static unsigned int words_make(const struct group *group, char **words, struct texts *texts)
{
	const struct kind *kind = &kinds[group->id];
	unsigned int n = 0;

	for (; kind->launcher[n]; n++)
		words[n] = (char *)kind->launcher[n];
	if (n)
		words[n++] = texts->ranks;
	if (kind->shim) {
		words[n++] = (char *)"env";
		words[n++] = (char *)"SCATTER_MPI=require";
		words[n++] = texts->preload;
	}
	words[n++] = texts->program;
	words[n++] = (char *)group->board_name;
	words[n++] = texts->number;
	if (kind->transport)
		words[n++] = (char *)kind->transport;
	words[n] = NULL;
	return n;
}

/*
 * Ours need a name for their group; the words after it are rank and size, and where that is not
 * that of all, the namespace of the rank's node.
 */
static void ranks_start(struct group *group, char **words, unsigned int n,
			char *ranks)
{
	char name[TEXT_MAX], rank[TEXT_MAX], namespace[TEXT_MAX];
	uint32_t i;

	snprintf(name, sizeof(name), "bench.%d.%d", getpid(), group->id);
	if (group->id != COPY)
		words[n++] = name;
	words[n++] = rank;
	words[n++] = ranks;
	if (group->board->nodes)
		words[n++] = namespace;
	words[n] = NULL;
	for (i = 0; i < group->seats->ranks; i++) {
		snprintf(rank, sizeof(rank), "%u", i);
		snprintf(namespace, sizeof(namespace), WIRE_NAMESPACE, i + 1);
		child_start(group, words);
	}
}

static void children_start(struct group *group)
{
	char *words[WORDS_MAX + 10];
	struct texts texts;
	unsigned int n;

	texts_fill(&texts, group);
	n = words_make(group, words, &texts);
	if (kinds[group->id].launcher[0])
		child_start(group, words);
	else
		ranks_start(group, words, n, texts.ranks);
}

/* Waiting ------------------------------------------------------------------ */

/* None may end before it is told to. */
static bool children_live(struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->children; i++)
		if (waitpid(group->child[i], NULL, WNOHANG)) {
			group->child[i] = group->child[--group->children];
			return false;
		}
	return true;
}

static void give_up(struct group *group, const char *why)
{
	const struct seats *seats = group->seats;

	fprintf(stderr, "bench: %s, %u ranks", contender_name(group->id),
		group->board->members);
	if (word_read(&seats->turns))
		fprintf(stderr, ", %s of %llu bytes", op_name(seats->turn.op),
			(unsigned long long)seats->turn.block);
	fprintf(stderr, ": %s\n", why);
	group_kill(group);
}

/* Wait until the word is the number of ranks; else the group is gone. */
static bool all_have(struct group *group, struct word *word)
{
	const int64_t deadline = now_ns() + DEADLINE_NS;
	uint32_t value;

	for (;;) {
		value = word_read(word);
		if (word_read(&group->seats->failed))
			give_up(group, group->seats->error);
		else if (value == group->seats->ranks)
			return true;
		else if (now_ns() > deadline)
			give_up(group, "not done in 120 s");
		else if (word_wait(word, value, NSEC_PER_SEC))
			continue;
		else if (!children_live(group))
			give_up(group, "a process ended");
		if (!group->alive)
			return false;
	}
}

void group_start(struct group *group)
{
	struct seats *seats = group->seats;
	const uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	int64_t spin_us = group->spin_us;

	memset(seats, 0, sizeof(*seats));
	seats->ranks = group->board->members;
	if (group->id == COPY)
		seats->ranks = cpus < RANKS_MAX ? cpus : RANKS_MAX;
	if (spin_us < 0)
		spin_us = seats->ranks <= cpus ? SPIN_LONG_US : SPIN_SHORT_US;
	seats->spin_ns = spin_us * NSEC_PER_USEC;
	seats->wake_ns = group->wake_us * NSEC_PER_USEC;
	group->children = 0;
	group->alive = true;
	children_start(group);
	all_have(group, &seats->ready);
}

/* Returns how long it took in ns, -1 if the group failed and is gone. */
int64_t group_turn(struct group *group, const struct turn *turn)
{
	struct seats *seats = group->seats;
	const int64_t start = now_ns();

	seats->turn = *turn;
	word_write(&seats->done, 0);
	word_add(&seats->turns, 1);
	word_wake(&seats->turns);
	if (!all_have(group, &seats->done))
		return -1;
	return now_ns() - start;
}

/* Stopping ----------------------------------------------------------------- */

/* Ranks of a launcher are not children. */
void group_kill(struct group *group)
{
	uint32_t i;

	for (i = 0; i < group->seats->ranks; i++)
		if (group->seats->slot[i].pid)
			kill(group->seats->slot[i].pid, SIGKILL);
	for (i = 0; i < group->children; i++)
		kill(group->child[i], SIGKILL);
	for (i = 0; i < group->children; i++)
		waitpid(group->child[i], NULL, 0);
	group->children = 0;
	group->alive = false;
}

/* SIGCHLD is blocked, so none is lost between a look and the wait. */
static void child_await(pid_t pid, int64_t deadline)
{
	const struct timespec second = { .tv_sec = 1 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	while (!waitpid(pid, NULL, WNOHANG)) {
		if (now_ns() > deadline) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return;
		}
		sigtimedwait(&set, NULL, &second);
	}
}

void group_stop(struct group *group)
{
	const int64_t deadline = now_ns() + DEADLINE_NS;
	uint32_t i;

	if (!group->alive)
		return;
	word_write(&group->seats->turns, TURN_QUIT);
	word_wake(&group->seats->turns);
	for (i = 0; i < group->children; i++)
		child_await(group->child[i], deadline);
	group->children = 0;
	group->alive = false;
}

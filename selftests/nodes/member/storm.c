// SPDX-License-Identifier: GPL-2.0
/*
 * Random groups on several nodes, with conflicts, deaths and changes of mind: no group is half one.
 *
 *	storm [starved|restarted] SECONDS SEED ROUNDS FILE...
 *
 * starved: JOIN may find no memory, and a node may be lost. restarted: nodes are deleted and made
 * again, so they are lost, too, and know fewer nodes than the others for a while. FILE is the
 * network namespace of a node. Each round has a name of its own and some processes on random nodes,
 * who want random ranks, some of them the same. Some are killed or give up at random times. What
 * must be true of each round:
 *
 *  - who is not killed comes back from JOIN, and from the barriers;
 *  - members of a group, who tell the same identity, have different ranks;
 *  - none of them is missing, but those that were killed, or that trouble has kept off.
 *
 * Prints what was found, and ends with 1 if any of this was not so.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <scatter.h>

#include "namespace.h"

#define MEMBERS_MAX	6
#define PATIENCE_S	20

/* What became of a process. */
struct fate {
	pid_t pid;
	int joined;		/* 0, or -errno of JOIN; 1: not known */
	int rank;
	uint64_t id[2];
	int error;		/* of the barriers */
	int barriers;		/* that succeeded */
	bool killed;
};

/* Errors of JOIN that trouble explains, up to 0. */
struct trouble {
	const char *name;
	int errors[3];
};

static const struct trouble troubles[] = {
	{ "none", { 0 } },
	{ "starved", { ENOMEM, EHOSTUNREACH } },
	{ "restarted", { EREMCHG, EHOSTUNREACH } },
};

static struct fate *fates;
static const struct trouble *trouble = troubles;
static unsigned int tally[8];

static int any(int n)
{
	return rand() % n;
}

static void live(struct fate *fate, const char *name, const struct scatter_join_opts *opts,
		 int barriers, bool leaves)
{
	struct scatter_opts how = { .timeout_ns = PATIENCE_S * 1000000000LL };
	struct scatter_group *group;
	struct scatter_status status;
	int error = scatter_join(&group, name, opts);

	if (!error)
		error = scatter_status(group, &status);
	if (!error) {
		fate->rank = scatter_rank(group);
		memcpy(fate->id, status.id, sizeof(fate->id));
	}
	fate->joined = error;
	for (; !error && fate->barriers < barriers; fate->barriers += !error)
		error = scatter_barrier_opts(group, &how);
	fate->error = fate->joined ? 0 : error;
	if (leaves && !fate->joined)
		scatter_leave(group);
	_exit(0);
}

static void spawn(struct fate *fate, const char *name, int size, char **nodes, int nr)
{
	struct scatter_join_opts opts = {
		.size = size,
		.rank = any(4) ? SCATTER_RANK_ANY : any(size),
		/* One that is alone has to give up. */
		.timeout_ns = (any(6) ? 2000 : 1 + any(200)) * 1000000LL,
	};
	int barriers = any(20);
	bool leaves = any(2);
	char *node = nodes[any(nr)];
	pid_t pid;

	*fate = (struct fate){ .joined = 1 };
	/* What is shared only the parent writes to here. */
	pid = fork();
	if (pid) {
		fate->pid = pid;
		return;
	}
	namespace_enter(node);
	live(fate, name, &opts, barriers, leaves);
}

/* Waits for all, and kills one of them meanwhile if that is to be. */
static bool end(struct fate *fate, int n)
{
	int victim = any(3) ? -1 : any(n), i, status;
	bool fine = true;
	time_t began = time(NULL);

	if (victim >= 0) {
		usleep(any(60) * 1000);
		fate[victim].killed = fate[victim].pid > 0 && !kill(fate[victim].pid, SIGKILL);
	}
	for (i = 0; i < n; i++) {
		while (fate[i].pid > 0 && !waitpid(fate[i].pid, &status, WNOHANG)) {
			if (time(NULL) - began > 2 * PATIENCE_S) {
				printf("# process %d hangs\n", i);
				kill(fate[i].pid, SIGKILL);
				waitpid(fate[i].pid, &status, 0);
				fine = false;
				break;
			}
			usleep(2000);
		}
	}
	return fine;
}

static bool is_of_trouble(int error)
{
	const int *known = trouble->errors;

	while (*known && error != -*known)
		known++;
	return *known;
}

static bool is_known(int error)
{
	static const int known[] = {
		0, EUSERS, EADDRINUSE, EPROTO, ETIMEDOUT,
	};
	unsigned int i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (error == -known[i])
			return true;
	return is_of_trouble(error);
}

static bool are_of_one(const struct fate *a, const struct fate *b)
{
	return !a->joined && !b->joined && !memcmp(a->id, b->id, sizeof(a->id));
}

/* The group has no such member, or nobody knows. A node in trouble has none. */
static bool is_excused(const struct fate *fate)
{
	return (fate->killed && fate->joined == 1) || is_of_trouble(fate->joined);
}

/*
 * As many as the group's size, but for those who are excused. A seat that has been given up, but
 * not in time, is dead: no barrier of the others succeeds.
 */
static bool are_all_there(const struct fate *fate, int n, int size, int one)
{
	int i, there = 0, late = 0, barriers = 0;

	for (i = 0; i < n; i++) {
		there += are_of_one(&fate[i], &fate[one]) || is_excused(&fate[i]);
		late += fate[i].joined == -ETIMEDOUT;
		if (are_of_one(&fate[i], &fate[one]))
			barriers += fate[i].barriers;
	}
	if (there < size && !barriers)
		there += late;
	if (there < size)
		printf("# a group with %d of %d\n", there, size);
	return there >= size;
}

static bool agree(const struct fate *fate, int n, int size)
{
	int i, j;

	for (i = 0; i < n; i++) {
		if (fate[i].killed && fate[i].joined == 1)
			continue;
		if (!is_known(fate[i].joined)) {
			printf("# process %d: JOIN %s\n", i, strerror(-fate[i].joined));
			return false;
		}
		if (fate[i].error == -ETIMEDOUT) {
			printf("# process %d: a barrier hangs\n", i);
			return false;
		}
		if (!fate[i].joined && !are_all_there(fate, n, size, i))
			return false;
		for (j = 0; j < i; j++)
			if (fate[i].rank == fate[j].rank && are_of_one(&fate[i], &fate[j])) {
				printf("# %d and %d have rank %d\n", i, j, fate[i].rank);
				return false;
			}
	}
	return true;
}

static void count(const struct fate *fate, int n)
{
	int i, joined = 0, killed = 0;

	for (i = 0; i < n; i++) {
		joined += !fate[i].joined;
		killed += fate[i].killed;
	}
	tally[0]++;
	tally[1] += joined;
	tally[2] += n - joined;
	tally[3] += killed;
	tally[4] += joined > 1;
}

static bool round_of(int number, char **nodes, int nr)
{
	int size = 1 + any(MEMBERS_MAX - 2), n = size + any(2), i;
	char name[64];
	bool fine;

	snprintf(name, sizeof(name), "storm%d-%d", getpid(), number);
	for (i = 0; i < n; i++)
		spawn(&fates[i], name, size, nodes, nr);
	fine = end(fates, n) && agree(fates, n, size);
	count(fates, n);
	if (!fine)
		for (i = 0; i < n; i++)
			printf("# %d: join %d rank %d id %llx error %d after %d%s\n", i,
			       fates[i].joined, fates[i].rank,
			       (unsigned long long)fates[i].id[0], fates[i].error,
			       fates[i].barriers, fates[i].killed ? ", killed" : "");
	return fine;
}

int main(int argc, char **argv)
{
	time_t until;
	unsigned int t;
	int i, rounds;

	for (t = 0; argc > 1 && t < sizeof(troubles) / sizeof(*troubles); t++)
		if (!strcmp(argv[1], troubles[t].name))
			trouble = &troubles[t];
	argc -= trouble != troubles;
	argv += trouble != troubles;
	if (argc < 5)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	until = time(NULL) + atoi(argv[1]);
	srand(atoi(argv[2]));
	rounds = atoi(argv[3]);
	fates = mmap(NULL, MEMBERS_MAX * sizeof(*fates), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fates == MAP_FAILED)
		return 3;
	for (i = 0; i < rounds && time(NULL) < until; i++)
		if (!round_of(i, argv + 4, argc - 4)) {
			printf("# round %d, seed %s\n", i, argv[2]);
			return 1;
		}
	printf("# %u rounds: %u joined, %u did not, %u killed, %u groups of several\n", tally[0],
	       tally[1], tally[2], tally[3], tally[4]);
	return 0;
}

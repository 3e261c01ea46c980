// SPDX-License-Identifier: GPL-2.0
/*
 * A large group on several nodes, whose members SPLIT, and then DUP the parts.
 *
 *	crowd MEMBERS COLORS FILE...
 *
 * FILE is the network namespace of a node; the ranks go from one to the next. All ranks but those
 * that COLORS + 1 divides get a color. Keys turn the order of the ranks around. Prints how many
 * members have found each step right: "joined N", "split N", "dup N" and "barrier N".
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <scatter.h>

#include "namespace.h"

enum { JOINED, SPLIT, DUP, BARRIER, STEPS };

/* Of all processes: how many members have found a step right. */
static atomic_int *right;

static int color_of(int rank, int colors)
{
	return rank % (colors + 1) - 1;
}

/* Whether a new group is the one of the rank's color, and the rank has the right place there. */
static int is_right(const struct scatter_group *part, int rank, int size, int colors)
{
	int other, place = 0, members = 0;

	if (color_of(rank, colors) < 0)
		return !part;
	for (other = 0; other < size; other++) {
		if (color_of(other, colors) != color_of(rank, colors))
			continue;
		members++;
		place += other > rank;
	}
	return part && scatter_rank(part) == place && scatter_size(part) == members;
}

static int member(const char *name, int size, int rank, int colors)
{
	struct scatter_group *group, *part = NULL, *copy = NULL;
	struct scatter_join_opts opts = { .size = size, .rank = rank };
	int place;

	if (scatter_join(&group, name, &opts))
		return 1;
	atomic_fetch_add(&right[JOINED], 1);
	if (scatter_split(group, color_of(rank, colors), -rank, &part, NULL) ||
	    !is_right(part, rank, size, colors))
		return 1;
	atomic_fetch_add(&right[SPLIT], 1);
	if (!part)
		return scatter_barrier(group);
	place = scatter_rank(part);
	if (scatter_dup(part, &copy, NULL) || scatter_rank(copy) != place)
		return 1;
	atomic_fetch_add(&right[DUP], 1);
	if (scatter_barrier(copy) || scatter_barrier(group))
		return 1;
	atomic_fetch_add(&right[BARRIER], 1);
	return 0;
}

int main(int argc, char **argv)
{
	static const char * const steps[STEPS] = { "joined", "split", "dup", "barrier" };
	int size, colors, rank, i;
	char name[32];

	if (argc < 4)
		return 2;
	size = atoi(argv[1]);
	colors = atoi(argv[2]);
	right = mmap(NULL, STEPS * sizeof(*right), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (right == MAP_FAILED || colors < 1)
		return 3;
	snprintf(name, sizeof(name), "crowd%d", getpid());
	for (rank = 0; rank < size; rank++) {
		if (fork())
			continue;
		namespace_enter(argv[3 + rank % (argc - 3)]);
		_exit(member(name, size, rank, colors));
	}
	while (wait(NULL) > 0)
		;
	for (i = 0; i < STEPS; i++)
		printf("%s %d\n", steps[i], atomic_load(&right[i]));
	return 0;
}

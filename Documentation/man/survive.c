// SPDX-License-Identifier: MIT
/*
 * Rounds of gathers that go on when a member dies:
 *
 *	scatterctl run -n 4 -- ./survive 2
 *
 * The member of the rank that is given dies in the third round.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scatter.h>

#define ROUNDS	6

/*
 * One more round; rank 0 tells who took part. @me is the first rank of the process. All
 * succeed or none, so that all are in the same round when one dies.
 */
static int round_of(struct scatter_group *group, int round, int me)
{
	struct scatter_opts opts = { .flags = SCATTER_COLL_UNIFORM };
	int size = scatter_size(group), error, i;
	int *all = calloc(size, sizeof(*all));

	if (!all)
		return -ENOMEM;
	error = scatter_gather_opts(group, &me, all, sizeof(me), 0, &opts);
	if (!error && !scatter_rank(group)) {
		printf("round %d:", round);
		for (i = 0; i < size; i++)
			printf(" %d", all[i]);
		printf("\n");
		fflush(stdout);
	}
	free(all);
	return error;
}

/* Somebody is gone: all who are left come here, and go on in a group of their own. */
static int recover(struct scatter_group **group)
{
	struct scatter_group *rest;
	int error;

	/* Who has not noticed yet is told. */
	error = scatter_revoke(*group);
	if (!error)
		error = scatter_shrink(*group, &rest, NULL);
	if (error)
		return error;
	scatter_leave(*group);
	*group = rest;
	return 0;
}

static int work(struct scatter_group **group, int me, int victim)
{
	int round = 0, error = 0;

	while (!error && round < ROUNDS) {
		if (round == 2 && me == victim)
			raise(SIGKILL);
		error = round_of(*group, round, me);
		if (!error)
			round++;
		while (error == -ECONNRESET || error == -ECANCELED)
			error = recover(group);
	}
	return error;
}

int main(int argc, char **argv)
{
	const char *name = getenv("SCATTER_GROUP");
	const char *size = getenv("SCATTER_SIZE");
	struct scatter_join_opts opts = {
		.size = size ? atoi(size) : 0,
		.rank = SCATTER_RANK_ANY,
		.timeout_ns = 60 * 1000000000LL,
	};
	struct scatter_group *group;
	int error;

	error = scatter_join(&group, name, &opts);
	if (!error) {
		error = work(&group, scatter_rank(group),
			     argc > 1 ? atoi(argv[1]) : -1);
		scatter_leave(group);
	}
	if (error)
		fprintf(stderr, "survive: %s\n", strerror(-error));
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

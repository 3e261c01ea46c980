// SPDX-License-Identifier: MIT
/*
 * Squares of the numbers 1, 2, ..., a few at each member of a group:
 *
 *	scatterctl run -n 4 -- ./example
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scatter.h>

#define PART	3

/* What all members do; @all has a part of each of them at rank 0, NULL elsewhere. */
static int work(struct scatter_group *group, int *all)
{
	int part[PART];
	int error, i;

	error = scatter_scatter(group, all, part, sizeof(part), 0);
	if (error)
		return error;
	for (i = 0; i < PART; i++)
		part[i] *= part[i];
	return scatter_gather(group, part, all, sizeof(part), 0);
}

static int work_at_root(struct scatter_group *group)
{
	int count = scatter_size(group) * PART;
	int *all = malloc(count * sizeof(*all));
	int error, i;

	if (!all)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		all[i] = i + 1;
	error = work(group, all);
	for (i = 0; !error && i < count; i++)
		printf("%d\n", all[i]);
	free(all);
	return error;
}

int main(void)
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
		error = scatter_rank(group) ? work(group, NULL) : work_at_root(group);
		scatter_leave(group);
	}
	if (error)
		fprintf(stderr, "example: %s\n", strerror(-error));
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

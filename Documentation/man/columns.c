// SPDX-License-Identifier: MIT
/*
 * A matrix scattered by blocks of columns, and gathered again:
 *
 *	scatterctl run -n 4 -- ./columns
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scatter.h>

#define ROWS	3
#define WIDTH	2	/* columns of a block */

/* What all members do; @matrix has a block for each of them at rank 0, NULL elsewhere. */
static int work(struct scatter_group *group, int *matrix)
{
	const size_t row = scatter_size(group) * WIDTH * sizeof(int);
	const size_t part = WIDTH * sizeof(int);
	struct scatter_opts opts = { 0 };
	struct scatter_layout columns;
	int block[ROWS][WIDTH];
	int error, i, j;

	scatter_layout_vector(&columns, ROWS, part, row, part);
	if (matrix)
		opts.send_layout = &columns;
	error = scatter_scatter_opts(group, matrix, block, sizeof(block), 0, &opts);
	if (error)
		return error;
	for (i = 0; i < ROWS; i++)
		for (j = 0; j < WIDTH; j++)
			block[i][j] += 1000 * scatter_rank(group);
	opts.send_layout = NULL;
	if (matrix)
		opts.recv_layout = &columns;
	return scatter_gather_opts(group, block, matrix, sizeof(block), 0, &opts);
}

static int work_at_root(struct scatter_group *group)
{
	const int columns = scatter_size(group) * WIDTH;
	int *matrix = malloc(ROWS * columns * sizeof(*matrix));
	int error, i;

	if (!matrix)
		return -ENOMEM;
	for (i = 0; i < ROWS * columns; i++)
		matrix[i] = i;
	error = work(group, matrix);
	for (i = 0; !error && i < ROWS * columns; i++)
		printf("%d%c", matrix[i], i % columns == columns - 1 ? '\n' : ' ');
	free(matrix);
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
		fprintf(stderr, "columns: %s\n", strerror(-error));
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

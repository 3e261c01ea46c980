// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan --draw: eight members as a cube, once for each round.
 *
 * Ranks that differ in one bit are neighbours: bit 0 goes to the right, bit 1 to the
 * back, bit 2 up. Edges that carry a message are drawn through, the others dotted.
 */
#include <string.h>

#include "schedule.h"

#define CUBE_LINES	9
#define CUBE_WIDTH	18
#define CUBE_ROUNDS	3

/* Of a rank's corner. */
static unsigned int x_of(u32 rank)
{
	return 4 + 8 * (rank & 1) + 3 * (rank >> 1 & 1);
}

static unsigned int y_of(u32 rank)
{
	return 8 - 3 * (rank >> 1 & 1) - 5 * (rank >> 2 & 1);
}

/**
 * struct canvas - all cubes, side by side
 * @line: characters, without ends of lines
 */
struct canvas {
	char line[CUBE_LINES][CUBE_ROUNDS * CUBE_WIDTH];
};

/* From a corner to that on the other side of a dimension, where its bit is set. */
static void put_edge(struct canvas *canvas, u32 round, u32 rank, u32 bit, bool used)
{
	unsigned int x = x_of(rank) + (round - 1) * CUBE_WIDTH;
	unsigned int y = y_of(rank);
	unsigned int i;

	switch (bit) {
	case 1:
		for (i = 1; i < 8; i++) {
			if (used || i % 2 == 0)
				canvas->line[y][x + i] = used ? '-' : '.';
		}
		break;
	case 2:
		for (i = 1; i < 3; i++)
			canvas->line[y - i][x + i] = used ? '/' : '.';
		break;
	default:
		for (i = 1; i < 5; i++)
			canvas->line[y - i][x] = used ? '|' : '.';
	}
}

static bool is_used(const struct tree *tree, u32 round, u32 a, u32 b)
{
	const struct branch *branches = tree->branches;

	return (branches[a].parent == b && branches[a].round == round) ||
	       (branches[b].parent == a && branches[b].round == round);
}

/* The edges that are @used, or the dotted others. */
static void put_edges(struct canvas *canvas, const struct tree *tree, u32 round,
		      bool used)
{
	u32 bit, rank;

	for (rank = 0; rank < 8; rank++) {
		for (bit = 1; bit < 8; bit *= 2) {
			if (!(rank & bit) &&
			    is_used(tree, round, rank, rank | bit) == used)
				put_edge(canvas, round, rank, bit, used);
		}
	}
}

/**
 * draw_cube() - draw eight members as a cube, once for each round
 * @tree: their tree, whose messages are between neighbours
 */
void draw_cube(const struct tree *tree)
{
	u32 rounds = scatter_schedule_rounds(&tree->schedule->spec);
	struct canvas canvas;
	u32 rank, round;
	size_t length;
	int line;

	if (rounds > CUBE_ROUNDS)
		return;
	memset(&canvas, ' ', sizeof(canvas));
	for (round = 1; round <= rounds; round++) {
		printf("%s  round %u", round > 1 ? "         " : "", round);
		put_edges(&canvas, tree, round, false);
		put_edges(&canvas, tree, round, true);
		for (rank = 0; rank < 8; rank++)
			canvas.line[y_of(rank)][x_of(rank) + (round - 1) * CUBE_WIDTH] =
				'0' + rank;
	}
	putchar('\n');
	for (line = 0; line < CUBE_LINES; line++) {
		length = sizeof(canvas.line[line]);
		while (length && canvas.line[line][length - 1] == ' ')
			length--;
		printf("%.*s\n", (int)length, canvas.line[line]);
	}
}

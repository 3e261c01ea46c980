// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan --draw: a tree in characters, time going to the right.
 *
 * Each rank, and each portal of a node, has a line, each round a column. A message
 * leaves the line of its sender at a '+' and goes straight down in the column of its
 * round. No line crosses another one: below a parent comes first what hangs on its '+'
 * nearest to the end of its line, which in a scatter is the last round, in a gather
 * the first.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schedule.h"

/* Wider pictures are drawn with a line for each rank, and rounds in words. */
#define WIDTH_MAX	120
#define ROUNDS_MAX	32

/* Collecting ---------------------------------------------------------------- */

/* Children in the order in which they are drawn; rounds come ascending. */
static void add_child(struct tree *tree, u32 parent, u32 child)
{
	struct branch *branches = tree->branches;
	struct branch *above = &branches[parent];
	bool behind = above->last != NOBODY &&
		      (tree->gather ||
		       branches[above->last].round == branches[child].round);

	if (behind) {
		branches[child].next = branches[above->last].next;
		branches[above->last].next = child;
	} else {
		branches[child].next = above->child;
		above->child = child;
	}
	above->last = child;
}

/* In brackets; nothing for a message without blocks */
static void put_label(char label[LABEL_MAX], const struct plan_message *message)
{
	size_t length;

	*label = '\0';
	if (!message->ranges)
		return;
	length = format_blocks(label + 1, LABEL_MAX - 2, message);
	label[0] = '[';
	memcpy(label + 1 + length, "]", 2);
}

static int collect(const struct plan_message *message, void *arg)
{
	struct tree *tree = arg;
	u32 child = tree->gather ? message->from : message->to;
	u32 parent = tree->gather ? message->to : message->from;
	u32 across = child ^ parent;
	struct branch *branch;

	if ((message->tree != tree->number && message->tree != PLAN_TREES_ALL) ||
	    message->round <= tree->skipped ||
	    message->round > tree->skipped + tree->rounds)
		return 0;
	branch = &tree->branches[child];
	branch->parent = parent;
	branch->round = message->round - tree->skipped;
	put_label(branch->label, message);
	add_child(tree, parent, child);
	if (across & (across - 1))
		tree->cube = false;
	return 0;
}

/* A barrier has two trees, one after the other: the @half is 0 or 1. */
static int tree_make(struct tree *tree, const struct schedule *schedule,
		     u32 number, u32 half)
{
	u32 halves = schedule->options->barrier ? 2 : 1;
	size_t size = schedule_vertices(schedule);
	size_t rank;

	*tree = (struct tree){
		.schedule = schedule,
		.number = number,
		.gather = schedule->spec.op == SCATTER_SCHEDULE_GATHER && !half,
		.rounds = schedule_rounds(schedule) / halves,
		.branches = malloc(size * sizeof(*tree->branches)),
		.cube = size == 8 && !schedule->placed,
	};
	tree->skipped = half * tree->rounds;
	if (!tree->branches) {
		complain("%s", strerror(ENOMEM));
		return STATUS_FAILED;
	}
	for (rank = 0; rank < size; rank++)
		tree->branches[rank] = (struct branch){
			.parent = NOBODY,
			.child = NOBODY,
			.last = NOBODY,
			.next = NOBODY,
		};
	return schedule_each(schedule, collect, tree);
}

/* The rank whose line is below; NOBODY after the last one. */
static u32 next_rank(const struct tree *tree, u32 rank)
{
	const struct branch *branches = tree->branches;

	if (branches[rank].child != NOBODY)
		return branches[rank].child;
	while (rank != NOBODY && branches[rank].next == NOBODY)
		rank = branches[rank].parent;
	return rank == NOBODY ? NOBODY : branches[rank].next;
}

/* Whether the next line down hangs on the same '+'. */
static bool same_round_follows(const struct tree *tree, u32 rank)
{
	u32 next = tree->branches[rank].next;

	return next != NOBODY &&
	       tree->branches[next].round == tree->branches[rank].round;
}

/* Time to the right --------------------------------------------------------- */

/**
 * struct picture - where things are on a line, in characters from its left
 * @column: of each round
 * @rounds: how many
 * @width: of all
 * @digits: of the longest name
 * @open: a line goes down through the column
 */
struct picture {
	size_t column[ROUNDS_MAX + 1];
	u32 rounds;
	size_t width;
	size_t digits;
	bool open[ROUNDS_MAX + 1];
};

/* The last rank, or the portal with the greatest number */
static size_t longest_name(const struct schedule *schedule)
{
	char name[VERTEX_MAX];
	size_t rank, portal;

	rank = strlen(format_vertex(name, schedule, schedule->options->size - 1));
	portal = strlen(format_vertex(name, schedule,
				      schedule_vertices(schedule) - 1));
	return rank > portal ? rank : portal;
}

/* A column leaves room for the longest label of its round, and for a rank. */
static bool lay_out(struct picture *picture, const struct tree *tree)
{
	u32 vertices = schedule_vertices(tree->schedule);
	size_t label[ROUNDS_MAX + 1] = { 0 };
	u32 rank, round;

	*picture = (struct picture){ .rounds = tree->rounds };
	if (picture->rounds > ROUNDS_MAX)
		return false;
	picture->digits = longest_name(tree->schedule);
	for (rank = 0; rank < vertices; rank++) {
		size_t length = strlen(tree->branches[rank].label);

		round = tree->branches[rank].round;
		if (length > label[round])
			label[round] = length;
	}
	/* The word before the rounds must fit, too. */
	picture->width = picture->digits + 3 > 6 ? picture->digits + 3 : 6;
	for (round = 1; round <= picture->rounds; round++) {
		/* In a gather labels stand before their column, else behind. */
		if (tree->gather)
			picture->width += label[round] + 2;
		picture->column[round] = picture->width;
		picture->width++;
		if (!tree->gather)
			picture->width += label[round] + picture->digits + 5;
	}
	return picture->width <= WIDTH_MAX;
}

static void put(char *line, size_t at, const char *text)
{
	memcpy(line + at, text, strlen(text));
}

/* Returns the length of its name. */
static size_t put_rank(char *line, size_t at, const struct tree *tree, u32 rank)
{
	char name[VERTEX_MAX];

	put(line, at, format_vertex(name, tree->schedule, rank));
	return strlen(name);
}

static void end_line(char *line, size_t length)
{
	while (length && line[length - 1] == ' ')
		length--;
	printf("%.*s\n", (int)length, line);
}

static void print_rounds(const struct picture *picture, const struct tree *tree)
{
	char line[WIDTH_MAX + 64];
	char text[12];
	u32 round;

	memset(line, ' ', sizeof(line));
	put(line, 0, "round");
	for (round = 1; round <= picture->rounds; round++) {
		snprintf(text, sizeof(text), "%u", tree->skipped + round);
		put(line, picture->column[round], text);
	}
	end_line(line, sizeof(line));
}

/* The rank's own part of its line, with a '+' for each round in which it has children. */
static void put_children(struct picture *picture, const struct tree *tree,
			 u32 rank, char *line, size_t from)
{
	const struct branch *branches = tree->branches;
	u32 child;
	size_t at;

	for (child = branches[rank].child; child != NOBODY;
	     child = branches[child].next) {
		at = picture->column[branches[child].round];
		picture->open[branches[child].round] = true;
		for (line[at] = '+'; at > from && line[at - 1] != '-'; at--)
			if (line[at - 1] != '+')
				line[at - 1] = '-';
	}
}

/* '-[4-7]-> 4---+' */
static void scatter_line(struct picture *picture, const struct tree *tree,
			 u32 rank, char *line)
{
	const struct branch *branch = &tree->branches[rank];
	size_t at = branch->parent == NOBODY ? 0 :
		    picture->column[branch->round];
	char text[LABEL_MAX + 24];

	if (branch->parent != NOBODY) {
		bool more = same_round_follows(tree, rank);

		picture->open[branch->round] = more;
		at += snprintf(text, sizeof(text), "%c-%s-> ",
			       more ? '+' : '\'', branch->label);
		put(line, picture->column[branch->round], text);
	}
	at += put_rank(line, at, tree, rank);
	put_children(picture, tree, rank, line, at);
}

/* 4---+---[4-7]-' */
static void gather_line(struct picture *picture, const struct tree *tree,
			u32 rank, char *line)
{
	const struct branch *branch = &tree->branches[rank];
	char text[LABEL_MAX + 8];
	size_t at, length;

	put_rank(line, 0, tree, rank);
	put_children(picture, tree, rank, line, picture->digits + 1);
	if (branch->parent == NOBODY)
		return;
	at = picture->column[branch->round];
	picture->open[branch->round] = same_round_follows(tree, rank);
	for (length = at; line[length - 1] == ' ' &&
	     length > picture->digits + 1; length--)
		line[length - 1] = '-';
	length = snprintf(text, sizeof(text), "%s-%c", branch->label,
			  picture->open[branch->round] ? '+' : '\'');
	put(line, at + 1 - length, text);
}

static void print_picture(struct picture *picture, const struct tree *tree)
{
	char line[WIDTH_MAX + 64];
	u32 rank, round;

	print_rounds(picture, tree);
	for (rank = schedule_root(tree->schedule); rank != NOBODY;
	     rank = next_rank(tree, rank)) {
		memset(line, ' ', sizeof(line));
		for (round = 1; round <= picture->rounds; round++) {
			if (picture->open[round])
				line[picture->column[round]] = '|';
		}
		if (tree->gather)
			gather_line(picture, tree, rank, line);
		else
			scatter_line(picture, tree, rank, line);
		end_line(line, sizeof(line));
	}
}

/* Depth to the right -------------------------------------------------------- */

/* Three characters for each rank between this one and the root. */
static bool put_indent(char **indent, size_t *room, size_t depth, bool more)
{
	if (3 * depth + 4 > *room) {
		size_t wanted = 2 * *room + 64;
		char *longer = realloc(*indent, wanted);

		if (!longer)
			return false;
		*indent = longer;
		*room = wanted;
	}
	memcpy(*indent + 3 * depth, more ? "|  " : "   ", 4);
	return true;
}

static int print_outline(const struct tree *tree)
{
	const struct branch *branches = tree->branches;
	u32 rank = schedule_root(tree->schedule);
	char name[VERTEX_MAX];
	int status = STATUS_OK;
	char *indent = NULL;
	size_t depth = 0;
	size_t room = 0;

	printf("%s\n", format_vertex(name, tree->schedule, rank));
	while (status == STATUS_OK) {
		if (branches[rank].child != NOBODY) {
			if (branches[rank].parent != NOBODY)
				depth++;
			rank = branches[rank].child;
		} else {
			while (rank != NOBODY && branches[rank].next == NOBODY) {
				rank = branches[rank].parent;
				depth -= depth > 0;
			}
			if (rank == NOBODY)
				break;
			rank = branches[rank].next;
		}
		if (!put_indent(&indent, &room, depth,
				branches[rank].next != NOBODY)) {
			complain("%s", strerror(ENOMEM));
			status = STATUS_FAILED;
		} else {
			printf("%.*s%c- %s  round %u%s%s\n", (int)(3 * depth),
			       indent, branches[rank].next == NOBODY ? '\'' : '|',
			       format_vertex(name, tree->schedule, rank),
			       tree->skipped + branches[rank].round,
			       *branches[rank].label ? " " : "",
			       branches[rank].label);
		}
	}
	free(indent);
	return status;
}

/* --------------------------------------------------------------------------- */

static int draw_tree(const struct tree *tree)
{
	struct picture picture;

	if (tree->cube && tree->schedule->spec.size == 8) {
		draw_cube(tree);
		putchar('\n');
	}
	if (!lay_out(&picture, tree))
		return print_outline(tree);
	print_picture(&picture, tree);
	return STATUS_OK;
}

static void print_caption(const struct schedule *schedule, u32 number,
			  u32 trees)
{
	if (schedule->spec.algorithm == SCATTER_SCHEDULE_BALANCED)
		printf("%swave %u of %u: blocks at distance %u from the root\n\n",
		       number ? "\n" : "", number + 1, trees, trees - number);
	else
		printf("%stree %u of %u: piece %u/%u of each block\n\n",
		       number ? "\n" : "", number, trees, number, trees);
}

static int draw_number(const struct schedule *schedule, u32 number, u32 half)
{
	struct tree tree;
	int status = tree_make(&tree, schedule, number, half);

	if (status == STATUS_OK)
		status = draw_tree(&tree);
	free(tree.branches);
	return status;
}

/**
 * schedule_draw() - draw each tree of a plan
 * @schedule: the plan
 *
 * Return: the exit status.
 */
int schedule_draw(const struct schedule *schedule)
{
	u32 trees = scatter_schedule_trees(&schedule->spec);
	int status = STATUS_OK;
	u32 number;

	if (!trees)
		return draw_pairs(schedule);
	for (number = 0; number < trees && status == STATUS_OK; number++) {
		if (trees > 1)
			print_caption(schedule, number, trees);
		status = draw_number(schedule, number, 0);
	}
	if (status == STATUS_OK && schedule->options->barrier) {
		putchar('\n');
		status = draw_number(schedule, 0, 1);
	}
	return status;
}

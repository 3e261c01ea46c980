// SPDX-License-Identifier: GPL-2.0
/*
 * The benchmark: starts all contenders, lets them take turns, prints tables. See
 * --help and Documentation/bench.rst.
 *
 * Exit status: 0; 1 if a contender failed or had wrong data; 2 for usage.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cell.h"
#include "group.h"
#include "options.h"
#include "report.h"
#include "wire.h"

/* Text of a parameter's value. */
#define SETTING_MAX	64

/**
 * struct bench - all of it
 * @options: of the command line
 * @board: shared with all ranks
 * @name: of the board
 * @programs: directory of those of the ranks
 * @groups: of all contenders
 * @cells: of all groups sizes, of each the operations, of each the blocks
 * @late: trials with the late root: of sizes that have cells, then others
 * @late_count: of them
 * @failed: somebody did
 */
struct bench {
	struct options options;
	struct board *board;
	char name[NAME_MAX];
	char programs[PATH_MAX];
	struct group groups[CONTENDERS];
	struct cell *cells;
	struct late late[2 * LIST_MAX];
	size_t late_count;
	bool failed;
};

/* The board's name while it has one. */
static const char *shared;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	if (shared)
		shm_unlink(shared);
	exit(1);
}

static void environment_set(void)
{
	/* For Open MPI: one copy where it can, and no search for ssh. */
	setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "cma", 0);
	setenv("OMPI_MCA_plm_rsh_agent", "true", 0);
}

static void programs_find(struct bench *bench)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (bench->options.programs) {
		snprintf(bench->programs, sizeof(bench->programs), "%s",
			 bench->options.programs);
		return;
	}
	if (length < 0)
		die("/proc/self/exe");
	self[length] = '\0';
	snprintf(bench->programs, sizeof(bench->programs), "%s",
		 dirname(self));
}

static void board_make(struct bench *bench)
{
	snprintf(bench->name, sizeof(bench->name), "/scatter-bench.%d",
		 getpid());
	bench->board = board_create(bench->name);
	if (!bench->board)
		die("shared memory");
	shared = bench->name;
}

/* Ranks read this when they start. */
static void board_set(struct bench *bench, uint32_t ranks)
{
	const struct options *options = &bench->options;
	struct board *board = bench->board;
	unsigned int i;

	board->members = ranks;
	board->bytes = 0;
	for (i = 0; i < options->blocks.count; i++)
		if (options->blocks.value[i] > board->bytes)
			board->bytes = options->blocks.value[i];
	board->pages = options->pages;
	board->pin = options->pin;
	board->renew = options->renew;
	board->nodes = options->nodes;
}

/* Groups ------------------------------------------------------------------- */

static void setting_read(const char *path, char *text, int size)
{
	FILE *file = fopen(path, "re");

	if (!file || !fgets(text, size, file) || fclose(file))
		die(path);
}

static void setting_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (!file || fputs(text, file) < 0 || fclose(file))
		die(path);
}

/* Another value of a module's parameter, for a group that forms. */
static void group_start_with(struct group *group, const char *setting)
{
	char path[PATH_MAX], old[SETTING_MAX], new[SETTING_MAX];
	const int length = (int)strcspn(setting, "=");

	snprintf(path, sizeof(path), "/sys/module/scatter/parameters/%.*s",
		 length, setting);
	snprintf(new, sizeof(new), "%s", setting + length + 1);
	setting_read(path, old, sizeof(old));
	setting_write(path, new);
	group_start(group);
	setting_write(path, old);
}

/* One after the other: a library that starts takes all CPUs. */
static void groups_start(struct bench *bench)
{
	unsigned int id;
	int64_t start;

	fprintf(stderr, "bench: p = %u: seconds to start:",
		bench->board->members);
	for (id = 0; id < CONTENDERS; id++) {
		struct group *group = &bench->groups[id];

		memset(group, 0, sizeof(*group));
		group->id = id;
		group->board = bench->board;
		group->seats = &bench->board->seats[id];
		group->board_name = bench->name;
		group->programs = bench->programs;
		group->spin_us = bench->options.spin_us;
		group->wake_us = bench->options.wake_us;
		if (!bench->options.contender[id])
			continue;
		start = now_ns();
		if (id == AGAIN && bench->options.again)
			group_start_with(group, bench->options.again);
		else
			group_start(group);
		fprintf(stderr, " %s %.1f", contender_name(id),
			(double)(now_ns() - start) / NSEC_PER_SEC);
	}
	fprintf(stderr, "\n");
}

static void groups_stop(struct bench *bench)
{
	unsigned int id;

	for (id = 0; id < CONTENDERS; id++) {
		if (bench->options.contender[id] && !bench->groups[id].alive)
			bench->failed = true;
		group_stop(&bench->groups[id]);
	}
}

/* The late root ------------------------------------------------------------ */

static double late_seconds(struct group *group, const struct options *options)
{
	struct turn turn = { .op = SCATTER, .block = 8 };
	int64_t sum = 0;
	uint32_t i;

	if (turn.block > group->board->bytes)
		turn.block = group->board->bytes;
	/* Once as usual: libraries connect when they are used first. */
	if (!group->alive || group_turn(group, &turn) < 0)
		return NAN;
	turn.late_ns = options->late_seconds * NSEC_PER_SEC;
	if (group_turn(group, &turn) < 0)
		return NAN;
	for (i = 1; i < group->seats->ranks; i++)
		sum += group->seats->slot[i].turn.cpu_ns;
	return (double)sum / NSEC_PER_SEC;
}

/* With groups that are there. */
static void late_measure(struct bench *bench)
{
	struct late *late = &bench->late[bench->late_count++];
	unsigned int id;

	late->ranks = bench->board->members;
	for (id = 0; id < CONTENDERS; id++)
		late->seconds[id] = id >= RIVALS ? NAN :
			late_seconds(&bench->groups[id], &bench->options);
}

static bool is_in(const struct list *list, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < list->count; i++)
		if (list->value[i] == value)
			return true;
	return false;
}

static bool late_wanted(const struct options *options, uint32_t ranks)
{
	return options->late_seconds > 0 && is_in(&options->late_ranks, ranks);
}

/* Measure the late root with sizes that have no cells, and so no groups so far. */
static void late_others(struct bench *bench)
{
	const struct options *options = &bench->options;
	const struct list *sizes = &options->late_ranks;
	unsigned int i;

	for (i = 0; i < sizes->count; i++) {
		if (!late_wanted(options, sizes->value[i]) ||
		    is_in(&options->ranks, sizes->value[i]))
			continue;
		board_set(bench, sizes->value[i]);
		groups_start(bench);
		late_measure(bench);
		groups_stop(bench);
	}
}

/* Cells -------------------------------------------------------------------- */

static bool is_cell(const struct options *options, enum op op, uint64_t block)
{
	return (op <= GATHER || block <= LOOP_BLOCK) && options->op[op];
}

/* Cells of one operation and one number of ranks. */
static size_t cells_per_op(const struct options *options, enum op op)
{
	size_t count = 0;
	unsigned int i;

	for (i = 0; i < options->blocks.count; i++)
		count += is_cell(options, op, options->blocks.value[i]);
	return count;
}

static size_t cells_per_size(const struct options *options)
{
	size_t count = 0;
	enum op op;

	for (op = 0; op < OPS; op++)
		count += cells_per_op(options, op);
	return count;
}

static void cells_make(struct bench *bench)
{
	const struct options *options = &bench->options;
	struct cell *cell;
	unsigned int size, op, block;

	cell = calloc(options->ranks.count * cells_per_size(options),
		      sizeof(*cell));
	if (!cell)
		die("memory");
	bench->cells = cell;
	for (size = 0; size < options->ranks.count; size++)
		for (op = 0; op < OPS; op++)
			for (block = 0; block < options->blocks.count; block++) {
				if (!is_cell(options, op,
					     options->blocks.value[block]))
					continue;
				cell->op = op;
				cell->ranks = options->ranks.value[size];
				cell->block = options->blocks.value[block];
				cell_init(cell++, options);
			}
}

/* A group size in fresh processes. */
static void size_measure(struct bench *bench, struct cell *cells,
			 unsigned int launch)
{
	const size_t count = cells_per_size(&bench->options);
	int64_t start;
	size_t i;

	board_set(bench, cells->ranks);
	groups_start(bench);
	start = now_ns();
	for (i = 0; i < count; i++)
		cell_measure(&cells[i], &bench->options, bench->groups, launch);
	fprintf(stderr, "bench: p = %u, launch %u of %u: measured in %.0f s\n",
		cells->ranks, launch + 1, bench->options.launches,
		(double)(now_ns() - start) / NSEC_PER_SEC);
	if (launch + 1 == bench->options.launches &&
	    late_wanted(&bench->options, cells->ranks))
		late_measure(bench);
	groups_stop(bench);
}

static void sizes_measure(struct bench *bench)
{
	const struct options *options = &bench->options;
	const size_t count = cells_per_size(options);
	struct cell *cells = bench->cells;
	unsigned int size, launch, op;

	for (size = 0; size < options->ranks.count; size++) {
		for (launch = 0; launch < options->launches; launch++)
			size_measure(bench, cells, launch);
		for (op = 0; op < OPS; op++) {
			report_cells(cells, cells_per_op(options, op), options);
			cells += cells_per_op(options, op);
		}
	}
	late_others(bench);
	report_late(bench->late, bench->late_count, options);
	report_summary(bench->cells, options->ranks.count * count, options);
}

/* -------------------------------------------------------------------------- */

/* Taken with a timeout, where an end of a child is waited for. */
static void sigchld_block(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void cells_free(struct bench *bench)
{
	const struct options *options = &bench->options;
	const size_t count = options->ranks.count * cells_per_size(options);
	size_t i;

	for (i = 0; i < count; i++)
		cell_free(&bench->cells[i]);
	free(bench->cells);
}

int main(int argc, char **argv)
{
	static struct bench bench;

	options_parse(&bench.options, argc, argv);
	/* Without counters it ends here, before there is anything to take away. */
	wire_read(bench.options.wires, bench.options.nodes);
	environment_set();
	programs_find(&bench);
	sigchld_block();
	board_make(&bench);
	cells_make(&bench);
	sizes_measure(&bench);
	shm_unlink(bench.name);
	if (report_write(bench.cells, bench.options.ranks.count *
			 cells_per_size(&bench.options), bench.late,
			 bench.late_count, &bench.options))
		bench.failed = true;
	cells_free(&bench);
	return bench.failed;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan: the lengths of blocks from a file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schedule.h"

/**
 * struct counts - what has been read
 * @counts: bytes, by rank
 * @count: how many
 * @room: for how many there is memory
 * @total: sum
 */
struct counts {
	u64 *counts;
	u32 count;
	u32 room;
	u64 total;
};

static int add_count(struct counts *all, u64 bytes)
{
	if (all->count == all->room) {
		u32 room = all->room ? 2 * all->room : 1024;
		u64 *counts = reallocarray(all->counts, room, sizeof(*counts));

		if (!counts) {
			complain("%s", strerror(errno));
			return STATUS_FAILED;
		}
		all->counts = counts;
		all->room = room;
	}
	all->counts[all->count++] = bytes;
	all->total += bytes;
	return PARSE_GO_ON;
}

static int take_line(struct counts *all, const char *name, char *line)
{
	uint64_t bytes;

	line[strcspn(line, "\n")] = 0;
	if (!parse_number(line, 10, 0, COUNTS_LIMIT - all->total, &bytes))
		return usage_error("--counts %s: line %u: '%.40s' is no number, or sum too large",
				   name, all->count + 1, line);
	if (all->count == SIZE_LIMIT)
		return usage_error("--counts %s: more than " LIMIT_TEXT " lines",
				   name);
	return add_count(all, bytes);
}

static int take_lines(struct counts *all, const char *name, FILE *file)
{
	int status = PARSE_GO_ON;
	size_t room = 0;
	char *line = NULL;

	errno = 0;
	while (status == PARSE_GO_ON && getline(&line, &room, file) >= 0)
		status = take_line(all, name, line);
	free(line);
	if (status == PARSE_GO_ON && ferror(file)) {
		complain("--counts %s: %s", name, strerror(errno));
		status = STATUS_FAILED;
	}
	return status;
}

/**
 * schedule_counts_read() - read the file of --counts
 * @options: the command line; gets the counts, and the size, if it has none
 *
 * Return: PARSE_GO_ON, or the exit status if it will not do.
 */
int schedule_counts_read(struct schedule_options *options)
{
	const char *name = options->counts_file;
	struct counts all = { .count = 0 };
	int status;
	FILE *file;

	file = strcmp(name, "-") ? fopen(name, "r") : stdin;
	if (!file) {
		complain("--counts %s: %s", name, strerror(errno));
		return STATUS_FAILED;
	}
	status = take_lines(&all, name, file);
	if (file != stdin)
		fclose(file);
	options->counts = all.counts;
	if (status != PARSE_GO_ON)
		return status;
	if (!all.count)
		return usage_error("--counts %s: no line", name);
	if (!options->size)
		options->size = all.count;
	if (options->size != all.count)
		return usage_error("--counts %s: %u lines, but %u members",
				   name, all.count, options->size);
	return PARSE_GO_ON;
}

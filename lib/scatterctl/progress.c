// SPDX-License-Identifier: GPL-2.0
/*
 * One line on the terminal that tells how far the root is. There are no escape
 * sequences: blanks and carriage returns will do on any terminal. The cursor
 * waits where the line begins, so that what other ranks say replaces it.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "transfer.h"

#define INTERVAL_NS	(NSEC_PER_SEC / 10)
#define WIDTH_MAX	100
#define BAR_MAX		30
#define BAR_MIN		5

/**
 * struct progress - what is shown, and when it was last
 * @what: word that the line begins with; NULL: nothing is shown
 * @total: bytes to come in all; 0 if nobody knows
 * @done: of those
 * @start_ns: when it began
 * @shown_ns: when the line was last written
 * @width: columns that a line may have
 * @drawn: columns that the line on the terminal has
 */
struct progress {
	const char *what;
	uint64_t total;
	uint64_t done;
	int64_t start_ns;
	int64_t shown_ns;
	int width;
	int drawn;
};

static struct progress progress;

/* A job in the background leaves the terminal to the one in front. */
static bool may_show(void)
{
	pid_t front;

	if (!isatty(STDERR_FILENO))
		return false;
	front = tcgetpgrp(STDERR_FILENO);
	return front < 0 || front == getpgrp();
}

static int terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return 79;
	/* The last column would make some terminals begin a new line. */
	return size.ws_col > WIDTH_MAX ? WIDTH_MAX : size.ws_col - 1;
}

static void print_size(FILE *out, double bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB" };
	size_t i = 0;

	if (bytes < 1024) {
		fprintf(out, "%.0f B", bytes);
		return;
	}
	for (bytes /= 1024; bytes >= 1024 && i + 1 < ARRAY_SIZE(units); i++)
		bytes /= 1024;
	fprintf(out, "%.1f %s", bytes, units[i]);
}

static void print_time(FILE *out, double seconds)
{
	uint64_t whole = seconds + 0.5;

	if (whole >= 3600)
		fprintf(out, "%" PRIu64 ":%02u:%02u", whole / 3600,
			(unsigned int)(whole / 60 % 60),
			(unsigned int)(whole % 60));
	else
		fprintf(out, "%u:%02u", (unsigned int)(whole / 60),
			(unsigned int)(whole % 60));
}

static void print_bar(FILE *out, double share, int columns)
{
	int full, i;

	if (columns > BAR_MAX)
		columns = BAR_MAX;
	if (columns < BAR_MIN)
		return;
	full = share * columns;
	fputs("[", out);
	for (i = 0; i < columns; i++)
		fputc(i < full ? '=' : i == full ? '>' : ' ', out);
	fputs("] ", out);
}

/* Bytes, rate and time: the latter taken if all is @over, else to come. */
static void print_numbers(FILE *out, double seconds, bool over)
{
	double rate = seconds > 0 ? progress.done / seconds : 0;

	print_size(out, progress.done);
	if (progress.total) {
		fputs(" of ", out);
		print_size(out, progress.total);
	}
	fputs(", ", out);
	print_size(out, rate);
	fputs("/s", out);
	if (over) {
		fputs(", took ", out);
		print_time(out, seconds);
	} else if (progress.total) {
		fputs(", ETA ", out);
		if (progress.done)
			print_time(out, (progress.total - progress.done) / rate);
		else
			fputs("-:--", out);
	}
}

static void draw(bool over)
{
	double seconds = (double)(now_ns() - progress.start_ns) / NSEC_PER_SEC;
	char numbers[WIDTH_MAX + 1] = "", line[2 * WIDTH_MAX + 1] = "";
	FILE *out;
	int used;

	out = fmemopen(numbers, sizeof(numbers), "w");
	if (!out)
		return;
	print_numbers(out, seconds, over);
	fclose(out);
	out = fmemopen(line, sizeof(line), "w");
	if (!out)
		return;
	used = fprintf(out, "%s ", progress.what);
	if (progress.total) {
		double share = (double)progress.done / progress.total;

		used += fprintf(out, "%3d%% ", (int)(share * 100));
		print_bar(out, share,
			  progress.width - used - 3 - (int)strlen(numbers));
	}
	fputs(numbers, out);
	fclose(out);

	if ((int)strlen(line) > progress.width)
		line[progress.width] = 0;
	dprintf(STDERR_FILENO, "\r%-*s%c", progress.drawn, line,
		over ? '\n' : '\r');
	progress.drawn = over ? 0 : strlen(line);
}

/**
 * progress_begin() - start a line, if standard error is a terminal
 * @session: only the root's is shown; the others learn that there may be one
 * @what: word that the line begins with; must stay where it is
 * @total: bytes to come in all; 0 if nobody knows
 */
void progress_begin(const struct session *session, const char *what,
		    uint64_t total)
{
	if (session->options->quiet || !may_show())
		return;
	progress.width = terminal_width();
	if (!session->root) {
		progress.drawn = progress.width;
		return;
	}
	progress.what = what;
	progress.total = total;
	progress.done = 0;
	progress.start_ns = now_ns();
	progress.shown_ns = progress.start_ns;
	draw(false);
}

/**
 * progress_add() - so many bytes more
 * @bytes: since the last call
 */
void progress_add(uint64_t bytes)
{
	int64_t now;

	if (!progress.what)
		return;
	progress.done += bytes;
	now = now_ns();
	if (now - progress.shown_ns < INTERVAL_NS)
		return;
	progress.shown_ns = now;
	draw(false);
}

/** progress_end() - all is done: the line says so, and stays */
void progress_end(void)
{
	if (!progress.what)
		return;
	draw(true);
	progress.what = NULL;
}

/** progress_clear() - make room for a message, on the root's line too */
void progress_clear(void)
{
	if (!progress.drawn)
		return;
	dprintf(STDERR_FILENO, "\r%*s\r", progress.drawn, "");
	progress.what = NULL;
	progress.drawn = 0;
}

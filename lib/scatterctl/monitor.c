// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl monitor: what happens, as it happens.
 */
#include <inttypes.h>
#include <time.h>

#include "nodes.h"

static const char help[] =
	"usage: scatterctl monitor [--json]\n"
	"\n"
	"Prints a line for each event in this network namespace until a signal ends it:\n"
	"peers that come up and go down; members of named groups that join, leave and\n"
	"die; groups that break. Needs CAP_NET_ADMIN.\n"
	"\n"
	"  --json   print one JSON object a line\n"
	"  --help   this text\n"
	"\n"
	"Exit status: 1 failed, 2 wrong usage.\n";

static void print_time(uint64_t ns)
{
	time_t seconds = ns / NSEC_PER_SEC;
	char text[32];
	struct tm tm;

	strftime(text, sizeof(text), "%F %T", localtime_r(&seconds, &tm));
	printf("%s.%06u", text, (unsigned int)(ns % NSEC_PER_SEC / 1000));
}

static void print_text(const struct record *record)
{
	const struct field *field = record->fields->list;
	const struct value *value = record->values;

	print_time(record_value(record, "time_ns")->number);
	printf(" %s", value->text);
	for (field++, value++; field->name; field++, value++)
		if (value->there && field->attribute != SCATTER_A_EVENT_TIME_NS)
			printf(" %s %s", field->name, value->text);
	puts("");
	fflush(stdout);
}

static void print_json(const struct record *record)
{
	show_record(record, FORMAT_JSON);
	fflush(stdout);
}

static int monitor(struct wish *wish)
{
	netlink_listen(&event_fields, wish->format == FORMAT_JSON ? print_json : print_text);
	return STATUS_FAILED;
}

static const struct verb verbs[] = {
	{ "show", "j", monitor },
	{ }
};

static int run(int argc, char **argv)
{
	return wish_run(argc, argv, &monitor_command, verbs);
}

const struct command monitor_command = {
	.name = "monitor",
	.summary = "print events as they happen",
	.help = help,
	.run = run,
};

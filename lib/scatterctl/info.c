// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl info: what the loaded module can do.
 */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "../scatter.h"
#include "json.h"
#include "scatterctl.h"

static const char help[] =
	"usage: scatterctl info [--json]\n"
	"\n"
	"Prints what the loaded module can do: operations, algorithms, limits and\n"
	"defaults. Lengths are bytes.\n"
	"\n"
	"  --json   print JSON\n"
	"  --help   this text\n"
	"\n"
	"Exit status: 0 done, 1 no usable module, 2 wrong usage.\n";

/* Calls @put for each bit of @bits that has a name. */
static void each_name(uint64_t bits, const char *(*name)(unsigned int),
		      void (*put)(void *arg, const char *name), void *arg)
{
	unsigned int i;

	for (i = 0; i < 64; i++) {
		if (bits >> i & 1 && name(i))
			put(arg, name(i));
	}
}

static void put_text(void *arg, const char *name)
{
	fprintf(arg, " %s", name);
}

static void put_json(void *arg, const char *name)
{
	json_string(arg, NULL, name);
}

/**
 * struct field - a number of struct scatter_info
 * @name: as in the struct
 * @value: its value
 */
struct field {
	const char *name;
	uint64_t value;
};

/* The digest of a cluster in hexadecimal digits, with the NUL. */
#define CLUSTER_TEXT	17

#define INFO_FIELDS	13

static void fill_fields(const struct scatter_info *info,
			struct field fields[INFO_FIELDS])
{
	const struct field all[INFO_FIELDS] = {
		{ "features", info->features },
		{ "block_max", info->block_max },
		{ "size_max", info->size_max },
		{ "name_max", info->name_max },
		{ "ring_bytes", info->ring_bytes },
		{ "ring_bytes_min", info->ring_bytes_min },
		{ "ring_bytes_max", info->ring_bytes_max },
		{ "eager_limit", info->eager_limit },
		{ "gather_limit", info->gather_limit },
		{ "window", info->window },
		{ "user_bytes", info->user_bytes },
		{ "user_bytes_used", info->user_bytes_used },
		{ "node", info->node },
	};

	memcpy(fields, all, sizeof(all));
}

static void format_cluster(char text[CLUSTER_TEXT], const struct scatter_info *info)
{
	snprintf(text, CLUSTER_TEXT, "%016" PRIx64, (uint64_t)info->cluster);
}

static void print_text(const struct scatter_info *info)
{
	struct field fields[INFO_FIELDS];
	char cluster[CLUSTER_TEXT];
	size_t i;

	printf("%-15s", "operations");
	each_name(info->operations, op_name, put_text, stdout);
	printf("\n%-15s", "algorithms");
	each_name(info->algorithms, algorithm_name, put_text, stdout);
	puts("");
	fill_fields(info, fields);
	for (i = 0; i < INFO_FIELDS; i++)
		printf("%-15s %" PRIu64 "\n", fields[i].name, fields[i].value);
	format_cluster(cluster, info);
	printf("%-15s %s\n", "cluster", cluster);
}

static void print_json(const struct scatter_info *info)
{
	struct json json = { .out = stdout };
	struct field fields[INFO_FIELDS];
	char cluster[CLUSTER_TEXT];
	size_t i;

	json_open(&json, NULL, '{');
	json_open(&json, "operations", '[');
	each_name(info->operations, op_name, put_json, &json);
	json_close(&json, ']');
	json_open(&json, "algorithms", '[');
	each_name(info->algorithms, algorithm_name, put_json, &json);
	json_close(&json, ']');
	fill_fields(info, fields);
	for (i = 0; i < INFO_FIELDS; i++)
		json_unsigned(&json, fields[i].name, fields[i].value);
	format_cluster(cluster, info);
	json_string(&json, "cluster", cluster);
	json_close(&json, '}');
	puts("");
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ }
	};
	struct scatter_info info;
	bool want_json = false;
	int error, option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			return show_help(&info_command);
		case 'j':
			want_json = true;
			break;
		default:
			return STATUS_USAGE;
		}
	}
	if (optind < argc)
		return usage_error("what is '%s'?", argv[optind]);

	error = scatter_info(&info);
	if (error) {
		complain_error("cannot ask the module", STAGE_DEVICE, -error,
			       SCATTER_RANK_ANY);
		return STATUS_FAILED;
	}
	if (want_json)
		print_json(&info);
	else
		print_text(&info);
	return STATUS_OK;
}

const struct command info_command = {
	.name = "info",
	.summary = "what the loaded module can do",
	.help = help,
	.run = run,
};

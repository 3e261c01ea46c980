// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl status: of the module and the device, or of a membership or group whose
 * descriptor was inherited.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "credentials.h"
#include "json.h"
#include "transfer.h"

#define MODULE		"/sys/module/scatter"
#define PARAMETERS	MODULE "/parameters"

/* A group's ID in hexadecimal digits, with the NUL. */
#define ID_TEXT		33

static const char help[] =
	"usage: scatterctl status [--json]\n"
	"       scatterctl status [--json] --fd N\n"
	"\n"
	"Without --fd: whether the module is loaded, its reference count and\n"
	"parameters, and whether the device can be used. scatterctl group looks into\n"
	"groups from outside.\n"
	"\n"
	"  --fd N   the state of the membership, or of the group, behind descriptor\n"
	"           N, which this process inherited, the user who created the group,\n"
	"           and the credentials of its members\n"
	"  --json   print JSON\n"
	"  --help   this text\n"
	"\n"
	"Exit status: 0 the device can be used, or the descriptor is a member's or a\n"
	"group's; 1 not so; 2 wrong usage.\n";

/* The first line of a file of sysfs, without its end; false if unreadable. */
static bool read_line(const char *directory, const char *name, char *line,
		      size_t size)
{
	char path[PATH_MAX];
	FILE *file;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	ok = fgets(line, size, file);
	fclose(file);
	if (ok)
		line[strcspn(line, "\n")] = 0;
	return ok;
}

/* A number if it looks like one, else a string. */
static void json_value(struct json *json, const char *key, const char *value)
{
	uint64_t number;

	if (parse_number(value, 10, 0, UINT64_MAX, &number))
		json_unsigned(json, key, number);
	else
		json_string(json, key, value);
}

static int no_dot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* As JSON if @json is not NULL. */
static void show_parameters(struct json *json)
{
	struct dirent **entries;
	char line[256];
	int count, i;

	count = scandir(PARAMETERS, &entries, no_dot, alphasort);
	if (json)
		json_open(json, "parameters", '{');
	for (i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		bool known = read_line(PARAMETERS, name, line, sizeof(line));

		if (!json)
			printf("parameter   %s %s\n", name,
			       known ? line : "(unreadable)");
		else if (known)
			json_value(json, name, line);
		else
			json_null(json, name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	if (json)
		json_close(json, '}');
}

static bool is_absent(int error)
{
	return error == ENOENT || error == ENXIO || error == ENODEV;
}

static void show_module_json(bool loaded, const char *references, int error)
{
	struct json json = { .out = stdout };

	json_open(&json, NULL, '{');
	json_open(&json, "module", '{');
	json_bool(&json, "loaded", loaded);
	if (loaded) {
		json_value(&json, "references", references);
		show_parameters(&json);
	}
	json_close(&json, '}');
	json_open(&json, "device", '{');
	json_string(&json, "path", DEVICE);
	json_bool(&json, "present", !is_absent(error));
	json_bool(&json, "usable", !error);
	json_string(&json, "error", error ? error_name(error) : NULL);
	json_close(&json, '}');
	json_close(&json, '}');
	puts("");
}

static void show_module_text(bool loaded, const char *references, int error)
{
	const char *device = "usable";

	if (is_absent(error))
		device = "absent";
	else if (error)
		device = error_name(error);
	printf("module      %s\n", loaded ? "loaded" : "not loaded");
	if (loaded) {
		printf("references  %s\n", references);
		show_parameters(NULL);
	}
	printf("device      %s %s\n", DEVICE, device);
}

static int show_module(bool want_json)
{
	char references[32] = "unknown";
	struct scatter_info info;
	bool loaded = !access(MODULE, F_OK);
	int error = -scatter_info(&info);

	if (loaded)
		read_line(MODULE, "refcnt", references, sizeof(references));
	if (want_json)
		show_module_json(loaded, references, error);
	else
		show_module_text(loaded, references, error);
	if (!error)
		return STATUS_OK;
	complain_error("the device cannot be used", STAGE_DEVICE, error,
		       SCATTER_RANK_ANY);
	return STATUS_FAILED;
}

/**
 * struct findings - what is known of the group behind a descriptor
 * @status: its state
 * @masks: sets of ranks
 * @own: what the member did
 * @total: what all did
 * @credentials: who they are
 */
struct findings {
	struct scatter_status status;
	struct masks masks;
	struct scatter_counters own;
	struct scatter_counters total;
	struct credentials credentials;
};

static int find(int fd, struct findings *found)
{
	int error = descriptor_status(fd, &found->status, &found->masks);

	if (!error)
		error = descriptor_counters(fd, &found->own, false);
	if (!error)
		error = descriptor_counters(fd, &found->total, true);
	return error ? error : credentials_get(fd, &found->credentials);
}

/* As the tracepoints print it. */
static void format_id(char text[ID_TEXT], const struct scatter_status *status)
{
	snprintf(text, ID_TEXT, "%016" PRIx64 "%016" PRIx64,
		 (uint64_t)status->id[0], (uint64_t)status->id[1]);
}

static void show_mask(const char *name, const uint64_t *mask)
{
	printf("%-12s", name);
	mask_print(stdout, mask);
	puts("");
}

static void show_schedule(const struct scatter_schedule *schedule)
{
	const char *name = algorithm_name(schedule->algorithm);
	char dims[96];

	printf("algorithm   %s", name ? name : "unknown");
	if (schedule->ports)
		printf(" --ports %u", schedule->ports);
	if (schedule->dims)
		printf(" --dims %s", format_dims(dims, sizeof(dims), schedule->dims,
						 schedule->extent));
	puts("");
}

/* A group's own descriptor has no rank, and is on no side. */
static void show_rank(const struct scatter_status *status)
{
	bool member = status->rank >= 0;
	char rank[16] = "-", side[16] = "-";

	if (member) {
		snprintf(rank, sizeof(rank), "%d", status->rank);
		snprintf(side, sizeof(side), "%u", status->side);
	}
	printf("rank        %s\n", rank);
	printf("size        %u\n", status->members);
	if (status->sides[0])
		printf("side        %s of %u and %u\n", side, status->sides[0],
		       status->sides[1]);
}

static void show_member_text(const struct findings *found)
{
	const struct scatter_status *status = &found->status;
	const char *state = state_name(status->state);
	char id[ID_TEXT];

	format_id(id, status);
	printf("id          %s\n", id);
	printf("state       %s\n", state ? state : "unknown");
	show_rank(status);
	printf("joined      %u\n", status->joined);
	printf("error       %s\n",
	       status->error ? error_name(status->error) : "none");
	if (status->culprit >= 0)
		printf("culprit     %d\n", status->culprit);
	printf("next        %" PRIu64 "\n", (uint64_t)status->next);
	printf("eager_limit %u\n", status->eager_limit);
	printf("gather_limit %u\n", status->gather_limit);
	printf("ring_bytes  %u\n", status->ring_bytes);
	show_schedule(&status->schedule);
	show_mask("dead", found->masks.dead);
	show_mask("left", found->masks.left);
	show_mask("missing", found->masks.missing);
	counters_text(stdout, "own", &found->own);
	puts("");
	counters_text(stdout, "total", &found->total);
	puts("");
	credentials_text(&found->credentials);
}

static void json_mask(struct json *json, const char *name, const uint64_t *mask)
{
	unsigned int rank;

	json_open(json, name, '[');
	for (rank = 0; rank < MEMBERS_MAX; rank++) {
		if (mask_test(mask, rank))
			json_unsigned(json, NULL, rank);
	}
	json_close(json, ']');
}

static void json_schedule(struct json *json, const struct scatter_schedule *schedule)
{
	unsigned int i;

	json_string(json, "algorithm", algorithm_name(schedule->algorithm));
	json_unsigned(json, "ports", schedule->ports);
	json_open(json, "dims", '[');
	for (i = 0; i < schedule->dims; i++)
		json_unsigned(json, NULL, schedule->extent[i]);
	json_close(json, ']');
}

/* Null in a group without sides. */
static void json_sides(struct json *json, const struct scatter_status *status)
{
	if (!status->sides[0]) {
		json_null(json, "side");
		json_null(json, "sides");
		return;
	}
	if (status->rank >= 0)
		json_unsigned(json, "side", status->side);
	else
		json_null(json, "side");
	json_open(json, "sides", '[');
	json_unsigned(json, NULL, status->sides[0]);
	json_unsigned(json, NULL, status->sides[1]);
	json_close(json, ']');
}

static void show_member_json(const struct findings *found)
{
	const struct scatter_status *status = &found->status;
	struct json json = { .out = stdout };
	char id[ID_TEXT];

	format_id(id, status);
	json_open(&json, NULL, '{');
	json_string(&json, "id", id);
	json_string(&json, "state", state_name(status->state));
	if (status->rank >= 0)
		json_signed(&json, "rank", status->rank);
	else
		json_null(&json, "rank");
	json_unsigned(&json, "size", status->members);
	json_sides(&json, status);
	json_unsigned(&json, "joined", status->joined);
	json_string(&json, "error",
		    status->error ? error_name(status->error) : NULL);
	if (status->culprit >= 0)
		json_signed(&json, "culprit", status->culprit);
	else
		json_null(&json, "culprit");
	json_unsigned(&json, "next", status->next);
	json_unsigned(&json, "eager_limit", status->eager_limit);
	json_unsigned(&json, "gather_limit", status->gather_limit);
	json_unsigned(&json, "ring_bytes", status->ring_bytes);
	json_schedule(&json, &status->schedule);
	json_mask(&json, "dead", found->masks.dead);
	json_mask(&json, "left", found->masks.left);
	json_mask(&json, "missing", found->masks.missing);
	counters_json(&json, "own", &found->own);
	counters_json(&json, "total", &found->total);
	credentials_json(&json, &found->credentials);
	json_close(&json, '}');
	puts("");
}

static int show_member(int fd, bool want_json)
{
	struct findings found;

	if (find(fd, &found))
		return STATUS_FAILED;
	if (want_json)
		show_member_json(&found);
	else
		show_member_text(&found);
	return STATUS_OK;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "fd", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ }
	};
	bool want_json = false;
	uint64_t number;
	int fd = -1;
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			if (!parse_number(optarg, 10, 0, INT_MAX, &number))
				return usage_error("--fd: '%s' is no descriptor",
						   optarg);
			fd = number;
			break;
		case 'h':
			return show_help(&status_command);
		case 'j':
			want_json = true;
			break;
		default:
			return STATUS_USAGE;
		}
	}
	if (optind < argc)
		return usage_error("what is '%s'?", argv[optind]);
	return fd < 0 ? show_module(want_json) : show_member(fd, want_json);
}

const struct command status_command = {
	.name = "status",
	.summary = "state of the module, or of an inherited membership or group",
	.help = help,
	.run = run,
};

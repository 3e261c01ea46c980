// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl group: the groups of this node that the user may see.
 */
#include <inttypes.h>
#include <string.h>

#include "nodes.h"

static const char help[] =
	"usage: scatterctl group [show|dump] [--json]\n"
	"       scatterctl group [show|dump] --name NAME [--owner UID] [--json]\n"
	"\n"
	"Shows the groups in this network namespace that have a name and that the\n"
	"user could join; with --name, the members of one, and below the table which\n"
	"ranks each node has. Members on other nodes are known once the group is complete.\n"
	"\n"
	"  --name NAME   the group's name\n"
	"  --owner UID   the user who created the group, if several have one of that name\n"
	"  --json        print JSON\n"
	"  --help        this text\n"
	"\n"
	"Exit status: 0 done, 1 failed or no such group, 2 wrong usage.\n";

/* The group that is meant; NULL, and a message, if there is not exactly one. */
static const struct record *find(const struct records *records, const struct wish *wish)
{
	const struct record *found = NULL;
	size_t i;

	for (i = 0; i < records->count; i++) {
		const struct record *record = &records->list[i];

		if (strcmp(record_value(record, "name")->text, wish->name) ||
		    (wish->has_owner && record_value(record, "uid")->number != wish->owner))
			continue;
		if (found) {
			complain("several users have a group '%s': give --owner", wish->name);
			return NULL;
		}
		found = record;
	}
	if (!found)
		complain("there is no group '%s' that you could join", wish->name);
	return found;
}

/* The lowest id that is more than another one; 0: there is none. */
static uint64_t next_node(const struct records *members, uint64_t than)
{
	uint64_t best = 0;
	size_t i;

	for (i = 0; i < members->count; i++) {
		uint64_t node = record_value(&members->list[i], "node")->number;

		if (node > than && (!best || node < best))
			best = node;
	}
	return best;
}

/* As in "1: 0-3; 2: 4-7"; nothing of a group whose name only this node knows. */
static void print_placement(const struct records *members)
{
	const char *separator = "placement  ";
	uint64_t node = 0;

	while ((node = next_node(members, node))) {
		uint64_t mask[MEMBERS_MAX / 64] = { };
		size_t i;

		for (i = 0; i < members->count; i++) {
			uint64_t rank = record_value(&members->list[i], "rank")->number;

			if (record_value(&members->list[i], "node")->number == node &&
			    rank < MEMBERS_MAX)
				mask[rank / 64] |= 1ULL << rank % 64;
		}
		printf("%s%" PRIu64 ": ", separator, node);
		mask_print(stdout, mask);
		separator = "; ";
	}
	if (*separator == ';')
		puts("");
}

static int show_members(const struct record *group, enum format format)
{
	struct request request = { .command = SCATTER_CMD_MEMBER_GET };
	struct records records;
	int error;

	request_data(&request, SCATTER_A_MEMBER_GROUP, record_value(group, "group")->id, 16);
	error = netlink_dump(&request, &member_fields, &records);
	if (!error)
		show_records(&records, format);
	if (!error && format == FORMAT_TABLE)
		print_placement(&records);
	records_free(&records);
	return error ? STATUS_FAILED : STATUS_OK;
}

static int show(struct wish *wish)
{
	struct request request = { .command = SCATTER_CMD_GROUP_GET };
	struct records records;
	const struct record *group;
	int status = STATUS_FAILED;

	if (wish->has_owner && !wish->name)
		return usage_error("--owner is for --name");
	if (netlink_dump(&request, &group_fields, &records))
		goto out;
	if (!wish->name) {
		show_records(&records, wish->format);
		status = STATUS_OK;
		goto out;
	}
	group = find(&records, wish);
	if (group)
		status = show_members(group, wish->format);
out:
	records_free(&records);
	return status;
}

static int dump(struct wish *wish)
{
	wish->format = FORMAT_DUMP;
	return show(wish);
}

static const struct verb verbs[] = {
	{ "show", "mOj", show },
	{ "dump", "mO", dump },
	{ }
};

static int run(int argc, char **argv)
{
	return wish_run(argc, argv, &group_command, verbs);
}

const struct command group_command = {
	.name = "group",
	.summary = "show groups and their members",
	.help = help,
	.run = run,
};

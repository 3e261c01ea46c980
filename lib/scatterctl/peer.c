// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl peer: the other nodes, as this node knows them.
 */
#include "nodes.h"

static const char help[] =
	"usage: scatterctl peer [show|dump] [--id N] [--json]\n"
	"       scatterctl peer add --id N --address A... [OPTION]...\n"
	"       scatterctl peer set --id N [OPTION]...\n"
	"       scatterctl peer del --id N\n"
	"       scatterctl peer fence --id N\n"
	"       scatterctl peer ping --id N [--bytes N] [--json]\n"
	"\n"
	"Shows, adds, changes or deletes peers of this node, or measures a round trip.\n"
	"'fence' says that the peer is down, for good: scatterctl(8) tells when to.\n"
	"\n"
	"  --id N        the peer's number in the cluster; decimal, or 0x...\n"
	"  --address A   where the peer listens, as of 'scatterctl node'; up to four\n"
	"                times; replaces all addresses\n"
	"  --uids WORD   whether the peer's user IDs are believed: refuse (the default),\n"
	"                same, or squash: all its users are one here\n"
	"  --uid N       the user of --uids squash\n"
	"  --keep WORD   yes: keep the connection up; no: connect on demand\n"
	"  --bytes N     ping: let the peer read so many bytes, too; at most 65536\n"
	"  --json        print JSON\n"
	"  --help        this text\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

static int finish(struct records *records, int error)
{
	records_free(records);
	return error ? STATUS_FAILED : STATUS_OK;
}

/**
 * peer_change() - add or change a peer
 * @command: %SCATTER_CMD_PEER_ADD or %SCATTER_CMD_PEER_SET
 * @wish: what it is to be
 *
 * Return: the exit status.
 */
int peer_change(int command, const struct wish *wish)
{
	struct request request = { .command = command };
	struct records records;

	request_u64(&request, SCATTER_A_PEER_ID, wish->id);
	if (wish->nr_addresses)
		request_addresses(&request, SCATTER_A_PEER_ADDRESSES, wish->addresses,
				  wish->nr_addresses);
	if (wish->has_uids)
		request_u32(&request, SCATTER_A_PEER_UIDS, wish->uids);
	if (wish->has_uid)
		request_u32(&request, SCATTER_A_PEER_UID, wish->uid);
	if (wish->has_flags)
		request_u32(&request, SCATTER_A_PEER_FLAGS, wish->flags);
	return finish(&records, netlink_call(&request, &peer_fields, &records));
}

/* A command that needs nothing but the peer's id. */
static int say(int command, uint64_t id)
{
	struct request request = { .command = command };
	struct records records;

	request_u64(&request, SCATTER_A_PEER_ID, id);
	return finish(&records, netlink_call(&request, &peer_fields, &records));
}

/**
 * peer_delete() - delete a peer
 * @id: which
 *
 * Return: the exit status.
 */
int peer_delete(uint64_t id)
{
	return say(SCATTER_CMD_PEER_DEL, id);
}

static int show(struct wish *wish)
{
	struct request request = { .command = SCATTER_CMD_PEER_GET };
	struct records records;
	int error;

	if (wish->has_id) {
		request_u64(&request, SCATTER_A_PEER_ID, wish->id);
		error = netlink_call(&request, &peer_fields, &records);
		if (!error && records.count)
			show_record(&records.list[0], wish->format);
	} else {
		error = netlink_dump(&request, &peer_fields, &records);
		if (!error)
			show_records(&records, wish->format);
	}
	return finish(&records, error);
}

static int dump(struct wish *wish)
{
	wish->format = FORMAT_DUMP;
	return show(wish);
}

static int add(struct wish *wish)
{
	if (!wish->has_id || !wish->nr_addresses)
		return usage_error("--id and --address must be given");
	return peer_change(SCATTER_CMD_PEER_ADD, wish);
}

static int change(struct wish *wish)
{
	if (!wish->has_id)
		return usage_error("--id must be given");
	return peer_change(SCATTER_CMD_PEER_SET, wish);
}

static int del(struct wish *wish)
{
	if (!wish->has_id)
		return usage_error("--id must be given");
	return peer_delete(wish->id);
}

static int fence(struct wish *wish)
{
	if (!wish->has_id)
		return usage_error("--id must be given");
	return say(SCATTER_CMD_PEER_FENCE, wish->id);
}

static int ping(struct wish *wish)
{
	struct request request = { .command = SCATTER_CMD_PEER_PING };
	struct records records;
	int error;

	if (!wish->has_id)
		return usage_error("--id must be given");
	request_u64(&request, SCATTER_A_PING_PEER, wish->id);
	if (wish->bytes)
		request_u32(&request, SCATTER_A_PING_BYTES, wish->bytes);
	error = netlink_call(&request, &ping_fields, &records);
	if (!error && records.count)
		show_record(&records.list[0], wish->format);
	return finish(&records, error);
}

static const struct verb verbs[] = {
	{ "show", "ij", show },
	{ "dump", "i", dump },
	{ "add", PEER_OPTIONS, add },
	{ "set", PEER_OPTIONS, change },
	{ "del", "i", del },
	{ "fence", "i", fence },
	{ "ping", "ibj", ping },
	{ }
};

static int run(int argc, char **argv)
{
	return wish_run(argc, argv, &peer_command, verbs);
}

const struct command peer_command = {
	.name = "peer",
	.summary = "show or configure the other nodes",
	.help = help,
	.run = run,
};

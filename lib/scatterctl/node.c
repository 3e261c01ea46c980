// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl node, tune and stats: about this node itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "nodes.h"

static const char node_help[] =
	"usage: scatterctl node [show|dump] [--json]\n"
	"       scatterctl node set [OPTION]...\n"
	"       scatterctl node del\n"
	"\n"
	"Shows, makes, changes or deletes the node that this network namespace is.\n"
	"A new node needs --id, --address and --key-file.\n"
	"\n"
	"  --id N             the node's number in the cluster, not 0; decimal, or 0x...\n"
	"  --address A        where the node listens: IPv4 or IPv6, with :PORT if not\n"
	"                     7471; up to four times\n"
	"  --key-file FILE    the cluster's key: 64 hexadecimal digits, in a file that\n"
	"                     only its owner can read; - is standard input\n"
	"  --key2-file FILE   a second key that is accepted while the key changes\n"
	"  --no-key2          there is no second key any more\n"
	"  --netns NAME       the network namespace in which the wire lives, as of\n"
	"                     'ip netns', or a path\n"
	"  --json             print JSON\n"
	"  --help             this text\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

static const char tune_help[] =
	"usage: scatterctl tune [show|dump] [--json]\n"
	"       scatterctl tune set OPTION...\n"
	"\n"
	"Shows or changes how connections of this node behave.\n"
	"\n"
	"  --keepalive-ms N   a peer that sends nothing for so long is lost (5000)\n"
	"  --hold-ms N        how long a misbehaving peer is ignored (30000)\n"
	"  --backoff-ms N     longest pause between two attempts (5000)\n"
	"  --buffers N        receive buffers of a connection (64)\n"
	"  --half-open N      most incoming connections without a proof (16)\n"
	"  --timeout-ms N     how long a connection may take to come up (5000)\n"
	"  --segment-bytes N  most bytes of one RDMA READ (262144)\n"
	"  --json             print JSON\n"
	"  --help             this text\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

static const char stats_help[] =
	"usage: scatterctl stats [show|dump] [--json]\n"
	"\n"
	"Shows sums over all peers of this node and, in the initial network\n"
	"namespace, how many objects the module has made and freed.\n"
	"\n"
	"  --json   print JSON\n"
	"  --help   this text\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

static int change(const struct request *request, const struct fields *fields)
{
	struct records records;
	int error = netlink_call(request, fields, &records);

	records_free(&records);
	return error ? STATUS_FAILED : STATUS_OK;
}

static int node_show(struct wish *wish)
{
	return show_answer(SCATTER_CMD_NODE_GET, &node_fields, wish->format);
}

static int node_dump(struct wish *wish)
{
	wish->format = FORMAT_DUMP;
	return node_show(wish);
}

static int open_netns(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), strchr(name, '/') ? "%s" : "/run/netns/%s", name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/** node_set() - make or change the node */
int node_set(struct wish *wish)
{
	struct request request = { .command = SCATTER_CMD_NODE_SET };
	int fd = -1, status;

	if (wish->has_id)
		request_u64(&request, SCATTER_A_NODE_ID, wish->id);
	if (wish->nr_addresses)
		request_addresses(&request, SCATTER_A_NODE_ADDRESSES, wish->addresses,
				  wish->nr_addresses);
	if (wish->has_key[0])
		request_data(&request, SCATTER_A_NODE_KEY, wish->key[0], sizeof(wish->key[0]));
	if (wish->has_key[1])
		request_data(&request, SCATTER_A_NODE_KEY2, wish->key[1], sizeof(wish->key[1]));
	if (wish->no_key2)
		request_data(&request, SCATTER_A_NODE_KEY2, "", 0);
	if (wish->netns) {
		fd = open_netns(wish->netns);
		if (fd < 0) {
			complain("--netns %s: %s", wish->netns, strerror(errno));
			return STATUS_FAILED;
		}
		request_u32(&request, SCATTER_A_NODE_NETNS_FD, fd);
	}
	status = change(&request, &node_fields);
	if (fd >= 0)
		close(fd);
	return status;
}

static int node_del(struct wish *wish)
{
	struct request request = { .command = SCATTER_CMD_NODE_DEL };

	(void)wish;
	return change(&request, &node_fields);
}

static int tune_show(struct wish *wish)
{
	return show_answer(SCATTER_CMD_TUNE_GET, &tune_fields, wish->format);
}

static int tune_dump(struct wish *wish)
{
	wish->format = FORMAT_DUMP;
	return tune_show(wish);
}

/** tune_set() - change how connections behave */
int tune_set(struct wish *wish)
{
	struct request request = { .command = SCATTER_CMD_TUNE_SET };
	int i;

	for (i = 1; i <= SCATTER_A_TUNE_MAX; i++)
		if (wish->has_tune[i])
			request_u32(&request, i, wish->tune[i]);
	if (!request.count)
		return usage_error("nothing to set");
	return change(&request, &tune_fields);
}

static void stats_print(const struct records *records, enum format format)
{
	struct records objects = { records->count - 1, records->list + 1 };

	if (format != FORMAT_JSON)
		show_record(&records->list[0], format);
	if (format == FORMAT_TABLE && objects.count)
		puts("");
	if (format != FORMAT_JSON)
		show_records(&objects, format);
	else
		show_records(records, format);
}

static int stats_show(struct wish *wish)
{
	struct request request = { .command = SCATTER_CMD_STATS_GET };
	struct records records;
	int error = netlink_call(&request, &stats_fields, &records);

	if (!error && records.count)
		stats_print(&records, wish->format);
	records_free(&records);
	return error ? STATUS_FAILED : STATUS_OK;
}

static int stats_dump(struct wish *wish)
{
	wish->format = FORMAT_DUMP;
	return stats_show(wish);
}

static const struct verb node_verbs[] = {
	{ "show", "j", node_show },
	{ "dump", "", node_dump },
	{ "set", NODE_OPTIONS, node_set },
	{ "del", "", node_del },
	{ }
};

static const struct verb tune_verbs[] = {
	{ "show", "j", tune_show },
	{ "dump", "", tune_dump },
	{ "set", TUNE_OPTIONS, tune_set },
	{ }
};

static const struct verb stats_verbs[] = {
	{ "show", "j", stats_show },
	{ "dump", "", stats_dump },
	{ }
};

static int run_node(int argc, char **argv)
{
	return wish_run(argc, argv, &node_command, node_verbs);
}

static int run_tune(int argc, char **argv)
{
	return wish_run(argc, argv, &tune_command, tune_verbs);
}

static int run_stats(int argc, char **argv)
{
	return wish_run(argc, argv, &stats_command, stats_verbs);
}

const struct command node_command = {
	.name = "node",
	.summary = "show or configure the node that this machine is",
	.help = node_help,
	.run = run_node,
};

const struct command tune_command = {
	.name = "tune",
	.summary = "show or change how connections to peers behave",
	.help = tune_help,
	.run = run_tune,
};

const struct command stats_command = {
	.name = "stats",
	.summary = "show sums over all peers, and objects of the module",
	.help = stats_help,
	.run = run_stats,
};

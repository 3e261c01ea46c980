// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl apply: make the node what a file says.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes.h"

static const char help[] =
	"usage: scatterctl apply FILE\n"
	"\n"
	"Makes the node of this network namespace, its peers and its tuning what FILE\n"
	"says; does nothing if they are so already. Peers that FILE does not have are\n"
	"deleted. - is standard input. Each line is one of\n"
	"\n"
	"    node id=N address=A... key-file=FILE [key2-file=FILE] [netns=NAME]\n"
	"    tune keepalive-ms=N...\n"
	"    peer id=N address=A... [uids=WORD] [uid=N] [keep=WORD]\n"
	"\n"
	"with the options of the commands of these names. # begins a comment. The whole\n"
	"FILE is read before anything changes.\n"
	"\n"
	"  --help   this text\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage or a wrong line in FILE.\n";

#define WORDS_MAX	32

/**
 * struct plan - what a file says
 * @has_node: whether it has a line of a node
 * @node: that line
 * @has_tune: whether it has a line of tuning
 * @tune: that line
 * @count: how many peers
 * @peers: their lines
 */
struct plan {
	bool has_node;
	struct wish node;
	bool has_tune;
	struct wish tune;
	size_t count;
	struct wish *peers;
};

static int keep_peer(struct plan *plan, const struct wish *wish)
{
	struct wish *peers;
	size_t i;

	if (!wish->has_id || !wish->nr_addresses)
		return usage_error("a peer needs id and address");
	for (i = 0; i < plan->count; i++)
		if (plan->peers[i].id == wish->id)
			return usage_error("the peer is there twice");
	peers = realloc(plan->peers, (plan->count + 1) * sizeof(*peers));
	if (!peers)
		return STATUS_FAILED;
	plan->peers = peers;
	peers[plan->count++] = *wish;
	return PARSE_GO_ON;
}

/* One line that has been cut into words, whose first is the title for messages. */
static int parse_words(struct plan *plan, const char *kind, int argc, char **argv)
{
	struct wish wish;
	int status;

	if (!strcmp(kind, "peer")) {
		status = wish_parse(argc, argv, PEER_OPTIONS, &wish);
		return status == PARSE_GO_ON ? keep_peer(plan, &wish) : status;
	}
	if (!strcmp(kind, "node") && !plan->has_node) {
		plan->has_node = true;
		status = wish_parse(argc, argv, NODE_OPTIONS, &plan->node);
		if (status != PARSE_GO_ON)
			return status;
		/* A second key that the file does not have is removed. */
		plan->node.no_key2 = !plan->node.has_key[1];
		if (!plan->node.has_id || !plan->node.nr_addresses || !plan->node.has_key[0])
			return usage_error("a node needs id, address and key-file");
		return PARSE_GO_ON;
	}
	if (!strcmp(kind, "tune") && !plan->has_tune) {
		plan->has_tune = true;
		return wish_parse(argc, argv, TUNE_OPTIONS, &plan->tune);
	}
	return usage_error("'%s' is no node, peer or tune, or is there twice", kind);
}

/* NAME=VALUE is --NAME=VALUE; the words live as long as the plan, which may point at them. */
static int parse_line(struct plan *plan, char *line)
{
	char *argv[WORDS_MAX + 1] = { "scatterctl apply" };
	char *word, *kind = NULL, *option;
	int argc = 1;

	line[strcspn(line, "#\n")] = '\0';
	while ((word = strsep(&line, " \t"))) {
		if (!*word)
			continue;
		if (!kind) {
			kind = word;
			continue;
		}
		if (argc == WORDS_MAX || asprintf(&option, "--%s", word) < 0)
			return usage_error("too many words");
		argv[argc++] = option;
	}
	return kind ? parse_words(plan, kind, argc, argv) : PARSE_GO_ON;
}

static int parse_file(struct plan *plan, FILE *file, const char *path)
{
	int status = PARSE_GO_ON;
	unsigned int number = 0;
	size_t room = 0;
	char *line = NULL;

	while (status == PARSE_GO_ON && getline(&line, &room, file) >= 0) {
		number++;
		status = parse_line(plan, line);
	}
	if (status != PARSE_GO_ON)
		complain("%s: line %u will not do; nothing was changed", path, number);
	if (status == PARSE_GO_ON && ferror(file)) {
		complain("%s: %s", path, strerror(errno));
		status = STATUS_FAILED;
	}
	free(line);
	return status;
}

static struct wish *planned(const struct plan *plan, uint64_t id)
{
	size_t i;

	for (i = 0; i < plan->count; i++)
		if (plan->peers[i].id == id)
			return &plan->peers[i];
	return NULL;
}

static bool is_there(const struct records *records, uint64_t id)
{
	size_t i;

	for (i = 0; i < records->count; i++)
		if (record_value(&records->list[i], "id")->number == id)
			return true;
	return false;
}

/* Delete peers first: others may get their addresses. */
static int apply_peers(const struct plan *plan, const struct records *records)
{
	int status = STATUS_OK;
	size_t i;

	for (i = 0; !status && i < records->count; i++) {
		uint64_t id = record_value(&records->list[i], "id")->number;

		if (!planned(plan, id))
			status = peer_delete(id);
	}
	for (i = 0; !status && i < plan->count; i++) {
		struct wish *wish = &plan->peers[i];

		wish->has_uids = true;
		wish->has_flags = true;
		status = peer_change(is_there(records, wish->id) ? SCATTER_CMD_PEER_SET :
				     SCATTER_CMD_PEER_ADD, wish);
		if (status)
			complain("peer %llu failed", (unsigned long long)wish->id);
	}
	return status;
}

static int apply(struct plan *plan)
{
	struct request request = { .command = SCATTER_CMD_PEER_GET };
	struct records records = { };
	int status = STATUS_OK;

	if (plan->has_node)
		status = node_set(&plan->node);
	if (!status && plan->has_tune)
		status = tune_set(&plan->tune);
	if (!status && netlink_dump(&request, &peer_fields, &records))
		status = STATUS_FAILED;
	if (!status)
		status = apply_peers(plan, &records);
	records_free(&records);
	return status;
}

static int run(int argc, char **argv)
{
	struct plan plan = { };
	FILE *file = stdin;
	int status;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return show_help(&apply_command);
	if (argc != 2 || (argv[1][0] == '-' && argv[1][1]))
		return usage_error("apply takes one file");
	if (strcmp(argv[1], "-"))
		file = fopen(argv[1], "re");
	if (!file) {
		complain("%s: %s", argv[1], strerror(errno));
		return STATUS_FAILED;
	}
	status = parse_file(&plan, file, argv[1]);
	if (status == PARSE_GO_ON)
		status = apply(&plan);
	explicit_bzero(plan.node.key, sizeof(plan.node.key));
	free(plan.peers);
	fclose(file);
	return status;
}

const struct command apply_command = {
	.name = "apply",
	.summary = "make the node what a file says",
	.help = help,
	.run = run,
};

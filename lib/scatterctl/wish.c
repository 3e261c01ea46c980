// SPDX-License-Identifier: GPL-2.0
/*
 * The options of the commands about nodes, on the command line and in files.
 */
#include <getopt.h>
#include <string.h>

#include "nodes.h"

static const struct option names[] = {
	{ "id", required_argument, NULL, 'i' },
	{ "address", required_argument, NULL, 'a' },
	{ "key-file", required_argument, NULL, 'k' },
	{ "key2-file", required_argument, NULL, 'n' },
	{ "no-key2", no_argument, NULL, 'o' },
	{ "netns", required_argument, NULL, 'N' },
	{ "uids", required_argument, NULL, 'u' },
	{ "uid", required_argument, NULL, 'U' },
	{ "keep", required_argument, NULL, 'K' },
	{ "keepalive-ms", required_argument, NULL, 'A' },
	{ "hold-ms", required_argument, NULL, 'B' },
	{ "backoff-ms", required_argument, NULL, 'C' },
	{ "buffers", required_argument, NULL, 'D' },
	{ "half-open", required_argument, NULL, 'E' },
	{ "timeout-ms", required_argument, NULL, 'F' },
	{ "segment-bytes", required_argument, NULL, 'G' },
	{ "name", required_argument, NULL, 'm' },
	{ "owner", required_argument, NULL, 'O' },
	{ "bytes", required_argument, NULL, 'b' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static bool set_u32(const char *text, uint32_t *value)
{
	uint64_t number;

	if (!parse_number(text, 10, 0, UINT32_MAX, &number))
		return false;
	*value = number;
	return true;
}

/* An id is often written in hexadecimal digits. */
static bool set_id(struct wish *wish, const char *text)
{
	bool hex = !strncmp(text, "0x", 2);

	wish->has_id = true;
	return parse_number(hex ? text + 2 : text, hex ? 16 : 10, 1, UINT64_MAX, &wish->id);
}

static bool set_address(struct wish *wish, const char *text)
{
	if (wish->nr_addresses == SCATTER_NODE_ADDRESSES_MAX)
		return false;
	return parse_address(text, &wish->addresses[wish->nr_addresses++]);
}

static bool set_uids(struct wish *wish, const char *text)
{
	static const char *const words[] = { "refuse", "same", "squash" };

	wish->has_uids = true;
	for (wish->uids = 0; wish->uids < ARRAY_SIZE(words); wish->uids++)
		if (!strcmp(words[wish->uids], text))
			return true;
	return false;
}

static bool set_keep(struct wish *wish, const char *text)
{
	wish->has_flags = true;
	wish->flags = strcmp(text, "yes") ? 0 : SCATTER_PEER_KEEP;
	return wish->flags || !strcmp(text, "no");
}

static bool set_key(struct wish *wish, int which, const char *path)
{
	wish->has_key[which] = true;
	return read_key(path, wish->key[which]);
}

static bool set_bytes(struct wish *wish, const char *text)
{
	uint64_t number;

	if (!parse_number(text, 10, 0, SCATTER_PING_BYTES_MAX, &number))
		return false;
	wish->bytes = number;
	return true;
}

static bool set_tune(struct wish *wish, int what, const char *text)
{
	wish->has_tune[what] = true;
	return set_u32(text, &wish->tune[what]);
}

static bool set(struct wish *wish, int option, const char *text)
{
	switch (option) {
	case 'i':
		return set_id(wish, text);
	case 'a':
		return set_address(wish, text);
	case 'k':
		return set_key(wish, 0, text);
	case 'n':
		return set_key(wish, 1, text);
	case 'o':
		wish->no_key2 = true;
		return true;
	case 'N':
		wish->netns = text;
		return *text;
	case 'u':
		return set_uids(wish, text);
	case 'U':
		wish->has_uid = true;
		return set_u32(text, &wish->uid);
	case 'K':
		return set_keep(wish, text);
	case 'm':
		wish->name = text;
		return parse_group(text);
	case 'O':
		wish->has_owner = true;
		return set_u32(text, &wish->owner);
	case 'b':
		return set_bytes(wish, text);
	case 'j':
		wish->format = FORMAT_JSON;
		return true;
	}
	return set_tune(wish, option - 'A' + SCATTER_A_TUNE_KEEPALIVE_MS, text);
}

/**
 * wish_parse() - read options
 * @argc: as main()
 * @argv: as main()
 * @allowed: letters of those that may be there
 * @wish: (out) what they say
 *
 * Return: PARSE_GO_ON, or the exit status.
 */
int wish_parse(int argc, char **argv, const char *allowed, struct wish *wish)
{
	int index, option;

	*wish = (struct wish){ };
	optind = 0;
	while ((option = getopt_long(argc, argv, "h", names, &index)) != -1) {
		if (option == '?')
			return STATUS_USAGE;
		if (!strchr(allowed, option))
			return usage_error("--%s is not for this", names[index].name);
		if (!set(wish, option, optarg))
			return usage_error("--%s: '%s' will not do", names[index].name, optarg);
	}
	if (optind < argc)
		return usage_error("what is '%s'?", argv[optind]);
	if (wish->no_key2 && wish->has_key[1])
		return usage_error("either --key2-file or --no-key2");
	if (wish->has_uid && wish->has_uids && wish->uids != SCATTER_UIDS_SQUASH)
		return usage_error("--uid is for --uids squash");
	return PARSE_GO_ON;
}

static bool wants_help(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

/**
 * wish_run() - do what a command line says
 * @argc: as main()
 * @argv: as main()
 * @command: which command it is
 * @verbs: what can be done; ends with one without a name
 *
 * Return: the exit status.
 */
int wish_run(int argc, char **argv, const struct command *command, const struct verb *verbs)
{
	const struct verb *verb = verbs;
	struct wish wish;
	int status;

	if (wants_help(argc, argv))
		return show_help(command);
	if (argc > 1 && argv[1][0] != '-') {
		while (verb->name && strcmp(verb->name, argv[1]))
			verb++;
		if (!verb->name)
			return usage_error("what is '%s'?", argv[1]);
		argv[1] = argv[0];
		argc--;
		argv++;
	}
	status = wish_parse(argc, argv, verb->options, &wish);
	if (status == PARSE_GO_ON)
		status = verb->run(&wish);
	explicit_bzero(wish.key, sizeof(wish.key));
	return status;
}

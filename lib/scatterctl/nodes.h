/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the commands about nodes.
 */
#ifndef SCATTERCTL_NODES_H
#define SCATTERCTL_NODES_H

#include "netlink.h"
#include "scatterctl.h"

enum format {
	FORMAT_TABLE,
	FORMAT_JSON,
	FORMAT_DUMP,
};

/**
 * struct wish - what a command line, or a line of a file, asks for
 * @format: how to print
 * @has_id: whether @id is given
 * @id: of a node or peer
 * @addresses: where it listens
 * @nr_addresses: how many; 0: not given
 * @has_key: whether @key is given, and @key2
 * @key: the cluster's; the second one
 * @no_key2: there is to be no second key
 * @netns: path of the wire's network namespace, or NULL
 * @has_uids: whether @uids is given
 * @uids: enum scatter_uids
 * @has_uid: whether @uid is given
 * @uid: a user ID
 * @has_flags: whether @flags is given
 * @flags: enum scatter_peer_flags
 * @has_tune: whether the value is given
 * @tune: values by enum scatter_tune_attribute
 * @name: of a group, or NULL
 * @has_owner: whether @owner is given
 * @owner: a user ID
 * @bytes: of a READ
 */
struct wish {
	enum format format;
	bool has_id;
	uint64_t id;
	union address addresses[SCATTER_NODE_ADDRESSES_MAX];
	unsigned int nr_addresses;
	bool has_key[2];
	unsigned char key[2][SCATTER_NODE_KEY_BYTES];
	bool no_key2;
	const char *netns;
	bool has_uids;
	uint32_t uids;
	bool has_uid;
	uint32_t uid;
	bool has_flags;
	uint32_t flags;
	bool has_tune[SCATTER_A_TUNE_MAX + 1];
	uint32_t tune[SCATTER_A_TUNE_MAX + 1];
	const char *name;
	bool has_owner;
	uint32_t owner;
	uint32_t bytes;
};

/**
 * struct verb - what can be done with an object
 * @name: as typed; the first verb of a table is that of no word
 * @options: letters of the options that it takes
 * @run: does it; returns the exit status
 */
struct verb {
	const char *name;
	const char *options;
	int (*run)(struct wish *wish);
};

/* wish.c */
int wish_parse(int argc, char **argv, const char *allowed, struct wish *wish);
int wish_run(int argc, char **argv, const struct command *command, const struct verb *verbs);

/* key.c */
bool read_key(const char *path, unsigned char key[SCATTER_NODE_KEY_BYTES]);

/* show.c */
void show_records(const struct records *records, enum format format);
void show_record(const struct record *record, enum format format);
int show_answer(int command, const struct fields *fields, enum format format);

/* node.c, peer.c */
#define NODE_OPTIONS	"iaknoN"
#define PEER_OPTIONS	"iauUK"
#define TUNE_OPTIONS	"ABCDEFG"
int node_set(struct wish *wish);
int tune_set(struct wish *wish);
int peer_change(int command, const struct wish *wish);
int peer_delete(uint64_t id);

#endif /* SCATTERCTL_NODES_H */

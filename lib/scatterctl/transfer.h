/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the subcommands scatter and gather share.
 */
#ifndef SCATTERCTL_TRANSFER_H
#define SCATTERCTL_TRANSFER_H

#include <sys/types.h>

#include "../scatter.h"
#include "scatterctl.h"

/**
 * struct transfer_options - their command line
 * @group: name of the group
 * @size: its size in members
 * @rank: rank wanted, or SCATTER_RANK_ANY
 * @root: rank that has or gets everything
 * @algorithm: enum scatter_algorithm
 * @timeout_ns: how long each wait may last, in ns; 0 is forever
 * @mode: permission bits of the group; 0 is the library's default
 * @file: where to read, or NULL
 * @output: where to write, or NULL
 * @verbose: print counters as text
 * @json: print counters as JSON
 */
struct transfer_options {
	const char *group;
	unsigned int size;
	int rank;
	int root;
	unsigned int algorithm;
	int64_t timeout_ns;
	unsigned int mode;
	const char *file;
	const char *output;
	bool verbose;
	bool json;
};

/* What --help of both says about their options. */
#define TRANSFER_OPTIONS_HELP						\
	"  --group NAME       the group ($SCATTER_GROUP)\n"		\
	"  --size N           its size in members ($SCATTER_SIZE)\n"	\
	"  --rank R           this member's rank, or 'any' ($SCATTER_RANK, else any)\n" \
	"  --root R           the root's rank (0)\n"			\
	"  --algorithm NAME   auto, linear or hypercube (auto)\n"	\
	"  --timeout SECONDS  how long each wait for others may last, such as 2.5\n" \
	"                     (forever)\n"				\
	"  --mode OCTAL       who may join: permission bits of the group (600)\n" \
	"  --verbose          print counters to standard error at the end\n" \
	"  --json             the same as one line of JSON\n"		\
	"  --help             this text\n"				\
	"\n"								\
	"Group, size, root and algorithm must be the same at all members. If the\n" \
	"root has --verbose or --json, the members wait for each other at the end,\n" \
	"so that the root's totals are whole.\n"			\
	"\n"								\
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n"

int transfer_options_parse(int argc, char **argv, const struct command *command,
			   struct transfer_options *options);

/**
 * struct input - data that is read
 * @name: for messages
 * @fd: where from
 * @data: what was read
 * @length: its length in bytes
 * @map: the mapping that @data lies in; NULL if none
 * @map_length: length of the mapping in bytes
 * @offset: of a mapped file: where @data begins, in bytes
 * @file: the mapping is that of the file, not a copy
 */
struct input {
	const char *name;
	int fd;
	unsigned char *data;
	size_t length;
	void *map;
	size_t map_length;
	off_t offset;
	bool file;
};

int input_open(struct input *input, const char *path);
int input_load(struct input *input);
int input_spread(struct input *input, unsigned int parts, size_t *block);
int input_pad(struct input *input, size_t length);
void input_close(struct input *input);

size_t part_length(size_t length, unsigned int parts, unsigned int part);
void *memory_get(size_t length);
void memory_put(void *memory, size_t length);

/**
 * struct output - where data is written
 * @name: for messages
 * @fd: where to
 * @final: name that a new file gets when it is whole; NULL if it has it
 */
struct output {
	const char *name;
	int fd;
	char *final;
};

int output_open(struct output *output, const char *path);
int output_write(const struct output *output, const void *data, size_t length);
int output_commit(struct output *output);

/**
 * struct header - what the root tells all members before the data
 * @magic: HEADER_MAGIC
 * @length: scatter: bytes of the whole data; gather: bytes of a block
 * @flags: HEADER_COUNTERS
 *
 * Little-endian.
 */
struct header {
	uint64_t magic;
	uint64_t length;
	uint64_t flags;
};

#define HEADER_MAGIC	0x3172657474616373ULL	/* "scatter1" */
#define HEADER_COUNTERS	(1U << 0)

/**
 * struct session - a membership
 * @group: the library's handle
 * @options: the command line
 * @rank: this member's rank
 * @size: the group's size in members
 * @root: whether this member is the root
 */
struct session {
	struct scatter_group *group;
	const struct transfer_options *options;
	int rank;
	int size;
	bool root;
};

int session_join(struct session *session, const struct transfer_options *options);
int session_scatter(struct session *session, const void *data, void *part,
		    size_t block);
int session_gather(struct session *session, const void *part, void *data,
		   size_t block);
int session_announce(struct session *session, uint64_t length,
		     struct header *header);
int session_end(struct session *session, const struct header *header);

/* counters.c */
struct json;

void counters_text(FILE *out, const char *name,
		   const struct scatter_counters *counters);
void counters_json(struct json *json, const char *name,
		   const struct scatter_counters *counters);

#endif /* SCATTERCTL_TRANSFER_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the subcommands scatter and gather.
 */
#ifndef SCATTERCTL_TRANSFER_H
#define SCATTERCTL_TRANSFER_H

#include <limits.h>
#include <sys/types.h>

#include "../scatter.h"
#include "scatterctl.h"

/* A rank that the command line does not tell. */
#define RANK_UNSET	INT_MIN

/**
 * struct vector - where the bytes of elements are, see scatter_layout_vector()
 * @count: pieces of an element; 0: there are no elements, bytes are in order
 * @length: bytes of a piece
 * @stride: bytes from a piece to the next one
 * @extent: bytes from an element to the next one
 */
struct vector {
	uint64_t count;
	uint64_t length;
	uint64_t stride;
	uint64_t extent;
};

bool parse_vector(const char *text, struct vector *vector);
uint64_t vector_unit(const struct vector *vector);
int vector_check(const struct vector *vector, uint64_t length);

/**
 * struct transfer_options - their command line
 * @group: name of the group, or NULL
 * @fd: group descriptor, or -1
 * @size: its size in members
 * @sides: members of each side of an inter-group, or zeros
 * @side: this member's, 0 or 1
 * @rank: rank wanted, or SCATTER_RANK_ANY
 * @root: rank that has or gets everything; in an inter-group on the other side, or
 *	SCATTER_ROOT or SCATTER_PROC_NULL
 * @schedule: of each operation that can have it
 * @timeout_ns: how long each wait may last, in ns; 0 is forever
 * @flags: SCATTER_COLL_UNIFORM and SCATTER_COLL_DEADLINE_ALL, of each operation
 * @mode: permission bits of the group; 0 is the library's default
 * @owner: user ID of the user whose group is meant, if @has_owner
 * @has_owner: it is not the caller's own
 * @exclusive: this member creates the group
 * @local: the group's name is one that only this node knows
 * @chunk: bytes of a rank in one operation; 0 is the default
 * @vector: of the root's file
 * @file: where to read, or NULL
 * @output: where to write, or NULL
 * @quiet: show no progress
 * @verbose: print counters as text
 * @json: print counters as JSON
 */
struct transfer_options {
	const char *group;
	int fd;
	unsigned int size;
	unsigned int sides[2];
	int side;
	int rank;
	int root;
	struct scatter_schedule schedule;
	int64_t timeout_ns;
	unsigned int flags;
	unsigned int mode;
	unsigned int owner;
	bool has_owner;
	bool exclusive;
	bool local;
	uint64_t chunk;
	struct vector vector;
	const char *file;
	const char *output;
	bool quiet;
	bool verbose;
	bool json;
};

/* The text about their common options in --help of both */
#define TRANSFER_OPTIONS_HELP						\
	"  --group NAME       the group ($SCATTER_GROUP)\n"		\
	"  --fd N             or its descriptor ($SCATTER_FD, if there is no name)\n" \
	"  --size N           its size in members ($SCATTER_SIZE)\n"	\
	"  --sides M,N        of an inter-group: members of each side ($SCATTER_SIDES)\n" \
	"  --side S           the side to join, 0 or 1 ($SCATTER_SIDE)\n" \
	"  --rank R           this member's rank, or 'any' ($SCATTER_RANK, else any)\n" \
	"  --root R           the root's rank (0); of an inter-group: its rank on the\n" \
	"                     other side, 'root' at the root, 'null' beside it\n" \
	"  --algorithm NAME   auto, linear, hypercube, mesh, torus, knomial, rotated,\n" \
	"                     balanced, irregular or or-broadcast (auto)\n" \
	"  --dims 4x4x2       mesh, torus: members along each dimension\n" \
	"  --ports K          knomial: transfers at a time (1)\n"	\
	"  --timeout SECONDS  how long each wait for others may last, such as 2.5\n" \
	"                     (forever)\n"				\
	"  --deadline-all     who waits longer than that ends the operation for all\n" \
	"  --uniform          each operation succeeds at all members or at none\n" \
	"  --mode OCTAL       who may join: permission bits of the group (600)\n" \
	"  --owner USER|UID   the group is that user's, and there already (your own)\n" \
	"  --exclusive        create the group; fail if you have one of this name\n" \
	"  --local            no other node knows the name: all members are on this one\n" \
	"  --chunk BYTES      root: how much of each member one operation moves, with K,\n" \
	"                     M or G for powers of 1024 (4M; less if that were more than\n" \
	"                     64M for all)\n" \
	"  --vector COUNT,LENGTH,STRIDE,EXTENT\n"				\
	"                     root: its file has elements of COUNT pieces of LENGTH bytes,\n" \
	"                     STRIDE bytes apart, the elements EXTENT bytes apart\n" \
	"  --quiet            no progress on the terminal\n"		\
	"  --verbose          print counters to standard error at the end\n" \
	"  --json             the same as one line of JSON\n"		\
	"  --help             this text\n"				\
	"\n"								\
	"Group, size, root, algorithm, --deadline-all, --uniform and --local must be the\n" \
	"same at all members. They wait for each other at the end: no file gets its name\n" \
	"before all have written.\n"				\
	"\n"								\
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n"

int transfer_options_parse(int argc, char **argv, const struct command *command,
			   struct transfer_options *options);

/* terms.c */
bool transfer_set_fd(struct transfer_options *options, const char *text);
bool transfer_set_size(struct transfer_options *options, const char *text);
bool transfer_set_side(struct transfer_options *options, const char *text);
bool transfer_set_rank(struct transfer_options *options, const char *text);
bool transfer_set_root(struct transfer_options *options, const char *text);
bool transfer_set_group(struct transfer_options *options, const char *text);
bool transfer_set_owner(struct transfer_options *options, const char *text);
bool transfer_is_root(const struct transfer_options *options);
bool transfer_has_part(const struct transfer_options *options);
int transfer_terms(struct transfer_options *options);
const char *root_name(int root);

/**
 * struct masks - the sets of ranks that STATUS tells
 * @dead: died
 * @left: left
 * @missing: others wait for them
 */
struct masks {
	uint64_t dead[MEMBERS_MAX / 64];
	uint64_t left[MEMBERS_MAX / 64];
	uint64_t missing[MEMBERS_MAX / 64];
};

/* descriptor.c */
int descriptor_create(unsigned int size, const unsigned int *sides);
int descriptor_status(int fd, struct scatter_status *status, struct masks *masks);
int descriptor_counters(int fd, struct scatter_counters *counters, bool total);

/**
 * struct session - a membership
 * @group: the library's handle
 * @options: the command line
 * @rank: this member's rank
 * @size: the group's size in members
 * @parts: how many members have a part: all, or those of the side that is not the root's
 * @root: whether this member is the root
 * @part: whether it has a part
 */
struct session {
	struct scatter_group *group;
	const struct transfer_options *options;
	int rank;
	int size;
	int parts;
	bool root;
	bool part;
};

/**
 * struct input - data that is read, a piece at a time
 * @name: for messages
 * @fd: where from
 * @length: bytes from where it was to its end
 * @offset: where it was, in bytes
 * @room: slots that pieces are put into, one after another; NULL if none
 * @base: what places are counted from: the room, or the whole input
 * @room_length: of all slots in bytes
 * @slot: length of a slot in bytes
 * @maps: pieces are mapped into their slots; else read
 */
struct input {
	const char *name;
	int fd;
	uint64_t length;
	off_t offset;
	unsigned char *room;
	unsigned char *base;
	size_t room_length;
	size_t slot;
	bool maps;
};

int input_open(struct input *input, const char *path);
int input_measure(struct input *input, const struct session *session);
int input_slots(struct input *input, unsigned int count, size_t chunk);
int input_whole(struct input *input);
int input_chunk(struct input *input, unsigned int slot, uint64_t from,
		size_t length, uint64_t *place);
void input_close(struct input *input);
int spool(struct input *input);

void *memory_get(size_t length);
void memory_put(void *memory, size_t length);

/**
 * struct output - where data is written
 * @name: for messages
 * @fd: where to
 * @final: name that a new file gets when it is whole; NULL if it has it
 * @replaces: there was a file of that name
 */
struct output {
	const char *name;
	int fd;
	char *final;
	bool replaces;
};

int output_open(struct output *output, const char *path);
bool output_in_order(const struct output *output);
int output_reserve(const struct output *output, uint64_t length);
int output_write(const struct output *output, const void *data, size_t length);
int output_write_at(const struct output *output, const void *data,
		    size_t length, uint64_t offset);
int output_commit(struct output *output);

/* progress.c */
void progress_begin(const struct session *session, const char *what,
		    uint64_t total);
void progress_add(uint64_t bytes);
void progress_end(void);

/**
 * struct header - what the root tells a member before the data
 * @magic: HEADER_MAGIC
 * @part: bytes of the member's part
 * @place: where in the span that begins
 * @span: bytes that the rounds go over
 * @chunk: bytes of a round
 *
 * Little-endian on its way. plan.c says what rounds are.
 */
struct header {
	uint64_t magic;
	uint64_t part;
	uint64_t place;
	uint64_t span;
	uint64_t chunk;
};

#define HEADER_MAGIC	0x3272657474616373ULL	/* "scatter2" */
#define CHUNK_MAX	(1ULL << 30)

/**
 * struct slice - some bytes of a part
 * @from: where they begin
 * @length: how many
 */
struct slice {
	uint64_t from;
	uint64_t length;
};

size_t header_chunk(const struct header *header);
struct slice header_slice(const struct header *header, uint64_t at);

/**
 * struct plan - what the root knows of all members
 * @size: the group's size in members
 * @in_order: the parts lie one after another in the span
 * @headers: for each rank
 * @offsets: for each rank where in the whole its part begins, in bytes
 * @counts: for each rank the bytes that it moves in this round
 * @displs: for each rank where they are, in bytes
 * @total: bytes of the whole
 * @longest: bytes of the longest part
 */
struct plan {
	unsigned int size;
	bool in_order;
	struct header *headers;
	uint64_t *offsets;
	uint64_t *counts;
	uint64_t *displs;
	uint64_t total;
	uint64_t longest;
};

int plan_make(struct plan *plan, const struct session *session,
	      const uint64_t *lengths, bool in_order);
uint64_t plan_round(struct plan *plan, uint64_t at);
void plan_free(struct plan *plan);

int session_join(struct session *session, const struct transfer_options *options);
int session_gather(struct session *session, const void *part, void *data,
		   size_t block);
int session_scatterv(struct session *session, const void *data,
		     const struct plan *plan, void *part, size_t length);
int session_gatherv(struct session *session, const void *part, size_t length,
		    void *data, const struct plan *plan);
int session_announce(struct session *session, const struct plan *plan,
		     struct header *header);
int session_refuse(const struct session *session);
int session_end(struct session *session);

/* counters.c */
struct json;

void counters_text(FILE *out, const char *name,
		   const struct scatter_counters *counters);
void counters_json(struct json *json, const char *name,
		   const struct scatter_counters *counters);

#endif /* SCATTERCTL_TRANSFER_H */

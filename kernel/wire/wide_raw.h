/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The messages of groups on several nodes as bytes: little-endian, each field aligned to its own
 * size, no gaps. All are sequenced.
 */
#ifndef _SCATTER_WIDE_RAW_H
#define _SCATTER_WIDE_RAW_H

#include "wire/raw.h"
#include "wire/wide.h"

/**
 * struct scatter_raw_join - JOIN, from a node to the registrar of a name
 * @header: type 9, length 192, sequenced
 * @token: tells the sender's JOINs apart, not 0
 * @cluster: FNV-1a, 64 bits, of the ids of all nodes that the sender knows, its own included, not 0
 * @owner: ID, in the first user namespace, of the user that the name belongs to
 * @uid: ID, in the first user namespace, of the joiner
 * @gid: ID, in the first user namespace, of a group of the joiner
 * @flags: 1: there must be no such group yet; 2: the joiner needs no mode bits; other bits are 0
 * @mode: permission bits of a group that the JOIN creates, 0 to 0777
 * @size: number of members of the group, 1 to 1024
 * @sides: number of members of each side; both 0 or @size together
 * @side: 0 or 1; 0 without sides
 * @rank: the wanted rank in its side, less than @size; or 0xffffffff: any free rank
 * @algorithm: algorithm of the group's schedule
 * @ports: ports of the group's schedule
 * @dims: dimensions of the schedule, 0 to 8
 * @reserved: 0
 * @extent: extents of the schedule; 0 beyond @dims
 * @name: printable ASCII without '/', 1 to 63 bytes, the rest zero
 */
struct scatter_raw_join {
	struct scatter_raw_header header;
	__le64 token;
	__le64 cluster;
	__le32 owner;
	__le32 uid;
	__le32 gid;
	__le32 flags;
	__le32 mode;
	__le32 size;
	__le32 sides[2];
	__le32 side;
	__le32 rank;
	__le32 algorithm;
	__le32 ports;
	__le32 dims;
	__le32 reserved;
	__le32 extent[SCATTER_WIDE_DIMS];
	u8 name[SCATTER_WIDE_NAME_MAX];
};

static_assert(sizeof(struct scatter_raw_join) == 192);
static_assert(offsetof(struct scatter_raw_join, token) == 24);
static_assert(offsetof(struct scatter_raw_join, cluster) == 32);
static_assert(offsetof(struct scatter_raw_join, owner) == 40);
static_assert(offsetof(struct scatter_raw_join, uid) == 44);
static_assert(offsetof(struct scatter_raw_join, gid) == 48);
static_assert(offsetof(struct scatter_raw_join, flags) == 52);
static_assert(offsetof(struct scatter_raw_join, mode) == 56);
static_assert(offsetof(struct scatter_raw_join, size) == 60);
static_assert(offsetof(struct scatter_raw_join, sides) == 64);
static_assert(offsetof(struct scatter_raw_join, side) == 72);
static_assert(offsetof(struct scatter_raw_join, rank) == 76);
static_assert(offsetof(struct scatter_raw_join, algorithm) == 80);
static_assert(offsetof(struct scatter_raw_join, ports) == 84);
static_assert(offsetof(struct scatter_raw_join, dims) == 88);
static_assert(offsetof(struct scatter_raw_join, reserved) == 92);
static_assert(offsetof(struct scatter_raw_join, extent) == 96);
static_assert(offsetof(struct scatter_raw_join, name) == 128);

/**
 * struct scatter_raw_seated - SEATED, the registrar's answer to a JOIN
 * @header: type 10, length 72, sequenced
 * @token: the JOIN's token, not 0
 * @id: the group's id, 128 random bits, not all 0; all 0 unless @answer is 0
 * @answer: enum scatter_wide_answer; 0: the joiner has a seat
 * @rank: the seat's rank, 0 to 1023; 0 without a seat
 * @uid: the group's owner; 0 without a seat
 * @gid: the group's group ID, also if @answer is 2, DENIED; else 0 without a seat
 * @mode: the group's permission bits, 0 to 0777; 0 without a seat
 * @reserved: 0
 */
struct scatter_raw_seated {
	struct scatter_raw_header header;
	__le64 token;
	__le64 id[2];
	__le32 answer;
	__le32 rank;
	__le32 uid;
	__le32 gid;
	__le32 mode;
	__le32 reserved;
};

static_assert(sizeof(struct scatter_raw_seated) == 72);
static_assert(offsetof(struct scatter_raw_seated, token) == 24);
static_assert(offsetof(struct scatter_raw_seated, id) == 32);
static_assert(offsetof(struct scatter_raw_seated, answer) == 48);
static_assert(offsetof(struct scatter_raw_seated, rank) == 52);
static_assert(offsetof(struct scatter_raw_seated, uid) == 56);
static_assert(offsetof(struct scatter_raw_seated, gid) == 60);
static_assert(offsetof(struct scatter_raw_seated, mode) == 64);
static_assert(offsetof(struct scatter_raw_seated, reserved) == 68);

/**
 * struct scatter_raw_unseat - UNSEAT, from the joiner's node, and the registrar's answer
 * @header: type 11, length 40, sequenced
 * @token: the JOIN's token, not 0
 * @done: 0: the joiner gives up; 1: the registrar answers that the seat is free, or was never taken
 * @reserved: 0
 */
struct scatter_raw_unseat {
	struct scatter_raw_header header;
	__le64 token;
	__le32 done;
	__le32 reserved;
};

static_assert(sizeof(struct scatter_raw_unseat) == 40);
static_assert(offsetof(struct scatter_raw_unseat, token) == 24);
static_assert(offsetof(struct scatter_raw_unseat, done) == 32);
static_assert(offsetof(struct scatter_raw_unseat, reserved) == 36);

/**
 * struct scatter_raw_formed - FORMED, from the registrar to each node of a complete group
 * @header: type 12, length 72, sequenced
 * @id: the group's id, not all 0
 * @size: number of members of the group, 1 to 1024
 * @runs: how many runs the PLACES that follow have together, 1 to @size
 * @eager_limit: the group's eager limit in bytes, at most 2^20
 * @gather_limit: the group's gather limit in bytes, at most 2^20
 * @startup_ns: startup time of the group's cost model in ns, 1 to 10^9
 * @gap_ns: gap of the group's cost model in ns, 1 to 10^9
 * @window: the group's window in operations, 1 to 2^20
 * @reserved: 0
 */
struct scatter_raw_formed {
	struct scatter_raw_header header;
	__le64 id[2];
	__le32 size;
	__le32 runs;
	__le32 eager_limit;
	__le32 gather_limit;
	__le32 startup_ns;
	__le32 gap_ns;
	__le32 window;
	__le32 reserved;
};

static_assert(sizeof(struct scatter_raw_formed) == 72);
static_assert(offsetof(struct scatter_raw_formed, id) == 24);
static_assert(offsetof(struct scatter_raw_formed, size) == 40);
static_assert(offsetof(struct scatter_raw_formed, runs) == 44);
static_assert(offsetof(struct scatter_raw_formed, eager_limit) == 48);
static_assert(offsetof(struct scatter_raw_formed, gather_limit) == 52);
static_assert(offsetof(struct scatter_raw_formed, startup_ns) == 56);
static_assert(offsetof(struct scatter_raw_formed, gap_ns) == 60);
static_assert(offsetof(struct scatter_raw_formed, window) == 64);
static_assert(offsetof(struct scatter_raw_formed, reserved) == 68);

/**
 * struct scatter_raw_run - consecutive ranks on one node, in PLACES
 * @node: the node's id, not 0
 * @incarnation: the node's incarnation, not 0
 * @token: token of a JOIN of one of the ranks, not 0
 * @first: the first rank
 * @count: how many ranks, 1 and up; @first + @count is at most 1024
 */
struct scatter_raw_run {
	__le64 node;
	__le64 incarnation;
	__le64 token;
	__le32 first;
	__le32 count;
};

static_assert(sizeof(struct scatter_raw_run) == 32);
static_assert(offsetof(struct scatter_raw_run, node) == 0);
static_assert(offsetof(struct scatter_raw_run, incarnation) == 8);
static_assert(offsetof(struct scatter_raw_run, token) == 16);
static_assert(offsetof(struct scatter_raw_run, first) == 24);
static_assert(offsetof(struct scatter_raw_run, count) == 28);

/**
 * struct scatter_raw_places - PLACES, after FORMED
 * @header: type 13, length 48 + 32 * @count, sequenced
 * @id: the group's id, not all 0
 * @count: how many runs, 1 to 128
 * @reserved: 0
 * @runs: each run begins where the run before ends, and is on another node
 */
struct scatter_raw_places {
	struct scatter_raw_header header;
	__le64 id[2];
	__le32 count;
	__le32 reserved;
	struct scatter_raw_run runs[];
};

static_assert(sizeof(struct scatter_raw_places) == 48);
static_assert(offsetof(struct scatter_raw_places, id) == 24);
static_assert(offsetof(struct scatter_raw_places, count) == 40);
static_assert(offsetof(struct scatter_raw_places, reserved) == 44);
static_assert(offsetof(struct scatter_raw_places, runs) == 48);
static_assert(sizeof(struct scatter_raw_places) +
	      SCATTER_WIDE_RUNS_MAX * sizeof(struct scatter_raw_run) <= SCATTER_WIRE_BYTES_MAX);

/**
 * struct scatter_raw_attach - ATTACH, between two nodes of a group
 * @header: type 14, length 56, sequenced
 * @id: the group's id, not all 0
 * @token: token of a JOIN of the receiver, not 0; 0 in an answer
 * @what: enum scatter_wide_attaching; 1 asks, other values answer
 * @reserved: 0
 */
struct scatter_raw_attach {
	struct scatter_raw_header header;
	__le64 id[2];
	__le64 token;
	__le32 what;
	__le32 reserved;
};

static_assert(sizeof(struct scatter_raw_attach) == 56);
static_assert(offsetof(struct scatter_raw_attach, id) == 24);
static_assert(offsetof(struct scatter_raw_attach, token) == 40);
static_assert(offsetof(struct scatter_raw_attach, what) == 48);
static_assert(offsetof(struct scatter_raw_attach, reserved) == 52);

/**
 * struct scatter_raw_fact - FACT, to or from the home of a group, or to its registrar
 * @header: type 15, length 64, sequenced
 * @id: the group's id, not all 0
 * @kind: enum scatter_wide_kind
 * @rank: 0 to 1023; 0 in GONE and ENDED
 * @number: DIED, LEFT, STOPPED: the first operation that the rank has not called; MISMATCH: the
 *	operation in which the rank differs; at most 2^56. FAILED: the operation of which the rank's
 *	call has failed, less than 2^56. 0 in other kinds
 * @node: GONE: id of the node, not 0; 0 in other kinds
 */
struct scatter_raw_fact {
	struct scatter_raw_header header;
	__le64 id[2];
	__le32 kind;
	__le32 rank;
	__le64 number;
	__le64 node;
};

static_assert(sizeof(struct scatter_raw_fact) == 64);
static_assert(offsetof(struct scatter_raw_fact, id) == 24);
static_assert(offsetof(struct scatter_raw_fact, kind) == 40);
static_assert(offsetof(struct scatter_raw_fact, rank) == 44);
static_assert(offsetof(struct scatter_raw_fact, number) == 48);
static_assert(offsetof(struct scatter_raw_fact, node) == 56);

/**
 * struct scatter_raw_edge - EDGE, along an edge of an operation's tree of nodes
 * @header: type 16, length 56, sequenced
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @way: enum scatter_wide_way
 * @reserved: 0
 */
struct scatter_raw_edge {
	struct scatter_raw_header header;
	__le64 id[2];
	__le64 number;
	__le32 way;
	__le32 reserved;
};

static_assert(sizeof(struct scatter_raw_edge) == 56);
static_assert(offsetof(struct scatter_raw_edge, id) == 24);
static_assert(offsetof(struct scatter_raw_edge, number) == 40);
static_assert(offsetof(struct scatter_raw_edge, way) == 48);
static_assert(offsetof(struct scatter_raw_edge, reserved) == 52);

/**
 * struct scatter_raw_bundle - BUNDLE, along an edge of an operation's tree of nodes
 * @header: type 17, length 144 and the bytes of the payload, sequenced
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @block: bytes of each block, less than 2^53; 0 in a v form
 * @asked: digest of the schedule that the callers asked for, not 0
 * @op: enum scatter_wide_op: 0 SCATTER, 1 GATHER, 3 SCATTERV, 4 GATHERV
 * @flags: 1: the stream begins with the lengths of the blocks; 2: the stream has no blocks, which
 *	are pulled; 4: counts, only in a v form, and with 1 and 2; other bits are 0. A v form has 1
 * @root: the root's rank, 0 to 1023
 * @first: the first rank that has a block in the operation
 * @blocks: how many ranks have a block, 1 and up; @first + @blocks is at most 1024
 * @algorithm: algorithm of the schedule that runs between nodes, enum scatter_algorithm, 1 to 9
 * @ports: ports of that schedule
 * @dims: dimensions of the schedule, 0 to 8
 * @extent: extents of the schedule; 0 beyond @dims
 * @count: blocks of the bundle, 1 to @blocks; @blocks if @flags has 4
 * @total: bytes of the stream, at most 73728. At least 8 * @count if @flags has 1; no more than
 *	that if @flags has 2
 * @offset: where the payload belongs in the stream
 * @tree: which of the trees that the schedule runs at once, 0 to 9
 *
 * The payload follows: 0 to 8048 bytes, 0 only if @total is 0. It ends within the stream. If @flags
 * has 1 the stream begins with a length of 8 bytes for each block. A length is less than 2^53, or
 * 2^64 - 1: nobody can read the block, and no bytes of it follow. Then come the blocks, unless
 * @flags has 2. If @flags has 4 the lengths are those of all blocks of the operation, by rank, and
 * none is 2^64 - 1.
 */
struct scatter_raw_bundle {
	struct scatter_raw_header header;
	__le64 id[2];
	__le64 number;
	__le64 block;
	__le64 asked;
	__le32 op;
	__le32 flags;
	__le32 root;
	__le32 first;
	__le32 blocks;
	__le32 algorithm;
	__le32 ports;
	__le32 dims;
	__le32 extent[SCATTER_WIDE_DIMS];
	__le32 count;
	__le32 total;
	__le32 offset;
	__le32 tree;
};

static_assert(sizeof(struct scatter_raw_bundle) == 144);
static_assert(offsetof(struct scatter_raw_bundle, id) == 24);
static_assert(offsetof(struct scatter_raw_bundle, number) == 40);
static_assert(offsetof(struct scatter_raw_bundle, block) == 48);
static_assert(offsetof(struct scatter_raw_bundle, asked) == 56);
static_assert(offsetof(struct scatter_raw_bundle, op) == 64);
static_assert(offsetof(struct scatter_raw_bundle, flags) == 68);
static_assert(offsetof(struct scatter_raw_bundle, root) == 72);
static_assert(offsetof(struct scatter_raw_bundle, first) == 76);
static_assert(offsetof(struct scatter_raw_bundle, blocks) == 80);
static_assert(offsetof(struct scatter_raw_bundle, algorithm) == 84);
static_assert(offsetof(struct scatter_raw_bundle, ports) == 88);
static_assert(offsetof(struct scatter_raw_bundle, dims) == 92);
static_assert(offsetof(struct scatter_raw_bundle, extent) == 96);
static_assert(offsetof(struct scatter_raw_bundle, count) == 128);
static_assert(offsetof(struct scatter_raw_bundle, total) == 132);
static_assert(offsetof(struct scatter_raw_bundle, offset) == 136);
static_assert(offsetof(struct scatter_raw_bundle, tree) == 140);
static_assert(sizeof(struct scatter_raw_bundle) + SCATTER_WIDE_PAYLOAD_MAX ==
	      SCATTER_WIRE_BYTES_MAX);

/**
 * struct scatter_raw_pull - PULL, to a node that has announced blocks
 * @header: type 18, length 64, sequenced
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @offset: where the part begins in the block, less than 2^53
 * @rank: the block's rank, 0 to 1023
 * @bytes: length of the part, 1 to 262144
 */
struct scatter_raw_pull {
	struct scatter_raw_header header;
	__le64 id[2];
	__le64 number;
	__le64 offset;
	__le32 rank;
	__le32 bytes;
};

static_assert(sizeof(struct scatter_raw_pull) == 64);
static_assert(offsetof(struct scatter_raw_pull, id) == 24);
static_assert(offsetof(struct scatter_raw_pull, number) == 40);
static_assert(offsetof(struct scatter_raw_pull, offset) == 48);
static_assert(offsetof(struct scatter_raw_pull, rank) == 56);
static_assert(offsetof(struct scatter_raw_pull, bytes) == 60);

/**
 * struct scatter_raw_data - DATA, the answer to a PULL
 * @header: type 19, length 64 and the bytes of the payload, sequenced
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @offset: where the payload belongs in the block, less than 2^53
 * @rank: the block's rank, 0 to 1023
 * @flags: 1: nobody can have the block; other bits are 0
 *
 * The payload follows: 1 to 8048 bytes; none if @flags has 1.
 */
struct scatter_raw_data {
	struct scatter_raw_header header;
	__le64 id[2];
	__le64 number;
	__le64 offset;
	__le32 rank;
	__le32 flags;
};

static_assert(sizeof(struct scatter_raw_data) == 64);
static_assert(offsetof(struct scatter_raw_data, id) == 24);
static_assert(offsetof(struct scatter_raw_data, number) == 40);
static_assert(offsetof(struct scatter_raw_data, offset) == 48);
static_assert(offsetof(struct scatter_raw_data, rank) == 56);
static_assert(offsetof(struct scatter_raw_data, flags) == 60);
static_assert(sizeof(struct scatter_raw_data) <= sizeof(struct scatter_raw_bundle));

/**
 * struct scatter_raw_done - DONE, along an edge of an operation's tree of nodes
 * @header: type 20, length 48, sequenced
 * @id: the group's id, not all 0
 * @number: number of the last of the operations, less than 2^56
 */
struct scatter_raw_done {
	struct scatter_raw_header header;
	__le64 id[2];
	__le64 number;
};

static_assert(sizeof(struct scatter_raw_done) == 48);
static_assert(offsetof(struct scatter_raw_done, id) == 24);
static_assert(offsetof(struct scatter_raw_done, number) == 40);

/**
 * struct scatter_raw_grant - GRANT, the answer to a PULL for more than a message carries
 * @header: type 21, length 88, sequenced
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @offset: where the part begins in the block, less than 2^53
 * @rank: the block's rank, 0 to 1023
 * @bytes: length of the part, 1 to 262144
 * @token: 1 and up, one more in each GRANT from one node to another; the same if the sender grants
 *	again on a new line
 * @address: for the READ of @bytes bytes, which do not wrap
 * @key: for the READ, not 0
 * @reserved: 0
 */
struct scatter_raw_grant {
	struct scatter_raw_header header;
	__le64 id[2];
	__le64 number;
	__le64 offset;
	__le32 rank;
	__le32 bytes;
	__le64 token;
	__le64 address;
	__le32 key;
	__le32 reserved;
};

static_assert(sizeof(struct scatter_raw_grant) == 88);
static_assert(offsetof(struct scatter_raw_grant, id) == 24);
static_assert(offsetof(struct scatter_raw_grant, number) == 40);
static_assert(offsetof(struct scatter_raw_grant, offset) == 48);
static_assert(offsetof(struct scatter_raw_grant, rank) == 56);
static_assert(offsetof(struct scatter_raw_grant, bytes) == 60);
static_assert(offsetof(struct scatter_raw_grant, token) == 64);
static_assert(offsetof(struct scatter_raw_grant, address) == 72);
static_assert(offsetof(struct scatter_raw_grant, key) == 80);
static_assert(offsetof(struct scatter_raw_grant, reserved) == 84);

/**
 * struct scatter_raw_got - GOT, the answer to some GRANTs
 * @header: type 22, length 32, sequenced
 * @token: token of the last of these GRANTs, not 0
 */
struct scatter_raw_got {
	struct scatter_raw_header header;
	__le64 token;
};

static_assert(sizeof(struct scatter_raw_got) == 32);
static_assert(offsetof(struct scatter_raw_got, token) == 24);

/**
 * struct scatter_raw_lane - LANE, to a neighbour in an OR-broadcast
 * @header: type 23, length 104 and the bytes of the payload, sequenced
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @block: bytes of each block, less than 2^53; 0 in a v form
 * @asked: digest of the schedule that the callers asked for, not 0
 * @cell: the number of the cell in the operation, less than 2^56
 * @offset: bytes of the block before the cell, a multiple of 8088; 0 if @flags has 1
 * @op: enum scatter_wide_op: 0 SCATTER, 1 GATHER, 3 SCATTERV, 4 GATHERV
 * @flags: 1: the cell is the length of the block; 2: the owner could not read the block; other bits
 *	are 0, and so is one of the two. Only a v form has 1
 * @root: the root's rank, 0 to 1023
 * @first: the first rank that has a block in the operation
 * @blocks: how many ranks have a block, 1 and up; @first + @blocks is at most 1024
 * @rank: the block's rank, @first and up, less than @first + @blocks
 *
 * The payload follows. If @flags has 1 it is 8 bytes: the length, or 0 from a node that has not
 * heard of the length. Else it is a part of the block, or zeros from a node that has not heard of
 * the part. The part ends within the block, and has 8088 bytes unless the block ends there; in a v
 * form it is 1 to 8088 bytes.
 */
struct scatter_raw_lane {
	struct scatter_raw_header header;
	__le64 id[2];
	__le64 number;
	__le64 block;
	__le64 asked;
	__le64 cell;
	__le64 offset;
	__le32 op;
	__le32 flags;
	__le32 root;
	__le32 first;
	__le32 blocks;
	__le32 rank;
};

static_assert(sizeof(struct scatter_raw_lane) == 104);
static_assert(offsetof(struct scatter_raw_lane, id) == 24);
static_assert(offsetof(struct scatter_raw_lane, number) == 40);
static_assert(offsetof(struct scatter_raw_lane, block) == 48);
static_assert(offsetof(struct scatter_raw_lane, asked) == 56);
static_assert(offsetof(struct scatter_raw_lane, cell) == 64);
static_assert(offsetof(struct scatter_raw_lane, offset) == 72);
static_assert(offsetof(struct scatter_raw_lane, op) == 80);
static_assert(offsetof(struct scatter_raw_lane, flags) == 84);
static_assert(offsetof(struct scatter_raw_lane, root) == 88);
static_assert(offsetof(struct scatter_raw_lane, first) == 92);
static_assert(offsetof(struct scatter_raw_lane, blocks) == 96);
static_assert(offsetof(struct scatter_raw_lane, rank) == 100);
static_assert(sizeof(struct scatter_raw_lane) + SCATTER_WIDE_CELL_MAX == SCATTER_WIRE_BYTES_MAX);

/**
 * struct scatter_raw_wait - WAIT, to or from the home of a group
 * @header: type 25, length 72, sequenced
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @asked: digest of what the callers have asked for, not 0
 * @block: bytes of each block, less than 2^53; 0 if only the root knows, or if @root is 2^32 - 1
 * @root: the root's rank, 0 to 1023; 2^32 - 1: the callers know no root
 * @rank: a rank that has called this operation, 0 to 1023
 */
struct scatter_raw_wait {
	struct scatter_raw_header header;
	__le64 id[2];
	__le64 number;
	__le64 asked;
	__le64 block;
	__le32 root;
	__le32 rank;
};

static_assert(sizeof(struct scatter_raw_wait) == 72);
static_assert(offsetof(struct scatter_raw_wait, id) == 24);
static_assert(offsetof(struct scatter_raw_wait, number) == 40);
static_assert(offsetof(struct scatter_raw_wait, asked) == 48);
static_assert(offsetof(struct scatter_raw_wait, block) == 56);
static_assert(offsetof(struct scatter_raw_wait, root) == 64);
static_assert(offsetof(struct scatter_raw_wait, rank) == 68);

/**
 * struct scatter_raw_missing - MISSING, to or from the home of a group, after WAIT
 * @header: type 26, length 176, sequenced
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @ranks: ranks that have not called: bit r % 64 of word r / 64
 */
struct scatter_raw_missing {
	struct scatter_raw_header header;
	__le64 id[2];
	__le64 number;
	__le64 ranks[SCATTER_WIDE_MASK_WORDS];
};

static_assert(sizeof(struct scatter_raw_missing) == 176);
static_assert(offsetof(struct scatter_raw_missing, id) == 24);
static_assert(offsetof(struct scatter_raw_missing, number) == 40);
static_assert(offsetof(struct scatter_raw_missing, ranks) == 48);

#endif /* _SCATTER_WIDE_RAW_H */

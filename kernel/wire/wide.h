/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The messages of groups on several nodes, in host order. All are sequenced: a node that has queued
 * a message knows that the peer gets the message once, in order, or that the connection is lost.
 *
 * A group is named by its *id*, 128 random bits that its registrar has made. A *token* is a number
 * that a node gives to one JOIN only, as long as its incarnation lasts.
 */
#ifndef _SCATTER_WIDE_H
#define _SCATTER_WIDE_H

#include "wire/wire.h"

/* Most members of a group, as SCATTER_SIZE_MAX, and bytes of its name with the NUL. */
#define SCATTER_WIDE_SIZE_MAX	1024
#define SCATTER_WIDE_NAME_MAX	64
#define SCATTER_WIDE_DIMS	8
/* JOIN: any rank that is free. */
#define SCATTER_WIDE_RANK_ANY	0xffffffffu
/* FORMED: largest limit in bytes and largest window in operations; largest time in ns. */
#define SCATTER_WIDE_LIMIT_MAX	1048576u
#define SCATTER_WIDE_TIME_MAX	1000000000u
/* Runs in one PLACES. */
#define SCATTER_WIDE_RUNS_MAX	128
/* Most bytes of a block, as SCATTER_BLOCK_MAX. */
#define SCATTER_WIDE_BLOCK_MAX	(((u64)1 << 53) - 1)
/* BUNDLE: the last one of enum scatter_algorithm, which begins with AUTO, 0. */
#define SCATTER_WIDE_ALGORITHM_MAX	9
/* BUNDLE: most trees that run at once: log2 of the members, rounded up. */
#define SCATTER_WIDE_TREES_MAX	10
/* Most bytes of blocks in one BUNDLE; longer bundles are plain. */
#define SCATTER_WIDE_EAGER_MAX	65536
/* BUNDLE: most bytes of a stream: 64 KiB of blocks behind the lengths of 1024 blocks. */
#define SCATTER_WIDE_STREAM_MAX	(SCATTER_WIDE_EAGER_MAX + 8 * SCATTER_WIDE_SIZE_MAX)
/* BUNDLE: bytes of a length at the beginning of a stream; the length of a block that is void. */
#define SCATTER_WIDE_LENGTH_BYTES	8
#define SCATTER_WIDE_LENGTH_VOID	(~(u64)0)
/* Most bytes that one PULL asks for. */
#define SCATTER_WIDE_PULL_MAX	262144
/* Most payload of one message: what the longest head leaves, BUNDLE's. */
#define SCATTER_WIDE_PAYLOAD_MAX	(SCATTER_WIRE_BYTES_MAX - 144)
/* LANE: bytes of each cell of a block but the last one: what the head leaves of a message. */
#define SCATTER_WIDE_CELL_MAX	(SCATTER_WIRE_BYTES_MAX - 104)
/* LANE: cells of the longest blocks are numbered below this. */
#define SCATTER_WIDE_CELL_END	((u64)1 << 56)
/* LANE: enum scatter_algorithm: OR-broadcast. */
#define SCATTER_WIDE_OR_BROADCAST	9
/* WAIT: the callers know no root. */
#define SCATTER_WIDE_ROOT_ANY	0xffffffffu
/* MISSING: 64-bit words of a set of ranks. */
#define SCATTER_WIDE_MASK_WORDS	(SCATTER_WIDE_SIZE_MAX / 64)

/**
 * enum scatter_wide_flags - what JOIN says of the joiner
 * @SCATTER_WIDE_EXCL: there must be no such group yet
 * @SCATTER_WIDE_CAPABLE: the joiner needs no mode bits
 */
enum scatter_wide_flags {
	SCATTER_WIDE_EXCL = 1 << 0,
	SCATTER_WIDE_CAPABLE = 1 << 1,
};

/**
 * struct scatter_wide_join - JOIN: a process on the sender's node wants a seat
 * @token: tells the sender's JOINs apart, not 0
 * @cluster: digest of the nodes that the sender knows, not 0
 * @owner: ID, in the first user namespace, of the user that the name belongs to
 * @uid: ID, in the first user namespace, of the joiner
 * @gid: ID, in the first user namespace, of a group of the joiner
 * @flags: enum scatter_wide_flags
 * @mode: permission bits of a group that the JOIN creates, 0 to 0777
 * @size: number of members of the group, 1 to %SCATTER_WIDE_SIZE_MAX
 * @sides: number of members of each side; both 0 or @size together
 * @side: 0 or 1; 0 without sides
 * @rank: the wanted rank in its side, less than @size; or %SCATTER_WIDE_RANK_ANY
 * @algorithm: algorithm of the group's schedule
 * @ports: ports of the group's schedule
 * @dims: dimensions of the schedule, 0 to %SCATTER_WIDE_DIMS
 * @extent: extents of the group's schedule
 * @name: printable ASCII without '/', 1 to 63 bytes, the rest zero
 */
struct scatter_wide_join {
	u64 token;
	u64 cluster;
	u32 owner;
	u32 uid;
	u32 gid;
	u32 flags;
	u32 mode;
	u32 size;
	u32 sides[2];
	u32 side;
	u32 rank;
	u32 algorithm;
	u32 ports;
	u32 dims;
	u32 extent[SCATTER_WIDE_DIMS];
	char name[SCATTER_WIDE_NAME_MAX];
};

/**
 * enum scatter_wide_answer - the answers to a JOIN
 * @SCATTER_WIDE_FINE: the joiner has a seat
 * @SCATTER_WIDE_EXISTS: the group exists already: EEXIST
 * @SCATTER_WIDE_DENIED: the group's mode bits refuse the joiner: EACCES. The bits may admit a
 *	member of the group ID in the answer
 * @SCATTER_WIDE_DIFFERS: the group has another size, sides or schedule: EPROTO
 * @SCATTER_WIDE_FULL: no seat is free: EUSERS
 * @SCATTER_WIDE_TAKEN: the rank is taken: EADDRINUSE
 * @SCATTER_WIDE_NONE: there is no such group, and only its owner may create the group: ENOENT
 * @SCATTER_WIDE_CHANGED: sender and receiver know different nodes: EREMCHG
 * @SCATTER_WIDE_REFUSED: the receiver admits no users of the sender: EACCES
 * @SCATTER_WIDE_NO_MEMORY: ENOMEM
 * @SCATTER_WIDE_NO_ROOM: the owner, or the sender, has as many groups as they may: ENOSPC
 * @SCATTER_WIDE_INVALID: no group can be as asked for: EINVAL
 */
enum scatter_wide_answer {
	SCATTER_WIDE_FINE = 0,
	SCATTER_WIDE_EXISTS = 1,
	SCATTER_WIDE_DENIED = 2,
	SCATTER_WIDE_DIFFERS = 3,
	SCATTER_WIDE_FULL = 4,
	SCATTER_WIDE_TAKEN = 5,
	SCATTER_WIDE_NONE = 6,
	SCATTER_WIDE_CHANGED = 7,
	SCATTER_WIDE_REFUSED = 8,
	SCATTER_WIDE_NO_MEMORY = 9,
	SCATTER_WIDE_NO_ROOM = 10,
	SCATTER_WIDE_INVALID = 11,
};

/**
 * struct scatter_wide_seated - SEATED: the registrar's answer to JOIN
 * @token: the JOIN's token
 * @id: the group's id, not all 0; all 0 unless @answer is %SCATTER_WIDE_FINE
 * @answer: enum scatter_wide_answer
 * @rank: the seat's rank, less than %SCATTER_WIDE_SIZE_MAX; 0 without a seat
 * @uid: the group's owner; 0 without a seat
 * @gid: the group's group ID, also if the answer is %SCATTER_WIDE_DENIED; else 0 without a seat
 * @mode: the group's permission bits; 0 without a seat
 */
struct scatter_wide_seated {
	u64 token;
	u64 id[2];
	enum scatter_wide_answer answer;
	u32 rank;
	u32 uid;
	u32 gid;
	u32 mode;
};

/**
 * struct scatter_wide_unseat - UNSEAT: a joiner gives up
 * @token: the JOIN's token
 * @done: false: the joiner's node asks; true: the registrar answers that the seat is free, or was
 *	never taken. The registrar does not answer if the group has formed
 */
struct scatter_wide_unseat {
	u64 token;
	bool done;
};

/**
 * struct scatter_wide_formed - FORMED: the registrar tells a node that the group is complete
 * @id: the group's id, not all 0
 * @size: number of members of the group, 1 to %SCATTER_WIDE_SIZE_MAX
 * @runs: how many runs the PLACES that follow have together, 1 to @size
 * @eager_limit: the group's eager limit in bytes, at most %SCATTER_WIDE_LIMIT_MAX
 * @gather_limit: the group's gather limit in bytes, at most %SCATTER_WIDE_LIMIT_MAX
 * @startup_ns: startup time of the group's cost model in ns, 1 to %SCATTER_WIDE_TIME_MAX
 * @gap_ns: gap of the group's cost model in ns, 1 to %SCATTER_WIDE_TIME_MAX
 * @window: the group's window in operations, 1 to %SCATTER_WIDE_LIMIT_MAX
 */
struct scatter_wide_formed {
	u64 id[2];
	u32 size;
	u32 runs;
	u32 eager_limit;
	u32 gather_limit;
	u32 startup_ns;
	u32 gap_ns;
	u32 window;
};

/**
 * struct scatter_wide_run - consecutive ranks on one node
 * @node: the node's id, not 0
 * @incarnation: the node's incarnation, not 0
 * @token: token of a JOIN of one of the ranks, not 0
 * @first: the first rank
 * @count: how many ranks, 1 and up; @first + @count is at most %SCATTER_WIDE_SIZE_MAX
 */
struct scatter_wide_run {
	u64 node;
	u64 incarnation;
	u64 token;
	u32 first;
	u32 count;
};

/**
 * struct scatter_wide_places - PLACES: where ranks of a group are
 * @id: the group's id, not all 0
 * @count: how many runs, 1 to %SCATTER_WIDE_RUNS_MAX
 * @runs: each run begins where the run before ends, and is on another node
 */
struct scatter_wide_places {
	u64 id[2];
	u32 count;
	struct scatter_wide_run runs[SCATTER_WIDE_RUNS_MAX];
};

/**
 * enum scatter_wide_attaching - what ATTACH says
 * @SCATTER_WIDE_ATTACH: the sender is a node of the group, and asks whether the receiver is
 * @SCATTER_WIDE_ATTACHED: the sender is a node of the group
 * @SCATTER_WIDE_NEVER: the sender is no node of the group, and will never be
 */
enum scatter_wide_attaching {
	SCATTER_WIDE_ATTACH = 1,
	SCATTER_WIDE_ATTACHED = 2,
	SCATTER_WIDE_NEVER = 3,
};

/**
 * struct scatter_wide_attach - ATTACH: two nodes of a group meet
 * @id: the group's id, not all 0
 * @token: token of a JOIN of the receiver, not 0; 0 in an answer
 * @what: enum scatter_wide_attaching
 */
struct scatter_wide_attach {
	u64 id[2];
	u64 token;
	enum scatter_wide_attaching what;
};

/**
 * enum scatter_wide_kind - the kinds of facts
 * @SCATTER_WIDE_DIED: a rank has died
 * @SCATTER_WIDE_LEFT: a rank has left
 * @SCATTER_WIDE_REVOKED: a rank has revoked the group
 * @SCATTER_WIDE_MISMATCH: a rank differs from the others in an operation
 * @SCATTER_WIDE_STOPPED: a rank will call no operation from some number on, since the group is
 *	broken
 * @SCATTER_WIDE_GONE: a node is lost, and its ranks are dead
 * @SCATTER_WIDE_ENDED: to the registrar: the group's name is free
 * @SCATTER_WIDE_FAILED: a rank's call of an operation has failed: others miss what they need of the
 *	rank in that operation
 */
enum scatter_wide_kind {
	SCATTER_WIDE_DIED = 1,
	SCATTER_WIDE_LEFT = 2,
	SCATTER_WIDE_REVOKED = 3,
	SCATTER_WIDE_MISMATCH = 4,
	SCATTER_WIDE_STOPPED = 5,
	SCATTER_WIDE_GONE = 6,
	SCATTER_WIDE_ENDED = 7,
	SCATTER_WIDE_FAILED = 8,
};

/**
 * struct scatter_wide_fact - FACT: an event that the nodes of a group have to know
 * @id: the group's id, not all 0
 * @kind: the kind of event
 * @rank: the rank, less than %SCATTER_WIDE_SIZE_MAX; 0 if the kind has no rank
 * @number: the first operation that the rank has not called; MISMATCH, FAILED: the operation in
 *	which the rank differs, or its call has failed; else 0
 * @node: GONE: the node's id, not 0; else 0
 */
struct scatter_wide_fact {
	u64 id[2];
	enum scatter_wide_kind kind;
	u32 rank;
	u64 number;
	u64 node;
};

/**
 * enum scatter_wide_way - the direction of an EDGE
 * @SCATTER_WIDE_UP: to the parent: all ranks of the sender's subtree have called
 * @SCATTER_WIDE_DOWN: to a child: all ranks have called
 */
enum scatter_wide_way {
	SCATTER_WIDE_UP = 1,
	SCATTER_WIDE_DOWN = 2,
};

/**
 * struct scatter_wide_edge - EDGE: an operation goes on along an edge between nodes
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @way: the direction
 */
struct scatter_wide_edge {
	u64 id[2];
	u64 number;
	enum scatter_wide_way way;
};

/**
 * enum scatter_wide_op - the operations that have blocks, with the numbers of enum scatter_op
 * @SCATTER_WIDE_SCATTER: the blocks go from the root
 * @SCATTER_WIDE_GATHER: the blocks go to the root
 * @SCATTER_WIDE_SCATTERV: as SCATTER; each block has a length of its own
 * @SCATTER_WIDE_GATHERV: as GATHER; each block has a length of its own
 */
enum scatter_wide_op {
	SCATTER_WIDE_SCATTER = 0,
	SCATTER_WIDE_GATHER = 1,
	SCATTER_WIDE_SCATTERV = 3,
	SCATTER_WIDE_GATHERV = 4,
};

/**
 * enum scatter_wide_bundle_flags - what the stream of a BUNDLE has
 * @SCATTER_WIDE_LISTED: first the lengths of all blocks, %SCATTER_WIDE_LENGTH_BYTES each
 * @SCATTER_WIDE_PLAIN: no blocks: nodes that need a block pull it
 * @SCATTER_WIDE_COUNTS: no bundle: the lengths are those of all blocks of the operation, by rank,
 *	which tell the tree of an irregular schedule; LISTED and PLAIN, too
 */
enum scatter_wide_bundle_flags {
	SCATTER_WIDE_LISTED = 1 << 0,
	SCATTER_WIDE_PLAIN = 1 << 1,
	SCATTER_WIDE_COUNTS = 1 << 2,
};

/**
 * struct scatter_wide_bundle - BUNDLE: blocks cross an edge between nodes, or are announced
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @block: bytes of each block, at most %SCATTER_WIDE_BLOCK_MAX; 0 in a v form
 * @asked: digest of the schedule that the callers asked for, not 0
 * @op: the operation
 * @flags: enum scatter_wide_bundle_flags; a v form is LISTED
 * @root: the root's rank, less than %SCATTER_WIDE_SIZE_MAX
 * @first: the first rank that has a block in the operation
 * @blocks: how many ranks have a block, 1 and up; @first + @blocks is at most
 *	%SCATTER_WIDE_SIZE_MAX
 * @algorithm: algorithm of the schedule that runs between nodes, 1 to %SCATTER_WIDE_ALGORITHM_MAX
 * @ports: ports of that schedule
 * @dims: dimensions of the schedule, 0 to %SCATTER_WIDE_DIMS
 * @extent: extents of the schedule; 0 beyond @dims
 * @count: blocks of the bundle, 1 to @blocks; of COUNTS @blocks
 * @total: bytes of the stream, at most %SCATTER_WIDE_STREAM_MAX
 * @offset: where the message's payload belongs in the stream
 * @tree: which of the trees that run at once, less than %SCATTER_WIDE_TREES_MAX
 * @payload: bytes of the payload, which follows the head; 0 only if @total is 0. @offset + @payload
 *	is at most @total
 *
 * The stream has the lengths of the blocks if it is LISTED, and then the blocks unless it is PLAIN.
 * A block whose length is %SCATTER_WIDE_LENGTH_VOID has no bytes: nobody can read its source.
 */
struct scatter_wide_bundle {
	u64 id[2];
	u64 number;
	u64 block;
	u64 asked;
	enum scatter_wide_op op;
	u32 flags;
	u32 root;
	u32 first;
	u32 blocks;
	u32 algorithm;
	u32 ports;
	u32 dims;
	u32 extent[SCATTER_WIDE_DIMS];
	u32 count;
	u32 total;
	u32 offset;
	u32 tree;
	u32 payload;
};

/**
 * struct scatter_wide_pull - PULL: the sender needs a part of a block that was announced to it
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @offset: where the part begins in the block, at most %SCATTER_WIDE_BLOCK_MAX
 * @rank: the block's rank, less than %SCATTER_WIDE_SIZE_MAX
 * @bytes: length of the part, 1 to %SCATTER_WIDE_PULL_MAX
 */
struct scatter_wide_pull {
	u64 id[2];
	u64 number;
	u64 offset;
	u32 rank;
	u32 bytes;
};

/**
 * enum scatter_wide_data_flags - what DATA says
 * @SCATTER_WIDE_VOID: nobody can have the block: there is no payload
 */
enum scatter_wide_data_flags {
	SCATTER_WIDE_VOID = 1 << 0,
};

/**
 * struct scatter_wide_data - DATA: the next bytes of what a PULL asked for
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @offset: where the payload belongs in the block, at most %SCATTER_WIDE_BLOCK_MAX
 * @rank: the block's rank, less than %SCATTER_WIDE_SIZE_MAX
 * @flags: enum scatter_wide_data_flags
 * @payload: bytes of the payload, which follows the head, 1 to %SCATTER_WIDE_PAYLOAD_MAX; 0 if VOID
 */
struct scatter_wide_data {
	u64 id[2];
	u64 number;
	u64 offset;
	u32 rank;
	u32 flags;
	u32 payload;
};

/**
 * struct scatter_wide_done - DONE: the sender and all nodes behind it are through with operations
 * @id: the group's id, not all 0
 * @number: number of the last of the operations, less than 2^56
 */
struct scatter_wide_done {
	u64 id[2];
	u64 number;
};

/**
 * struct scatter_wide_grant - GRANT: the receiver may READ a part of a block that it has pulled
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @offset: where the part begins in the block, at most %SCATTER_WIDE_BLOCK_MAX
 * @rank: the block's rank, less than %SCATTER_WIDE_SIZE_MAX
 * @bytes: length of the part, 1 to %SCATTER_WIDE_PULL_MAX
 * @token: tells the sender's grants to this receiver apart: 1 and up, one more in each grant
 * @address: for the READ; @address + @bytes does not wrap
 * @key: for the READ, not 0
 *
 * On a new line, the sender sends the GRANT again if the receiver has not answered with GOT: with
 * the same token, but another @address and @key.
 */
struct scatter_wide_grant {
	u64 id[2];
	u64 number;
	u64 offset;
	u32 rank;
	u32 bytes;
	u64 token;
	u64 address;
	u32 key;
};

/**
 * struct scatter_wide_got - GOT: the sender has read what some GRANTs granted
 * @token: token of the last of these GRANTs, not 0
 */
struct scatter_wide_got {
	u64 token;
};

/**
 * enum scatter_wide_lane_flags - what a cell has
 * @SCATTER_WIDE_LENGTH: v form: not bytes of the block, but its length
 * @SCATTER_WIDE_UNREADABLE: the bytes are not those of the block, which its owner could not read
 */
enum scatter_wide_lane_flags {
	SCATTER_WIDE_LENGTH = 1 << 0,
	SCATTER_WIDE_UNREADABLE = 1 << 1,
};

/**
 * struct scatter_wide_lane - LANE: what the sender has combined of a cell of an OR-broadcast
 * @head: what operation it is: id, number, block, asked, op, root, first and blocks as in a BUNDLE.
 *	The algorithm is %SCATTER_WIDE_OR_BROADCAST; all else is 0
 * @cell: the number of the cell in the operation, less than %SCATTER_WIDE_CELL_END
 * @offset: bytes of the block before the cell, a multiple of %SCATTER_WIDE_CELL_MAX; 0 if LENGTH
 * @flags: enum scatter_wide_lane_flags; LENGTH alone, and in a v form only
 * @rank: the block's rank, one of the ranks that have a block
 * @payload: bytes of the payload, which follows the head: %SCATTER_WIDE_LENGTH_BYTES if LENGTH; in
 *	a v form 1 to %SCATTER_WIDE_CELL_MAX; else the rest of the block, at most
 *	%SCATTER_WIDE_CELL_MAX, so that it is 0 only if the block is empty
 */
struct scatter_wide_lane {
	struct scatter_wide_bundle head;
	u64 cell;
	u64 offset;
	u32 flags;
	u32 rank;
	u32 payload;
};

/**
 * struct scatter_wide_wait - WAIT: tells what the operation is in which members wait
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @asked: digest of what all callers have to give alike, the root and the length of the blocks left
 *	out; not 0
 * @block: bytes of each block as the callers know them, at most %SCATTER_WIDE_BLOCK_MAX; 0 if only
 *	the root knows, and without a root
 * @root: the root's rank, less than %SCATTER_WIDE_SIZE_MAX; or %SCATTER_WIDE_ROOT_ANY
 * @rank: a rank that has called this operation, less than %SCATTER_WIDE_SIZE_MAX
 */
struct scatter_wide_wait {
	u64 id[2];
	u64 number;
	u64 asked;
	u64 block;
	u32 root;
	u32 rank;
};

/**
 * struct scatter_wide_missing - MISSING: ranks that have not called an operation
 * @id: the group's id, not all 0
 * @number: the operation's number, less than 2^56
 * @ranks: the ranks: bit r % 64 of word r / 64. In a message to the home: ranks of the sender; in a
 *	message from the home: ranks of all nodes, as far as the home knows
 */
struct scatter_wide_missing {
	u64 id[2];
	u64 number;
	u64 ranks[SCATTER_WIDE_MASK_WORDS];
};

#endif /* _SCATTER_WIDE_H */

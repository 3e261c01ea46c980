/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/scatter: collective scatter and gather among processes.
 */
#ifndef _UAPI_LINUX_SCATTER_H
#define _UAPI_LINUX_SCATTER_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: overview
 *
 * A *group* is an ordered set of *members*, rank 0 to size - 1. An open file
 * of /dev/scatter becomes a member with %SCATTER_IOCTL_JOIN; from then on it
 * belongs to the address space that joined. Members then call *operations*
 * with %SCATTER_IOCTL_COLL. All members of a group call the same operations in
 * the same order; the kernel numbers them from 0. In one operation every
 * rank owns one *block* of the same number of bytes.
 *
 * An operation completes for a member when its own part is done. No operation
 * but %SCATTER_OP_BARRIER implies that any other member has called it.
 */

/**
 * DOC: structs
 *
 * Every struct begins with @size, which the caller sets to the sizeof() it was
 * compiled with, and @flags. A struct shorter than the first published form is
 * refused with EINVAL. A longer one, up to a page, is accepted if all bytes that
 * this kernel does not know are zero, else refused with E2BIG. Unknown flags and reserved
 * fields that are not zero are refused with EOPNOTSUPP. The kernel writes back
 * at most @size bytes, on success and on failure, so that fields marked (out)
 * that explain a failure are readable after it.
 *
 * All lengths are bytes, all times are nanoseconds of the initial time
 * namespace's CLOCK_MONOTONIC. A deadline is absolute; 0 means none. A
 * deadline limits waiting only: what can complete without waiting completes
 * although its deadline has passed.
 */

/**
 * DOC: errno vocabulary
 *
 * One meaning per errno, for every ioctl of the device.
 *
 * ====================== ====================================================
 * errno                  meaning
 * ====================== ====================================================
 * ENOTTY                 no such ioctl
 * EINVAL                 a field is out of its range, or size is too small
 * E2BIG                  the struct has bytes that this kernel does not know
 * EOPNOTSUPP             an unknown flag, operation or algorithm, or a reserved
 *                        field that is not zero
 * EFAULT                 the struct, counts, displacements, a layout or a buffer of
 *                        this member are not accessible. Nothing was done if the struct
 *                        or an array was not, and @number says which operation is
 *                        next; if a buffer was not, it has ended for this
 *                        member, and the group survives. If another thread
 *                        takes the struct away during the call, that is done
 *                        and only its answer lost
 * EACCES                 the group's mode bits do not allow JOIN
 * EADDRINUSE             JOIN: the rank is taken
 * EUSERS                 JOIN: the group is complete
 * ENOSPC                 JOIN: this user has created as many groups as
 *                        the module's parameter user_groups allows
 * EMFILE                 JOIN: this user has user_members members
 * EDQUOT                 JOIN: the rings of this user would have more than
 *                        user_ring_bytes bytes
 * EAGAIN                 this user was first to call user_operations operations
 *                        that not all have passed. Nothing was called
 * EISCONN                JOIN: this file has joined already
 * EINPROGRESS            JOIN on a non-blocking file: joined, the group is not
 *                        complete yet; poll() tells. Operations before
 *                        that get it too
 * ENOTCONN               this file has not joined
 * EIO                    called from another address space than the one
 *                        that joined
 * EBUSY                  another thread is inside an operation of this member,
 *                        or another operation is paused
 * EINTR                  a signal was handled while waiting, with SA_RESTART
 *                        too. The operation is paused; the same call resumes
 *                        it. Being stopped and continued only delays
 * ETIMEDOUT              the deadline passed while waiting. The operation is
 *                        paused; the same call resumes it
 * EPROTO                 members disagree about the operation, root, block or
 *                        algorithm, and the group is broken. JOIN: about the
 *                        size or the group's schedule; that breaks nothing
 * EREMOTEIO              the peer whose data was needed, or the root that should
 *                        have gathered ours, had a fault in its own buffer. The
 *                        group survives
 * ECONNRESET             a member died whose part was needed. The group is
 *                        broken
 * ESHUTDOWN              a member left with LEAVE before this operation
 * ECANCELED              a member has revoked the group
 * ENOMEM                 no kernel memory
 * ====================== ====================================================
 *
 * EPROTO, EREMOTEIO, ECONNRESET, ESHUTDOWN and ECANCELED name the rank that caused them in
 * @culprit of struct scatter_coll and, when the group is broken, of struct
 * scatter_status. A broken group ends every later operation with the errno
 * that broke it.
 */

#define SCATTER_IOCTL_TYPE	0xBD

/* The numbers carry no size: it is in the struct. */
#define SCATTER_IOCTL_INFO	_IO(SCATTER_IOCTL_TYPE, 0x00)
#define SCATTER_IOCTL_JOIN	_IO(SCATTER_IOCTL_TYPE, 0x01)
#define SCATTER_IOCTL_LEAVE	_IO(SCATTER_IOCTL_TYPE, 0x02)
#define SCATTER_IOCTL_COLL	_IO(SCATTER_IOCTL_TYPE, 0x03)
#define SCATTER_IOCTL_STATUS	_IO(SCATTER_IOCTL_TYPE, 0x04)
#define SCATTER_IOCTL_REVOKE	_IO(SCATTER_IOCTL_TYPE, 0x05)

/** SCATTER_SIZE_MAX - most members in a group */
#define SCATTER_SIZE_MAX	1024
/** SCATTER_NAME_MAX - longest name of a group in bytes, with its NUL */
#define SCATTER_NAME_MAX	64
/** SCATTER_RANK_ANY - JOIN: take the lowest free rank; @culprit: nobody */
#define SCATTER_RANK_ANY	(-1)
/** SCATTER_MASK_WORDS - 64-bit words of a set of ranks; rank r is bit r % 64 of word r / 64 */
#define SCATTER_MASK_WORDS	(SCATTER_SIZE_MAX / 64)

/**
 * enum scatter_op - what an operation does
 * @SCATTER_OP_SCATTER: block i of the root's send buffer goes to rank i
 * @SCATTER_OP_GATHER: rank i's send buffer goes to block i of the root's
 *	receive buffer
 * @SCATTER_OP_BARRIER: nobody returns before all have called; moves no data
 *	and crosses no edge
 * @SCATTER_OP_SCATTERV: like scatter, but each block has a length and a place of
 *	its own in the root's send buffer
 * @SCATTER_OP_GATHERV: like gather, but each block has a length and a place of
 *	its own in the root's receive buffer
 */
enum scatter_op {
	SCATTER_OP_SCATTER = 0,
	SCATTER_OP_GATHER = 1,
	SCATTER_OP_BARRIER = 2,
	SCATTER_OP_SCATTERV = 3,
	SCATTER_OP_GATHERV = 4,
};

/**
 * enum scatter_algorithm - the schedule of a scatter or gather
 * @SCATTER_ALGORITHM_AUTO: that of the group, see struct scatter_join; if it has
 *	none, the cost model chooses, the same for all members
 * @SCATTER_ALGORITHM_LINEAR: noncombining: the root exchanges one bundle with
 *	every other rank; size - 1 rounds
 * @SCATTER_ALGORITHM_HYPERCUBE: combining binomial tree, truncated when the
 *	size is no power of two; ceil(log2(size)) rounds
 * @SCATTER_ALGORITHM_MESH: recursive halving along one dimension of @extent after
 *	another
 * @SCATTER_ALGORITHM_TORUS: the same where each dimension is a ring
 * @SCATTER_ALGORITHM_KNOMIAL: combining tree for @ports transfers at a time
 * @SCATTER_ALGORITHM_ROTATED: log2(size) binomial trees, one for each dimension of a
 *	hypercube and for that part of each block; powers of two only
 * @SCATTER_ALGORITHM_BALANCED: balanced tree for all dimensions of a hypercube at
 *	a time; powers of two only
 * @SCATTER_ALGORITHM_IRREGULAR: combining tree that follows the lengths of the
 *	blocks; v forms only. Nobody waits for a member whose block is empty, nor
 *	does that wait: if its call differs, those who have returned do not see it
 * @SCATTER_ALGORITHM_OR_BROADCAST: for each block all members combine what they
 *	contribute, who has the block that and the others zeros, by OR, and all get
 *	the result. All wait for all; size times as many bytes as the others. The
 *	cost model never chooses it. Members of a gather get no EREMOTEIO if the root
 *	cannot write
 *
 * Bundles of a torus, of rotated and balanced trees are no consecutive ranks: they
 * always travel as descriptors. @ports and @extent are fields of struct scatter_coll and
 * of struct scatter_join.
 */
enum scatter_algorithm {
	SCATTER_ALGORITHM_AUTO = 0,
	SCATTER_ALGORITHM_LINEAR = 1,
	SCATTER_ALGORITHM_HYPERCUBE = 2,
	SCATTER_ALGORITHM_MESH = 3,
	SCATTER_ALGORITHM_TORUS = 4,
	SCATTER_ALGORITHM_KNOMIAL = 5,
	SCATTER_ALGORITHM_ROTATED = 6,
	SCATTER_ALGORITHM_BALANCED = 7,
	SCATTER_ALGORITHM_IRREGULAR = 8,
	SCATTER_ALGORITHM_OR_BROADCAST = 9,
};

/* Most dimensions of a mesh or torus. */
#define SCATTER_DIMS_MAX	8

/**
 * struct scatter_info - ioctl(SCATTER_IOCTL_INFO)
 * @size: sizeof(struct scatter_info)
 * @flags: must be 0
 * @operations: (out) bit n: this kernel has operation n of enum scatter_op
 * @algorithms: (out) bit n: this kernel has algorithm n of enum
 *	scatter_algorithm
 * @features: (out) bits for what later versions add; 0 now
 * @block_max: (out) longest block in bytes
 * @size_max: (out) most members in a group
 * @name_max: (out) longest name in bytes, with its NUL
 * @ring_bytes: (out) default size of a member's ring in bytes
 * @ring_bytes_min: (out) smallest ring in bytes
 * @ring_bytes_max: (out) largest ring in bytes
 * @eager_limit: (out) longest bundle in bytes that travels as payload, for
 *	groups formed from now on
 * @window: (out) how many operations a member may be ahead of the slowest
 * @gather_limit: (out) what @eager_limit is for gathers of groups with more members
 *	than CPUs, if it is more than that
 *
 * Needs no group.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT.
 */
struct scatter_info {
	__u32 size;
	__u32 flags;
	__aligned_u64 operations;
	__aligned_u64 algorithms;
	__aligned_u64 features;
	__aligned_u64 block_max;
	__u32 size_max;
	__u32 name_max;
	__u32 ring_bytes;
	__u32 ring_bytes_min;
	__u32 ring_bytes_max;
	__u32 eager_limit;
	__u32 window;
	__u32 gather_limit;
};

/**
 * struct scatter_join - ioctl(SCATTER_IOCTL_JOIN)
 * @size: sizeof(struct scatter_join)
 * @flags: must be 0
 * @members: the group's size, 1 to %SCATTER_SIZE_MAX; all must agree
 * @rank: (in, out) the rank wanted or %SCATTER_RANK_ANY; becomes the rank taken
 * @mode: permission bits of a group that this call creates, 0 to 0777, masked
 *	by the umask. JOIN needs the read and the write bit of its class.
 * @ring_bytes: size of this member's ring in bytes, a power of two within the
 *	limits of INFO; 0 takes the default
 * @deadline_ns: when to stop waiting for the others; 0 is never
 * @name: the group's name: printable ASCII without '/', not empty,
 *	NUL-terminated, zero after the NUL
 * @algorithm: enum scatter_algorithm: the group's schedule, that of operations which
 *	leave theirs open; 0: the cost model chooses
 * @ports: as in struct scatter_coll, of @algorithm
 * @dims: likewise
 * @extent: likewise
 * @__reserved: must be 0
 *
 * Joins the group of this name in the network namespace in which the file was
 * opened, or creates it, and waits until all @members have joined. A
 * non-blocking file does not wait: EINPROGRESS says that it has joined. A
 * JOIN that ends with any other error has taken no rank.
 *
 * The group's schedule is that of each scatter and gather, v forms too, whose
 * @algorithm is 0; one that names an algorithm runs that, with @ports, @dims and
 * @extent of its own. If that of the group is irregular it is for v forms only, and
 * the cost model chooses for the others. Barriers have none. What cannot be
 * scheduled for @members gets EINVAL. All must give the same schedule; who gives
 * another one, or another size, gets EPROTO, and the group is as it was.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT, EACCES, EADDRINUSE, EUSERS,
 * ENOSPC, EMFILE, EDQUOT, EISCONN, EINPROGRESS, EPROTO, EINTR, ETIMEDOUT,
 * EBUSY, ENOMEM.
 */
struct scatter_join {
	__u32 size;
	__u32 flags;
	__u32 members;
	__s32 rank;
	__u32 mode;
	__u32 ring_bytes;
	__aligned_u64 deadline_ns;
	char name[SCATTER_NAME_MAX];
	__u32 algorithm;
	__u32 ports;
	__u32 dims;
	__u32 extent[SCATTER_DIMS_MAX];
	__u32 __reserved;
};

/**
 * struct scatter_leave - ioctl(SCATTER_IOCTL_LEAVE)
 * @size: sizeof(struct scatter_leave)
 * @flags: must be 0
 *
 * Ends the membership; not collective. Operations that this member has called
 * before complete for the others; later ones fail there with ESHUTDOWN. An
 * operation that is paused counts as not called. The file may JOIN again.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT, ENOTCONN, EIO, EBUSY.
 */
struct scatter_leave {
	__u32 size;
	__u32 flags;
};

/**
 * struct scatter_revoke - ioctl(SCATTER_IOCTL_REVOKE)
 * @size: sizeof(struct scatter_revoke)
 * @flags: must be 0
 *
 * Breaks the group for all members; not collective. Every operation that has not returned
 * ends with ECANCELED, also at members that need nothing from others any more and at
 * those that are paused in it, and so does every later one; @culprit is the rank of the
 * caller. Nobody waits for this call and it waits for nobody: another thread of the member
 * may be inside an operation. A group that is broken already stays as it is.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT, ENOTCONN, EIO, EINPROGRESS (the group is
 * not complete; nothing was done).
 */
struct scatter_revoke {
	__u32 size;
	__u32 flags;
};

/**
 * DOC: layouts
 *
 * The bytes of a buffer in the order in which they are sent or received are its
 * *stream*. Without a layout, byte k of the stream is byte k of the buffer. With one,
 * blocks, counts and displacements stay what they are, but of the stream: block i of a
 * scatter is the bytes from i * block on of the stream of the root's send buffer,
 * wherever those are in memory. Members may lay out their buffers differently, as long
 * as blocks have the same number of bytes at both ends.
 *
 * All of the layout is read when the call enters the operation; a call that resumes
 * names the same address, and nothing needs to be there any more. Layouts cost no copy:
 * @bytes_copied of struct scatter_counters is what it is without them.
 *
 * No byte of memory may be written twice: EINVAL says that two pieces of what is received
 * share one, in a gather of all blocks at the root, also if its own stays in place. Pieces
 * of what is sent may share bytes.
 *
 * A matrix in row order, scattered by columns: a member's block is a column, whose pieces
 * are as long as a number and a row apart; from one column to the next it is one number.
 */

/** SCATTER_IOV_MAX - most pieces of a list */
#define SCATTER_IOV_MAX			1024
/**
 * SCATTER_LAYOUT_PIECES_MAX - most pieces of a strided buffer to receive into whose levels
 * interleave, see struct scatter_layout
 */
#define SCATTER_LAYOUT_PIECES_MAX	65536

/**
 * enum scatter_layout_kind - how a layout says where things are
 * @SCATTER_LAYOUT_STRIDED: pieces in rows, rows in elements, elements without end
 * @SCATTER_LAYOUT_IOVEC: a list of pieces
 */
enum scatter_layout_kind {
	SCATTER_LAYOUT_STRIDED = 0,
	SCATTER_LAYOUT_IOVEC = 1,
};

/**
 * struct scatter_iovec - a piece of a list
 * @base: its address
 * @length: bytes of it, 0 and up
 */
struct scatter_iovec {
	__aligned_u64 base;
	__aligned_u64 length;
};

/**
 * struct scatter_layout - where the bytes of a buffer are
 * @size: sizeof(struct scatter_layout)
 * @flags: must be 0
 * @kind: enum scatter_layout_kind
 * @iov_count: iovec: how many pieces, 0 to %SCATTER_IOV_MAX; else 0
 * @iov: iovec: address of an array of struct scatter_iovec; else 0
 * @length: strided: bytes of a piece, 1 and up; else 0
 * @stride: strided: bytes from a piece of a row to the next one; else 0
 * @count: strided: pieces of a row, 1 and up; else 0
 * @row_stride: strided: bytes from a row of an element to the next one; else 0
 * @rows: strided: rows of an element, 1 and up; else 0
 * @extent: strided: bytes from an element to the next one; else 0
 *
 * Strided: the first piece of the first row of the first element begins at the buffer's
 * address. An element has @length * @count * @rows bytes, less than 2^63; byte k of
 * the stream is in element k / that, and there are as many elements as are wanted. @stride,
 * @row_stride and @extent may be negative, 0, or shorter than what they lead over. In a
 * buffer to receive into no byte may come twice; that is certain where each level's stride,
 * taken from the shortest to the longest, leads over all that is repeated by the ones
 * before, and else is looked at piece by piece, of which there may be up to
 * %SCATTER_LAYOUT_PIECES_MAX then.
 *
 * Iovec: the pieces are the stream, one after the other, and the buffer's address is
 * ignored. What an operation uses must not be longer.
 *
 * Errors: EINVAL: @size is too small, a field is out of its range, an element that is used
 * has addresses below 0 or beyond 2^63, the list is too short, or a byte comes twice
 * where it is written. E2BIG, EOPNOTSUPP (@flags, @kind), EFAULT: the struct or the array
 * is not accessible. Nothing was called.
 */
struct scatter_layout {
	__u32 size;
	__u32 flags;
	__u32 kind;
	__u32 iov_count;
	__aligned_u64 iov;
	__aligned_u64 length;
	__s64 stride;
	__aligned_u64 count;
	__s64 row_stride;
	__aligned_u64 rows;
	__s64 extent;
};

/**
 * enum scatter_coll_flags - flags of struct scatter_coll
 * @SCATTER_COLL_IN_PLACE: root only: its own block stays where it is, in the
 *	send buffer of a scatter, in the receive buffer of a gather
 */
enum scatter_coll_flags {
	SCATTER_COLL_IN_PLACE = 1 << 0,
};

/**
 * struct scatter_coll - ioctl(SCATTER_IOCTL_COLL)
 * @size: sizeof(struct scatter_coll)
 * @flags: enum scatter_coll_flags
 * @op: enum scatter_op
 * @algorithm: enum scatter_algorithm; 0: the group's schedule; 0 for a barrier
 * @root: the rank that has (scatter) or gets (gather) all blocks; 0 for a
 *	barrier
 * @culprit: (out) the rank that caused the error, %SCATTER_RANK_ANY if none
 * @sendbuf: address of the data: scatter: members * @block bytes, root only;
 *	scatterv: what @counts and @displs say, root only; gather and gatherv:
 *	@block bytes, not with %SCATTER_COLL_IN_PLACE
 * @recvbuf: address for the data: scatter and scatterv: @block bytes, not with
 *	%SCATTER_COLL_IN_PLACE; gather: members * @block bytes, root only;
 *	gatherv: what @counts and @displs say, root only
 * @block: bytes per rank, 0 and up; 0 for a barrier. In a v form bytes of this
 *	member's own block, which the root ignores with %SCATTER_COLL_IN_PLACE
 * @deadline_ns: when to stop waiting; 0 is never
 * @number: (out) the operation's number in this group
 * @__reserved: must be 0
 * @counts: v forms, root only: address of an array of 64-bit numbers, for each
 *	rank the bytes of its block; 0 in other operations
 * @displs: v forms, root only: address of an array of 64-bit numbers, for each
 *	rank the bytes from the start of the buffer to its block; 0: the blocks
 *	lie side by side in rank order; 0 in other operations
 * @ports: %SCATTER_ALGORITHM_KNOMIAL: how many, 0 is 1; else 0
 * @dims: mesh and torus: how many dimensions, 1 to %SCATTER_DIMS_MAX; else 0
 * @extent: mesh and torus: members along each dimension, whose product is the
 *	group's size; the last one varies fastest with the rank. 0 where there is no
 *	dimension
 * @send_layout: address of a struct scatter_layout that says where the bytes of @sendbuf
 *	are; 0: they are contiguous
 * @recv_layout: likewise of @recvbuf
 *
 * What cannot be scheduled so (@ports, @dims, @extent, a size that is no power of
 * two, an irregular tree in no v form) gets EINVAL, and nothing was called.
 *
 * @op, @algorithm, @root, @ports, @dims, @extent and @block must be the same at
 * all members, but in a v form @block is what the root's @counts say of the rank, and
 * an @algorithm of 0 is the same as the group's schedule by name; otherwise the
 * operation fails with EPROTO at every member that has not returned, @culprit names the
 * first rank that differed, and the group is broken. Addresses that an
 * operation does not use are ignored. A block must not overlap the place that
 * it is copied to, except as a whole with %SCATTER_COLL_IN_PLACE.
 *
 * Blocks of a v form may be empty, leave gaps and come in any order. Those of a
 * scatterv may overlap each other; overlapping ones of a gatherv get EINVAL, as
 * do blocks that are longer than @block_max of INFO or end beyond 2^63, and a root
 * whose @block is not its own count. An
 * array that is not readable gets EFAULT. In both cases nothing was called.
 *
 * A call that ends with EINTR or ETIMEDOUT may have paused the operation. No
 * other member touches this member's memory then; the same call (same struct
 * but for @deadline_ns) resumes it, any other gets EBUSY.
 *
 * Errors: all of the vocabulary but those marked JOIN.
 */
struct scatter_coll {
	__u32 size;
	__u32 flags;
	__u32 op;
	__u32 algorithm;
	__u32 root;
	__s32 culprit;
	__aligned_u64 sendbuf;
	__aligned_u64 recvbuf;
	__aligned_u64 block;
	__aligned_u64 deadline_ns;
	__aligned_u64 number;
	__aligned_u64 __reserved;
	__aligned_u64 counts;
	__aligned_u64 displs;
	__u32 ports;
	__u32 dims;
	__u32 extent[SCATTER_DIMS_MAX];
	__aligned_u64 send_layout;
	__aligned_u64 recv_layout;
};

/**
 * struct scatter_counters - what was counted where it happened
 * @startups: bundles or descriptors that crossed an edge
 * @edge_bytes: payload bytes that those carried or named
 * @bytes_copied: payload bytes copied, every copy counted
 * @rounds: the highest round any header carried: a maximum, not a sum
 * @pins: pages of user memory pinned
 * @wakeups: times a sleeping member was woken
 * @sleeps: times a member slept
 * @spins: waits that ended while spinning, without sleep
 */
struct scatter_counters {
	__aligned_u64 startups;
	__aligned_u64 edge_bytes;
	__aligned_u64 bytes_copied;
	__aligned_u64 rounds;
	__aligned_u64 pins;
	__aligned_u64 wakeups;
	__aligned_u64 sleeps;
	__aligned_u64 spins;
};

/**
 * enum scatter_state - state of a group
 * @SCATTER_STATE_FORMING: not all members have joined
 * @SCATTER_STATE_ACTIVE: all have joined; operations run
 * @SCATTER_STATE_BROKEN: a member died or left, or members disagreed
 */
enum scatter_state {
	SCATTER_STATE_FORMING = 0,
	SCATTER_STATE_ACTIVE = 1,
	SCATTER_STATE_BROKEN = 2,
};

/**
 * struct scatter_status - ioctl(SCATTER_IOCTL_STATUS)
 * @size: sizeof(struct scatter_status)
 * @flags: must be 0
 * @state: (out) enum scatter_state
 * @rank: (out) this member's rank
 * @members: (out) the group's size
 * @joined: (out) members that have joined so far
 * @error: (out) the errno that broke the group, positive; 0 if not broken
 * @culprit: (out) the rank that broke the group; %SCATTER_RANK_ANY if none
 * @next: (out) number of the operation that this member is in or calls next
 * @eager_limit: (out) longest bundle in bytes that travels as payload, frozen
 *	when the group formed
 * @ring_bytes: (out) size of this member's ring in bytes
 * @dead: (out) ranks that died
 * @left: (out) ranks that left
 * @missing: (out) ranks that have not joined (forming), or have not called
 *	operation @next yet while this member is inside it or paused in it
 * @own: (out) what this member did since it joined
 * @total: (out) what all members did since they joined
 * @gather_limit: (out) what @eager_limit is for gathers of this group
 * @algorithm: (out) the group's schedule, as of JOIN
 * @ports: (out) of that; of %SCATTER_ALGORITHM_KNOMIAL 1 and up
 * @dims: (out) of that
 * @extent: (out) of that
 *
 * Allowed while another thread is inside an operation.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT, ENOTCONN.
 */
struct scatter_status {
	__u32 size;
	__u32 flags;
	__u32 state;
	__s32 rank;
	__u32 members;
	__u32 joined;
	__u32 error;
	__s32 culprit;
	__aligned_u64 next;
	__u32 eager_limit;
	__u32 ring_bytes;
	__aligned_u64 dead[SCATTER_MASK_WORDS];
	__aligned_u64 left[SCATTER_MASK_WORDS];
	__aligned_u64 missing[SCATTER_MASK_WORDS];
	struct scatter_counters own;
	struct scatter_counters total;
	__u32 gather_limit;
	__u32 algorithm;
	__u32 ports;
	__u32 dims;
	__u32 extent[SCATTER_DIMS_MAX];
};

/**
 * DOC: poll
 *
 * =========== ================================================================
 * event       meaning
 * =========== ================================================================
 * POLLIN      the group is complete: a non-blocking JOIN has succeeded
 * POLLPRI     a member died, or the group was revoked
 * POLLERR     the group is broken
 * POLLHUP     this file has not joined, or every other member is gone
 * =========== ================================================================
 */

#endif /* _UAPI_LINUX_SCATTER_H */

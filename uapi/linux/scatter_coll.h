/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/scatter: the operations of members, ioctl(SCATTER_IOCTL_COLL).
 */
#ifndef _UAPI_LINUX_SCATTER_COLL_H
#define _UAPI_LINUX_SCATTER_COLL_H

#include <linux/types.h>

/** SCATTER_ROOT - @root of struct scatter_coll at the root of an inter-group's operation */
#define SCATTER_ROOT		((__u32)-3)
/** SCATTER_PROC_NULL - @root of struct scatter_coll at all others of the root's side */
#define SCATTER_PROC_NULL	((__u32)-2)

/**
 * DOC: inter-groups
 *
 * A group may have two *sides*: @sides of struct scatter_join. In a scatter or gather of
 * such an inter-group one member, the *root*, has or gets all blocks, and each member
 * of the other side gets or has one. The root gives %SCATTER_ROOT for @root, the others of
 * its side %SCATTER_PROC_NULL, and those of the other side the root's rank within
 * its side. The root's buffer has one block for each member of the other side, in
 * rank order; it has no block of its own, so there is no %SCATTER_COLL_IN_PLACE. Of what
 * members give that are %SCATTER_PROC_NULL only @op and the schedule matter: they move no
 * data and return when they have called, which is no mismatch whoever the root is. A
 * barrier is one of both sides.
 *
 * A schedule runs between the root and the members of the other side: for it they
 * are the ranks 0 and up, and the root comes last. Where a size is asked for (powers of two,
 * the product of @extent) it is theirs, one more than the other side has members.
 *
 * A member's rank is one within its side, in JOIN, COLL and STATUS. Its *group rank* is the same
 * on side 0, and the rank plus @sides[0] on side 1; @culprit, the masks of struct scatter_status
 * and struct scatter_get_failed, and the tracepoints speak of group ranks.
 *
 * Two roots, a root on both sides, a %SCATTER_PROC_NULL on the other side than the root's,
 * and a @root that has not called with %SCATTER_ROOT are mismatches like others:
 * EPROTO, and the group is broken. Nobody waits for a root that does not come forth: who
 * is named as the root and calls otherwise is found out.
 */

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
 * @SCATTER_OP_DUP: REGROUP: a new group of the same members
 * @SCATTER_OP_SPLIT: REGROUP: new groups, one for each color
 * @SCATTER_OP_SHRINK: REGROUP: a new group of those who are left
 * @SCATTER_OP_AGREE: AGREE
 */
enum scatter_op {
	SCATTER_OP_SCATTER = 0,
	SCATTER_OP_GATHER = 1,
	SCATTER_OP_BARRIER = 2,
	SCATTER_OP_SCATTERV = 3,
	SCATTER_OP_GATHERV = 4,
	SCATTER_OP_DUP = 5,
	SCATTER_OP_SPLIT = 6,
	SCATTER_OP_SHRINK = 7,
	SCATTER_OP_AGREE = 8,
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
 * always travel as descriptors. @ports and @extent are fields of struct scatter_schedule.
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

/** SCATTER_DIMS_MAX - most dimensions of a mesh or torus */
#define SCATTER_DIMS_MAX	8

/**
 * struct scatter_schedule - an algorithm, and what it needs to know
 * @algorithm: enum scatter_algorithm
 * @ports: %SCATTER_ALGORITHM_KNOMIAL: how many, 0 is 1; else 0
 * @dims: mesh and torus: how many dimensions, 1 to %SCATTER_DIMS_MAX; else 0
 * @extent: mesh and torus: members along each dimension, whose product is the
 *	group's size; the last one varies fastest with the rank. 0 where there is no
 *	dimension
 * @__reserved: must be 0
 *
 * Errors, of each call that takes one: EOPNOTSUPP for an algorithm that this kernel does not
 * have, EINVAL for what cannot be scheduled so. Nothing was called then.
 */
struct scatter_schedule {
	__u32 algorithm;
	__u32 ports;
	__u32 dims;
	__u32 extent[SCATTER_DIMS_MAX];
	__u32 __reserved;
};

/**
 * DOC: all or none
 *
 * Two flags of an operation, which all members must give or none, are about how it ends.
 *
 * With %SCATTER_COLL_DEADLINE_ALL no deadline pauses the operation: when that of a member
 * passes while it waits, the operation has ended with ETIME for every member that needs
 * something yet, or calls it later. Who has got all that it is to get returns 0. @culprit is a
 * rank that had not called; if all had, one that the others waited for. STATUS tells
 * in @missing all that had not called, until the member's next operation. Blocks on their
 * way are dropped. A signal pauses as always; if the deadline of the paused call passes,
 * whoever waits then ends the operation, or if nobody does, the next one who would have to
 * wait. A later call does not put off a deadline that has been paused with. ETIMEDOUT is
 * left for a member that could not begin, since too many operations are under way:
 * it has not called. It may also pause, with ETIMEDOUT, a call whose operation other machines
 * have not ended 100 ms after the deadline.
 *
 * With %SCATTER_COLL_UNIFORM all succeed or none. Who has done its own part waits until all
 * have; from then on all return 0, whatever happens. If any fails before, dies, leaves,
 * revokes the group or differs, or an %SCATTER_COLL_DEADLINE_ALL passes, the operation has
 * failed for all with one errno and one @culprit. The culprit alone may get another: EFAULT
 * for its own buffer, or ENOMEM, is EREMOTEIO to all others. What receive buffers hold then
 * is undefined. A call that is paused while it waits for the others has done its part.
 */

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

/** SCATTER_NUMBER_NEW - @number of a call that begins an operation, and resumes none */
#define SCATTER_NUMBER_NEW	(~0ULL)

/**
 * struct scatter_results - what one operation has come to
 * @size: sizeof(struct scatter_results)
 * @flags: must be 0
 * @number: (in, out) %SCATTER_NUMBER_NEW begins an operation and becomes its number in this
 *	group, from 0 to 2^56 - 1. The number of the paused operation resumes that one.
 *	It stays as it is if nothing was called
 * @bytes: (out) bytes that this member has received: its block of a scatter, all
 *	blocks at the root of a gather, in either case but for what stayed in place; 0 if
 *	the call failed
 * @culprit: (out) the rank that caused the error, %SCATTER_RANK_ANY if none
 * @error: (out) the errno that the call returns, positive; 0 for success
 *
 * What is wrong with this struct, or with the size and flags of struct scatter_coll, is refused
 * before anything is written here, and so is a call (EBUSY) while another thread is inside one.
 *
 * A call that ends with EINTR or ETIMEDOUT, and has paused an operation, has left the number of
 * that in @number, so that the same call, with the same results, resumes it. Afterwards the
 * caller sets it to %SCATTER_NUMBER_NEW again.
 *
 * If another thread takes the results away during the call, that gets EFAULT, whatever it has
 * done; @next of struct scatter_status tells whether it has ended.
 */
struct scatter_results {
	__u32 size;
	__u32 flags;
	__aligned_u64 number;
	__aligned_u64 bytes;
	__s32 culprit;
	__u32 error;
};

/**
 * enum scatter_coll_flags - flags of struct scatter_coll
 * @SCATTER_COLL_IN_PLACE: root only: its own block stays where it is, in the
 *	send buffer of a scatter, in the receive buffer of a gather
 * @SCATTER_COLL_UNIFORM: all members succeed or none
 * @SCATTER_COLL_DEADLINE_ALL: the first deadline that passes ends the operation for all
 * @SCATTER_COLL_RELATIVE: @deadline_ns counts from the call. A call that resumes an
 *	operation after EINTR with the same @deadline_ns goes on counting. One after ETIMEDOUT
 *	begins anew, as does one after EINTR if no operation had begun
 */
enum scatter_coll_flags {
	SCATTER_COLL_IN_PLACE = 1 << 0,
	SCATTER_COLL_UNIFORM = 1 << 1,
	SCATTER_COLL_DEADLINE_ALL = 1 << 2,
	SCATTER_COLL_RELATIVE = 1 << 3,
};

/**
 * struct scatter_coll - ioctl(SCATTER_IOCTL_COLL)
 * @size: sizeof(struct scatter_coll)
 * @flags: enum scatter_coll_flags
 * @op: enum scatter_op, up to %SCATTER_OP_GATHERV
 * @root: the rank that has (scatter) or gets (gather) all blocks; 0 for a
 *	barrier; in an inter-group %SCATTER_ROOT, %SCATTER_PROC_NULL or a rank of the
 *	other side
 * @sendbuf: address of the data: scatter: members * @block bytes, root only;
 *	scatterv: what @counts and @displs say, root only; gather and gatherv:
 *	@block bytes, not with %SCATTER_COLL_IN_PLACE
 * @recvbuf: address for the data: scatter and scatterv: @block bytes, not with
 *	%SCATTER_COLL_IN_PLACE; gather: members * @block bytes, root only;
 *	gatherv: what @counts and @displs say, root only
 * @block: bytes per rank, 0 and up; 0 for a barrier. In a v form bytes of this
 *	member's own block, which the root ignores with %SCATTER_COLL_IN_PLACE
 * @deadline_ns: when to stop waiting; 0 is never
 * @counts: v forms, root only: address of an array of 64-bit numbers, for each
 *	rank the bytes of its block, in an inter-group of the other side; 0 in other
 *	operations
 * @displs: v forms, root only: address of an array of 64-bit numbers, for each
 *	rank the bytes from the start of the buffer to its block; 0: the blocks
 *	lie side by side in rank order; 0 in other operations
 * @send_layout: address of a struct scatter_layout that says where the bytes of @sendbuf
 *	are; 0: they are contiguous
 * @recv_layout: likewise of @recvbuf
 * @schedule: of this operation; an @algorithm of 0: that of the group; all 0 for a barrier
 * @results: address of a struct scatter_results, which the call reads and writes
 *
 * The kernel only reads this struct, so it may be constant, and be used again or by
 * several threads at a time. What a call came to is in @results.
 *
 * A file in non-blocking mode makes no difference: a call waits. What cannot be scheduled
 * as @schedule says (a size that is no power of two, an irregular tree in no v form)
 * gets EINVAL, and nothing was called.
 *
 * @op, @schedule, @root, @block and @flags must be the same at
 * all members, but in a v form @block is what the root's @counts say of the rank,
 * an algorithm of 0 is the same as the group's schedule by name, in an inter-group
 * @root tells the same root from where the member is, and
 * %SCATTER_COLL_IN_PLACE is the root's own affair, %SCATTER_COLL_RELATIVE everybody's;
 * otherwise the operation fails with EPROTO at every member that has not returned, @culprit
 * names a rank that differed from others, and the group is broken. Addresses that an
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
 * other member touches this member's memory then; the same call (same struct but for
 * @deadline_ns, and its number in the results) resumes it. A call that
 * begins another one gets EBUSY, as does one that resumes it with another struct; a number
 * that is not the paused operation's gets EINVAL.
 *
 * Errors: all of the vocabulary but those marked JOIN.
 */
struct scatter_coll {
	__u32 size;
	__u32 flags;
	__u32 op;
	__u32 root;
	__aligned_u64 sendbuf;
	__aligned_u64 recvbuf;
	__aligned_u64 block;
	__aligned_u64 deadline_ns;
	__aligned_u64 counts;
	__aligned_u64 displs;
	__aligned_u64 send_layout;
	__aligned_u64 recv_layout;
	struct scatter_schedule schedule;
	__aligned_u64 results;
};

#endif /* _UAPI_LINUX_SCATTER_COLL_H */

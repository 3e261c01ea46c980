/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/scatter: the operations of members, ioctl(SCATTER_IOCTL_COLL), and what all ioctls have in
 * common: errnos, and groups on several nodes.
 */
#ifndef _UAPI_LINUX_SCATTER_COLL_H
#define _UAPI_LINUX_SCATTER_COLL_H

#include <linux/types.h>

/**
 * DOC: errno vocabulary
 *
 * One meaning per errno, for every ioctl of the device.
 *
 * ====================== ====================================================
 * errno                  meaning
 * ====================== ====================================================
 * ENOTTY                 no such ioctl
 * EINVAL                 a field is out of its range, or size is too small; or the
 *                        operation of this number is not paused
 * E2BIG                  the struct has nonzero bytes that this kernel does not know, or is
 *                        longer than a page
 * EOPNOTSUPP             an unknown flag, operation or algorithm, or a reserved
 *                        field that is not zero. JOIN with DECLINE: other nodes know the
 *                        name
 * EFAULT                 the struct, counts, displacements, a layout or a buffer of this
 *                        member are not accessible. If the struct or an array was not, the
 *                        call did nothing. If a buffer was not, the operation has ended for
 *                        this member, and the group survives. If another thread unmaps the
 *                        struct or its results during the call, the call takes effect and
 *                        only its answer is lost; a new membership whose descriptor is lost
 *                        with the answer ends as if its file were closed
 * EACCES                 the group's mode bits do not allow JOIN, or the registrar of the name
 *                        admits no users of this node
 * ENOENT                 JOIN: the owner, another user, has no group of this name
 * EEXIST                 JOIN with EXCL: the caller has a group of this name
 * EBADF                  JOIN, CREATE: the device was not opened for reading and writing
 * EADDRINUSE             JOIN: the rank is taken
 * EUSERS                 JOIN: the group, or the side, is complete; with DECLINE: the group is
 * ENOSPC                 JOIN, CREATE, REGROUP: this user has as many groups as
 *                        the module's parameter user_groups allows, here or, for JOIN, at the
 *                        registrar of the name; or the registrar keeps as many names for users of
 *                        this node as its parameter peer_groups allows
 * EMFILE                 JOIN, REGROUP: this user has user_members members. JOIN, CREATE,
 *                        REGROUP: this process has no descriptor left
 * ENFILE                 CREATE, JOIN, REGROUP: the machine has no file left
 * EDQUOT                 JOIN, REGROUP: with the ring, this user would have more than
 *                        user_bytes bytes of kernel memory. Operations: so it would with the
 *                        layouts, counts or OR-broadcast of this call; nothing was called.
 *                        DECLINE: this user has user_refused refused names
 * EISCONN                JOIN: this file has joined already
 * EPERM                  JOIN, CREATE: this file was not opened from the device. JOIN on a
 *                        group descriptor, or REGROUP, made the file for one membership
 * EINPROGRESS            JOIN that does not wait: the caller has joined, and the group is not
 *                        complete yet; poll() tells. Operations before then get EINPROGRESS too
 * EHOSTUNREACH           JOIN: the registrar of the name cannot be reached, or was lost before the
 *                        group was complete
 * ECONNREFUSED           JOIN: a process that was to join has declined, and there will be no group;
 *                        nothing is joined
 * EREMCHG                JOIN: the registrar of the name knows other nodes than this node does
 * ENOTCONN               this file has not joined. STATUS, COUNTERS, CREDENTIALS: or its rank was
 *                        lost before the group was complete
 * EIO                    the caller's address space is not the one that joined, the process that
 *                        joined has ended, or the rank was lost before the group was complete
 * EBUSY                  another thread is inside an operation of this member, another
 *                        operation is paused, or the call resumes with another struct
 * EINTR                  a signal was handled while waiting, with SA_RESTART too. The
 *                        operation is paused; the same call resumes it. Being stopped and
 *                        continued only delays. SHRINK and AGREE are not paused but count
 *                        as not called; so does a call that had not begun
 * ETIMEDOUT              the deadline passed while waiting. The operation is paused; the
 *                        same call resumes it. SHRINK, AGREE: as EINTR
 * ETIME                  the deadline of an operation with DEADLINE_ALL passed: the
 *                        operation has ended for all. The group survives
 * EPROTO                 members disagree about the operation, root, block or algorithm, and
 *                        the group is broken. JOIN: members disagree about the size, the
 *                        sides or the group's schedule; such a JOIN breaks nothing. JOIN:
 *                        what the registrar of the name says of the group cannot be
 * EMSGSIZE               an operation with AT_MOST: a block is longer than the room that this
 *                        member has for the block. The operation has ended for this member, and
 *                        the group survives
 * EREMOTEIO              the peer whose data was needed, or the root that should have
 *                        gathered this member's data, had a fault in its own buffer. The
 *                        group survives
 * ECONNRESET             a member died whose part was needed. The group is broken. If a node is
 *                        lost, all its ranks are dead, and the lowest of them is named. AGREE: a
 *                        member died, and not all callers have acknowledged its death
 * ESHUTDOWN              a member left with LEAVE before this operation. AGREE: a member
 *                        left, and not all callers have acknowledged its departure
 * ECANCELED              a member has revoked the group
 * ENETUNREACH            SHRINK, AGREE, DUP, SPLIT, operations with UNIFORM: too few nodes of the
 *                        group are left to decide, or this node has missed the outcome, see
 *                        "several nodes". The outcome is unknown: other nodes may have one
 * ENOMEM                 no kernel memory
 * EOVERFLOW              the group has had 2^56 operations
 * ====================== ====================================================
 *
 * EPROTO, EMSGSIZE, EREMOTEIO, ETIME, ECONNRESET, ESHUTDOWN and ECANCELED name the rank that
 * caused them in @culprit of the call's struct and, when the group is broken, of struct
 * scatter_status. If several ranks caused the error, @culprit is any one of them. A broken group
 * ends every later operation with the errno that broke the group; SHRINK, AGREE and GET_FAILED
 * work in broken groups, too.
 *
 * Later versions may use EALREADY and ESTALE with meanings of their own.
 */

/** SCATTER_ROOT - @root of struct scatter_coll at the root of an inter-group's operation */
#define SCATTER_ROOT		((__u32)-3)
/** SCATTER_PROC_NULL - @root of struct scatter_coll at the other members of the root's side */
#define SCATTER_PROC_NULL	((__u32)-2)

/**
 * DOC: inter-groups
 *
 * A group may have two *sides*: @sides of struct scatter_join. In a scatter or gather of such
 * an inter-group one member, the *root*, has or gets all blocks, and each member of the other
 * side gets or has one block. The root gives %SCATTER_ROOT for @root, the other members of the
 * root's side give %SCATTER_PROC_NULL, and the members of the other side give the root's rank
 * within its side. The root's buffer has one block for each member of the other side, in rank
 * order. The root has no block of its own, so there is no %SCATTER_COLL_IN_PLACE.
 * %SCATTER_PROC_NULL members move no data and return at once, unless %SCATTER_COLL_UNIFORM makes
 * all wait. Only their @op, schedule and common flags must match the other calls; any other member
 * of their side may be the root. A barrier spans both sides.
 *
 * A schedule runs between the root and the members of the other side: the members have the ranks
 * 0 and up in the schedule, and the root comes last. The size of the schedule (for powers of two
 * and the product of @extent) is therefore one more than the members of the other side.
 *
 * In JOIN, COLL and STATUS a member's rank is its rank within its side. Its *group rank* is the
 * same on side 0, and the rank plus @sides[0] on side 1. @culprit, the masks of struct
 * scatter_status and struct scatter_get_failed, and the tracepoints give group ranks.
 *
 * Two roots, on one side or on both, a %SCATTER_PROC_NULL on the side opposite the root, and a
 * named root that does not call with %SCATTER_ROOT are mismatches like others: EPROTO, and the
 * group is broken. If the named root calls as something else, the operation fails as soon as a
 * member that names the root has called, too; nobody waits for another root.
 */

/**
 * DOC: several nodes
 *
 * A *node* is a network namespace that an administrator has made one of several. Its *peers* are
 * the nodes that it knows, see scatter_netlink(7). If a node has peers, all of them know the
 * names of its groups: processes on different nodes meet in one group by the same JOIN. With
 * %SCATTER_JOIN_LOCAL a name is known on this node only. The same name with the flag and without
 * it names two groups. A group without a name is on one node.
 *
 * One node, the *registrar* of the name, gives the ranks away. All nodes that know the same nodes
 * choose the same registrar. A JOIN waits for the registrar's answer, on a non-blocking file,
 * too. If the registrar cannot be reached for a keep-alive, 5 s unless the administrator has
 * changed the time, JOIN ends with EHOSTUNREACH. If the registrar knows other nodes than this
 * node does, JOIN ends with EREMCHG. Users have the user IDs of the initial user namespace. The
 * registrar's administrator says for each peer whether its users are those of the same number,
 * are all one user, or are not admitted, which gets EACCES. Then the group's mode bits decide, as
 * on one node.
 *
 * If the registrar is lost before the group is complete, all members on other nodes lose their
 * ranks. A JOIN that waits ends with EHOSTUNREACH. A member that joined without blocking gets
 * POLLHUP; its STATUS, COUNTERS and CREDENTIALS end with ENOTCONN, LEAVE, operations and its
 * other calls with EIO, and its file can only be closed. A complete group does not need the
 * registrar.
 *
 * What happens at once on one node takes a message between nodes:
 *
 * - A name becomes free a moment after its group is broken, or after the last member of an
 *   incomplete group has gone. A rank of an incomplete group becomes free a moment after its
 *   member has gone. JOIN may get EEXIST, EPROTO, EADDRINUSE or EUSERS until then.
 * - A non-blocking JOIN that completes the group may get EINPROGRESS: poll() tells. A JOIN whose
 *   deadline has passed does not wait for the registrar, even if it would complete the group.
 * - A JOIN that a signal or the deadline ends gives its rank back to the registrar. If the group
 *   became complete before that, JOIN succeeds. A JOIN that has not heard of its rank yet, or waits
 *   for the registrar for more than a second, ends all the same. If the group became complete with
 *   such a rank, the rank is dead.
 * - A node learns of a departure, a REVOKE or a disagreement on another node by a message. If two
 *   events break a group at the same time, nodes may name different errnos and ranks.
 * - Members whose operations fail, one after the other, run ahead of a member on another node that
 *   calls none by two windows of operations and some more. Then the group is broken with EPROTO,
 *   and @culprit is a rank of the node that has run ahead, or by way of which it has.
 * - Members whose calls fail or are given up, one after the other, while another node takes no
 *   messages, wait: when 1024 messages of the group could not be sent, its calls of operations
 *   wait before they begin. A call that ends with EINTR or ETIMEDOUT then counts as not called.
 *   JOINs wait when as many messages of JOINs could not be sent to the registrar.
 * - A node is lost if it is not heard for a keep-alive, begins anew, or is a peer no more. For
 *   the other nodes of the group its ranks are dead; for itself the ranks of all others are.
 *
 * In a forming group STATUS counts as @joined, and leaves out of @missing, members of this node
 * only. During an operation @missing has ranks of other nodes as they were heard last: this node
 * asks when a member here has waited for 50 ms or more, and then less and less often, at last
 * every 800 ms. Members that have called different things, so that all of them wait, get EPROTO
 * in the same way. CREDENTIALS tells nothing of members on other nodes, and the sums of COUNTERS
 * leave them out. @dead, @left and GET_FAILED have ranks of all nodes.
 *
 * A schedule that a call or the group asks for is one between nodes: the nodes that own blocks, by
 * their ids, and behind them the root's node if it owns none. So the extents of a mesh multiply to
 * the number of those nodes. %SCATTER_ALGORITHM_AUTO is linear among up to 8 nodes, and among more
 * nodes a tree with few startups. Inside a node the kernel chooses. How AUTO chooses on one node,
 * its limits too, does not matter then. A size that has to be a power of two is a number of nodes.
 * An irregular schedule treats the blocks of a node as one.
 *
 * The nodes of a group decide together what SHRINK and AGREE return, by votes. Each node that had
 * members when the group became complete has one vote, also when its members are gone. More than
 * half of the nodes have to be left, or half of them with the node that has the lowest id. On all
 * other nodes SHRINK and AGREE end with ENETUNREACH as soon as the nodes that are missing are lost,
 * and so do all later ones there. A node whose vote is missing for less than a keep-alive delays
 * them. So of two nodes only the one with the lower id can SHRINK when it loses the other. If an
 * administrator fences the lost node, see scatterctl(8), the call can be repeated. A group
 * that SHRINK makes has the nodes of its members, and they have its votes. A SHRINK or AGREE that a
 * signal or its deadline ends may take until the other nodes allow that: two messages, or a
 * keep-alive and more while nodes are being lost. If the other nodes say nothing for three
 * keep-alives, the call ends with ENETUNREACH on this node. If the outcome comes first, the call
 * returns the outcome. Only a fatal signal ends it at once. What a member has brought to AGREE may
 * count though the member has died meanwhile.
 *
 * A SHRINK or AGREE that has ended with ENETUNREACH may have been decided all the same. After a
 * decided SHRINK, SHRINK returns the new group when all members of the node that are in that group
 * have called it again or are gone. AGREE ends with ENETUNREACH and does not count. After a decided
 * AGREE, AGREE returns the outcome at once if its @value has all bits of the outcome. SHRINK, or an
 * AGREE with fewer bits, ends with ENETUNREACH and counts as the decided AGREE. Then other members
 * of the node may get ENETUNREACH likewise.
 *
 * The same votes decide how an operation with %SCATTER_COLL_UNIFORM ends, and it ends with
 * ENETUNREACH where SHRINK would. The errno and @culprit are then the same on all nodes, also if
 * several events would end the operation at the same time. A call begins no operation if the group
 * is broken on its node already: it gets the errno and @culprit of the break there. A signal or a
 * deadline pauses such a call as any other. DUP and SPLIT end in the same way: with one errno and
 * @culprit for all, or with new groups that are the same on all nodes. A member that dies when all
 * have called may be dead in its new group, or end the operation.
 *
 * They also decide when a %SCATTER_COLL_DEADLINE_ALL deadline passes. Where too few nodes are
 * left, ETIME is for the members of the same node only. The deadline of a paused call is watched by
 * members on its own node. @culprit is a rank that has not called on the node whose member's
 * deadline has passed; else the root of a scatter; else a rank whose node has not told that its
 * members have done their parts, though the rank may have called; else, since all have called,
 * %SCATTER_RANK_ANY. @missing has ranks of the own node only.
 *
 * For members that have not called a node keeps the outcomes of 256 operations that have failed or
 * been ended by a deadline. Of older ones a late member gets ENETUNREACH, or ETIME without
 * %SCATTER_COLL_UNIFORM, and no culprit.
 *
 * If all members of a group are on one node, the group has nothing to do with other nodes, whatever
 * its name.
 */

/**
 * enum scatter_op - the operations
 * @SCATTER_OP_SCATTER: block i of the root's send buffer goes to rank i
 * @SCATTER_OP_GATHER: rank i's send buffer goes to block i of the root's
 *	receive buffer
 * @SCATTER_OP_BARRIER: no member returns before all have called; moves no data
 *	and crosses no edge
 * @SCATTER_OP_SCATTERV: like scatter, but each block has a length and a place of
 *	its own in the root's send buffer
 * @SCATTER_OP_GATHERV: like gather, but each block has a length and a place of
 *	its own in the root's receive buffer
 * @SCATTER_OP_DUP: REGROUP: a new group of the same members
 * @SCATTER_OP_SPLIT: REGROUP: new groups, one for each color
 * @SCATTER_OP_SHRINK: REGROUP: a new group of the remaining members
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
 * @SCATTER_ALGORITHM_AUTO: the group's algorithm, see struct scatter_join; if the group has
 *	none, the cost model chooses, the same for all members
 * @SCATTER_ALGORITHM_LINEAR: noncombining: the root exchanges one bundle with
 *	every other rank; size - 1 rounds
 * @SCATTER_ALGORITHM_HYPERCUBE: combining binomial tree, truncated when the
 *	size is no power of two; ceil(log2(size)) rounds
 * @SCATTER_ALGORITHM_MESH: recursive halving along one dimension of @extent after
 *	another
 * @SCATTER_ALGORITHM_TORUS: as a mesh, but each dimension is a ring
 * @SCATTER_ALGORITHM_KNOMIAL: combining tree for @ports transfers at a time
 * @SCATTER_ALGORITHM_ROTATED: log2(size) binomial trees, one for each dimension of a
 *	hypercube. Each tree carries one part of every block; powers of two only
 * @SCATTER_ALGORITHM_BALANCED: one balanced tree that uses all dimensions of a hypercube at
 *	a time; powers of two only
 * @SCATTER_ALGORITHM_IRREGULAR: combining tree that follows the lengths of the
 *	blocks; v forms only. A member with an empty block waits for nobody, and nobody
 *	waits for the member. If its call differs, members that have returned do not notice
 * @SCATTER_ALGORITHM_OR_BROADCAST: for each block in turn, the owner contributes the block
 *	and all other members contribute zeros; an OR combines the contributions, and all
 *	members get the result. All members wait for all, and size times as many bytes move
 *	as with the others. The cost model never chooses OR-broadcast. Members of a gather
 *	get no EREMOTEIO if the root cannot write
 *
 * The blocks of a bundle of a torus, a rotated or a balanced tree do not have consecutive
 * ranks, so these bundles always travel as descriptors, but for those between nodes. @ports and
 * @extent are fields of struct scatter_schedule.
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
 * struct scatter_schedule - an algorithm and its parameters
 * @algorithm: enum scatter_algorithm
 * @ports: %SCATTER_ALGORITHM_KNOMIAL: how many ports, 0 is 1; else 0
 * @dims: mesh and torus: how many dimensions, 1 to %SCATTER_DIMS_MAX; else 0
 * @extent: mesh and torus: members along each dimension; the product is the group's size, and
 *	the last dimension varies fastest with the rank. In a group with members on several nodes:
 *	nodes, see "several nodes". 0 beyond the last dimension
 * @__reserved: must be 0
 *
 * Errors, of each call with a schedule: EOPNOTSUPP for an algorithm that this kernel does not
 * have, EINVAL for a schedule impossible for the operation. In both cases nothing was called.
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
 * Two flags change how an operation ends. All members must give the same value of each flag.
 *
 * With %SCATTER_COLL_DEADLINE_ALL no deadline pauses the operation. When the deadline of a waiting
 * member passes, the operation ends with ETIME for every member that still needs something or
 * calls later. A member that already received everything returns 0. @culprit is a rank that had
 * not called; if all had called, a rank that the others waited for. @missing of STATUS has all
 * ranks that had not called, until the member's next operation. Blocks in transit are dropped. A
 * signal pauses the call as always. If the deadline of the paused call passes, a waiting member
 * ends the operation, or else the next member that would have to wait. Resuming with a later
 * deadline does not extend the paused one. ETIMEDOUT remains for a member that could not begin
 * because too many operations were under way, or because another machine took no messages: the
 * member has not called. ETIMEDOUT may also pause a call whose operation other machines have not
 * ended 100 ms after the deadline.
 *
 * With %SCATTER_COLL_UNIFORM all members succeed or none. A member that has done its own part
 * waits until all have; from then on all return 0, whatever happens. If any member fails, dies,
 * leaves, revokes the group or differs before then, or a %SCATTER_COLL_DEADLINE_ALL deadline
 * passes, the operation has failed for all with one errno and one @culprit. Only the culprit
 * itself may get another errno: EFAULT for its own buffer, EMSGSIZE for a block that is too long
 * for its room, or ENOMEM; the others get EREMOTEIO.
 * The contents of receive buffers are then undefined. A call paused while waiting for the others
 * has done its part.
 */

/**
 * DOC: at most
 *
 * With %SCATTER_COLL_AT_MOST the receiver of a block may have more room than the block needs. The
 * sender of a block tells the length, the receiver tells the room:
 *
 * ================ ============================== ================================
 * form             @block of a member             the root
 * ================ ============================== ================================
 * scatter          room for the member's block    @block: length of each block
 * scatterv         room for the member's block    @counts: lengths of the blocks
 * gather           length of the member's block   @block: room for each block
 * gatherv          length of the member's block   @counts: room for the blocks
 * ================ ============================== ================================
 *
 * In a v form @block of the root, too, is the room or the length of the root's own block; the other
 * number is the root's own entry in @counts. With %SCATTER_COLL_IN_PLACE @block of the root is
 * ignored. In the other forms the root's own block has the length @block.
 *
 * A block starts where the block of a receiver without spare room would. A block shorter than the
 * room leaves the rest of the room as it was, and @bytes of the results tells how many bytes came.
 * Of a block longer than the room nothing is written. The receiver of such a block, also the root
 * for its own block, gets EMSGSIZE, with the sender in @culprit, after it has done all else. The
 * sender and all other members succeed, and the group survives. If the root of a gather gets
 * EMSGSIZE, the blocks that fit have arrived. With %SCATTER_COLL_UNIFORM the operation fails for
 * all.
 *
 * As in the v forms the others wait for the root's call, which decides the schedule if the members
 * leave the schedule open. The schedules %SCATTER_ALGORITHM_IRREGULAR and
 * %SCATTER_ALGORITHM_OR_BROADCAST are impossible, since all members have to know the lengths there.
 *
 * All members must give the same value of the flag. Another root, operation or schedule remains a
 * mismatch: EPROTO, and the group is broken.
 */

/**
 * DOC: layouts
 *
 * The bytes of a buffer in the order of sending or receiving are its *stream*. Without a layout,
 * byte k of the stream is byte k of the buffer. With a layout, blocks, counts and displacements
 * count bytes of the stream: block i of a scatter is the bytes from i * block on of the stream of
 * the root's send buffer, wherever the bytes are in memory. Members may lay out their buffers
 * differently, as long as blocks have the same number of bytes at both ends.
 *
 * The kernel reads all of the layout when the call enters the operation. A call that resumes
 * names the same address, and the layout need not be there any more. Layouts cost no copy:
 * @bytes_copied of struct scatter_counters is the same without a layout.
 *
 * An operation must not write a byte of memory twice: EINVAL if two pieces of the received bytes
 * share a byte. At the root of a gather the rule covers all blocks, including the root's own
 * block if it stays in place. Pieces of a send buffer may share bytes.
 *
 * Example: a root scatters a matrix in row order by columns. A member's block is one column. Its
 * pieces have the length of a number and are one row apart; the next column begins one number
 * further on.
 */

/** SCATTER_IOV_MAX - most pieces of a list */
#define SCATTER_IOV_MAX			1024
/**
 * SCATTER_LAYOUT_PIECES_MAX - most pieces of a strided receive buffer with levels that
 * interleave, see struct scatter_layout
 */
#define SCATTER_LAYOUT_PIECES_MAX	65536

/**
 * enum scatter_layout_kind - how a layout describes a buffer
 * @SCATTER_LAYOUT_STRIDED: pieces in rows, rows in elements, elements without end
 * @SCATTER_LAYOUT_IOVEC: a list of pieces
 */
enum scatter_layout_kind {
	SCATTER_LAYOUT_STRIDED = 0,
	SCATTER_LAYOUT_IOVEC = 1,
};

/**
 * struct scatter_iovec - a piece of a list
 * @base: address of the piece
 * @length: length of the piece in bytes, 0 and up
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
 * @iov_count: iovec: number of pieces, 0 to %SCATTER_IOV_MAX; else 0
 * @iov: iovec: address of an array of struct scatter_iovec; else 0
 * @length: strided: bytes of a piece, 1 and up; else 0
 * @stride: strided: bytes from a piece of a row to the next one; else 0
 * @count: strided: pieces of a row, 1 and up; else 0
 * @row_stride: strided: bytes from a row of an element to the next one; else 0
 * @rows: strided: rows of an element, 1 and up; else 0
 * @extent: strided: bytes from an element to the next one; else 0
 *
 * Strided: the first piece of the first row of the first element begins at the buffer's address.
 * An element has n = @length * @count * @rows bytes, less than 2^63. Byte k of the stream is in
 * element k / n, and elements repeat as far as the operation needs. @stride, @row_stride and
 * @extent may be negative, 0, or shorter than the bytes they step over. In a receive buffer no
 * byte may occur twice. The kernel takes the three strides from the shortest to the longest: if
 * each steps over everything that the shorter ones repeat, no byte occurs twice. Otherwise the
 * kernel compares the pieces, and the operation may use up to %SCATTER_LAYOUT_PIECES_MAX pieces.
 *
 * Iovec: the pieces follow one another in the stream, and the kernel ignores the buffer's address.
 * The list must have all bytes that the operation uses.
 *
 * Errors: EINVAL: @size is too small, a field is out of its range, a used element has addresses
 * below 0 or beyond 2^63, the list is too short, or a byte occurs twice in a receive buffer.
 * E2BIG, EOPNOTSUPP (@flags, @kind), EFAULT: the struct or the array is not accessible. Nothing
 * was called.
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

/** SCATTER_NUMBER_NEW - @number of a call that begins a new operation */
#define SCATTER_NUMBER_NEW	(~0ULL)

/**
 * struct scatter_results - the results of one operation
 * @size: sizeof(struct scatter_results)
 * @flags: must be 0
 * @number: (in, out) %SCATTER_NUMBER_NEW begins an operation and becomes its number in this
 *	group, from 0 to 2^56 - 1. The number of the paused operation resumes the operation.
 *	@number stays unchanged if nothing was called
 * @bytes: (out) bytes that this member has received: its block of a scatter, all blocks at the
 *	root of a gather, without the blocks that stayed in place; 0 if the call failed
 * @culprit: (out) the rank that caused the error, %SCATTER_RANK_ANY if none
 * @error: (out) the errno that the call returns, positive; 0 for success
 *
 * If this struct, or @size or @flags of struct scatter_coll, is wrong, the kernel refuses the call
 * and writes nothing here. The same holds for a call (EBUSY) while another thread is inside one.
 *
 * A call that ends with EINTR or ETIMEDOUT and has paused an operation leaves the operation's
 * number in @number, so the same call with the same results resumes the operation. Afterwards the
 * caller sets @number to %SCATTER_NUMBER_NEW again.
 *
 * If another thread unmaps the results during the call, the call gets EFAULT, whatever it has
 * done; @next of struct scatter_status tells whether the operation has ended.
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
 * @SCATTER_COLL_IN_PLACE: root only: the root's own block stays in the send buffer of a
 *	scatter, or in the receive buffer of a gather
 * @SCATTER_COLL_UNIFORM: all members succeed or none
 * @SCATTER_COLL_DEADLINE_ALL: the first deadline that passes ends the operation for all
 * @SCATTER_COLL_RELATIVE: @deadline_ns counts from the call. A call that resumes an
 *	operation after EINTR with the same @deadline_ns goes on counting. A call after
 *	ETIMEDOUT begins anew, as does a call after EINTR if no operation had begun
 * @SCATTER_COLL_AT_MOST: receivers may have more room than their blocks need, see "at most";
 *	not for a barrier
 */
enum scatter_coll_flags {
	SCATTER_COLL_IN_PLACE = 1 << 0,
	SCATTER_COLL_UNIFORM = 1 << 1,
	SCATTER_COLL_DEADLINE_ALL = 1 << 2,
	SCATTER_COLL_RELATIVE = 1 << 3,
	SCATTER_COLL_AT_MOST = 1 << 4,
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
 *	scatterv: as @counts and @displs say, root only; gather and gatherv:
 *	@block bytes, not with %SCATTER_COLL_IN_PLACE
 * @recvbuf: address for the data: scatter and scatterv: @block bytes, not with
 *	%SCATTER_COLL_IN_PLACE; gather: members * @block bytes, root only;
 *	gatherv: as @counts and @displs say, root only
 * @block: bytes per rank, 0 and up; 0 for a barrier. In a v form bytes of this member's own
 *	block, ignored at a root with %SCATTER_COLL_IN_PLACE
 * @deadline_ns: when to stop waiting; 0 is never
 * @counts: v forms, root only: address of an array of 64-bit numbers, for each
 *	rank the bytes of its block, in an inter-group for each rank of the other side; 0 in
 *	other operations
 * @displs: v forms, root only: address of an array of 64-bit numbers, for each
 *	rank the bytes from the start of the buffer to its block; 0: the blocks
 *	lie side by side in rank order; 0 in other operations
 * @send_layout: address of a struct scatter_layout that says where the bytes of @sendbuf
 *	are; 0: the bytes are contiguous
 * @recv_layout: the same for @recvbuf
 * @schedule: the schedule of this operation; an @algorithm of 0: the group's schedule; all 0
 *	for a barrier
 * @results: address of a struct scatter_results, which the call reads and writes
 *
 * The kernel only reads this struct, so the struct may be constant, and several calls or
 * threads may use it at a time. @results has the outcome of a call.
 *
 * A call waits also on a file in non-blocking mode. An impossible @schedule (a size that is no
 * power of two, an irregular tree outside the v forms) gets EINVAL, and nothing was called.
 *
 * @op, @schedule, @root, @block and @flags must be the same at all members, with these
 * exceptions. In a v form @block is the rank's entry in the root's @counts. With
 * %SCATTER_COLL_AT_MOST each member gives a @block of its own, see "at most". An algorithm of 0 and
 * the group's schedule by name are the same. In an inter-group each @root must tell the same
 * root from the member's own side. %SCATTER_COLL_IN_PLACE is for the root alone, and each member
 * chooses %SCATTER_COLL_RELATIVE for itself. If calls differ otherwise, the operation fails with
 * EPROTO at every member that has not returned, @culprit names a rank that differed from others,
 * and the group is broken. The kernel ignores addresses that an operation does not use. A block
 * must not overlap its destination, except as a whole with %SCATTER_COLL_IN_PLACE.
 *
 * Blocks of a v form may be empty, leave gaps and come in any order. Blocks of a scatterv may
 * overlap each other. Overlapping blocks of a gatherv get EINVAL, as do blocks that are longer
 * than @block_max of INFO or end beyond 2^63, and, without %SCATTER_COLL_AT_MOST, a root whose
 * @block is not its own count. An unreadable array gets EFAULT. In all these cases nothing was
 * called.
 *
 * A call that ends with EINTR or ETIMEDOUT may have paused the operation. No other member touches
 * this member's memory then. The same call (same struct but for @deadline_ns, and its number in
 * the results) resumes the operation. A call that begins another operation gets EBUSY, as does a
 * call that resumes with another struct. A number that is not the paused operation's gets EINVAL.
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

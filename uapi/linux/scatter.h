/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/scatter: collective scatter and gather among processes. <linux/scatter_coll.h>, which
 * this header includes, defines the operations and the errnos.
 */
#ifndef _UAPI_LINUX_SCATTER_H
#define _UAPI_LINUX_SCATTER_H

#include <linux/ioctl.h>
#include <linux/scatter_coll.h>
#include <linux/types.h>

/**
 * DOC: overview
 *
 * A *group* is an ordered set of *members* with the ranks 0 to size - 1. An open file of
 * /dev/scatter becomes a member with %SCATTER_IOCTL_JOIN; from then on the file belongs to the
 * address space that joined. A group has a name or a descriptor, see &struct scatter_create.
 * Members call *operations* with %SCATTER_IOCTL_COLL. All members of a group call the same
 * operations in the same order, and the kernel numbers the operations from 0. In a scatter or
 * gather every rank owns one *block* of bytes. All blocks have the same length, except in the
 * v forms, where each block has a length of its own.
 *
 * An operation completes for a member when the member's own part is done. Only
 * %SCATTER_OP_BARRIER, DUP, SPLIT, %SCATTER_COLL_UNIFORM operations and OR-broadcasts wait until
 * all members have called.
 */

/**
 * DOC: structs
 *
 * Every struct begins with @size, which the caller sets to the sizeof() of its own header, and
 * @flags. The kernel refuses a struct shorter than the first published form with EINVAL. The
 * kernel accepts a longer struct, up to a page, if all bytes unknown to this kernel are zero;
 * else E2BIG. Unknown flags and reserved fields that are not zero get EOPNOTSUPP. The kernel
 * writes back at most @size bytes, on success and on failure, so the caller can read the (out)
 * fields that explain a failure. A call refused before it has begun, such as for unknown flags or
 * because another call runs, writes nothing back.
 *
 * All lengths are bytes, all times nanoseconds. A deadline is a time of CLOCK_MONOTONIC in the
 * caller's time namespace; with the call's RELATIVE flag the deadline counts from the call; 0
 * means none. A deadline limits waiting only: an operation that can complete without waiting
 * completes although its deadline has passed.
 */

#define SCATTER_IOCTL_TYPE	0xBD

/* The numbers carry no size: the struct has its own. */
#define SCATTER_IOCTL_INFO	_IO(SCATTER_IOCTL_TYPE, 0x00)
#define SCATTER_IOCTL_JOIN	_IO(SCATTER_IOCTL_TYPE, 0x01)
#define SCATTER_IOCTL_LEAVE	_IO(SCATTER_IOCTL_TYPE, 0x02)
#define SCATTER_IOCTL_COLL	_IO(SCATTER_IOCTL_TYPE, 0x03)
#define SCATTER_IOCTL_STATUS	_IO(SCATTER_IOCTL_TYPE, 0x04)
#define SCATTER_IOCTL_REVOKE	_IO(SCATTER_IOCTL_TYPE, 0x05)
#define SCATTER_IOCTL_CREATE	_IO(SCATTER_IOCTL_TYPE, 0x06)
#define SCATTER_IOCTL_REGROUP	_IO(SCATTER_IOCTL_TYPE, 0x07)
#define SCATTER_IOCTL_AGREE	_IO(SCATTER_IOCTL_TYPE, 0x08)
#define SCATTER_IOCTL_GET_FAILED	_IO(SCATTER_IOCTL_TYPE, 0x09)
#define SCATTER_IOCTL_CREDENTIALS	_IO(SCATTER_IOCTL_TYPE, 0x0A)
#define SCATTER_IOCTL_COUNTERS	_IO(SCATTER_IOCTL_TYPE, 0x0B)

/** SCATTER_NAME_MAX - longest name of a group in bytes, with its NUL */
#define SCATTER_NAME_MAX	64
/** SCATTER_RANK_ANY - JOIN: take the lowest free rank; @culprit: no rank */
#define SCATTER_RANK_ANY	(-1)
/** SCATTER_OWNER_SELF - JOIN: a name of the caller's user, not of another user */
#define SCATTER_OWNER_SELF	((__u32)-1)
/** SCATTER_COLOR_NONE - SPLIT: this member takes part in no new group */
#define SCATTER_COLOR_NONE	(-1)

/**
 * struct scatter_info - ioctl(SCATTER_IOCTL_INFO)
 * @size: sizeof(struct scatter_info)
 * @flags: must be 0
 * @operations: (out) bit n: this kernel has operation n of enum scatter_op
 * @algorithms: (out) bit n: this kernel has algorithm n of enum
 *	scatter_algorithm
 * @features: (out) bits for additions of later versions; 0 now
 * @block_max: (out) longest block in bytes
 * @size_max: (out) most members in a group
 * @name_max: (out) longest name in bytes, with its NUL
 * @ring_bytes: (out) default size of a member's ring in bytes
 * @ring_bytes_min: (out) smallest ring in bytes
 * @ring_bytes_max: (out) largest ring in bytes
 * @eager_limit: (out) longest bundle in bytes that travels as payload, for
 *	groups formed from now on
 * @window: (out) how many operations a member may be ahead of the slowest
 * @gather_limit: (out) replaces @eager_limit for gathers of groups with more members than
 *	CPUs, if larger
 * @user_bytes: (out) most bytes of kernel memory that a user may have; see scatter(4)
 * @user_bytes_used: (out) bytes that the caller's user has now; may be more than
 *	@user_bytes: each group's lowest operation is outside the limit
 * @node: (out) the id of this node among several; 0 if the network namespace in which the file was
 *	opened is no node, or the file was not opened from the device
 * @cluster: (out) digest of the ids of this node and of its peers, the same on all nodes that know
 *	the same nodes; 0 if @node is
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
	__aligned_u64 user_bytes;
	__aligned_u64 user_bytes_used;
	__aligned_u64 node;
	__aligned_u64 cluster;
};

/**
 * DOC: declining
 *
 * A process that was to join a group and cannot, say because its user has no memberships left,
 * declines: JOIN with %SCATTER_JOIN_DECLINE and the fields of the JOIN that it would have made.
 * @rank and @ring_bytes do not matter. The call never waits, takes no rank, needs nothing of what
 * limits the user's groups, members and bytes, and is for those who may join. From then on the name
 * is *refused*: every JOIN of the name that waits, and every later one, gets ECONNREFUSED. A member
 * that joined without blocking gets POLLHUP. If several processes decline, all succeed. A group
 * that is complete cannot be declined: EUSERS.
 *
 * So if each of @members processes joins or declines, all calls end, in whatever order they come.
 * When as many processes as the group has members have called, the name is free for another group.
 * Processes that joined, and ended or gave up before somebody declined, do not count, and a file
 * counts once. If not all come, the name is free when all files that declined or got ECONNREFUSED
 * are closed, have joined another group, or have declined another one. Therefore a process that has
 * declined keeps the file open until the others have called, too.
 *
 * The kernel keeps one refused name for a file, at most, and for a user as many as the parameter
 * user_refused allows. One more gets EDQUOT.
 */

/**
 * enum scatter_join_flags - flags of struct scatter_join
 * @SCATTER_JOIN_NONBLOCK: do not wait for the others, as on a non-blocking file. Meant for
 *	group descriptors, since many processes may share one
 * @SCATTER_JOIN_EXCL: create the group; EEXIST if the caller has a group of this name. Not for
 *	group descriptors, nor with another user as the owner
 * @SCATTER_JOIN_RELATIVE: @deadline_ns counts from the call, and begins anew if the process has
 *	been stopped and continued
 * @SCATTER_JOIN_LOCAL: only this node knows the name, see "several nodes". On a node without peers
 *	every name is local. Not for group descriptors
 * @SCATTER_JOIN_DECLINE: do not join, and let nobody join: see "declining". Not for group
 *	descriptors, nor with %SCATTER_JOIN_EXCL. EOPNOTSUPP for names that other nodes know
 */
enum scatter_join_flags {
	SCATTER_JOIN_NONBLOCK = 1 << 0,
	SCATTER_JOIN_EXCL = 1 << 1,
	SCATTER_JOIN_RELATIVE = 1 << 2,
	SCATTER_JOIN_LOCAL = 1 << 3,
	SCATTER_JOIN_DECLINE = 1 << 4,
};

/**
 * struct scatter_join - ioctl(SCATTER_IOCTL_JOIN)
 * @size: sizeof(struct scatter_join)
 * @flags: enum scatter_join_flags
 * @members: (in, out) the group's size, 1 to @size_max of INFO; all must agree
 * @rank: (in, out) the rank wanted or %SCATTER_RANK_ANY; becomes the rank taken
 * @mode: permission bits of a group that this call creates, 0 to 0777, masked
 *	by the umask. JOIN needs the read and the write bit of the caller's class.
 * @ring_bytes: size of this member's ring in bytes, a power of two within the
 *	limits of INFO; 0 takes the default
 * @deadline_ns: when to stop waiting for the others, and for the registrar; 0 is never
 * @name: the group's name: printable ASCII without '/', not empty,
 *	NUL-terminated, zero after the NUL
 * @sides: members of each side of an inter-group, 1 and up, @members together; both 0: the
 *	group has no sides. All members must agree
 * @side: the side of this member, 0 or 1; @rank is then a rank within the side. 0 if the
 *	group has no sides
 * @owner: the user whose group of this name is meant: %SCATTER_OWNER_SELF, the caller; or a
 *	user ID as the caller's user namespace sees it. 0 is root
 * @schedule: the group's schedule, for operations that name none; with an @algorithm of 0 the
 *	cost model chooses
 * @fd: (out) on a group descriptor: a descriptor of the new member
 * @__reserved: must be 0
 *
 * Joins the group of this name in the network namespace in which the file was opened, or creates
 * the group, and waits until all @members have joined. A non-blocking file does not wait:
 * EINPROGRESS says that the caller has joined. A JOIN that ends with any other error has taken
 * no rank. If this node has peers, all nodes know the name, see "several nodes": then JOIN waits
 * for the answer of the name's registrar, on a non-blocking file, too.
 *
 * Each user has names of their own: groups of two users may have the same name, and nobody can
 * create a group under a name of another user. The caller's user is the file-system user ID; root's
 * is 0. @owner may also name the caller's own user. If @owner is another user, JOIN creates
 * nothing: ENOENT if the owner has no group of this name, else the group's mode bits decide. A user
 * ID that the caller's user namespace does not map gets EINVAL.
 *
 * On a group descriptor JOIN makes a new file, the member, which closes on exec. The caller needs
 * no right but the descriptor. @name is empty, @mode and @owner are 0. If @members is 0, sides and
 * schedule must be 0, too, and JOIN sets all three to the values given to CREATE, whether JOIN
 * succeeds or not. Else @members, sides and schedule must be those of the group. With
 * %SCATTER_JOIN_NONBLOCK JOIN succeeds at once, and poll() on the new file tells when the group is
 * complete. The new file can LEAVE, but not JOIN again.
 *
 * Every scatter and gather, v forms too, with an algorithm of 0 runs the group's schedule. An
 * operation that names an algorithm runs a schedule of its own. Barriers have no schedule. An
 * irregular schedule of the group is for v forms only; the cost model chooses for the other
 * operations. A schedule impossible for @members gets EINVAL. In an inter-group the schedule must
 * be possible towards at least one side, else EINVAL; towards a side where the schedule is
 * impossible the cost model chooses. All members must give the same schedule. A JOIN with another
 * schedule, size or sides than the group's gets EPROTO and leaves the group unchanged.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT, EACCES, EADDRINUSE, EUSERS,
 * ENOENT, EEXIST, ENOSPC, EMFILE, ENFILE, EDQUOT, EISCONN, EPERM, EBADF, EINPROGRESS,
 * EPROTO, EINTR, ETIMEDOUT, EBUSY, ENOMEM, EHOSTUNREACH, EREMCHG, ECONNREFUSED.
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
	__u32 sides[2];
	__u32 side;
	__u32 owner;
	struct scatter_schedule schedule;
	__s32 fd;
	__u32 __reserved;
};

/**
 * struct scatter_create - ioctl(SCATTER_IOCTL_CREATE)
 * @size: sizeof(struct scatter_create)
 * @flags: must be 0
 * @members: the group's size, 1 to @size_max of INFO
 * @fd: (out) a group descriptor, which closes on exec
 * @sides: members of each side of an inter-group, as of struct scatter_join
 * @schedule: the group's, as of struct scatter_join
 *
 * Creates a group without a name, and a group descriptor. Every process that has the descriptor,
 * by inheritance or over a UNIX socket (SCM_RIGHTS), can JOIN, in any container and without the
 * device. The descriptor itself is no member. STATUS (@rank is %SCATTER_RANK_ANY), COUNTERS (only
 * the totals of all members are not 0) and poll() on the descriptor tell of the group. Other
 * ioctls than JOIN, STATUS, COUNTERS and CREDENTIALS get ENOTTY. When all copies of the
 * descriptor are closed before the group is complete, nobody else can join any more, and members
 * that joined without blocking get POLLHUP. A process that waits in JOIN holds a copy; its
 * deadline ends the wait.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT, ENOSPC, EMFILE, ENFILE, EPERM, EBADF, ENOMEM.
 */
struct scatter_create {
	__u32 size;
	__u32 flags;
	__u32 members;
	__s32 fd;
	__u32 sides[2];
	struct scatter_schedule schedule;
};

/**
 * struct scatter_leave - ioctl(SCATTER_IOCTL_LEAVE)
 * @size: sizeof(struct scatter_leave)
 * @flags: must be 0
 *
 * Ends the membership; not collective. Operations that this member has called before LEAVE
 * complete for the others; later operations of the others fail with ESHUTDOWN. A paused
 * operation counts as not called. The file may JOIN again.
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
 * Breaks the group for all members; not collective. Every operation that has not returned, and
 * every later one, ends with ECANCELED; @culprit is the rank of the caller. Members that need
 * nothing from others any more, and members that are paused in an operation, get ECANCELED, too.
 * A DUP, SPLIT or UNIFORM operation that has succeeded for all already is the exception. REVOKE
 * waits for nobody, and nobody waits for it: another thread of the member may be inside an
 * operation. In a group that is broken already REVOKE ends the operations under way, which may
 * wait for members that know of the break and do not come. Later operations get the errno that
 * broke the group, as before, STATUS names the rank that broke the group, and poll() tells of
 * both the break and the revocation.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT, ENOTCONN, EIO, EINPROGRESS (the group is
 * not complete; nothing was done).
 */
struct scatter_revoke {
	__u32 size;
	__u32 flags;
};

/**
 * enum scatter_regroup_flags - flags of struct scatter_regroup
 * @SCATTER_REGROUP_RELATIVE: @deadline_ns counts from the call: for DUP and SPLIT as with
 *	%SCATTER_COLL_RELATIVE, for SHRINK as with %SCATTER_JOIN_RELATIVE
 */
enum scatter_regroup_flags {
	SCATTER_REGROUP_RELATIVE = 1 << 0,
};

/**
 * struct scatter_regroup - ioctl(SCATTER_IOCTL_REGROUP)
 * @size: sizeof(struct scatter_regroup)
 * @flags: enum scatter_regroup_flags
 * @op: %SCATTER_OP_DUP, %SCATTER_OP_SPLIT or %SCATTER_OP_SHRINK
 * @color: SPLIT: 0 and up, or %SCATTER_COLOR_NONE; else 0
 * @key: SPLIT: members of a new group are in the order of their keys; members with the same
 *	key are in the order of their ranks; else 0
 * @ring_bytes: size of the new member's ring, as of struct scatter_join; 0: the size
 *	of the old ring
 * @deadline_ns: when to stop waiting; 0 is never
 * @number: (in, out) DUP, SPLIT: as of struct scatter_results; SHRINK: stays
 *	%SCATTER_NUMBER_NEW
 * @schedule: of the new groups, the same at all members, whatever their color; an @algorithm of 0
 *	means the old group's schedule
 * @fd: (out) a descriptor of the new membership, which closes on exec; negative if there
 *	is none
 * @rank: (out) rank in the new group
 * @members: (out) size of the new group
 * @culprit: (out) the rank that caused the error, %SCATTER_RANK_ANY if none
 * @remote: (out) members of the other side, if the new group has sides, else 0
 * @__reserved: must be 0
 *
 * Makes new groups of a group's members, complete at once and without a name. If a new group
 * cannot have the schedule because of its size, the cost model chooses; STATUS tells. The old
 * membership goes on.
 *
 * DUP and SPLIT are operations. All members call them, and the operations of COLL, in one order.
 * No member returns before all have called. A member that calls something else breaks the group
 * with EPROTO. A member of color %SCATTER_COLOR_NONE gets @fd < 0.
 *
 * A new group made from an inter-group keeps the sides of its members; @key and the old ranks
 * order the members within each side. If all its members are of one side, the new group has
 * no sides.
 *
 * SHRINK is for a group whose members have died or left, or that was revoked, and works in any
 * group that was complete. SHRINK and AGREE have an order of their own: all remaining members
 * call them in the same order, else EPROTO, whatever operations they have called, and even while an
 * operation is paused. SHRINK waits until each member has called SHRINK, died or left. The new
 * group has the members that called, with dense ranks in the order of the old ranks. A call that
 * ends with EINTR or ETIMEDOUT counts as not called.
 *
 * All callers get the same: new memberships, or the error. If the user of a new group may have no
 * more groups, all members of the old group get ENOSPC, and @culprit is the rank that would have
 * been the first in the new group. But ENOMEM, EMFILE, ENFILE and EDQUOT concern the caller alone,
 * which has not called then; the others wait until the caller calls again, or LEAVEs.
 *
 * In a group with members on several nodes the nodes decide together, see "several nodes". If too
 * few of them are left, all three end with ENETUNREACH, and so does AGREE. A new group counts for
 * one user on each of its nodes. If that user may have no more groups on one node, all get ENOSPC,
 * and @culprit is the rank that would have been the first of this node in the new group. A new
 * group whose members are all on one node has nothing to do with other nodes.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT, ENOTCONN, EIO, EINPROGRESS, EBUSY, EINTR,
 * ETIMEDOUT, EPROTO, ENOSPC, EMFILE, ENFILE, EDQUOT, ENOMEM, ENETUNREACH; DUP and SPLIT besides
 * ECONNRESET, ESHUTDOWN, ECANCELED and EOVERFLOW.
 */
struct scatter_regroup {
	__u32 size;
	__u32 flags;
	__u32 op;
	__s32 color;
	__s32 key;
	__u32 ring_bytes;
	__aligned_u64 deadline_ns;
	__aligned_u64 number;
	struct scatter_schedule schedule;
	__s32 fd;
	__s32 rank;
	__u32 members;
	__s32 culprit;
	__u32 remote;
	__u32 __reserved;
};

/**
 * enum scatter_agree_flags - flags of struct scatter_agree
 * @SCATTER_AGREE_RELATIVE: @deadline_ns counts from the call, as with %SCATTER_JOIN_RELATIVE
 */
enum scatter_agree_flags {
	SCATTER_AGREE_RELATIVE = 1 << 0,
};

/**
 * struct scatter_agree - ioctl(SCATTER_IOCTL_AGREE)
 * @size: sizeof(struct scatter_agree)
 * @flags: enum scatter_agree_flags
 * @value: (in, out) bits of this member; becomes the AND of the bits of all callers
 * @deadline_ns: when to stop waiting; 0 is never
 * @culprit: (out) the rank that caused the error, %SCATTER_RANK_ANY if none
 * @gone: (out) how many members had died or left when the outcome was decided
 *
 * Waits until each member has called AGREE or is gone, and returns the same @value, @gone and
 * error to all callers, whatever happens afterwards. AGREE works in any group that was complete;
 * the order of calls, EINTR and ETIMEDOUT are as of SHRINK, see struct scatter_regroup. AGREE waits
 * for kernel memory.
 *
 * AGREE fails if a member has died or left and some caller had not acknowledged the loss with
 * %SCATTER_GET_FAILED_ACK before. If a member that died is among the unacknowledged ranks, the
 * errno is ECONNRESET; if all of them left, ESHUTDOWN. @culprit is the lowest unacknowledged
 * rank, and @value is valid nevertheless.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT, ENOTCONN, EIO, EINPROGRESS, EBUSY, EINTR,
 * ETIMEDOUT, EPROTO, ECONNRESET, ESHUTDOWN, ENETUNREACH.
 */
struct scatter_agree {
	__u32 size;
	__u32 flags;
	__aligned_u64 value;
	__aligned_u64 deadline_ns;
	__s32 culprit;
	__u32 gone;
};

/**
 * DOC: masks
 *
 * A *mask* is a set of ranks in the caller's memory: an array of 64-bit words, in which
 * bit r % 64 of word r / 64 stands for rank r. The caller gives the number of bits: a multiple
 * of 64, at least the group's size and at most 2^20, else EINVAL. The kernel writes all bits.
 * A call without masks ignores the number.
 */

/**
 * enum scatter_get_failed_flags - flags of struct scatter_get_failed
 * @SCATTER_GET_FAILED_ACK: this member acknowledges the returned ranks: AGREE does not
 *	fail because of them
 */
enum scatter_get_failed_flags {
	SCATTER_GET_FAILED_ACK = 1 << 0,
};

/**
 * struct scatter_get_failed - ioctl(SCATTER_IOCTL_GET_FAILED)
 * @size: sizeof(struct scatter_get_failed)
 * @flags: enum scatter_get_failed_flags
 * @count: (out) how many members of the group are gone
 * @acknowledged: (out) how many of the gone members this member has acknowledged
 * @failed: address of a mask (see "masks") of ranks that died or left; 0: no mask
 * @bits: how many bits the mask has
 * @__reserved: must be 0
 *
 * Not collective, and allowed while another thread is inside an operation. The result may
 * differ between members; AGREE makes all callers see the same.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT, ENOTCONN, EIO.
 */
struct scatter_get_failed {
	__u32 size;
	__u32 flags;
	__u32 count;
	__u32 acknowledged;
	__aligned_u64 failed;
	__u32 bits;
	__u32 __reserved;
};

/**
 * struct scatter_credential - the process that joined as one member
 * @uid: the effective user ID of the process when it joined
 * @gid: the effective group ID at the same time
 * @pid: the process ID; 0 if the caller's PID namespace does not see the process. The process
 *	may have ended since, and another process may have the number
 * @joined: 1; or 0, like the other fields, if nobody has this rank yet, or if the member is on
 *	another node
 */
struct scatter_credential {
	__u32 uid;
	__u32 gid;
	__s32 pid;
	__u32 joined;
};

/**
 * struct scatter_credentials - ioctl(SCATTER_IOCTL_CREDENTIALS)
 * @size: sizeof(struct scatter_credentials)
 * @flags: must be 0
 * @first: the first group rank to tell of, up to the group's size
 * @count: (in, out) elements that @list has room for; becomes the number written
 * @list: address of struct scatter_credential, one for each rank from @first on
 * @members: (out) the group's size
 * @uid: (out) file-system user ID of the process that created the group
 * @gid: (out) file-system group ID of the process that created the group
 * @mode: (out) the group's mode bits after the umask; 0 if the group has no name
 *
 * Tells a member, or the holder of a group descriptor, which user created the group and which
 * processes the members are. A group made by REGROUP has the creator of the old group, and its
 * members have the credentials of their old memberships.
 *
 * User and group IDs are given in the caller's user namespace. An ID that the namespace does not
 * map becomes the overflow ID, 65534 unless the administrator changed the overflow ID. All IDs
 * date from the JOIN, or from the creation of the group. The list has members that died or left,
 * too. In a group that is not complete members may come and go while the kernel writes the list.
 *
 * Not collective, and allowed while another thread is inside an operation.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT (also for @list), ENOTCONN.
 */
struct scatter_credentials {
	__u32 size;
	__u32 flags;
	__u32 first;
	__u32 count;
	__aligned_u64 list;
	__u32 members;
	__u32 uid;
	__u32 gid;
	__u32 mode;
};

/**
 * enum scatter_counters_flags - flags of struct scatter_counters
 * @SCATTER_COUNTERS_TOTAL: sums over all members on this node, not only this one
 */
enum scatter_counters_flags {
	SCATTER_COUNTERS_TOTAL = 1 << 0,
};

/**
 * struct scatter_counters - ioctl(SCATTER_IOCTL_COUNTERS)
 * @size: sizeof(struct scatter_counters)
 * @flags: enum scatter_counters_flags
 * @startups: (out) bundles or descriptors that crossed an edge
 * @edge_bytes: (out) payload bytes that those bundles carried or named
 * @bytes_copied: (out) payload bytes copied, every copy counted
 * @rounds: (out) the highest round any header carried: a maximum, not a sum
 * @pins: (out) pages of user memory that were held for a copy
 * @wakeups: (out) times a sleeping member was woken
 * @sleeps: (out) times a member slept
 * @spins: (out) waits that ended while spinning, without sleep
 *
 * Counts the transfers and waits of this member since it joined, or with
 * %SCATTER_COUNTERS_TOTAL of all members, each counted where the event happens. The counters of a
 * group descriptor itself are 0. Later versions add counters at the end. Allowed while another
 * thread is inside an operation.
 *
 * Errors: EINVAL, E2BIG, EOPNOTSUPP, EFAULT, ENOTCONN.
 */
struct scatter_counters {
	__u32 size;
	__u32 flags;
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
 * @SCATTER_STATE_BROKEN: a member died, left or revoked the group, or members
 *	disagreed
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
 * @joined: (out) members that have joined so far; until the group is complete, on this node
 * @error: (out) the errno that broke the group, positive; 0 if not broken
 * @culprit: (out) the rank that broke the group; %SCATTER_RANK_ANY if none
 * @next: (out) number of the operation that this member is in or calls next
 * @eager_limit: (out) longest bundle in bytes that travels as payload, frozen
 *	when the group formed
 * @gather_limit: (out) the eager limit of the gathers of this group
 * @ring_bytes: (out) size of this member's ring in bytes
 * @side: (out) the side of this member; @rank is its rank within the side
 * @sides: (out) as of JOIN
 * @schedule: (out) the group's, as of JOIN; of %SCATTER_ALGORITHM_KNOMIAL @ports is 1 and up
 * @id: (out) 128 random bits that no other group has
 * @bits: how many bits the masks have
 * @__reserved: must be 0
 * @dead: address of a mask (see "masks") of ranks that died; 0: no mask
 * @left: address of a mask of ranks that left; 0: no mask
 * @missing: address of a mask of missing ranks; 0: no mask. In a forming group: ranks that have not
 *	joined. While this member is inside operation @next or paused in it: ranks that have not
 *	called @next. Both only as far as this node knows, see "several nodes". After ETIME, until
 *	this member's next operation: ranks that had not called the failed operation when the
 *	deadline passed. While this member is inside SHRINK or AGREE: ranks that the call waits for
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
	__u32 gather_limit;
	__u32 ring_bytes;
	__u32 side;
	__u32 sides[2];
	struct scatter_schedule schedule;
	__aligned_u64 id[2];
	__u32 bits;
	__u32 __reserved;
	__aligned_u64 dead;
	__aligned_u64 left;
	__aligned_u64 missing;
};

/**
 * DOC: poll
 *
 * =========== ================================================================
 * event       meaning
 * =========== ================================================================
 * POLLOUT     the group is complete: a non-blocking JOIN has succeeded
 * POLLPRI     a member died, or the group was revoked
 * POLLERR     the group is broken
 * POLLHUP     this file has not joined, or the group is over: every other member is gone, a
 *             member revoked the group, or the group can never be complete because its
 *             descriptor is closed everywhere, because a process has declined it, or because the
 *             registrar of its name is lost
 * =========== ================================================================
 *
 * POLLIN is reserved for later versions. An event that is set stays set. Each newly set event, and
 * each further death, wakes all pollers, even if another event was set before. An edge-triggered
 * poller may wake without news.
 */

#endif /* _UAPI_LINUX_SCATTER_H */

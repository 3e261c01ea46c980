/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * libscatter: a thin wrapper around the ioctls of /dev/scatter.
 *
 * Every function returns 0, or its documented value, on success and -errno on failure;
 * <linux/scatter.h> gives the meaning of each errno. The library prints nothing,
 * installs no handlers, has no global state and starts no thread. One thread at a time may use
 * a handle, except for scatter_status(), scatter_masks(), scatter_counters(),
 * scatter_get_failed(), scatter_creator(), scatter_credentials() and scatter_revoke().
 *
 * A timeout is relative to the call. A call that resumes an operation after -EINTR with the
 * same timeout has the rest of the timeout left; after -ETIMEDOUT the full timeout counts again.
 * A timeout limits waiting only: an operation that can complete without waiting completes.
 */
#ifndef SCATTER_H
#define SCATTER_H

#include <stddef.h>
#include <stdint.h>

#include <linux/scatter.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * SCATTER_IN_PLACE - at the root: as @recvbuf of a scatter or @sendbuf of a
 * gather: the root's own block is not moved
 */
#define SCATTER_IN_PLACE	((void *)-1)

/** struct scatter_group - an opaque handle: one membership in one group */
struct scatter_group;

/**
 * struct scatter_join_opts - how to join
 * @size: the group's size in members, 1 to size_max of scatter_info()
 * @rank: the rank wanted or SCATTER_RANK_ANY (-1)
 * @mode: permission bits of the group if this call creates it; 0 means 0600
 * @ring_bytes: size of this member's ring in bytes; 0 means the default
 * @timeout_ns: how long to wait for the others, in ns; 0 means forever
 * @schedule: schedule of the operations that name none; with an algorithm of 0 the kernel
 *	chooses for each operation. All members must give the same
 * @nonblock: not 0: do not wait. scatter_join() returns 0 at once with a rank;
 *	poll() on scatter_fd() reports POLLOUT when the group is complete, until
 *	then operations get -EINPROGRESS. Operations themselves do wait
 * @sides: of an inter-group: members of each side, @size together; else 0. All members
 *	must give the same
 * @side: of an inter-group: the side to join, 0 or 1; @rank is then a rank of this side; else 0
 * @owner: user ID of the user whose group of the name is meant; NULL: the caller's user. A
 *	group of another user must exist already: else -ENOENT
 * @exclusive: not 0: create the group: -EEXIST if the caller has a group of the name
 * @local: not 0: a name that only this node knows. Else all nodes know the name, if this node has
 *	peers: see "several nodes" in scatter(4)
 * @__reserved: must be 0
 */
struct scatter_join_opts {
	unsigned int size;
	int rank;
	unsigned int mode;
	unsigned int ring_bytes;
	int64_t timeout_ns;
	struct scatter_schedule schedule;
	int nonblock;
	unsigned int sides[2];
	unsigned int side;
	const unsigned int *owner;
	int exclusive;
	int local;
	unsigned int __reserved[7];
};

/**
 * struct scatter_opts - how to run one operation
 * @schedule: an algorithm of 0 takes the group's schedule, see scatter_join_opts; if the group
 *	has none, the kernel chooses
 * @timeout_ns: how long to wait, in ns; 0 means forever
 * @culprit: (out) the rank that caused an error, in an inter-group its group rank, or
 *	SCATTER_RANK_ANY; set on success and on failure
 * @number: (out) the operation's number; SCATTER_NUMBER_NEW if none was called
 * @bytes: (out) bytes that were received; 0 on failure
 * @flags: SCATTER_COLL_UNIFORM: all members succeed or none; SCATTER_COLL_DEADLINE_ALL:
 *	the first timeout to expire ends the operation for all, with -ETIME, instead
 *	of pausing the operation; SCATTER_COLL_AT_MOST: receivers may have more room than
 *	their blocks need. All members must give the same. SCATTER_COLL_IN_PLACE gets
 *	-EINVAL: give SCATTER_IN_PLACE as the buffer instead
 * @send_layout: where the bytes of the send buffer are, see scatter_layout_vector() and
 *	scatter_layout_iovec(); NULL: the bytes are contiguous. A call that resumes an
 *	operation brings the same pointer
 * @recv_layout: likewise of the receive buffer
 * @ring_bytes: scatter_dup(), scatter_split() and scatter_shrink(): size of the new member's
 *	ring; 0 means the size of the old ring. Other functions ignore @ring_bytes
 * @__reserved: must be 0
 */
struct scatter_opts {
	struct scatter_schedule schedule;
	int64_t timeout_ns;
	int culprit;
	unsigned int flags;
	uint64_t number;
	uint64_t bytes;
	const struct scatter_layout *send_layout;
	const struct scatter_layout *recv_layout;
	unsigned int ring_bytes;
	unsigned int __reserved[9];
};

/**
 * scatter_layout_vector() - a layout of pieces at equal distances
 * @layout: (out) for struct scatter_opts
 * @count: pieces of an element, at least 1
 * @length: bytes of a piece, at least 1
 * @stride: bytes from the start of a piece to the start of the next, may be negative
 * @extent: bytes from the start of an element to the start of the next, may be negative
 *
 * The same as MPI_Type_vector() and MPI_Type_create_resized() make, in bytes. An operation sends
 * or receives one element after another. Counts and displacements count the bytes sent or
 * received, @count * @length for each element. For elements of several rows the caller sets @rows
 * and @row_stride of *@layout afterwards.
 *
 * Return: 0; -EINVAL for NULL. Values out of range get -EINVAL in the operation.
 */
int scatter_layout_vector(struct scatter_layout *layout, uint64_t count,
			  uint64_t length, int64_t stride, int64_t extent);

/**
 * scatter_layout_iovec() - a layout of any pieces
 * @layout: (out) for struct scatter_opts
 * @iov: the pieces, in the order of sending or receiving. The array must stay until an
 *	operation has read it
 * @count: how many pieces, at most SCATTER_IOV_MAX
 *
 * The operation ignores the address of the buffer.
 *
 * Return: 0; -EINVAL for NULL. Values out of range get -EINVAL in the operation.
 */
int scatter_layout_iovec(struct scatter_layout *layout,
			 const struct scatter_iovec *iov, unsigned int count);

/**
 * scatter_join() - join a group, creating it if need be
 * @group: (out) the handle; give it back to scatter_leave()
 * @name: the group's name
 * @opts: see struct scatter_join_opts; required
 *
 * Opens /dev/scatter (close-on-exec) and waits until all members have joined. Each user has
 * names of their own: no other user can create a group under your name. After -EINTR and
 * -ETIMEDOUT no rank is taken, and *@group is NULL as after any error. If this node has peers,
 * processes on all of them meet by the same name.
 *
 * Return: 0; -errno of open() or of SCATTER_IOCTL_JOIN, among them -EINVAL for a
 * schedule impossible for @size, -EPROTO for another schedule, or other sides, than the
 * group's, -EHOSTUNREACH if the node that keeps the name cannot be reached, and -EREMCHG if that
 * node knows other nodes; -ENAMETOOLONG; -EINVAL for a NULL argument or a negative timeout;
 * -ENOMEM.
 */
int scatter_join(struct scatter_group **group, const char *name,
		 const struct scatter_join_opts *opts);

/**
 * scatter_create() - create a group without a name
 * @opts: size, sides and schedule of the group; the rest is ignored
 *
 * Every process that has the descriptor, by inheritance or over a UNIX socket, can join the group
 * with scatter_join_by(), in any container and without the device. The descriptor closes on exec.
 *
 * Return: a group descriptor, for close(), 0 or more; -errno of open() or of
 * SCATTER_IOCTL_CREATE; -EINVAL for NULL.
 */
int scatter_create(const struct scatter_join_opts *opts);

/**
 * scatter_join_by() - join a group by its descriptor
 * @group: (out) the handle; give it back to scatter_leave()
 * @fd: a group descriptor, which stays the caller's
 * @opts: as for scatter_join(), but @mode, @owner, @exclusive and @local are ignored. If @size is
 *	0, sides and schedule must be 0, too, and the group's own apply; else all three must agree
 *
 * Return: 0; -errno of SCATTER_IOCTL_JOIN; -EINVAL for a NULL argument or a negative
 * timeout; -ENOMEM. *@group is NULL after an error.
 */
int scatter_join_by(struct scatter_group **group, int fd,
		    const struct scatter_join_opts *opts);

/**
 * scatter_leave() - leave the group and free the handle
 * @group: the handle, or NULL
 *
 * The handle is gone whatever the function returns. A child made by fork() may call
 * scatter_leave(), too: the child gets -EIO, and the membership stays with the parent.
 *
 * Return: 0 or -errno of SCATTER_IOCTL_LEAVE.
 */
int scatter_leave(struct scatter_group *group);

/**
 * scatter_revoke() - break the group for all members
 * @group: the handle; scatter_leave() is still to be called
 *
 * Not collective, waits for nobody, and may be called while another thread is inside
 * an operation of @group. Operations that have not returned, and all later ones, end with
 * -ECANCELED at every member. In a group that is broken already scatter_revoke() ends the
 * operations under way; later operations get the errno that broke the group.
 *
 * Return: 0; -EINVAL for NULL; -EIO in a child made by fork(); else -errno of
 * SCATTER_IOCTL_REVOKE.
 */
int scatter_revoke(struct scatter_group *group);

/**
 * scatter_dup() - make a new group of the same members
 * @group: the handle; the old membership goes on
 * @copy: (out) a handle of the new group, with the same rank; for scatter_leave()
 * @opts: timeout, and schedule and ring of the new group; culprit and number are set; may
 *	be NULL
 *
 * An operation of @group: all members call scatter_dup() and the other operations in the same
 * order, and no member returns before all have called. Either all members get a new membership
 * or none does. In a group with members on several nodes all get -ENETUNREACH when too few nodes
 * are left to decide, see "several nodes" in scatter(4).
 *
 * Return: 0 or -errno of SCATTER_IOCTL_REGROUP, *@copy being NULL then; -EINVAL for NULL or
 * a negative timeout; -ENOMEM. After -EINTR and -ETIMEDOUT the same call resumes the operation.
 */
int scatter_dup(struct scatter_group *group, struct scatter_group **copy,
		struct scatter_opts *opts);

/**
 * scatter_split() - make a new group of the members of each color
 * @group: the handle; the old membership goes on
 * @color: which of the new groups, 0 and up, or SCATTER_COLOR_NONE
 * @key: the new ranks are in the order of the keys; members with the same key are in the order
 *	of their old ranks
 * @part: (out) a handle of the new group, for scatter_leave(); NULL for
 *	SCATTER_COLOR_NONE
 * @opts: as for scatter_dup()
 *
 * An operation of @group, as scatter_dup() is.
 *
 * Return: as scatter_dup().
 */
int scatter_split(struct scatter_group *group, int color, int key,
		  struct scatter_group **part, struct scatter_opts *opts);

/**
 * scatter_shrink() - make a new group of the remaining members
 * @group: the handle; the old group stays as it is
 * @rest: (out) a handle of the new group, for scatter_leave(); ranks are dense, in the order
 *	of the old ones
 * @opts: as for scatter_dup(); number is SCATTER_NUMBER_NEW
 *
 * For a group whose members have died or left, or that was revoked. All remaining members call
 * scatter_shrink() and scatter_agree() in the same order, whatever operations they have called
 * before. In a group with members on several nodes both get -ENETUNREACH when too few nodes are
 * left to decide: the outcome is unknown, see "several nodes" in scatter(4).
 *
 * Return: 0 or -errno of SCATTER_IOCTL_REGROUP, *@rest being NULL then; -EINVAL for NULL or
 * a negative timeout; -ENOMEM. After -EINTR and -ETIMEDOUT the call counts as not made.
 */
int scatter_shrink(struct scatter_group *group, struct scatter_group **rest,
		   struct scatter_opts *opts);

/**
 * scatter_agree() - agree with all remaining members
 * @group: the handle
 * @value: (in, out) bits; becomes the AND of the bits of all callers
 * @opts: only the timeout counts; culprit and number are set; may be NULL
 *
 * All callers that return get the same @value and the same error. See scatter_shrink() for the
 * order.
 *
 * Return: 0; -ECONNRESET or -ESHUTDOWN if members died or left and not all callers have
 * acknowledged the loss with scatter_get_failed(): @value is valid; else -errno of
 * SCATTER_IOCTL_AGREE, or -EINVAL for NULL or a negative timeout. After -EINTR and
 * -ETIMEDOUT the call counts as not made.
 */
int scatter_agree(struct scatter_group *group, uint64_t *value,
		  struct scatter_opts *opts);

/**
 * scatter_get_failed() - the members that have died or left
 * @group: the handle
 * @failed: (out) @bits bits: rank r, in an inter-group group rank r, is bit r % 64 of word
 *	r / 64; may be NULL
 * @bits: a multiple of 64, at least the group's size; 0 without @failed
 * @acknowledge: not 0: acknowledge these ranks; scatter_agree() no longer fails because of them
 *
 * May be called while another thread is inside an operation.
 *
 * Return: how many members; -errno of SCATTER_IOCTL_GET_FAILED; -EINVAL for NULL.
 */
int scatter_get_failed(const struct scatter_group *group,
		       uint64_t *failed, unsigned int bits, int acknowledge);

/** scatter_rank() - this member's rank, 0 to size - 1; in an inter-group within its side */
int scatter_rank(const struct scatter_group *group);

/** scatter_size() - the group's size in members; in an inter-group both sides together */
int scatter_size(const struct scatter_group *group);

/** scatter_remote_size() - members of the other side of an inter-group; else 0 */
int scatter_remote_size(const struct scatter_group *group);

/** scatter_fd() - the file descriptor, for poll(); the handle owns the descriptor */
int scatter_fd(const struct scatter_group *group);

/**
 * scatter_scatter() - block i of the root's @sendbuf goes to rank i's @recvbuf
 * @group: the handle
 * @sendbuf: root: size * @block bytes; ignored elsewhere
 * @recvbuf: @block bytes, or SCATTER_IN_PLACE at the root
 * @block: bytes per rank; the same at all members
 * @root: the rank that sends
 *
 * In an inter-group @root is SCATTER_ROOT at the root, SCATTER_PROC_NULL at the other members of
 * the root's side, and the root's rank at the members of the other side. The root's @sendbuf has
 * scatter_remote_size() blocks, and its @recvbuf is ignored. Buffers and blocks of
 * SCATTER_PROC_NULL members are ignored.
 *
 * Return: 0 or -errno of SCATTER_IOCTL_COLL. After -EINTR and -ETIMEDOUT the same call
 * resumes the operation.
 */
int scatter_scatter(struct scatter_group *group, const void *sendbuf,
		    void *recvbuf, size_t block, int root);

/** scatter_scatter_opts() - scatter_scatter() with options; @opts may be NULL */
int scatter_scatter_opts(struct scatter_group *group, const void *sendbuf,
			 void *recvbuf, size_t block, int root,
			 struct scatter_opts *opts);

/**
 * scatter_gather() - rank i's @sendbuf goes to block i of the root's @recvbuf
 * @group: the handle
 * @sendbuf: @block bytes, or SCATTER_IN_PLACE at the root
 * @recvbuf: root: size * @block bytes; ignored elsewhere; in an inter-group
 *	scatter_remote_size() * @block bytes, and the root's @sendbuf is ignored
 * @block: bytes per rank; the same at all members
 * @root: the rank that receives; in an inter-group as of scatter_scatter()
 *
 * Return: as scatter_scatter().
 */
int scatter_gather(struct scatter_group *group, const void *sendbuf,
		   void *recvbuf, size_t block, int root);

/** scatter_gather_opts() - scatter_gather() with options; @opts may be NULL */
int scatter_gather_opts(struct scatter_group *group, const void *sendbuf,
			void *recvbuf, size_t block, int root,
			struct scatter_opts *opts);

/**
 * scatter_scatterv() - scatter blocks of different lengths
 * @group: the handle
 * @sendbuf: root: the buffer that @counts and @displs describe; ignored elsewhere
 * @counts: root: for each rank the bytes of its block; ignored elsewhere
 * @displs: root: for each rank the bytes from @sendbuf to its block, in any order
 *	and with gaps; NULL: the blocks lie side by side; ignored elsewhere
 * @recvbuf: @recvcount bytes, or SCATTER_IN_PLACE at the root
 * @recvcount: bytes of this rank's block, as in the root's @counts
 * @root: the rank that sends; in an inter-group as of scatter_scatter(), and @counts and
 *	@displs have an entry for each rank of the other side
 *
 * Return: as scatter_scatter(); -EINVAL at the root without @counts.
 */
int scatter_scatterv(struct scatter_group *group, const void *sendbuf,
		     const uint64_t *counts, const uint64_t *displs,
		     void *recvbuf, uint64_t recvcount, int root);

/** scatter_scatterv_opts() - scatter_scatterv() with options; @opts may be NULL */
int scatter_scatterv_opts(struct scatter_group *group, const void *sendbuf,
			  const uint64_t *counts, const uint64_t *displs,
			  void *recvbuf, uint64_t recvcount, int root,
			  struct scatter_opts *opts);

/**
 * scatter_gatherv() - gather blocks of different lengths
 * @group: the handle
 * @sendbuf: @sendcount bytes, or SCATTER_IN_PLACE at the root
 * @sendcount: bytes of this rank's block, as in the root's @counts
 * @recvbuf: root: the buffer that @counts and @displs describe; ignored elsewhere
 * @counts: root: for each rank the bytes of its block; ignored elsewhere
 * @displs: root: for each rank the bytes from @recvbuf to its block, in any order
 *	and with gaps, which stay unchanged; NULL: the blocks lie side by
 *	side; ignored elsewhere
 * @root: the rank that receives; in an inter-group as of scatter_scatter(), and @counts and
 *	@displs have an entry for each rank of the other side
 *
 * Return: as scatter_scatter(); -EINVAL at the root without @counts or if blocks
 * overlap.
 */
int scatter_gatherv(struct scatter_group *group, const void *sendbuf,
		    uint64_t sendcount, void *recvbuf, const uint64_t *counts,
		    const uint64_t *displs, int root);

/** scatter_gatherv_opts() - scatter_gatherv() with options; @opts may be NULL */
int scatter_gatherv_opts(struct scatter_group *group, const void *sendbuf,
			 uint64_t sendcount, void *recvbuf,
			 const uint64_t *counts, const uint64_t *displs,
			 int root, struct scatter_opts *opts);

/**
 * scatter_barrier() - wait until all members have called
 * @group: the handle
 *
 * Return: as scatter_scatter().
 */
int scatter_barrier(struct scatter_group *group);

/** scatter_barrier_opts() - scatter_barrier() with options; @opts may be NULL */
int scatter_barrier_opts(struct scatter_group *group, struct scatter_opts *opts);

/**
 * scatter_status() - state, rank, terms
 * @group: the handle
 * @status: (out) filled in, without masks
 *
 * May be called while another thread is inside an operation.
 *
 * Return: 0 or -errno of SCATTER_IOCTL_STATUS.
 */
int scatter_status(const struct scatter_group *group,
		   struct scatter_status *status);

/**
 * scatter_masks() - dead, left and missing ranks
 * @group: the handle
 * @bits: how many bits each of the masks has: a multiple of 64, at least the group's size
 * @dead: (out) as of struct scatter_status; rank r is bit r % 64 of word r / 64; may be NULL
 * @left: (out) likewise
 * @missing: (out) likewise
 *
 * May be called while another thread is inside an operation.
 *
 * Return: 0 or -errno of SCATTER_IOCTL_STATUS.
 */
int scatter_masks(const struct scatter_group *group, unsigned int bits,
		  uint64_t *dead, uint64_t *left, uint64_t *missing);

/**
 * scatter_counters() - counted transfers and waits
 * @group: the handle
 * @counters: (out) filled in
 * @total: not 0: sums over all members on this node, not only this one
 *
 * May be called while another thread is inside an operation.
 *
 * Return: 0 or -errno of SCATTER_IOCTL_COUNTERS; -EINVAL for NULL.
 */
int scatter_counters(const struct scatter_group *group,
		     struct scatter_counters *counters, int total);

/**
 * scatter_creator() - which user created the group
 * @group: the handle
 * @uid: (out) user ID, as the caller's user namespace sees it; may be NULL
 * @gid: (out) group ID, likewise
 * @mode: (out) permission bits; 0 if the group has no name; may be NULL
 *
 * May be called while another thread is inside an operation.
 *
 * Return: 0; -errno of SCATTER_IOCTL_CREDENTIALS; -EINVAL for no handle.
 */
int scatter_creator(const struct scatter_group *group, unsigned int *uid,
		    unsigned int *gid, unsigned int *mode);

/**
 * scatter_credentials() - which processes the members are
 * @group: the handle
 * @first: the first rank of the list, in an inter-group the group rank; up to the group's size
 * @list: (out) an element for each rank from @first on; may be NULL if @count is 0
 * @count: how many elements @list has room for
 *
 * May be called while another thread is inside an operation. Members on other nodes have joined 0.
 *
 * Return: how many elements are filled in; -errno of SCATTER_IOCTL_CREDENTIALS; -EINVAL
 * for no handle.
 */
int scatter_credentials(const struct scatter_group *group, unsigned int first,
			struct scatter_credential *list, unsigned int count);

/**
 * scatter_info() - features and limits of the loaded module
 * @info: (out) filled in
 *
 * Return: 0, or -errno of open() or of SCATTER_IOCTL_INFO.
 */
int scatter_info(struct scatter_info *info);

#ifdef __cplusplus
}
#endif

#endif /* SCATTER_H */

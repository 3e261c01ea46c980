// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * libscatter: a thin wrapper around the ioctls of /dev/scatter.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "scatter.h"

#define DEVICE		"/dev/scatter"
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* Mode of a group if the caller gives none. */
#define DEFAULT_MODE	0600

/**
 * struct scatter_group - one membership
 * @fd: the open file that joined
 * @rank: the rank that JOIN gave
 * @size: members of the group
 * @remote_size: members of the other side, 0 if there is none
 * @number: number of the paused operation, SCATTER_NUMBER_NEW if none
 */
struct scatter_group {
	int fd;
	int rank;
	int size;
	int remote_size;
	uint64_t number;
};

/* Whether all reserved words are 0: later versions may give them a meaning. */
static bool is_zero(const unsigned int *words, size_t count)
{
	while (count--) {
		if (words[count])
			return false;
	}
	return true;
}

static int device_open(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int device_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

static int join_fill(struct scatter_join *join,
		     const struct scatter_join_opts *opts)
{
	if (opts->timeout_ns < 0 ||
	    !is_zero(opts->__reserved, ARRAY_SIZE(opts->__reserved)))
		return -EINVAL;
	memset(join, 0, sizeof(*join));
	join->size = sizeof(*join);
	join->members = opts->size;
	join->rank = opts->rank;
	join->ring_bytes = opts->ring_bytes;
	join->flags = SCATTER_JOIN_RELATIVE;
	join->deadline_ns = opts->timeout_ns;
	join->schedule = opts->schedule;
	memcpy(join->sides, opts->sides, sizeof(join->sides));
	join->side = opts->side;
	if (opts->nonblock)
		join->flags |= SCATTER_JOIN_NONBLOCK;
	return 0;
}

static void handle_fill(struct scatter_group *group, int fd, int rank, int size,
			int remote_size)
{
	group->fd = fd;
	group->rank = rank;
	group->size = size;
	group->remote_size = remote_size;
	group->number = SCATTER_NUMBER_NEW;
}

int scatter_join(struct scatter_group **group, const char *name,
		 const struct scatter_join_opts *opts)
{
	struct scatter_join join;
	struct scatter_group *new;
	int error, fd;

	if (!group)
		return -EINVAL;
	*group = NULL;
	if (!name || !opts)
		return -EINVAL;
	if (strlen(name) >= sizeof(join.name))
		return -ENAMETOOLONG;
	error = join_fill(&join, opts);
	if (error)
		return error;
	join.mode = opts->mode ? opts->mode : DEFAULT_MODE;
	join.owner = opts->owner ? *opts->owner : SCATTER_OWNER_SELF;
	if (opts->exclusive)
		join.flags |= SCATTER_JOIN_EXCL;
	if (opts->local)
		join.flags |= SCATTER_JOIN_LOCAL;
	memcpy(join.name, name, strlen(name));
	new = malloc(sizeof(*new));
	if (!new)
		return -ENOMEM;
	fd = device_open();
	if (fd < 0) {
		error = fd;
		goto err_free;
	}
	error = device_ioctl(fd, SCATTER_IOCTL_JOIN, &join);
	if (error && !(opts->nonblock && error == -EINPROGRESS))
		goto err_close;
	handle_fill(new, fd, join.rank, join.members, join.sides[!join.side]);
	*group = new;
	return 0;

err_close:
	close(fd);
err_free:
	free(new);
	return error;
}

int scatter_create(const struct scatter_join_opts *opts)
{
	struct scatter_create create = { .size = sizeof(create) };
	int error, fd;

	if (!opts || !is_zero(opts->__reserved, ARRAY_SIZE(opts->__reserved)))
		return -EINVAL;
	create.members = opts->size;
	create.schedule = opts->schedule;
	memcpy(create.sides, opts->sides, sizeof(create.sides));
	fd = device_open();
	if (fd < 0)
		return fd;
	error = device_ioctl(fd, SCATTER_IOCTL_CREATE, &create);
	close(fd);
	return error ? error : create.fd;
}

int scatter_join_by(struct scatter_group **group, int fd,
		    const struct scatter_join_opts *opts)
{
	struct scatter_join join;
	struct scatter_group *new;
	int error;

	if (!group)
		return -EINVAL;
	*group = NULL;
	if (!opts)
		return -EINVAL;
	error = join_fill(&join, opts);
	if (error)
		return error;
	new = malloc(sizeof(*new));
	if (!new)
		return -ENOMEM;
	error = device_ioctl(fd, SCATTER_IOCTL_JOIN, &join);
	if (error) {
		free(new);
		return error;
	}
	handle_fill(new, join.fd, join.rank, join.members,
		    join.sides[!join.side]);
	*group = new;
	return 0;
}

int scatter_leave(struct scatter_group *group)
{
	struct scatter_leave leave = { .size = sizeof(leave) };
	int error;

	if (!group)
		return 0;
	error = device_ioctl(group->fd, SCATTER_IOCTL_LEAVE, &leave);
	close(group->fd);
	free(group);
	return error;
}

int scatter_revoke(struct scatter_group *group)
{
	struct scatter_revoke revoke = { .size = sizeof(revoke) };

	if (!group)
		return -EINVAL;
	return device_ioctl(group->fd, SCATTER_IOCTL_REVOKE, &revoke);
}

/* Clear the (out) fields of @opts until the kernel has answered. */
static int opts_begin(struct scatter_opts *opts)
{
	if (!opts)
		return 0;
	opts->culprit = SCATTER_RANK_ANY;
	opts->number = SCATTER_NUMBER_NEW;
	opts->bytes = 0;
	if (opts->timeout_ns < 0 ||
	    !is_zero(opts->__reserved, ARRAY_SIZE(opts->__reserved)))
		return -EINVAL;
	return 0;
}

/*
 * Note the operation that a call has paused, by its @error and @number. A refused call, or a
 * REGROUP without memory or descriptors of its own, has changed nothing.
 */
static void note_number(struct scatter_group *group, int error, uint64_t number,
			bool regroups)
{
	switch (-error) {
	case EINTR:
	case ETIMEDOUT:
		group->number = number;
		return;
	case EBUSY:
	case EINVAL:
	case EOPNOTSUPP:
		return;
	case EDQUOT:
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		if (regroups)
			return;
	}
	group->number = SCATTER_NUMBER_NEW;
}

static int regroup(struct scatter_group *group, struct scatter_regroup *regroup,
		   struct scatter_group **result, struct scatter_opts *opts)
{
	bool meets = regroup->op == SCATTER_OP_SHRINK;
	struct scatter_group *new;
	int error;

	if (!result)
		return -EINVAL;
	*result = NULL;
	error = opts_begin(opts);
	if (!group)
		return -EINVAL;
	if (error)
		return error;
	new = malloc(sizeof(*new));
	if (!new)
		return -ENOMEM;
	regroup->size = sizeof(*regroup);
	regroup->flags = SCATTER_REGROUP_RELATIVE;
	regroup->culprit = SCATTER_RANK_ANY;
	regroup->number = meets ? SCATTER_NUMBER_NEW : group->number;
	if (opts) {
		regroup->deadline_ns = opts->timeout_ns;
		regroup->schedule = opts->schedule;
		regroup->ring_bytes = opts->ring_bytes;
	}
	error = device_ioctl(group->fd, SCATTER_IOCTL_REGROUP, regroup);
	if (!meets)
		note_number(group, error, regroup->number, true);
	if (opts) {
		opts->culprit = regroup->culprit;
		opts->number = regroup->number;
	}
	if (error || regroup->fd < 0) {
		free(new);
		return error;
	}
	handle_fill(new, regroup->fd, regroup->rank, regroup->members,
		    regroup->remote);
	*result = new;
	return 0;
}

int scatter_dup(struct scatter_group *group, struct scatter_group **copy,
		struct scatter_opts *opts)
{
	struct scatter_regroup dup = { .op = SCATTER_OP_DUP };

	return regroup(group, &dup, copy, opts);
}

int scatter_split(struct scatter_group *group, int color, int key,
		  struct scatter_group **part, struct scatter_opts *opts)
{
	struct scatter_regroup split = {
		.op = SCATTER_OP_SPLIT,
		.color = color,
		.key = key,
	};

	return regroup(group, &split, part, opts);
}

int scatter_shrink(struct scatter_group *group, struct scatter_group **rest,
		   struct scatter_opts *opts)
{
	struct scatter_regroup shrink = { .op = SCATTER_OP_SHRINK };

	return regroup(group, &shrink, rest, opts);
}

int scatter_agree(struct scatter_group *group, uint64_t *value,
		  struct scatter_opts *opts)
{
	struct scatter_agree agree = {
		.size = sizeof(agree),
		.flags = SCATTER_AGREE_RELATIVE,
		.culprit = SCATTER_RANK_ANY,
	};
	int error;

	error = opts_begin(opts);
	if (!group || !value)
		return -EINVAL;
	if (error)
		return error;
	agree.value = *value;
	if (opts)
		agree.deadline_ns = opts->timeout_ns;
	error = device_ioctl(group->fd, SCATTER_IOCTL_AGREE, &agree);
	*value = agree.value;
	if (opts)
		opts->culprit = agree.culprit;
	return error;
}

int scatter_get_failed(const struct scatter_group *group,
		       uint64_t *failed, unsigned int bits, int acknowledge)
{
	struct scatter_get_failed get = {
		.size = sizeof(get),
		.failed = (uintptr_t)failed,
		.bits = bits,
	};
	int error;

	if (!group)
		return -EINVAL;
	if (acknowledge)
		get.flags = SCATTER_GET_FAILED_ACK;
	error = device_ioctl(group->fd, SCATTER_IOCTL_GET_FAILED, &get);
	return error ? error : (int)get.count;
}

int scatter_rank(const struct scatter_group *group)
{
	return group ? group->rank : -EINVAL;
}

int scatter_size(const struct scatter_group *group)
{
	return group ? group->size : -EINVAL;
}

int scatter_remote_size(const struct scatter_group *group)
{
	return group ? group->remote_size : -EINVAL;
}

int scatter_fd(const struct scatter_group *group)
{
	return group ? group->fd : -EINVAL;
}

int scatter_layout_vector(struct scatter_layout *layout, uint64_t count,
			  uint64_t length, int64_t stride, int64_t extent)
{
	if (!layout)
		return -EINVAL;
	*layout = (struct scatter_layout){
		.size = sizeof(*layout),
		.kind = SCATTER_LAYOUT_STRIDED,
		.length = length,
		.stride = stride,
		.count = count,
		.rows = 1,
		.extent = extent,
	};
	return 0;
}

int scatter_layout_iovec(struct scatter_layout *layout,
			 const struct scatter_iovec *iov, unsigned int count)
{
	if (!layout || (!iov && count))
		return -EINVAL;
	*layout = (struct scatter_layout){
		.size = sizeof(*layout),
		.kind = SCATTER_LAYOUT_IOVEC,
		.iov = (uintptr_t)iov,
		.iov_count = count,
	};
	return 0;
}

/* Whether @root is a rank or one of the constants: the kernel checks the rest. */
static bool is_root(int root)
{
	return root >= 0 || root == (int)SCATTER_ROOT ||
	       root == (int)SCATTER_PROC_NULL;
}

/* Completes @coll from @opts, calls the kernel and hands its answers back. */
static int operation(struct scatter_group *group, struct scatter_coll *coll,
		     int root, struct scatter_opts *opts)
{
	struct scatter_results results = {
		.size = sizeof(results),
		.culprit = SCATTER_RANK_ANY,
	};
	int error;

	error = opts_begin(opts);
	if (!group || !is_root(root))
		return -EINVAL;
	if (error)
		return error;
	if (opts) {
		if (opts->flags & SCATTER_COLL_IN_PLACE)
			return -EINVAL;
		coll->flags |= opts->flags;
		coll->deadline_ns = opts->timeout_ns;
		coll->schedule = opts->schedule;
		coll->send_layout = (uintptr_t)opts->send_layout;
		coll->recv_layout = (uintptr_t)opts->recv_layout;
	}
	coll->size = sizeof(*coll);
	coll->flags |= SCATTER_COLL_RELATIVE;
	coll->root = root;
	coll->results = (uintptr_t)&results;
	results.number = group->number;

	error = device_ioctl(group->fd, SCATTER_IOCTL_COLL, coll);
	/* The results go out of scope. */
	coll->results = 0;
	note_number(group, error, results.number, false);
	if (opts) {
		opts->culprit = results.culprit;
		opts->number = results.number;
		opts->bytes = results.bytes;
	}
	return error;
}

/* At the root, SCATTER_IN_PLACE stands for the buffer of its own block. */
static void set_buffers(struct scatter_coll *coll, const void *sendbuf,
			void *recvbuf)
{
	coll->sendbuf = (uintptr_t)sendbuf;
	coll->recvbuf = (uintptr_t)recvbuf;
	if (sendbuf == SCATTER_IN_PLACE) {
		coll->flags = SCATTER_COLL_IN_PLACE;
		coll->sendbuf = 0;
	}
	if (recvbuf == SCATTER_IN_PLACE) {
		coll->flags = SCATTER_COLL_IN_PLACE;
		coll->recvbuf = 0;
	}
}

int scatter_scatter_opts(struct scatter_group *group, const void *sendbuf,
			 void *recvbuf, size_t block, int root,
			 struct scatter_opts *opts)
{
	struct scatter_coll coll = {
		.op = SCATTER_OP_SCATTER,
		.block = block,
	};

	set_buffers(&coll, sendbuf, recvbuf);
	return operation(group, &coll, root, opts);
}

int scatter_scatter(struct scatter_group *group, const void *sendbuf,
		    void *recvbuf, size_t block, int root)
{
	return scatter_scatter_opts(group, sendbuf, recvbuf, block, root, NULL);
}

int scatter_gather_opts(struct scatter_group *group, const void *sendbuf,
			void *recvbuf, size_t block, int root,
			struct scatter_opts *opts)
{
	struct scatter_coll coll = {
		.op = SCATTER_OP_GATHER,
		.block = block,
	};

	set_buffers(&coll, sendbuf, recvbuf);
	return operation(group, &coll, root, opts);
}

int scatter_gather(struct scatter_group *group, const void *sendbuf,
		   void *recvbuf, size_t block, int root)
{
	return scatter_gather_opts(group, sendbuf, recvbuf, block, root, NULL);
}

int scatter_scatterv_opts(struct scatter_group *group, const void *sendbuf,
			  const uint64_t *counts, const uint64_t *displs,
			  void *recvbuf, uint64_t recvcount, int root,
			  struct scatter_opts *opts)
{
	struct scatter_coll coll = {
		.op = SCATTER_OP_SCATTERV,
		.block = recvcount,
		.counts = (uintptr_t)counts,
		.displs = (uintptr_t)displs,
	};

	set_buffers(&coll, sendbuf, recvbuf);
	return operation(group, &coll, root, opts);
}

int scatter_scatterv(struct scatter_group *group, const void *sendbuf,
		     const uint64_t *counts, const uint64_t *displs,
		     void *recvbuf, uint64_t recvcount, int root)
{
	return scatter_scatterv_opts(group, sendbuf, counts, displs, recvbuf,
				     recvcount, root, NULL);
}

int scatter_gatherv_opts(struct scatter_group *group, const void *sendbuf,
			 uint64_t sendcount, void *recvbuf,
			 const uint64_t *counts, const uint64_t *displs,
			 int root, struct scatter_opts *opts)
{
	struct scatter_coll coll = {
		.op = SCATTER_OP_GATHERV,
		.block = sendcount,
		.counts = (uintptr_t)counts,
		.displs = (uintptr_t)displs,
	};

	set_buffers(&coll, sendbuf, recvbuf);
	return operation(group, &coll, root, opts);
}

int scatter_gatherv(struct scatter_group *group, const void *sendbuf,
		    uint64_t sendcount, void *recvbuf, const uint64_t *counts,
		    const uint64_t *displs, int root)
{
	return scatter_gatherv_opts(group, sendbuf, sendcount, recvbuf, counts,
				    displs, root, NULL);
}

int scatter_barrier_opts(struct scatter_group *group, struct scatter_opts *opts)
{
	struct scatter_coll coll = { .op = SCATTER_OP_BARRIER };

	return operation(group, &coll, 0, opts);
}

int scatter_barrier(struct scatter_group *group)
{
	return scatter_barrier_opts(group, NULL);
}

int scatter_status(const struct scatter_group *group,
		   struct scatter_status *status)
{
	if (!group || !status)
		return -EINVAL;
	memset(status, 0, sizeof(*status));
	status->size = sizeof(*status);
	return device_ioctl(group->fd, SCATTER_IOCTL_STATUS, status);
}

int scatter_masks(const struct scatter_group *group, unsigned int bits,
		  uint64_t *dead, uint64_t *left, uint64_t *missing)
{
	struct scatter_status status = {
		.size = sizeof(status),
		.bits = bits,
		.dead = (uintptr_t)dead,
		.left = (uintptr_t)left,
		.missing = (uintptr_t)missing,
	};

	if (!group)
		return -EINVAL;
	return device_ioctl(group->fd, SCATTER_IOCTL_STATUS, &status);
}

int scatter_counters(const struct scatter_group *group,
		     struct scatter_counters *counters, int total)
{
	if (!group || !counters)
		return -EINVAL;
	memset(counters, 0, sizeof(*counters));
	counters->size = sizeof(*counters);
	if (total)
		counters->flags = SCATTER_COUNTERS_TOTAL;
	return device_ioctl(group->fd, SCATTER_IOCTL_COUNTERS, counters);
}

int scatter_creator(const struct scatter_group *group, unsigned int *uid,
		    unsigned int *gid, unsigned int *mode)
{
	struct scatter_credentials ask = { .size = sizeof(ask) };
	int error;

	if (!group)
		return -EINVAL;
	error = device_ioctl(group->fd, SCATTER_IOCTL_CREDENTIALS, &ask);
	if (error)
		return error;
	if (uid)
		*uid = ask.uid;
	if (gid)
		*gid = ask.gid;
	if (mode)
		*mode = ask.mode;
	return 0;
}

int scatter_credentials(const struct scatter_group *group, unsigned int first,
			struct scatter_credential *list, unsigned int count)
{
	struct scatter_credentials ask = {
		.size = sizeof(ask),
		.first = first,
		.count = count,
		.list = (uintptr_t)list,
	};
	int error;

	if (!group)
		return -EINVAL;
	error = device_ioctl(group->fd, SCATTER_IOCTL_CREDENTIALS, &ask);
	return error ? error : (int)ask.count;
}

int scatter_info(struct scatter_info *info)
{
	int error, fd;

	if (!info)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	fd = device_open();
	if (fd < 0)
		return fd;
	error = device_ioctl(fd, SCATTER_IOCTL_INFO, info);
	close(fd);
	return error;
}

// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * libscatter: a thin wrapper around the ioctls of /dev/scatter.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "scatter.h"

#define DEVICE		"/dev/scatter"
#define NSEC_PER_SEC	1000000000LL

/* What a group's mode is if the caller does not say. */
#define DEFAULT_MODE	0600

/**
 * struct scatter_group - one membership
 * @fd: the open file that joined
 * @rank: the rank that JOIN gave
 * @size: members of the group
 */
struct scatter_group {
	int fd;
	int rank;
	int size;
};

/* 0 stays "none"; what would overflow becomes as late as the kernel can count. */
static int deadline_after(int64_t timeout_ns, uint64_t *deadline_ns)
{
	struct timespec now;
	int64_t now_ns;

	*deadline_ns = 0;
	if (timeout_ns < 0)
		return -EINVAL;
	if (!timeout_ns)
		return 0;
	if (clock_gettime(CLOCK_MONOTONIC, &now))
		return -errno;
	now_ns = now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
	if (timeout_ns > INT64_MAX - now_ns)
		*deadline_ns = INT64_MAX;
	else
		*deadline_ns = now_ns + timeout_ns;
	return 0;
}

static int device_open(int flags)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC | flags);

	return fd < 0 ? -errno : fd;
}

static int device_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

static int join_fill(struct scatter_join *join, const char *name,
		     const struct scatter_join_opts *opts)
{
	size_t length = strlen(name);
	uint64_t deadline_ns;
	int error;

	if (length >= sizeof(join->name))
		return -ENAMETOOLONG;
	error = deadline_after(opts->timeout_ns, &deadline_ns);
	if (error)
		return error;

	memset(join, 0, sizeof(*join));
	join->size = sizeof(*join);
	join->members = opts->size;
	join->rank = opts->rank;
	join->mode = opts->mode ? opts->mode : DEFAULT_MODE;
	join->ring_bytes = opts->ring_bytes;
	join->deadline_ns = deadline_ns;
	join->algorithm = opts->algorithm;
	join->ports = opts->ports;
	join->dims = opts->dims;
	memcpy(join->extent, opts->extent, sizeof(join->extent));
	memcpy(join->name, name, length);
	return 0;
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
	error = join_fill(&join, name, opts);
	if (error)
		return error;
	new = malloc(sizeof(*new));
	if (!new)
		return -ENOMEM;
	fd = device_open(opts->nonblock ? O_NONBLOCK : 0);
	if (fd < 0) {
		error = fd;
		goto err_free;
	}
	error = device_ioctl(fd, SCATTER_IOCTL_JOIN, &join);
	if (error && !(opts->nonblock && error == -EINPROGRESS))
		goto err_close;

	new->fd = fd;
	new->rank = join.rank;
	new->size = join.members;
	*group = new;
	return 0;

err_close:
	close(fd);
err_free:
	free(new);
	return error;
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

int scatter_rank(const struct scatter_group *group)
{
	return group ? group->rank : -EINVAL;
}

int scatter_size(const struct scatter_group *group)
{
	return group ? group->size : -EINVAL;
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

/* Completes @coll from @opts, calls the kernel and hands its answers back. */
static int operation(struct scatter_group *group, struct scatter_coll *coll,
		     int root, struct scatter_opts *opts)
{
	uint64_t deadline_ns = 0;
	int error = 0;

	if (opts) {
		opts->culprit = SCATTER_RANK_ANY;
		opts->number = 0;
	}
	if (!group || root < 0)
		return -EINVAL;
	if (opts) {
		error = deadline_after(opts->timeout_ns, &deadline_ns);
		if (error)
			return error;
		coll->algorithm = opts->algorithm;
		coll->ports = opts->ports;
		coll->dims = opts->dims;
		memcpy(coll->extent, opts->extent, sizeof(coll->extent));
		coll->send_layout = (uintptr_t)opts->send_layout;
		coll->recv_layout = (uintptr_t)opts->recv_layout;
	}
	coll->size = sizeof(*coll);
	coll->root = root;
	coll->culprit = SCATTER_RANK_ANY;
	coll->deadline_ns = deadline_ns;

	error = device_ioctl(group->fd, SCATTER_IOCTL_COLL, coll);
	if (opts) {
		opts->culprit = coll->culprit;
		opts->number = coll->number;
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

int scatter_info(struct scatter_info *info)
{
	int error, fd;

	if (!info)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	fd = device_open(0);
	if (fd < 0)
		return fd;
	error = device_ioctl(fd, SCATTER_IOCTL_INFO, info);
	close(fd);
	return error;
}

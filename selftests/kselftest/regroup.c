// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "regroup.h"

/* What workers do ---------------------------------------------------------- */

/* The membership that the last REGROUP has brought. */
static struct {
	int fd;
	int rank;
	unsigned int members;
} fresh = { .fd = -1 };

/* A descriptor of another process, in this one; -errno. */
int descriptor_borrow(pid_t pid, int fd)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0);
	int copy;

	if (pidfd < 0)
		return -errno;
	copy = syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	if (copy < 0)
		copy = -errno;
	close(pidfd);
	return copy;
}

/* join.fd: the group's descriptor in the test. */
__s64 task_join_by(struct self *self, union task_args *args)
{
	int group = descriptor_borrow(getppid(), args->join.fd);
	int error;

	if (group < 0)
		return group;
	error = device_call(group, SCATTER_IOCTL_JOIN, &args->join);
	close(group);
	if (error)
		return error;
	self->fd = args->join.fd;
	self->rank = args->join.rank;
	self->members = args->join.members;
	self->paused = SCATTER_NUMBER_NEW;
	return 0;
}

__s64 task_regroup(struct self *self, union task_args *args)
{
	bool resumes = args->regroup.op != SCATTER_OP_SHRINK &&
		       args->regroup.number == SCATTER_NUMBER_NEW;
	int error;

	if (resumes)
		args->regroup.number = self->paused;
	error = device_call(self->fd, SCATTER_IOCTL_REGROUP, &args->regroup);
	if (resumes)
		self->paused = stays_paused(error) ? args->regroup.number :
						     SCATTER_NUMBER_NEW;
	if (error || args->regroup.fd < 0)
		return error;
	fresh.fd = args->regroup.fd;
	fresh.rank = args->regroup.rank;
	fresh.members = args->regroup.members;
	return 0;
}

/* From now on the worker is what REGROUP has made it; word[0]: keep the old membership. */
__s64 task_adopt(struct self *self, union task_args *args)
{
	if (fresh.fd < 0)
		return -ENOTCONN;
	if (!args->word[0] && self->fd >= 0)
		close(self->fd);
	self->fd = fresh.fd;
	self->rank = fresh.rank;
	self->members = fresh.members;
	self->paused = SCATTER_NUMBER_NEW;
	fresh.fd = -1;
	return 0;
}

/* Close what REGROUP has made. */
__s64 task_abandon(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	if (close(fresh.fd))
		return -errno;
	fresh.fd = -1;
	return 0;
}

__s64 task_agree(struct self *self, union task_args *args)
{
	return device_call(self->fd, SCATTER_IOCTL_AGREE, &args->agree);
}

__s64 task_get_failed(struct self *self, union task_args *args)
{
	return gone_of(self->fd, &args->failed);
}

__s64 task_revoke(struct self *self, union task_args *args)
{
	struct scatter_revoke revoke = { .size = sizeof(revoke) };

	(void)args;
	return device_call(self->fd, SCATTER_IOCTL_REVOKE, &revoke);
}

__s64 task_descriptor(struct self *self, union task_args *args)
{
	(void)args;
	return self->fd;
}

/* What tests order --------------------------------------------------------- */

/* The descriptor of a worker, in this process; -errno. */
int worker_borrow(struct worker *worker)
{
	int fd = (int)worker_do(worker, task_descriptor, NULL);

	return descriptor_borrow(worker->pid, fd);
}

struct scatter_regroup regroup_of(__u32 op)
{
	return (struct scatter_regroup){
		.size = sizeof(struct scatter_regroup),
		.op = op,
		.deadline_ns = after_ms(PATIENCE_MS),
		.number = SCATTER_NUMBER_NEW,
	};
}

/* A group descriptor, or -errno. */
int group_create(unsigned int members)
{
	struct scatter_create create = {
		.size = sizeof(create),
		.members = members,
	};
	int fd = device_open(0);
	int error;

	if (fd < 0)
		return fd;
	error = device_call(fd, SCATTER_IOCTL_CREATE, &create);
	close(fd);
	return error ? error : create.fd;
}

/* JOIN that does not wait; the new descriptor or -errno. */
int join_by(int group, int rank)
{
	struct scatter_join join = {
		.size = sizeof(join),
		.flags = SCATTER_JOIN_NONBLOCK,
		.rank = rank,
	};
	int error = device_call(group, SCATTER_IOCTL_JOIN, &join);

	return error ? error : join.fd;
}

/* Worker r joins as rank r. */
bool crew_join_by(struct crew *crew, int group)
{
	union task_args args = { .join = join_of("", 0, 0) };
	unsigned int r;

	args.join.fd = group;
	args.join.mode = 0;
	args.join.owner = 0;
	args.join.deadline_ns = after_ms(PATIENCE_MS);
	for (r = 0; r < crew->size; r++) {
		args.join.rank = (__s32)r;
		worker_order(&crew->worker[r], task_join_by, &args);
	}
	return crew_formed(crew);
}

bool crew_form_by(struct crew *crew, int group, unsigned int size)
{
	unsigned int r;

	if (!crew_spawn(crew, size))
		return false;
	for (r = 0; r < size; r++)
		if (worker_do(&crew->worker[r], task_close, NULL))
			return false;
	return crew_join_by(crew, group);
}

void crew_regroup_start(struct crew *crew, __u64 ranks,
			const struct scatter_regroup *regroup)
{
	union task_args args = { .regroup = *regroup };
	unsigned int r;

	for (r = 0; r < crew->size; r++)
		if (ranks & RANK(r))
			worker_order(&crew->worker[r], task_regroup, &args);
}

bool crew_regroup_fails(struct crew *crew, __u64 ranks, int error, int culprit)
{
	const struct scatter_regroup *regroup;
	bool good = true;
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		struct worker *worker = &crew->worker[r];

		if (!(ranks & RANK(r)))
			continue;
		worker_finish(worker);
		regroup = &worker->reply.args.regroup;
		if (culprit == SAME_CULPRIT && regroup->culprit >= 0)
			culprit = regroup->culprit;
		if (worker->reply.result == -error &&
		    regroup->culprit == culprit && regroup->fd == -1 &&
		    !regroup->members)
			continue;
		good = false;
		diag("rank %u: result %lld culprit %d fd %d, not %d %d", r,
		     (long long)worker->reply.result, regroup->culprit,
		     regroup->fd, -error, culprit);
	}
	return good;
}

bool crew_sleeps_in(struct crew *crew, __u64 ranks, unsigned int request)
{
	unsigned int r;

	for (r = 0; r < crew->size; r++)
		if (ranks & RANK(r) &&
		    !worker_sleeps(&crew->worker[r], request))
			return false;
	return true;
}

/*
 * All of @ranks get a membership each of one new group, in the order of their ranks, and go on with
 * that: the crew is those then.
 */
bool crew_adopt(struct crew *crew, __u64 ranks)
{
	unsigned int size = (unsigned int)__builtin_popcountll(ranks);
	unsigned int r, rank = 0;
	bool good = true;

	for (r = 0; r < crew->size; r++) {
		const struct scatter_regroup *regroup;
		struct worker worker = crew->worker[r];

		if (!(ranks & RANK(r)))
			continue;
		worker_finish(&worker);
		regroup = &worker.reply.args.regroup;
		if (worker.reply.result || regroup->rank != (int)rank ||
		    regroup->members != size || regroup->fd < 0 ||
		    regroup->culprit != SCATTER_RANK_ANY) {
			diag("rank %u: result %lld rank %d of %u fd %d culprit %d", r,
			     (long long)worker.reply.result, regroup->rank,
			     regroup->members, regroup->fd, regroup->culprit);
			good = false;
		}
		if (worker_do(&worker, task_adopt, NULL))
			good = false;
		crew->worker[rank++] = worker;
	}
	crew->size = rank;
	return good;
}

bool crew_shrink(struct crew *crew, __u64 ranks)
{
	const struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);

	crew_regroup_start(crew, ranks, &shrink);
	return crew_adopt(crew, ranks);
}

void crew_agree_start(struct crew *crew, __u64 ranks, const __u64 *values)
{
	union task_args args = {
		.agree = {
			.size = sizeof(args.agree),
			.deadline_ns = after_ms(PATIENCE_MS),
		},
	};
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		args.agree.value = values[r];
		if (ranks & RANK(r))
			worker_order(&crew->worker[r], task_agree, &args);
	}
}

bool crew_agrees(struct crew *crew, __u64 ranks, int error, __u64 value,
		 unsigned int gone, int culprit)
{
	const struct scatter_agree *agree;
	bool good = true;
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		struct worker *worker = &crew->worker[r];

		if (!(ranks & RANK(r)))
			continue;
		worker_finish(worker);
		agree = &worker->reply.args.agree;
		if (worker->reply.result == -error && agree->value == value &&
		    agree->gone == gone && agree->culprit == culprit)
			continue;
		good = false;
		diag("rank %u: result %lld value %llx gone %u culprit %d", r,
		     (long long)worker->reply.result,
		     (unsigned long long)agree->value, agree->gone,
		     agree->culprit);
	}
	return good;
}

/* Each of @ranks sees @count members gone, and acknowledges that. */
bool crew_acknowledges(struct crew *crew, __u64 ranks, unsigned int count)
{
	union task_args args = {
		.failed = {
			.flags = SCATTER_GET_FAILED_ACK,
		},
	};
	const struct gone *failed;
	bool good = true;
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		struct worker *worker = &crew->worker[r];

		if (!(ranks & RANK(r)))
			continue;
		failed = &worker->reply.args.failed;
		if (worker_do(worker, task_get_failed, &args) ||
		    failed->count != count || failed->acknowledged != count ||
		    mask_count(failed->failed) != count)
			good = false;
	}
	return good;
}

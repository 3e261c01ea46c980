// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crew.h"

#ifndef __NR_memfd_secret
#define __NR_memfd_secret	447
#endif

/* What workers do ---------------------------------------------------------- */

/* word[0]: more flags for open(). */
__s64 task_open(struct self *self, union task_args *args)
{
	self->fd = device_open((int)args->word[0]);
	return self->fd < 0 ? self->fd : 0;
}

__s64 task_close(struct self *self, union task_args *args)
{
	int error = close(self->fd) ? -errno : 0;

	(void)args;
	self->fd = -1;
	return error;
}

__s64 task_join(struct self *self, union task_args *args)
{
	int error = device_call(self->fd, SCATTER_IOCTL_JOIN, &args->join);

	if (!error || error == -EINPROGRESS) {
		self->rank = args->join.rank;
		self->members = args->join.members;
		self->sided = args->join.sides[0];
		self->paused = SCATTER_NUMBER_NEW;
		if (self->sided)
			self->members = args->join.sides[!args->join.side];
	}
	return error;
}

__s64 task_leave(struct self *self, union task_args *args)
{
	(void)args;
	return leave(self->fd);
}

__s64 task_status(struct self *self, union task_args *args)
{
	return status_of(self->fd, &args->status);
}

/* word[0]: events to wait for; the result is what poll() reports. */
__s64 task_events(struct self *self, union task_args *args)
{
	return events_until(self->fd, (int)args->word[0]);
}

__s64 task_fill(struct self *self, union task_args *args)
{
	call_fill(self, &args->call);
	return 0;
}

/* word[0]: for how long, in ms. Sleeps in poll() itself, unlike task_events(). */
__s64 task_poll(struct self *self, union task_args *args)
{
	struct pollfd poller = { .fd = self->fd, .events = POLLPRI };
	int n = poll(&poller, 1, (int)args->word[0]);

	return n < 0 ? -errno : poller.revents;
}

/* word[]: address, bytes, protection, enum map_how. */
__s64 task_map(struct self *self, union task_args *args)
{
	void *at = pointer(args->word[0]), *got;
	size_t bytes = args->word[1];
	int protection = (int)args->word[2];
	int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
	int fd = -1;

	(void)self;
	if (args->word[3] == MAP_HOW_PROTECT)
		return mprotect(at, bytes, protection) ? -errno : 0;
	if (args->word[3] == MAP_HOW_NONE)
		return munmap(at, bytes) ? -errno : 0;
	if (args->word[3] == MAP_HOW_FILE || args->word[3] == MAP_HOW_SECRET) {
		fd = args->word[3] == MAP_HOW_FILE ?
			     memfd_create("file", MFD_CLOEXEC) : secret_open();
		if (fd < 0 || ftruncate(fd, bytes))
			return -errno;
		how = MAP_SHARED | MAP_FIXED;
	}
	got = mmap(at, bytes, protection, how, fd, 0);
	if (fd >= 0)
		close(fd);
	return got == MAP_FAILED ? -errno : 0;
}

/*
 * A file whose mappings only their owner can read: not even the kernel can pin
 * them. The file counts as locked memory.
 */
int secret_open(void)
{
	const struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		return -1;
	return syscall(__NR_memfd_secret, 0);
}

__s64 worker_map(struct worker *worker, void *at, size_t bytes,
		 int protection, enum map_how how)
{
	union task_args args = {
		.word = { address(at), bytes, (__u64)protection, how },
	};

	return worker_do(worker, task_map, &args);
}

/* Bytes that the member of @worker's process has had copied so far. */
__u64 worker_copied(struct worker *worker)
{
	worker_do(worker, task_status, NULL);
	return worker->reply.args.status.total.bytes_copied;
}

/* What tests order --------------------------------------------------------- */

/* Workers with an open file each, in no group. */
bool crew_spawn(struct crew *crew, unsigned int size)
{
	unsigned int r;

	memset(crew, 0, sizeof(*crew));
	name_make(crew->name, "crew");
	for (r = 0; r < size; r++) {
		if (!worker_spawn(&crew->worker[r]))
			return false;
		crew->size = r + 1;
		worker_order(&crew->worker[r], task_open, NULL);
	}
	for (r = 0; r < size; r++)
		if (worker_finish(&crew->worker[r]))
			return false;
	return true;
}

bool crew_form(struct crew *crew, unsigned int size, __u32 ring_bytes)
{
	struct scatter_join like = join_of("", size, 0);

	like.ring_bytes = ring_bytes;
	return crew_form_like(crew, &like);
}

/* An inter-group: ranks 0 to @near - 1 against @far others. @schedule: the group's, or NULL. */
bool crew_form_sides(struct crew *crew, unsigned int near, unsigned int far,
		     const struct call *schedule)
{
	struct scatter_join like = join_of("", near + far, 0);

	like.sides[0] = near;
	like.sides[1] = far;
	if (schedule)
		join_schedule(&like, schedule);
	return crew_form_like(crew, &like);
}

static struct scatter_schedule call_schedule(const struct call *call)
{
	struct scatter_schedule schedule = {
		.algorithm = call->algorithm,
		.ports = call->ports,
		.dims = call->dims,
	};

	memcpy(schedule.extent, call->extent, sizeof(schedule.extent));
	return schedule;
}

/* The group's schedule is to be what @call asks for. */
void join_schedule(struct scatter_join *join, const struct call *call)
{
	join->schedule = call_schedule(call);
}

/* The seat of group rank @rank. */
void join_seat(struct scatter_join *join, unsigned int rank)
{
	join->side = join->sides[0] && rank >= join->sides[0];
	join->rank = (__s32)(join->side ? rank - join->sides[0] : rank);
}

/* Whether the JOIN of every worker has succeeded. */
bool crew_formed(struct crew *crew)
{
	bool formed = true;
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		__s64 result = worker_finish(&crew->worker[r]);

		if (result)
			diag("rank %u: JOIN: %lld", r, (long long)result);
		formed = formed && !result;
	}
	return formed;
}

/* Workers that are there become a group: worker r is group rank r. */
bool crew_join(struct crew *crew, const struct scatter_join *like)
{
	union task_args args = { .join = *like };
	unsigned int r;

	memcpy(args.join.name, crew->name, sizeof(args.join.name));
	for (r = 0; r < crew->size; r++) {
		join_seat(&args.join, r);
		args.join.deadline_ns = after_ms(PATIENCE_MS);
		worker_order(&crew->worker[r], task_join, &args);
	}
	return crew_formed(crew);
}

/* A group of new workers. All else but the name is as in @like. */
bool crew_form_like(struct crew *crew, const struct scatter_join *like)
{
	return crew_spawn(crew, like->members) && crew_join(crew, like);
}

bool crew_end(struct crew *crew)
{
	bool ended = true;
	unsigned int r;

	for (r = 0; r < crew->size; r++)
		ended = worker_end(&crew->worker[r]) && ended;
	return ended;
}

/* What a member of an inter-group gives; idle ones give nothing of use. */
static void direct(struct scatter_coll *coll, unsigned int rank,
		   const struct call *call)
{
	const unsigned int near = call->sides[0];
	bool side = rank >= near;

	if (!near || call->op == SCATTER_OP_BARRIER)
		return;
	coll->block = block_bytes(call->op, call->block, side ? rank - near : rank);
	if (rank == call->root) {
		coll->root = SCATTER_ROOT;
		if (is_vector(call->op))
			coll->block = 4711;
	} else if ((call->root >= near) == side) {
		coll->root = SCATTER_PROC_NULL;
		coll->sendbuf = BOGUS_ADDRESS;
		coll->recvbuf = BOGUS_ADDRESS;
		coll->block = 4711;
	} else if (call->root >= near) {
		coll->root = call->root - near;
	}
}

/* Buffers that rank @rank does not use are bogus: nobody may look at them. */
struct call_args crew_args(unsigned int rank, const struct call *call,
			   __u32 what)
{
	bool root = rank == call->root;
	bool in_place = root && call->flags & SCATTER_COLL_IN_PLACE;
	struct call_args args = {
		.coll = {
			.size = sizeof(args.coll),
			.flags = call->flags & ~(root ? 0 : SCATTER_COLL_IN_PLACE),
			.op = call->op,
			.schedule = call_schedule(call),
			.root = call->root,
			.sendbuf = BOGUS_ADDRESS,
			.recvbuf = BOGUS_ADDRESS,
			.block = block_bytes(call->op, call->block, rank),
		},
		.results = new_results(),
		.base = call->block,
		.seed = call->seed,
		.what = what,
		.split = call->split,
	};

	if (is_scatter(call->op) ? root : !in_place)
		args.coll.sendbuf = address(SEND_BUFFER);
	if (is_gather(call->op) ? root : !in_place)
		args.coll.recvbuf = address(RECV_BUFFER);
	direct(&args.coll, rank, call);
	if (call->timeout_ms)
		args.coll.deadline_ns = after_ms(call->timeout_ms);
	return args;
}

/* The deadline of each is @timeout_ns from its order on, or that of @call if this is 0. */
void crew_start_until(struct crew *crew, __u64 ranks, const struct call *call,
		      __u64 timeout_ns)
{
	union task_args args;
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		if (!(ranks & RANK(r)))
			continue;
		args.call = crew_args(r, call, CALL_FILL | CALL_CHECK);
		if (timeout_ns)
			args.call.coll.deadline_ns = now_ns() + timeout_ns;
		worker_order(&crew->worker[r], task_call, &args);
	}
}

void crew_start(struct crew *crew, __u64 ranks, const struct call *call)
{
	crew_start_until(crew, ranks, call, 0);
}

/* Whether all of @ranks come to sleep in an operation. */
bool crew_sleeps(struct crew *crew, __u64 ranks)
{
	unsigned int r;

	for (r = 0; r < crew->size; r++)
		if (ranks & RANK(r) &&
		    !worker_sleeps(&crew->worker[r], SCATTER_IOCTL_COLL))
			return false;
	return true;
}

/* Whether the operation of each of @ranks succeeds with the right data. */
bool crew_succeeds(struct crew *crew, __u64 ranks)
{
	struct worker *worker;
	bool good = true;
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		worker = &crew->worker[r];
		if (!(ranks & RANK(r)))
			continue;
		worker_finish(worker);
		if (!worker->reply.result && worker->reply.args.call.intact)
			continue;
		good = false;
		diag("rank %u of %u: result %lld culprit %d data %s", r,
		     crew->size, (long long)worker->reply.result,
		     worker->reply.args.call.results.culprit,
		     worker->reply.args.call.intact ? "right" : "wrong");
	}
	return good;
}

/* Whether the operation of each of @ranks ends with @error and @culprit. */
bool crew_fails(struct crew *crew, __u64 ranks, int error, int culprit)
{
	struct worker *worker;
	bool good = true;
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		worker = &crew->worker[r];
		if (!(ranks & RANK(r)))
			continue;
		worker_finish(worker);
		if (worker->reply.result == -error &&
		    worker->reply.args.call.results.culprit == culprit)
			continue;
		good = false;
		diag("rank %u of %u: result %lld culprit %d, not %d, %d", r,
		     crew->size, (long long)worker->reply.result,
		     worker->reply.args.call.results.culprit, -error, culprit);
	}
	return good;
}

/*
 * Whether STATUS of @rank tells that the group is broken, by what and by whom, and that nobody
 * is gone but one whose death or departure that was.
 */
bool crew_is_told(struct crew *crew, unsigned int rank, int error, int culprit)
{
	const __u64 dead = error == ECONNRESET ? RANK(culprit) : 0;
	const __u64 left = error == ESHUTDOWN ? RANK(culprit) : 0;
	const struct seen *seen = crew_seen(crew, rank);

	if (seen && seen->state == SCATTER_STATE_BROKEN && (int)seen->error == error &&
	    seen->culprit == culprit && seen->dead[0] == dead && seen->left[0] == left &&
	    mask_count(seen->dead) == !!dead && mask_count(seen->left) == !!left)
		return true;
	if (seen)
		diag("rank %u: STATUS: state %u error %u culprit %d dead %llx left %llx", rank,
		     seen->state, seen->error, seen->culprit,
		     (unsigned long long)seen->dead[0], (unsigned long long)seen->left[0]);
	return false;
}

/* Whether operations of @ranks fail from now on, and STATUS tells why. */
bool crew_is_broken(struct crew *crew, __u64 ranks, int error, int culprit)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	unsigned int r;

	crew_start(crew, ranks, &barrier);
	if (!crew_fails(crew, ranks, error, culprit))
		return false;
	for (r = 0; r < crew->size; r++)
		if (ranks & RANK(r) && !crew_is_told(crew, r, error, culprit))
			return false;
	return true;
}

/* A signal pauses what each of @ranks is in. */
bool crew_is_interrupted(struct crew *crew, __u64 ranks)
{
	unsigned int r;

	for (r = 0; r < crew->size; r++)
		if (ranks & RANK(r))
			worker_signal(&crew->worker[r], SIGUSR1);
	return crew_fails(crew, ranks, EINTR, SCATTER_RANK_ANY);
}

bool crew_calls(struct crew *crew, __u64 ranks, const struct call *call)
{
	crew_start(crew, ranks, call);
	return crew_succeeds(crew, ranks);
}

/* The @ranks do the operations with the seeds from @first to @last. */
bool crew_catches_up(struct crew *crew, __u64 ranks, struct call call, unsigned int first,
		     unsigned int last)
{
	for (call.seed = first; call.seed <= last; call.seed++)
		if (!crew_calls(crew, ranks, &call))
			return false;
	return true;
}

/* One operation of all, start to end. */
bool crew_runs(struct crew *crew, const struct call *call)
{
	return crew_calls(crew, RANKS(0, crew->size - 1), call);
}

/* The same call again: nothing is filled, only checked. */
__s64 crew_resume(struct crew *crew, unsigned int rank,
		  const struct call *call)
{
	union task_args args = { .call = crew_args(rank, call, CALL_CHECK) };

	return worker_do(&crew->worker[rank], task_call, &args);
}

__s64 crew_status(struct crew *crew, unsigned int rank)
{
	return worker_do(&crew->worker[rank], task_status, NULL);
}

/* STATUS of rank @rank, NULL if it failed. */
const struct seen *crew_seen(struct crew *crew, unsigned int rank)
{
	if (crew_status(crew, rank))
		return NULL;
	return &crew->worker[rank].reply.args.status;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "crew.h"

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

static bool is_root(const struct self *self, const struct scatter_coll *coll)
{
	return self->rank == (int)coll->root;
}

/* Blocks in the receive buffer of this member, 0 if it has none. */
static unsigned int blocks_received(const struct self *self,
				    const struct scatter_coll *coll)
{
	if (coll->op == SCATTER_OP_GATHER)
		return is_root(self, coll) ? self->members : 0;
	if (coll->op == SCATTER_OP_SCATTER)
		return !(coll->flags & SCATTER_COLL_IN_PLACE);
	return 0;
}

static unsigned int blocks_sent(const struct self *self,
				const struct scatter_coll *coll)
{
	if (coll->op == SCATTER_OP_SCATTER)
		return is_root(self, coll) ? self->members : 0;
	if (coll->op == SCATTER_OP_GATHER)
		return !(coll->flags & SCATTER_COLL_IN_PLACE);
	return 0;
}

/* The rank whose block is block @i of a buffer with @blocks of them. */
static unsigned int owner_of(const struct self *self, unsigned int blocks,
			     unsigned int i)
{
	return blocks == self->members ? i : (unsigned int)self->rank;
}

void call_fill(const struct self *self, const struct call_args *args)
{
	const struct scatter_coll *coll = &args->coll;
	unsigned int sent = blocks_sent(self, coll);
	unsigned int received = blocks_received(self, coll);
	char *to = pointer(coll->sendbuf);
	unsigned int i;

	for (i = 0; i < sent; i++)
		pattern_fill(to + i * coll->block, coll->block, args->seed,
			     owner_of(self, sent, i));
	if (!received)
		return;
	to = pointer(coll->recvbuf);
	memset(to - GUARD_BYTES, POISON,
	       received * coll->block + 2 * GUARD_BYTES);
	if (coll->op == SCATTER_OP_GATHER &&
	    coll->flags & SCATTER_COLL_IN_PLACE)
		pattern_fill(to + self->rank * coll->block, coll->block,
			     args->seed, self->rank);
}

/* All that was to arrive is there, all that was sent is still there. */
bool call_intact(const struct self *self, const struct call_args *args)
{
	const struct scatter_coll *coll = &args->coll;
	unsigned int sent = blocks_sent(self, coll);
	unsigned int received = blocks_received(self, coll);
	const char *from = pointer(coll->sendbuf);
	unsigned int i;

	for (i = 0; i < sent; i++)
		if (!pattern_holds(from + i * coll->block, coll->block,
				   args->seed, owner_of(self, sent, i)))
			return false;
	if (!received)
		return true;
	from = pointer(coll->recvbuf);
	for (i = 0; i < received; i++)
		if (!pattern_holds(from + i * coll->block, coll->block,
				   args->seed, owner_of(self, received, i)))
			return false;
	return poison_holds(from - GUARD_BYTES, GUARD_BYTES) &&
	       poison_holds(from + received * coll->block, GUARD_BYTES);
}

__s64 task_call(struct self *self, union task_args *args)
{
	struct call_args *call = &args->call;
	__s64 error;

	if (call->what & CALL_FILL)
		call_fill(self, call);
	error = device_call(self->fd, SCATTER_IOCTL_COLL, &call->coll);
	call->intact = 1;
	if (!error && call->what & CALL_CHECK)
		call->intact = call_intact(self, call);
	return error;
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
	if (args->word[3] == MAP_HOW_FILE) {
		FILE *file = tmpfile();

		if (!file || ftruncate(fileno(file), bytes))
			return -errno;
		fd = fileno(file);
		how = MAP_SHARED | MAP_FIXED;
	}
	got = mmap(at, bytes, protection, how, fd, 0);
	return got == MAP_FAILED ? -errno : 0;
}

__s64 worker_map(struct worker *worker, void *at, size_t bytes,
		 int protection, enum map_how how)
{
	union task_args args = {
		.word = { address(at), bytes, (__u64)protection, how },
	};

	return worker_do(worker, task_map, &args);
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

/* A group of workers: worker r is rank r. */
bool crew_form(struct crew *crew, unsigned int size, __u32 ring_bytes)
{
	union task_args args;
	bool formed = true;
	unsigned int r;

	if (!crew_spawn(crew, size))
		return false;
	for (r = 0; r < size; r++) {
		args.join = join_of(crew->name, size, r);
		args.join.ring_bytes = ring_bytes;
		args.join.deadline_ns = after_ms(PATIENCE_MS);
		worker_order(&crew->worker[r], task_join, &args);
	}
	for (r = 0; r < size; r++) {
		__s64 result = worker_finish(&crew->worker[r]);

		if (result)
			diag("rank %u: JOIN: %lld", r, (long long)result);
		formed = formed && !result;
	}
	return formed;
}

bool crew_end(struct crew *crew)
{
	bool ended = true;
	unsigned int r;

	for (r = 0; r < crew->size; r++)
		ended = worker_end(&crew->worker[r]) && ended;
	return ended;
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
			.flags = root ? call->flags : 0,
			.op = call->op,
			.algorithm = call->algorithm,
			.root = call->root,
			.sendbuf = BOGUS_ADDRESS,
			.recvbuf = BOGUS_ADDRESS,
			.block = call->block,
			.culprit = -77,
		},
		.seed = call->seed,
		.what = what,
	};

	if (call->op == SCATTER_OP_SCATTER ? root : !in_place)
		args.coll.sendbuf = address(SEND_BUFFER);
	if (call->op == SCATTER_OP_GATHER ? root : !in_place)
		args.coll.recvbuf = address(RECV_BUFFER);
	if (call->timeout_ms)
		args.coll.deadline_ns = after_ms(call->timeout_ms);
	return args;
}

void crew_start(struct crew *crew, __u64 ranks, const struct call *call)
{
	union task_args args;
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		if (!(ranks & RANK(r)))
			continue;
		args.call = crew_args(r, call, CALL_FILL | CALL_CHECK);
		worker_order(&crew->worker[r], task_call, &args);
	}
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
		     worker->reply.args.call.coll.culprit,
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
		    worker->reply.args.call.coll.culprit == culprit)
			continue;
		good = false;
		diag("rank %u of %u: result %lld culprit %d, not %d, %d", r,
		     crew->size, (long long)worker->reply.result,
		     worker->reply.args.call.coll.culprit, -error, culprit);
	}
	return good;
}

bool crew_calls(struct crew *crew, __u64 ranks, const struct call *call)
{
	crew_start(crew, ranks, call);
	return crew_succeeds(crew, ranks);
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
const struct scatter_status *crew_seen(struct crew *crew, unsigned int rank)
{
	if (crew_status(crew, rank))
		return NULL;
	return &crew->worker[rank].reply.args.status;
}

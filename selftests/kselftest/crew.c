// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
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

static bool is_root(const struct self *self, const struct scatter_coll *coll)
{
	return self->sided ? coll->root == SCATTER_ROOT :
			     self->rank == (int)coll->root;
}

/* On the root's side of an inter-group nobody has a block. */
static bool has_block(const struct self *self, const struct scatter_coll *coll)
{
	return !self->sided || (coll->root != SCATTER_ROOT &&
				coll->root != SCATTER_PROC_NULL);
}

static bool is_vector(__u32 op)
{
	return op == SCATTER_OP_SCATTERV || op == SCATTER_OP_GATHERV;
}

static bool is_scatter(__u32 op)
{
	return op == SCATTER_OP_SCATTER || op == SCATTER_OP_SCATTERV;
}

static bool is_gather(__u32 op)
{
	return op == SCATTER_OP_GATHER || op == SCATTER_OP_GATHERV;
}

/*
 * Bytes of rank @rank's block; in a v form some are longer, every fourth is empty, and of
 * a lopsided one rank 6 has more than all others of a crew together.
 */
__u64 block_bytes(__u32 op, __u64 base, unsigned int rank)
{
	if (!is_vector(op) || !base)
		return base;
	if (rank == 6 && (base == LOPSIDED_EAGER || base == LOPSIDED_NAMED))
		return 64 * base;
	return rank % 4 == 3 ? 0 : base + rank % 3;
}

/*
 * Where that is in the root's buffer; @rank == @size: behind all of them. In a v
 * form the order is reversed, with gaps.
 */
__u64 block_offset(__u32 op, __u64 base, unsigned int size, unsigned int rank)
{
	__u64 offset = 0;
	unsigned int i;

	if (!is_vector(op))
		return rank * base;
	for (i = rank == size ? 0 : rank + 1; i < size; i++)
		offset += block_bytes(op, base, i) + V_GAP_BYTES;
	return offset;
}

/* How much of a member's buffers its call uses. */
static bool sends_all(const struct self *self, const struct scatter_coll *coll)
{
	return is_scatter(coll->op) && is_root(self, coll);
}

static bool receives_all(const struct self *self,
			 const struct scatter_coll *coll)
{
	return is_gather(coll->op) && is_root(self, coll);
}

static bool sends_one(const struct self *self, const struct scatter_coll *coll)
{
	return is_gather(coll->op) && has_block(self, coll) &&
	       !(coll->flags & SCATTER_COLL_IN_PLACE);
}

static bool receives_one(const struct self *self,
			 const struct scatter_coll *coll)
{
	return is_scatter(coll->op) && has_block(self, coll) &&
	       !(coll->flags & SCATTER_COLL_IN_PLACE);
}

typedef bool block_fn(char *at, size_t bytes, __u64 seed, __u64 block);

static bool block_fill(char *at, size_t bytes, __u64 seed, __u64 block)
{
	pattern_fill(at, bytes, seed, block);
	return true;
}

static bool block_holds(char *at, size_t bytes, __u64 seed, __u64 block)
{
	return pattern_holds(at, bytes, seed, block);
}

/* Do something with each block of a root's buffer. */
static bool each_block(const struct self *self, const struct call_args *args,
		       __u64 buffer, block_fn *fn)
{
	const __u32 op = args->coll.op;
	unsigned int r;

	for (r = 0; r < self->members; r++)
		if (!fn((char *)pointer(buffer) +
				block_offset(op, args->base, self->members, r),
			block_bytes(op, args->base, r), args->seed, r))
			return false;
	return true;
}

/* Bytes from the start of the receive buffer to the end of what is used of it. */
static size_t received_bytes(const struct self *self,
			     const struct call_args *args)
{
	const __u32 op = args->coll.op;

	if (receives_all(self, &args->coll))
		return block_offset(op, args->base, self->members,
				    self->members);
	return receives_one(self, &args->coll) ?
	       block_bytes(op, args->base, self->rank) : 0;
}

void call_fill(const struct self *self, const struct call_args *args)
{
	const struct scatter_coll *coll = &args->coll;
	__u64 own = block_bytes(coll->op, args->base, self->rank);
	char *to = pointer(coll->recvbuf);

	if (sends_all(self, coll))
		each_block(self, args, coll->sendbuf, block_fill);
	if (sends_one(self, coll))
		pattern_fill(pointer(coll->sendbuf), own, args->seed,
			     self->rank);
	if (!receives_all(self, coll) && !receives_one(self, coll))
		return;
	memset(to - GUARD_BYTES, POISON,
	       received_bytes(self, args) + 2 * GUARD_BYTES);
	if (receives_all(self, coll) && coll->flags & SCATTER_COLL_IN_PLACE)
		pattern_fill(to + block_offset(coll->op, args->base,
					       self->members, self->rank),
			     own, args->seed, self->rank);
}

/* What is between and around the blocks of the receive buffer is as it was. */
static bool gaps_hold(const struct self *self, const struct call_args *args)
{
	const char *from = pointer(args->coll.recvbuf);
	const __u32 op = args->coll.op;
	unsigned int r;

	if (!poison_holds(from - GUARD_BYTES, GUARD_BYTES) ||
	    !poison_holds(from + received_bytes(self, args), GUARD_BYTES))
		return false;
	if (!is_vector(op) || !receives_all(self, &args->coll))
		return true;
	for (r = 0; r < self->members; r++)
		if (!poison_holds(from + block_offset(op, args->base,
						      self->members, r) +
				  block_bytes(op, args->base, r), V_GAP_BYTES))
			return false;
	return true;
}

/* All that was to arrive is there, all that was sent is still there. */
bool call_intact(const struct self *self, const struct call_args *args)
{
	const struct scatter_coll *coll = &args->coll;
	__u64 own = block_bytes(coll->op, args->base, self->rank);

	if (sends_all(self, coll) &&
	    !each_block(self, args, coll->sendbuf, block_holds))
		return false;
	if (sends_one(self, coll) &&
	    !pattern_holds(pointer(coll->sendbuf), own, args->seed, self->rank))
		return false;
	if (receives_all(self, coll) &&
	    !each_block(self, args, coll->recvbuf, block_holds))
		return false;
	if (receives_one(self, coll) &&
	    !pattern_holds(pointer(coll->recvbuf), own, args->seed, self->rank))
		return false;
	if (!receives_all(self, coll) && !receives_one(self, coll))
		return true;
	return gaps_hold(self, args);
}

/* Three pieces side by side, the first two of odd lengths. */
static __u64 split(__u64 buffer, __u64 bytes, struct scatter_layout *layout,
		   struct scatter_iovec *iov)
{
	const __u64 odd = bytes / 3 | 1;
	unsigned int i;

	for (i = 0; i < 3; i++)
		iov[i] = (struct scatter_iovec){ buffer + i * odd, odd };
	iov[2].length += 2;
	*layout = (struct scatter_layout){
		.size = sizeof(*layout),
		.kind = SCATTER_LAYOUT_IOVEC,
		.iov = address(iov),
		.iov_count = 3,
	};
	return address(layout);
}

/* Those that are not used are not looked at. */
static void call_split(const struct self *self, struct call_args *args)
{
	static struct scatter_layout layouts[2];
	static struct scatter_iovec iov[2][3];
	struct scatter_coll *coll = &args->coll;
	const __u64 own = block_bytes(coll->op, args->base, self->rank);
	const __u64 all = block_offset(coll->op, args->base, self->members,
				       self->members);

	coll->send_layout = BOGUS_ADDRESS;
	coll->recv_layout = BOGUS_ADDRESS;
	if (sends_all(self, coll) || sends_one(self, coll))
		coll->send_layout = split(coll->sendbuf, sends_one(self, coll) ? own : all,
					  &layouts[0], iov[0]);
	if (receives_all(self, coll) || receives_one(self, coll))
		coll->recv_layout = split(coll->recvbuf,
					  receives_one(self, coll) ? own : all,
					  &layouts[1], iov[1]);
}

/* Counts of a v form and layouts are in memory of the worker. */
void call_lay_out(const struct self *self, struct call_args *args)
{
	static __u64 counts[CREW_MAX], displs[CREW_MAX];
	struct scatter_coll *coll = &args->coll;
	unsigned int r;

	if (args->split)
		call_split(self, args);
	if (!is_vector(coll->op) || !is_root(self, coll))
		return;
	for (r = 0; r < self->members && r < CREW_MAX; r++) {
		counts[r] = block_bytes(coll->op, args->base, r);
		displs[r] = block_offset(coll->op, args->base, self->members,
					 r);
	}
	coll->counts = address(counts);
	coll->displs = address(displs);
}

/*
 * One operation; the one that is paused, if any is. What the caller says of the results counts,
 * unless they are of a call that begins one.
 */
__s64 self_call(struct self *self, struct call_args *args)
{
	bool given = args->results.number != SCATTER_NUMBER_NEW;
	__s64 error;

	if (!given)
		args->results.number = self->paused;
	error = coll_call(self->fd, &args->coll, &args->results);
	if (!stays_paused(error))
		self->paused = SCATTER_NUMBER_NEW;
	else if (!given)
		self->paused = args->results.number;
	return error;
}

/* The same of one whose results do not matter. */
__s64 self_coll(struct self *self, const struct scatter_coll *coll)
{
	struct call_args args = { .coll = *coll, .results = new_results() };

	return self_call(self, &args);
}

__s64 task_call(struct self *self, union task_args *args)
{
	struct call_args *call = &args->call;
	__s64 error;

	call_lay_out(self, call);
	if (call->what & CALL_FILL)
		call_fill(self, call);
	error = self_call(self, call);
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
 * them. It counts as locked memory.
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

bool crew_calls(struct crew *crew, __u64 ranks, const struct call *call)
{
	crew_start(crew, ranks, call);
	return crew_succeeds(crew, ranks);
}

/* Those of @ranks do the operations with the seeds from @first to @last. */
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

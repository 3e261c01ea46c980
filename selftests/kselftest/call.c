// SPDX-License-Identifier: GPL-2.0
/* An operation as a worker calls it: where its blocks are, and whether they are right. */
#include <string.h>

#include "crew.h"

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

/* The bytes between and around the blocks of the receive buffer are as before. */
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

/* The device does not look at a layout that the call does not use. */
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
 * One operation; the one that is paused, if any is. The caller's results count,
 * unless they ask for a new operation.
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

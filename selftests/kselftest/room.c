// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "room.h"

#define NOBODY		SCATTER_RANK_ANY

static __u64 nominal(__u32 op, __u64 base, unsigned int i)
{
	return is_vector(op) ? base + i % 3 : base;
}

/* What the root says: the lengths of a scatter, the room for a gather. */
static __u64 told(__u32 op, __u64 base, enum room_shape shape, unsigned int i)
{
	if (shape == (is_scatter(op) ? EMPTY : NO_ROOM))
		return 0;
	return nominal(op, base, i);
}

/* What the block's rank says: the room for a scatter, the length of a gather. */
static __u64 own(__u32 op, __u64 base, enum room_shape shape, unsigned int i)
{
	const __u64 same = nominal(op, base, i);
	const __u64 less = same - 1 - i, more = same + 1 + i;
	const __u64 fits = is_scatter(op) ? more : less, is_long = is_scatter(op) ? less : more;

	switch (shape) {
	case ROOMY:
		return fits;
	case ONE_LONG:
		return i == 1 ? is_long : same;
	case ALL_LONG:
		return is_long;
	case EMPTY:
		return is_scatter(op) ? same : 0;
	case NO_ROOM:
		return is_scatter(op) ? 0 : same;
	case MIXED:
		return i % 3 == 0 ? is_long : i % 3 == 1 ? same : fits;
	default:
		return same;
	}
}

/*
 * @tells: the rank of block @i is the root of a form with one number for all blocks, so that its
 * own block has that length and that room
 */
static __u64 sent(__u32 op, __u64 base, enum room_shape shape, unsigned int i, bool tells)
{
	return is_scatter(op) || tells ? told(op, base, shape, i) : own(op, base, shape, i);
}

__u64 room_of(__u32 op, __u64 base, enum room_shape shape, unsigned int i, bool tells)
{
	return is_gather(op) || tells ? told(op, base, shape, i) : own(op, base, shape, i);
}

/* Where the root's buffer has a block; of a v form in reverse order, with gaps. */
static __u64 place(__u32 op, __u64 base, enum room_shape shape, unsigned int blocks, unsigned int i)
{
	__u64 at = 0;

	if (!is_vector(op))
		return i * told(op, base, shape, i);
	while (++i < blocks)
		at += told(op, base, shape, i) + V_GAP_BYTES;
	return at;
}

/* In one member -------------------------------------------------------------------- */

/* struct call_args of a call here: @what is its shape. */
struct at_most {
	const struct self *self;
	struct call_args *args;
	__u32 op;
	__u64 base;
	enum room_shape shape;
	unsigned int blocks;
	bool root;
	bool in_place;
	bool owns;	/* a block that moves */
	__u64 sent, room;	/* of it */
};

static struct at_most at_most_of(const struct self *self, struct call_args *args)
{
	struct at_most a = {
		.self = self, .args = args, .op = args->coll.op, .base = args->base,
		.shape = args->what, .blocks = self->members,
		.in_place = args->coll.flags & SCATTER_COLL_IN_PLACE,
	};
	bool tells;

	a.root = self->sided ? args->coll.root == SCATTER_ROOT :
			       self->rank == (int)args->coll.root;
	a.owns = !a.in_place && (!self->sided || args->coll.root < SCATTER_ROOT);
	tells = a.root && !is_vector(a.op);
	a.sent = sent(a.op, a.base, a.shape, self->rank, tells);
	a.room = room_of(a.op, a.base, a.shape, self->rank, tells);
	return a;
}

static __u64 place_of(const struct at_most *a, unsigned int i)
{
	return place(a->op, a->base, a->shape, a->blocks, i);
}

/* Bytes of the root's buffer. */
static __u64 span_of(const struct at_most *a)
{
	__u64 end = 0, ends;
	unsigned int i;

	for (i = 0; i < a->blocks; i++) {
		ends = place_of(a, i) + told(a->op, a->base, a->shape, i);
		end = ends > end ? ends : end;
	}
	return end;
}

static void fill(const struct at_most *a)
{
	const __u64 seed = a->args->seed;
	unsigned int i;

	memset(RECV_BUFFER - GUARD_BYTES, POISON,
	       (a->root && is_gather(a->op) ? span_of(a) : a->room) + 2 * GUARD_BYTES);
	if (is_gather(a->op)) {
		pattern_fill(SEND_BUFFER, a->sent, seed, a->self->rank);
		if (a->root && a->in_place)
			pattern_fill(RECV_BUFFER + place_of(a, a->self->rank),
				     told(a->op, a->base, a->shape, a->self->rank), seed,
				     a->self->rank);
		return;
	}
	for (i = 0; a->root && i < a->blocks; i++)
		pattern_fill(SEND_BUFFER + place_of(a, i), told(a->op, a->base, a->shape, i),
			     seed, i);
}

/* Bytes at @at that are a block's, or as they were if the block is too long. */
static bool came(const struct at_most *a, char *at, __u64 bytes, __u64 space, unsigned int i)
{
	if (bytes > space)
		return true;
	if (!pattern_holds(at, bytes, a->args->seed, i))
		return false;
	memset(at, POISON, bytes);
	return true;
}

/* All that fits has come, and nothing else was touched. */
static bool is_intact(const struct at_most *a)
{
	const bool tells = !is_vector(a->op);
	unsigned int i;

	if (!a->root || is_scatter(a->op))
		return (!a->owns || is_gather(a->op) ||
			came(a, RECV_BUFFER, a->sent, a->room, a->self->rank)) &&
		       poison_holds(RECV_BUFFER - GUARD_BYTES, a->room + 2 * GUARD_BYTES);
	for (i = 0; i < a->blocks; i++) {
		const __u64 space = told(a->op, a->base, a->shape, i);
		const bool self = !a->self->sided && (int)i == a->self->rank;
		const __u64 bytes = self && a->in_place ? space :
			sent(a->op, a->base, a->shape, i, tells && self);

		if (!came(a, RECV_BUFFER + place_of(a, i), bytes, space, i))
			return false;
	}
	return poison_holds(RECV_BUFFER - GUARD_BYTES, span_of(a) + 2 * GUARD_BYTES);
}

static __u64 received(const struct at_most *a)
{
	const bool tells = !is_vector(a->op);
	__u64 bytes = 0;
	unsigned int i;

	if (is_scatter(a->op))
		return a->owns ? a->sent : 0;
	for (i = 0; a->root && i < a->blocks; i++) {
		const bool self = !a->self->sided && (int)i == a->self->rank;

		if (!self || !a->in_place)
			bytes += sent(a->op, a->base, a->shape, i, tells && self);
	}
	return bytes;
}

static void lay_out(struct at_most *a)
{
	static __u64 counts[CREW_MAX], displs[CREW_MAX];
	struct scatter_coll *coll = &a->args->coll;
	unsigned int i;

	coll->block = is_scatter(a->op) ? a->room : a->sent;
	if (a->root && !is_vector(a->op))
		coll->block = told(a->op, a->base, a->shape, 0);
	if (!a->root || !is_vector(a->op))
		return;
	if (a->in_place)
		coll->block = 12345;	/* ignored */
	for (i = 0; i < a->blocks; i++) {
		counts[i] = told(a->op, a->base, a->shape, i);
		displs[i] = place_of(a, i);
	}
	coll->counts = address(counts);
	coll->displs = address(displs);
}

/* Without a new pattern: what is there stays. @split: bytes that the member says more. */
__s64 task_room_resume(struct self *self, union task_args *args)
{
	struct at_most a = at_most_of(self, &args->call);
	__s64 error;

	lay_out(&a);
	args->call.coll.block += args->call.split;
	error = self_call(self, &args->call);
	args->call.intact = args->call.results.bytes == (error ? 0 : received(&a)) &&
			    ((error && error != -EMSGSIZE) || is_intact(&a));
	return error;
}

__s64 task_room(struct self *self, union task_args *args)
{
	const struct at_most a = at_most_of(self, &args->call);

	fill(&a);
	return task_room_resume(self, args);
}

/* The crew ------------------------------------------------------------------------- */

union task_args room_args(unsigned int rank, const struct call *call, enum room_shape shape)
{
	union task_args args = { .call = crew_args(rank, call, 0) };

	args.call.coll.flags |= SCATTER_COLL_AT_MOST;
	args.call.what = shape;
	return args;
}

void room_start(struct crew *crew, __u64 ranks, const struct call *call, enum room_shape shape)
{
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		const union task_args args = room_args(r, call, shape);

		if (ranks & RANK(r))
			worker_order(&crew->worker[r], task_room, &args);
	}
}

/* The group rank of the first block, and how many there are. */
static unsigned int first_of(const struct call *call)
{
	return call->sides[0] && call->root < call->sides[0] ? call->sides[0] : 0;
}

static unsigned int blocks_of(const struct crew *crew, const struct call *call)
{
	return call->sides[0] ? call->sides[call->root < call->sides[0]] : crew->size;
}

/* Whether the taker of group rank @rank's block has no room for that. */
static bool is_long(const struct crew *crew, const struct call *call, enum room_shape shape,
		    unsigned int rank)
{
	const unsigned int i = rank - first_of(call);
	const bool root = rank == call->root;

	if (i >= blocks_of(crew, call) || (root && call->flags & SCATTER_COLL_IN_PLACE))
		return false;
	return sent(call->op, call->block, shape, i, root && !is_vector(call->op)) >
	       room_of(call->op, call->block, shape, i, root && !is_vector(call->op));
}

/* Whether a member's call gets EMSGSIZE. */
static bool is_hit(const struct crew *crew, const struct call *call, enum room_shape shape,
		   unsigned int rank)
{
	unsigned int r;

	if (is_scatter(call->op))
		return is_long(crew, call, shape, rank);
	for (r = 0; rank == call->root && r < crew->size; r++)
		if (is_long(crew, call, shape, r))
			return true;
	return false;
}

/* Whether @ranks end as they should: bytes, errno, who is named. */
bool room_ends(struct crew *crew, __u64 ranks, const struct call *call, enum room_shape shape)
{
	bool good = true;
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		struct worker *worker = &crew->worker[r];
		const struct call_args *got = &worker->reply.args.call;
		const bool hit = is_hit(crew, call, shape, r);
		int culprit;

		if (!(ranks & RANK(r)))
			continue;
		worker_finish(worker);
		culprit = got->results.culprit;
		if (worker->reply.result == (hit ? -EMSGSIZE : 0) && got->intact &&
		    (!hit ? culprit == NOBODY : is_scatter(call->op) ?
		     culprit == (int)call->root : is_long(crew, call, shape, culprit)))
			continue;
		good = false;
		diag("op %u base %llu root %u shape %d, rank %u:", call->op,
		     (unsigned long long)call->block, call->root, shape, r);
		diag("%lld culprit %d bytes %llu intact %u",
		     (long long)worker->reply.result, culprit,
		     (unsigned long long)got->results.bytes, got->intact);
	}
	return good;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cargo.h"
#include "regroup.h"
#include "storm.h"

#define DEPTH_MAX	2

/* One membership. */
struct seat {
	int fd;
	unsigned int rank;	/* group rank */
	unsigned int members;
	unsigned int sides[2];
	__u64 key;		/* the group's: the same at all members */
	__u64 next;		/* number of the operation that comes next */
	unsigned int meetings;	/* that have come to something */
	bool muddled;		/* others may count them otherwise */
};

/* The worker's own: of what it does and others do not. */
static __u64 own_random;
static char *bad_area;

__u64 storm_mix(__u64 a, __u64 b)
{
	a ^= b * 0x9e3779b97f4a7c15ULL + 0x7f4a7c15ULL;
	a = (a ^ a >> 30) * 0xbf58476d1ce4e5b9ULL;
	a = (a ^ a >> 27) * 0x94d049bb133111ebULL;
	return a ^ a >> 31;
}

/* Once in @n times. */
static bool once_in(unsigned int n)
{
	return !(next_random(&own_random) % n);
}

static bool is_over(void)
{
	return __atomic_load_n(&storm->count[STORM_CALLS], __ATOMIC_RELAXED) >=
	       storm->target || __atomic_load_n(&storm->wrong, __ATOMIC_RELAXED);
}

static bool breaks(int error)
{
	return error == -EPROTO || error == -ECONNRESET || error == -ESHUTDOWN ||
	       error == -ECANCELED;
}

/* Memberships ------------------------------------------------------------------ */

/* Learn from STATUS what the membership is. */
static bool seat_take(struct seat *seat, int fd, __u64 key)
{
	struct seen status;
	int error = status_of(fd, &status);

	if (error) {
		storm_wrong("STATUS: %d", error);
		return false;
	}
	*seat = (struct seat){
		.fd = fd,
		.rank = (unsigned int)status.rank +
			(status.side ? status.sides[0] : 0),
		.members = status.members,
		.sides = { status.sides[0], status.sides[1] },
		.key = key,
	};
	return true;
}

static void seat_leave(const struct seat *seat)
{
	int error = 0;

	if (!once_in(3)) {
		error = leave(seat->fd);
		storm_count(STORM_LEAVE);
	}
	if (error)
		storm_wrong("LEAVE: %d", error);
	close(seat->fd);
}

static void seat_revoke(const struct seat *seat)
{
	struct scatter_revoke revoke = { .size = sizeof(revoke) };
	int error = device_call(seat->fd, SCATTER_IOCTL_REVOKE, &revoke);

	storm_count(STORM_REVOKE);
	if (error)
		storm_wrong("REVOKE: %d", error);
}

static void seat_look(const struct seat *seat)
{
	struct gone failed = {
		.flags = once_in(2) ? SCATTER_GET_FAILED_ACK : 0,
	};
	struct seen status;

	if (gone_of(seat->fd, &failed) ||
	    failed.count >= seat->members || mask_count(failed.failed) != failed.count)
		storm_wrong("GET_FAILED: %u", failed.count);
	if (status_of(seat->fd, &status) || status.joined > status.members ||
	    mask_has(status.dead, seat->rank) || mask_has(status.left, seat->rank))
		storm_wrong("STATUS: %u of %u", status.joined, status.members);
}

/* The worker dies in one of the ways that there are. */
static void __attribute__((noreturn)) die(const struct seat *seat)
{
	char *const arguments[] = { "true", NULL };

	storm_count(STORM_SUICIDE);
	__atomic_store_n(&storm->gone[storm_number], 1, __ATOMIC_RELEASE);
	if (once_in(3))
		execv("/bin/true", arguments);
	/* A child that has the descriptor hides nothing. */
	if (once_in(2) && !fork()) {
		nap_us(20000);
		_exit(seat->fd < 0);
	}
	_exit(0);
}

/* Operations ------------------------------------------------------------------- */

static bool is_power_of_two(unsigned int n)
{
	return !(n & (n - 1));
}

/* A schedule that is possible for @size ranks. */
static void choose_schedule(struct scatter_coll *coll, unsigned int size, __u64 x)
{
	const bool vector = is_vector(coll->op);

	coll->schedule.algorithm = x % 10;
	if (coll->schedule.algorithm == SCATTER_ALGORITHM_IRREGULAR && !vector)
		coll->schedule.algorithm = SCATTER_ALGORITHM_HYPERCUBE;
	/* Those are of nodes, and nobody knows here how many there are. */
	if (across_nodes() && (coll->schedule.algorithm == SCATTER_ALGORITHM_MESH ||
			       coll->schedule.algorithm == SCATTER_ALGORITHM_TORUS))
		coll->schedule.algorithm = SCATTER_ALGORITHM_HYPERCUBE;
	if ((coll->schedule.algorithm == SCATTER_ALGORITHM_ROTATED ||
	     coll->schedule.algorithm == SCATTER_ALGORITHM_BALANCED) && !is_power_of_two(size))
		coll->schedule.algorithm = SCATTER_ALGORITHM_LINEAR;
	if (coll->schedule.algorithm == SCATTER_ALGORITHM_KNOMIAL)
		coll->schedule.ports = x / 10 % 4;
	if (coll->schedule.algorithm == SCATTER_ALGORITHM_MESH ||
	    coll->schedule.algorithm == SCATTER_ALGORITHM_TORUS) {
		coll->schedule.dims = size % 2 ? 1 : 2;
		coll->schedule.extent[0] = size % 2 ? size : 2;
		coll->schedule.extent[1] = size % 2 ? 0 : size / 2;
	}
}

/* How an inter-group's member names the root. */
static __u32 direct(const struct seat *seat, unsigned int root)
{
	const bool side = root >= seat->sides[0];
	const bool own = seat->rank >= seat->sides[0];

	if (seat->rank == root)
		return SCATTER_ROOT;
	if (own == side)
		return SCATTER_PROC_NULL;
	return side ? root - seat->sides[0] : root;
}

/* Operation @x of the group, as this member is to call it. */
static void choose(const struct seat *seat, __u64 x, struct scatter_coll *coll,
		   struct cargo *cargo)
{
	static const __u32 ops[] = {
		SCATTER_OP_SCATTER, SCATTER_OP_GATHER, SCATTER_OP_SCATTERV,
		SCATTER_OP_GATHERV, SCATTER_OP_SCATTER, SCATTER_OP_GATHER,
		SCATTER_OP_BARRIER,
	};
	static const __u64 bases[] = {
		1, 0, LOPSIDED_EAGER, 64, 700, 2000, 5000, 8192, 33, 16384, 20000, 64,
		100001, 1, 300001, 1500000,
	};
	unsigned int root = storm_mix(x, 1) % seat->members, size = seat->members;
	bool near = !seat->sides[0] || seat->rank < seat->sides[0];

	*coll = (struct scatter_coll){
		.size = sizeof(*coll),
		.op = ops[storm_mix(x, 2) % 7],
	};
	if (!(storm_mix(x, 3) % 8))
		coll->flags |= SCATTER_COLL_UNIFORM;
	if (!(storm_mix(x, 4) % 8))
		coll->flags |= SCATTER_COLL_DEADLINE_ALL;
	*cargo = (struct cargo){ .op = coll->op, .seed = x, .own = -1 };
	if (coll->op == SCATTER_OP_BARRIER)
		return;
	cargo->base = bases[storm_mix(x, 5) % 16];
	cargo->blocks = seat->members;
	cargo->own = (int)seat->rank;
	cargo->root = seat->rank == root;
	cargo->in_place = cargo->root && !seat->sides[0] && once_in(3);
	coll->root = root;
	if (seat->sides[0]) {
		cargo->blocks = seat->sides[root < seat->sides[0]];
		cargo->own = near == (root < seat->sides[0]) ? -1 :
			     (int)(seat->rank - (near ? 0 : seat->sides[0]));
		coll->root = direct(seat, root);
		size = cargo->blocks + 1;
	}
	choose_schedule(coll, size, storm_mix(x, 6));
	if (!(storm_mix(x, 8) % 4) && coll->schedule.algorithm != SCATTER_ALGORITHM_IRREGULAR &&
	    coll->schedule.algorithm != SCATTER_ALGORITHM_OR_BROADCAST)
		coll->flags |= SCATTER_COLL_AT_MOST;
	if (cargo->in_place)
		coll->flags |= SCATTER_COLL_IN_PLACE;
	coll->block = cargo->base;
}

static enum shape_kind any_shape(const struct cargo *cargo)
{
	if (cargo->base > 2000)
		return once_in(2) ? SHAPE_PLAIN : SHAPE_SPLIT;
	return once_in(2) ? SHAPE_PLAIN : next_random(&own_random) % SHAPE_KINDS;
}

/* What a member does that the others do not expect; not to be judged by its data. */
static bool differ(const struct seat *seat, __u64 x, struct scatter_coll *coll)
{
	if (seat->members < 2 || !once_in(120))
		return false;
	storm_count(STORM_MISMATCH);
	switch (next_random(&own_random) % 5) {
	case 0:
		*coll = (struct scatter_coll){
			.size = sizeof(*coll), .op = SCATTER_OP_BARRIER,
			.flags = coll->flags & ~(SCATTER_COLL_IN_PLACE | SCATTER_COLL_AT_MOST),
		};
		break;
	case 1:
		coll->flags ^= SCATTER_COLL_DEADLINE_ALL;
		/* If it comes first and is late, who comes then gets ETIME as well. */
		if (coll->flags & SCATTER_COLL_DEADLINE_ALL)
			storm_press(x);
		break;
	case 2:
		coll->schedule.algorithm = coll->op == SCATTER_OP_BARRIER ? 0 :
				  coll->schedule.algorithm == SCATTER_ALGORITHM_LINEAR ?
				  SCATTER_ALGORITHM_HYPERCUBE :
				  SCATTER_ALGORITHM_LINEAR;
		coll->schedule.ports = 0;
		coll->schedule.dims = 0;
		memset(coll->schedule.extent, 0, sizeof(coll->schedule.extent));
		break;
	default:
		coll->flags ^= SCATTER_COLL_UNIFORM;
	}
	return true;
}

/* Memory that nobody can use, in a call that needs some or not. */
static bool spoil(struct scatter_coll *coll)
{
	if (coll->op == SCATTER_OP_BARRIER || !once_in(100))
		return false;
	storm_count(STORM_FAULT);
	if (once_in(2)) {
		coll->sendbuf = address(bad_area);
		coll->send_layout = 0;
	} else {
		coll->recvbuf = address(bad_area);
		coll->recv_layout = 0;
	}
	return true;
}

/* Soon, in the past, or when it is a hang. */
static __u64 deadline(void)
{
	if (!once_in(12))
		return after_ms(STORM_PATIENCE_MS + 5000);
	storm_count(STORM_DEADLINE);
	return once_in(3) ? 1 : now_ns() + next_random(&own_random) % 2000 * NSEC_PER_USEC;
}

/* Another operation, while one is paused. */
static void interpose(const struct seat *seat, __u64 began_ns)
{
	struct scatter_coll coll = {
		.size = sizeof(coll), .op = SCATTER_OP_GATHER, .block = 3,
		.sendbuf = BOGUS_ADDRESS, .recvbuf = BOGUS_ADDRESS,
		.root = seat->sides[0] ? SCATTER_PROC_NULL : 0,
	};
	struct scatter_results results = new_results();
	int error = coll_call(seat->fd, &coll, &results);

	/* The operation may have begun too late to be paused, or not have been called. */
	storm_judge(seat->members, error, MAY_BE_BUSY, results.culprit, began_ns);
	if (error != -EBUSY)
		storm_wrong("a paused member gets %d", error);
}

/* What became of a call. */
enum outcome {
	ON,		/* go on with the next one */
	BROKEN,		/* the group is */
	GONE,		/* the membership has ended */
};

static bool is_paused(const struct seat *seat)
{
	struct seen status;

	return !status_of(seat->fd, &status) && status.next == seat->next &&
	       status.state == SCATTER_STATE_ACTIVE &&
	       mask_count(status.missing);
}

/* A call that was interrupted may be followed by something else than itself. */
static enum outcome between(const struct seat *seat, unsigned int may)
{
	const __u64 began_ns = now_ns();

	storm_count(STORM_RESUME);
	if (once_in(60)) {
		seat_leave(seat);
		return GONE;
	}
	if (once_in(60))
		return BROKEN;
	if (once_in(40))
		seat_revoke(seat);
	if (may & MAY_COLL && once_in(8) && is_paused(seat))
		interpose(seat, began_ns);
	return ON;
}

/* Whether the member may say that it has room for more of a scatter than comes. */
static bool has_room(const struct cargo *cargo)
{
	return is_scatter(cargo->op) && !cargo->root && cargo->recv.kind == SHAPE_PLAIN;
}

static enum outcome coll_run(struct seat *seat, __u64 x)
{
	static struct cargo cargo;
	struct scatter_results results = new_results();
	struct scatter_coll coll;
	unsigned int may = MAY_COLL;
	bool differs, spoilt;
	enum outcome outcome;
	__u64 began_ns;
	int error;

	choose(seat, x, &coll, &cargo);
	cargo_make(&cargo, any_shape(&cargo), any_shape(&cargo));
	cargo_load(&cargo, &coll);
	if (coll.flags & SCATTER_COLL_AT_MOST && has_room(&cargo))
		coll.block += next_random(&own_random) % 100;
	differs = differ(seat, x, &coll);
	spoilt = spoil(&coll);
	if (spoilt)
		may |= MAY_FAULT;
	if (coll.flags & SCATTER_COLL_DEADLINE_ALL || differs)
		may |= MAY_END_TOGETHER;
	storm_doing("op %u,%u root %d block %llu flags %x of %u,%u", coll.op,
		    coll.schedule.algorithm, (int)coll.root, (unsigned long long)cargo.base,
		    coll.flags, seat->members, seat->sides[0]);
	for (;;) {
		coll.deadline_ns = deadline();
		results.culprit = -77;
		began_ns = now_ns();
		error = coll_call(seat->fd, &coll, &results);
		storm_count(STORM_COLL);
		if (storm_is_pressed(x))
			may |= MAY_END_TOGETHER;
		storm_judge(seat->members, error, may, results.culprit, began_ns);
		if (error != -EINTR && error != -ETIMEDOUT)
			break;
		outcome = between(seat, may);
		if (outcome != ON)
			return outcome;
	}
	if (!error && results.number != seat->next)
		storm_wrong("number %llu, not %llu", (unsigned long long)results.number,
			    (unsigned long long)seat->next);
	seat->next++;
	if (coll.flags & SCATTER_COLL_UNIFORM && !differs)
		storm_witness(storm_mix(x, 7), !error);
	if (!differs && !spoilt &&
	    !(error ? cargo_contained(&cargo) : cargo_arrived(&cargo)))
		storm_wrong("%d, and wrong bytes: %s, shapes %u,%u", error,
			    storm->doing[storm_number], cargo.send.kind, cargo.recv.kind);
	return breaks(error) ? BROKEN : ON;
}

/* Meetings and new groups ------------------------------------------------------- */

/* A DUP, SPLIT or SHRINK; *@made is what it has brought, if its fd is not negative. */
static enum outcome regroup_run(struct seat *seat, __u32 op, __u64 x,
				struct seat *made)
{
	struct scatter_regroup regroup = regroup_of(op);
	const bool shrinks = op == SCATTER_OP_SHRINK;
	const unsigned int may = shrinks ? MAY_SHRINK : MAY_REGROUP;
	const __u64 end = after_ms(STORM_PATIENCE_MS);
	enum outcome outcome;
	__u64 began_ns;
	int error;

	made->fd = -1;
	if (op == SCATTER_OP_SPLIT) {
		regroup.color = (int)(storm_mix(x, seat->rank) % 3) - 1;
		regroup.key = (int)(storm_mix(x, seat->rank + 100) % 5) - 2;
	}
	storm_doing("%s of %u,%u", shrinks ? "SHRINK" : "DUP or SPLIT", seat->members,
		    seat->sides[0]);
	for (;;) {
		regroup.deadline_ns = deadline();
		began_ns = now_ns();
		error = device_call(seat->fd, SCATTER_IOCTL_REGROUP, &regroup);
		storm_count(shrinks ? STORM_SHRINK : STORM_REGROUP);
		storm_judge(seat->members, error, may, regroup.culprit, began_ns);
		if (shrinks && error == -EPROTO) {
			/* Some were elsewhere: they come here, too. */
			nap_us(200);
			if (now_ns() > end)
				storm_wrong("SHRINK never ends");
		} else if (error != -EINTR && error != -ETIMEDOUT) {
			break;
		}
		outcome = shrinks && once_in(100) ? GONE : ON;
		if (outcome == GONE)
			seat_leave(seat);
		else if (!shrinks)
			outcome = between(seat, may);
		if (storm->wrong || outcome != ON)
			return outcome == ON ? BROKEN : outcome;
	}
	if (!shrinks)
		seat->next++;
	storm_witness(storm_mix(x, 8), shrinks ? regroup.members : !error);
	if (error)
		return BROKEN;
	if (regroup.fd >= 0)
		seat_take(made, regroup.fd, storm_mix(x, 100 + regroup.color));
	return ON;
}

static enum outcome agree_run(struct seat *seat, __u64 x)
{
	const __u64 mine = storm_mix(x, 50 + seat->rank) | 0xff;
	struct scatter_agree agree = { .size = sizeof(agree) };
	__u64 began_ns;
	int error;

	storm_doing("AGREE of %u,%u", seat->members, seat->sides[0]);
	do {
		agree.value = mine;
		agree.deadline_ns = deadline();
		began_ns = now_ns();
		error = device_call(seat->fd, SCATTER_IOCTL_AGREE, &agree);
		storm_count(STORM_AGREE);
		storm_judge(seat->members, error, MAY_AGREE, agree.culprit, began_ns);
	} while (error == -EINTR || error == -ETIMEDOUT);
	seat->muddled |= error == -EPROTO;
	if (error == -EPROTO)
		return BROKEN;
	if (agree.value & ~mine || ~agree.value & 0xff ||
	    agree.gone >= seat->members || (error && !agree.gone))
		storm_wrong("AGREE: %d value %#llx gone %u of %u", error,
			    (unsigned long long)agree.value, agree.gone, seat->members);
	if (!seat->muddled)
		storm_witness(storm_mix(storm_mix(seat->key, 9), seat->meetings++),
			      storm_mix(agree.value, agree.gone + 1000ULL * -error) >> 1);
	return ON;
}

/* The program ------------------------------------------------------------------ */

static void program(struct seat *seat, unsigned int length, unsigned int depth);

/* A new group: go on in it, or for a while. */
static void visit(struct seat *seat, struct seat *made, __u64 x, unsigned int depth)
{
	if (made->fd < 0)
		return;
	if (depth < DEPTH_MAX && storm_mix(x, 10) % 2) {
		program(made, 1 + storm_mix(x, 11) % 6, depth + 1);
		return;
	}
	seat_leave(seat);
	*seat = *made;
}

/* The members that are left go on in a new group. */
static enum outcome recover(struct seat *seat)
{
	const __u64 x = storm_mix(seat->key, 12);
	struct seat made;
	enum outcome outcome;

	seat_revoke(seat);
	if (once_in(2))
		seat_look(seat);
	if (is_over()) {
		seat_leave(seat);
		return GONE;
	}
	if (x % 3 == 0)
		agree_run(seat, x);
	outcome = regroup_run(seat, SCATTER_OP_SHRINK, x, &made);
	if (outcome != ON)
		return outcome;
	seat_leave(seat);
	if (made.fd < 0)
		return GONE;
	*seat = made;
	return ON;
}

/* Operation @x of all, and whatever this member does instead. */
static enum outcome step(struct seat *seat, __u64 x, unsigned int depth)
{
	const unsigned int kind = storm_mix(x, 13) % 40;
	enum outcome outcome;
	struct seat made;

	if (once_in(4))
		nap_us(next_random(&own_random) % 300);
	if (once_in(20))
		seat_look(seat);
	if (once_in(400))
		die(seat);
	if (once_in(250))
		seat_revoke(seat);
	if (once_in(300)) {
		seat_leave(seat);
		return GONE;
	}
	if (kind < 4) {
		outcome = regroup_run(seat, kind < 2 ? SCATTER_OP_DUP : SCATTER_OP_SPLIT,
				      x, &made);
		if (outcome == ON)
			visit(seat, &made, x, depth);
		return outcome;
	}
	if (kind < 7)
		return agree_run(seat, x);
	if (kind == 7 && !depth)
		return BROKEN;
	return coll_run(seat, x);
}

/* Operations until @length of them are done, or the membership has ended. */
static void program(struct seat *seat, unsigned int length, unsigned int depth)
{
	enum outcome outcome = ON;
	unsigned int i;

	storm_count(STORM_GROUPS);
	for (i = 0; i < length && !is_over(); i++) {
		outcome = step(seat, storm_mix(seat->key, 1000 + i), depth);
		if (outcome == BROKEN && !depth) {
			outcome = recover(seat);
			storm_count(STORM_GROUPS);
			i = 0;
		}
		if (outcome != ON)
			break;
	}
	if (outcome != GONE)
		seat_leave(seat);
}

/* A worker needs one for all its groups. */
static int bad_area_map(void)
{
	void *area = bad_area;

	if (!area)
		area = mmap(NULL, CREW_MAX * CARGO_BLOCK_MAX, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		return -errno;
	bad_area = area;
	return 0;
}

/* Take part in one group and those that come of it. */
__s64 task_storm(struct self *self, union task_args *args)
{
	struct scatter_join join = storm->join;
	struct seat seat;
	int error, fd;

	(void)self;
	storm_number = args->word[STORM_WORD_WORKER];
	own_random = storm_mix(args->word[STORM_WORD_SEED], 77 + storm_number);
	storm_doing("JOIN");
	error = bad_area_map();
	if (error)
		return error;
	fd = device_open(0);
	if (fd < 0)
		return fd;
	join_seat(&join, storm_number);
	join.deadline_ns = after_ms(STORM_PATIENCE_MS);
	join.ring_bytes = once_in(3) ? 4096 : 0;
	error = device_call(fd, SCATTER_IOCTL_JOIN, &join);
	if (error) {
		close(fd);
		return error;
	}
	__atomic_add_fetch(&storm->joined, 1, __ATOMIC_RELEASE);
	if (!seat_take(&seat, fd, args->word[STORM_WORD_SEED]))
		return -EPROTO;
	program(&seat, 30 + seat.key % 100, 0);
	return storm->wrong ? -EBADMSG : 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Inter-groups and what goes wrong: fields that do not fit, members that disagree about
 * who the root is, death, faults, LEAVE, REVOKE, pauses.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"

#define NEAR	3U
#define FAR	2U
#define SIZE	(NEAR + FAR)
#define ALL	RANKS(0, SIZE - 1)

#define EAGER	64ULL
#define LARGE	300001ULL

static struct call sides_call(__u32 op, unsigned int root, __u64 block)
{
	return (struct call){
		.op = op,
		.root = root,
		.block = block,
		.timeout_ms = PATIENCE_MS,
		.sides = { NEAR, FAR },
	};
}

/* Fields --------------------------------------------------------------------- */

FIXTURE(fields)
{
	int fd;
	struct scatter_join join;
};

FIXTURE_SETUP(fields)
{
	char name[SCATTER_NAME_MAX];

	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
	name_make(name, "sides");
	self->join = join_of(name, SIZE, SCATTER_RANK_ANY);
	self->join.sides[0] = NEAR;
	self->join.sides[1] = FAR;
	/* A JOIN that is accepted by mistake does not wait for the others. */
	self->join.deadline_ns = 1;
}

FIXTURE_TEARDOWN(fields)
{
	close(self->fd);
}

#define EXPECT_JOIN(error) \
	EXPECT_EQ(error, device_call(self->fd, SCATTER_IOCTL_JOIN, &self->join))

TEST_F(fields, sides_are_all_members)
{
	static const __u32 bad[][2] = {
		{ 0, SIZE }, { SIZE, 0 }, { NEAR, FAR + 1 }, { NEAR, FAR - 1 },
		{ NEAR, 0 }, { 0, FAR }, { SIZE, SIZE }, { UINT_MAX, SIZE + 1 },
		{ SIZE + 1, UINT_MAX }, { 1U << 31, (1U << 31) + SIZE },
		{ INT_MAX, INT_MAX },
	};
	unsigned int i;

	EXPECT_JOIN(-ETIMEDOUT);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		memcpy(self->join.sides, bad[i], sizeof(self->join.sides));
		EXPECT_JOIN(-EINVAL)
			TH_LOG("sides %u, %u", bad[i][0], bad[i][1]);
	}
}

TEST_F(fields, there_are_two_sides)
{
	static const __u32 bad[] = { 2, 3, INT_MAX, 1U << 31, UINT_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		self->join.side = bad[i];
		EXPECT_JOIN(-EINVAL);
	}
	self->join.side = 1;
	EXPECT_JOIN(-ETIMEDOUT);
	/* Without sides there is no other. */
	memset(self->join.sides, 0, sizeof(self->join.sides));
	EXPECT_JOIN(-EINVAL);
	self->join.side = 0;
	EXPECT_JOIN(-ETIMEDOUT);
}

TEST_F(fields, a_rank_is_one_of_its_side)
{
	self->join.rank = NEAR;
	EXPECT_JOIN(-EINVAL);
	self->join.rank = NEAR - 1;
	EXPECT_JOIN(-ETIMEDOUT);
	self->join.side = 1;
	EXPECT_JOIN(-EINVAL);
	self->join.rank = FAR;
	EXPECT_JOIN(-EINVAL);
	self->join.rank = FAR - 1;
	EXPECT_JOIN(-ETIMEDOUT);
	self->join.rank = -2;
	EXPECT_JOIN(-EINVAL);
}

/* The schedule has to do for the root and one of the sides at least. */
TEST_F(fields, a_schedule_that_neither_direction_can_have)
{
	self->join.schedule.algorithm = SCATTER_ALGORITHM_ROTATED;
	EXPECT_JOIN(-ETIMEDOUT);	/* 3 + 1 */
	self->join.members = 6;
	self->join.sides[1] = 3;
	EXPECT_JOIN(-ETIMEDOUT);
	self->join.sides[0] = 2;
	self->join.sides[1] = 4;
	EXPECT_JOIN(-EINVAL);		/* 5 and 3 */
	self->join.schedule.algorithm = SCATTER_ALGORITHM_MESH;
	self->join.schedule.dims = 1;
	self->join.schedule.extent[0] = 6;
	EXPECT_JOIN(-EINVAL);
	self->join.schedule.extent[0] = 5;
	EXPECT_JOIN(-ETIMEDOUT);
}

/* A second joiner with other sides breaks nothing. */
TEST_F(fields, all_agree_about_the_sides)
{
	static const __u32 others[][2] = {
		{ 0, 0 }, { FAR, NEAR }, { 1, SIZE - 1 },
	};
	int first = device_open(O_NONBLOCK);
	unsigned int i;

	ASSERT_LE(0, first);
	self->join.deadline_ns = 0;
	ASSERT_EQ(-EINPROGRESS,
		  device_call(first, SCATTER_IOCTL_JOIN, &self->join));
	EXPECT_EQ(0, self->join.rank);
	self->join.deadline_ns = 1;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		memcpy(self->join.sides, others[i], sizeof(self->join.sides));
		EXPECT_JOIN(-EPROTO);
	}
	self->join.sides[0] = NEAR;
	self->join.sides[1] = FAR;
	self->join.rank = 0;
	EXPECT_JOIN(-EADDRINUSE);
	/* Nor is the same rank of the other side taken. */
	self->join.side = 1;
	EXPECT_JOIN(-ETIMEDOUT);
	close(first);
}

TEST(the_lowest_free_rank_is_one_of_the_side)
{
	static const int sides[SIZE] = { 1, 0, 0, 1, 0 };
	static const int ranks[SIZE] = { 0, 0, 1, 1, 2 };
	struct scatter_join join;
	char name[SCATTER_NAME_MAX];
	int fd[SIZE + 1];
	unsigned int i;

	name_make(name, "lowest");
	for (i = 0; i < SIZE; i++) {
		fd[i] = device_open(O_NONBLOCK);
		ASSERT_LE(0, fd[i]);
		join = join_of(name, SIZE, SCATTER_RANK_ANY);
		join.sides[0] = NEAR;
		join.sides[1] = FAR;
		join.side = sides[i];
		EXPECT_EQ(i == SIZE - 1 ? 0 : -EINPROGRESS,
			  device_call(fd[i], SCATTER_IOCTL_JOIN, &join));
		EXPECT_EQ(ranks[i], join.rank);
		/* A side may be complete before the group is. */
		if (i != SIZE - 2)
			continue;
		fd[SIZE] = device_open(O_NONBLOCK);
		join.rank = SCATTER_RANK_ANY;
		EXPECT_EQ(-EUSERS,
			  device_call(fd[SIZE], SCATTER_IOCTL_JOIN, &join));
		close(fd[SIZE]);
	}
	for (i = 0; i < SIZE; i++)
		close(fd[i]);
}

/* COLL as it is. */
static __s64 task_plain(struct self *self, union task_args *args)
{
	return self_call(self, &args->call);
}

/* One operation, and whatever member @rank gives for it. */
static __s64 call_with(struct crew *crew, unsigned int rank,
		       const struct scatter_coll *coll)
{
	union task_args args = {
		.call = { .coll = *coll, .results = new_results() },
	};

	args.call.coll.size = sizeof(*coll);
	return worker_do(&crew->worker[rank], task_plain, &args);
}

TEST(what_a_call_must_not_have)
{
	static const __u32 bad[] = {
		FAR, NEAR, SIZE, MEMBERS_MAX, INT_MAX, 1U << 31,
		(__u32)-4, (__u32)-1,
	};
	struct scatter_coll coll = { .op = SCATTER_OP_SCATTER };
	struct crew crew;
	unsigned int i;

	ASSERT_TRUE(crew_form_sides(&crew, NEAR, FAR, NULL));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		coll.root = bad[i];
		EXPECT_EQ(-EINVAL, call_with(&crew, 0, &coll))
			TH_LOG("root %u", bad[i]);
	}
	/* Side 1 may name more. */
	coll.root = NEAR;
	EXPECT_EQ(-EINVAL, call_with(&crew, SIZE - 1, &coll));
	coll.flags = SCATTER_COLL_IN_PLACE;
	for (i = 0; i < SIZE; i++) {
		coll.root = i < 1 ? SCATTER_ROOT :
			    i < NEAR ? SCATTER_PROC_NULL : 0;
		EXPECT_EQ(-EINVAL, call_with(&crew, i, &coll));
	}
	coll.flags = 0;
	/* Neither counts of a v form's root, nor where there is none. */
	coll.op = SCATTER_OP_GATHERV;
	coll.root = SCATTER_ROOT;
	EXPECT_EQ(-EINVAL, call_with(&crew, 0, &coll));
	coll.counts = BOGUS_ADDRESS;
	EXPECT_EQ(-EFAULT, call_with(&crew, 0, &coll));
	coll.op = SCATTER_OP_GATHER;
	EXPECT_EQ(-EINVAL, call_with(&crew, 0, &coll));
	coll.counts = 0;
	/* Towards 2 and the root there are no powers of two, nor an array of 4. */
	coll.schedule.algorithm = SCATTER_ALGORITHM_ROTATED;
	EXPECT_EQ(-EINVAL, call_with(&crew, 0, &coll));
	coll.root = SCATTER_PROC_NULL;
	EXPECT_EQ(-EINVAL, call_with(&crew, 1, &coll));
	coll.root = 0;
	EXPECT_EQ(-EINVAL, call_with(&crew, SIZE - 1, &coll));
	coll.schedule.algorithm = SCATTER_ALGORITHM_MESH;
	coll.schedule.dims = 1;
	coll.schedule.extent[0] = NEAR + 1;
	EXPECT_EQ(-EINVAL, call_with(&crew, SIZE - 1, &coll));
	/* Nothing was called. */
	for (i = 0; i < SIZE; i++)
		EXPECT_EQ(0ULL, crew_seen(&crew, i)->next);
	EXPECT_TRUE(crew_end(&crew));
}

TEST(a_group_without_sides_has_no_such_roots)
{
	struct scatter_coll coll = { .op = SCATTER_OP_SCATTER };
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, 2, 0));
	coll.root = SCATTER_ROOT;
	EXPECT_EQ(-EINVAL, call_with(&crew, 0, &coll));
	coll.root = SCATTER_PROC_NULL;
	EXPECT_EQ(-EINVAL, call_with(&crew, 1, &coll));
	EXPECT_TRUE(crew_end(&crew));
}

/* Each form ------------------------------------------------------------------ */

FIXTURE(one)
{
	int unused;
};

FIXTURE_VARIANT(one)
{
	__u32 op;
};

FIXTURE_VARIANT_ADD(one, scatter) { .op = SCATTER_OP_SCATTER };
FIXTURE_VARIANT_ADD(one, gather) { .op = SCATTER_OP_GATHER };
FIXTURE_VARIANT_ADD(one, scatterv) { .op = SCATTER_OP_SCATTERV };
FIXTURE_VARIANT_ADD(one, gatherv) { .op = SCATTER_OP_GATHERV };

FIXTURE_SETUP(one)
{
}

FIXTURE_TEARDOWN(one)
{
}

/* Mismatches ----------------------------------------------------------------- */

/*
 * The first who calls is group rank @first with root @a, then @second with @b, of which
 * one or the other is wrong.
 */
FIXTURE(sides)
{
	struct crew crew;
};

FIXTURE_VARIANT(sides)
{
	unsigned int first;
	__u32 a;
	unsigned int second;
	__u32 b;
};

#define PAIR(name, one, with, other, and)				\
	FIXTURE_VARIANT_ADD(sides, name) {				\
		.first = (one), .a = (with),				\
		.second = (other), .b = (and),				\
	}

PAIR(two_roots, 0, SCATTER_ROOT, 1, SCATTER_ROOT);
PAIR(two_roots_of_side_1, 4, SCATTER_ROOT, 3, SCATTER_ROOT);
PAIR(a_root_on_either_side, 0, SCATTER_ROOT, 3, SCATTER_ROOT);
PAIR(idle_ones_on_both_sides, 2, SCATTER_PROC_NULL, 4, SCATTER_PROC_NULL);
PAIR(an_idle_one_facing_the_root, 0, SCATTER_ROOT, 3, SCATTER_PROC_NULL);
PAIR(a_root_facing_an_idle_one, 3, SCATTER_PROC_NULL, 0, SCATTER_ROOT);
PAIR(another_than_the_root_is_named, 1, SCATTER_ROOT, 3, 2);
PAIR(the_root_is_another_than_named, 3, 2, 1, SCATTER_ROOT);
PAIR(the_root_of_side_1_is_another, 0, 1, 3, SCATTER_ROOT);
PAIR(one_named_is_idle, 3, 2, 2, SCATTER_PROC_NULL);
PAIR(an_idle_one_is_named, 2, SCATTER_PROC_NULL, 3, 2);
PAIR(an_idle_one_of_side_1_is_named, 4, SCATTER_PROC_NULL, 0, 1);
PAIR(two_are_named, 3, 0, 4, 1);
PAIR(both_sides_name_one, 3, 0, 0, 0);
PAIR(one_beside_the_root_names_one, 0, SCATTER_ROOT, 1, 0);
PAIR(one_beside_idle_ones_names_one, 0, SCATTER_PROC_NULL, 1, 0);

FIXTURE_SETUP(sides)
{
	ASSERT_TRUE(crew_form_sides(&self->crew, NEAR, FAR, NULL));
}

FIXTURE_TEARDOWN(sides)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static void order_with(struct crew *crew, unsigned int rank,
		       const struct call *call, __u32 root)
{
	union task_args args = { .call = crew_args(rank, call, CALL_FILL) };

	args.call.coll.root = root;
	args.call.coll.block = call->block;
	args.call.coll.sendbuf = address(SEND_BUFFER);
	args.call.coll.recvbuf = address(RECV_BUFFER);
	worker_order(&crew->worker[rank], task_call, &args);
}

/* Whether a member that calls with @root, alone, returns. */
static bool returns_alone(const struct call *call, __u32 root)
{
	if (root == SCATTER_PROC_NULL)
		return true;
	if (call->algorithm || call->block != EAGER)
		return false;
	return is_scatter(call->op) == (root == SCATTER_ROOT);
}

/* The second caller is named and told; the first is told, too, unless it has returned. */
static void disagree(struct __test_metadata *_metadata, struct crew *crew,
		     const FIXTURE_VARIANT(sides) *variant,
		     const struct call *call)
{
	struct worker *first = &crew->worker[variant->first];
	const bool gone = returns_alone(call, variant->a);

	order_with(crew, variant->first, call, variant->a);
	if (gone)
		ASSERT_EQ(0, worker_finish(first));
	if (!gone)
		ASSERT_TRUE(worker_sleeps(first, SCATTER_IOCTL_COLL));
	order_with(crew, variant->second, call, variant->b);
	EXPECT_TRUE(crew_fails(crew, RANK(variant->second), EPROTO,
			       variant->second));
	if (!gone)
		EXPECT_TRUE(crew_fails(crew, RANK(variant->first), EPROTO,
				       variant->second));
	EXPECT_TRUE(crew_is_broken(crew, ALL, EPROTO, variant->second));
}

TEST_F(sides, mismatches_of_a_scatter)
{
	const struct call call = sides_call(SCATTER_OP_SCATTER, 0, LARGE);

	disagree(_metadata, &self->crew, variant, &call);
}

TEST_F(sides, mismatches_of_an_eager_scatter)
{
	const struct call call = sides_call(SCATTER_OP_SCATTER, 0, EAGER);

	disagree(_metadata, &self->crew, variant, &call);
}

TEST_F(sides, mismatches_of_a_gather)
{
	const struct call call = sides_call(SCATTER_OP_GATHER, 0, LARGE);

	disagree(_metadata, &self->crew, variant, &call);
}

TEST_F(sides, mismatches_of_an_eager_gather)
{
	const struct call call = sides_call(SCATTER_OP_GATHER, 0, EAGER);

	disagree(_metadata, &self->crew, variant, &call);
}

TEST_F(sides, mismatches_of_an_or_broadcast)
{
	struct call call = sides_call(SCATTER_OP_GATHER, 0, EAGER);

	call.algorithm = SCATTER_ALGORITHM_OR_BROADCAST;
	disagree(_metadata, &self->crew, variant, &call);
}

/*
 * Nobody is the root. In whatever order they come, those who wait are told, and it is the
 * one that is named, or who names it, that is found out.
 */
TEST_F(one, nobody_is_the_root)
{
	const struct call call = sides_call(variant->op, 1, LARGE);
	unsigned int turn, i, r;
	struct crew crew;

	for (turn = 0; turn < SIZE; turn++) {
		ASSERT_TRUE(crew_form_sides(&crew, NEAR, FAR, NULL));
		for (i = 0; i < SIZE; i++) {
			r = (turn + i) % SIZE;
			order_with(&crew, r, &call,
				   r < NEAR ? SCATTER_PROC_NULL : 1);
			if (r < NEAR)
				worker_finish(&crew.worker[r]);
		}
		for (r = NEAR; r < SIZE; r++)
			EXPECT_EQ(-EPROTO, worker_finish(&crew.worker[r]));
		EXPECT_TRUE(crew_end(&crew));
	}
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0
/* Each field of JOIN and COLL with values that it must not have. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "harness.h"

#define SIZE_OF_GROUP	2U

FIXTURE(fields)
{
	int fd;		/* not in a group */
	int member;	/* rank 0 of a group that is not complete */
	int alone;	/* in a group of one */
	struct scatter_info info;
	struct scatter_join join;
	struct scatter_coll coll;
	struct scatter_results results;
};

FIXTURE_SETUP(fields)
{
	char name[SCATTER_NAME_MAX];

	ASSERT_EQ(0, device_info(&self->info));
	self->fd = device_open(0);
	self->alone = device_open(0);
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, self->alone);
	name_make(name, "alone");
	ASSERT_EQ(0, join(self->alone, name, 1, 0));
	name_make(name, "fields");
	self->join = join_of(name, SIZE_OF_GROUP, SCATTER_RANK_ANY);
	/* A JOIN that is accepted by mistake does not wait for a second member. */
	self->join.deadline_ns = 1;
	self->coll = (struct scatter_coll){
		.size = sizeof(self->coll),
		.op = SCATTER_OP_SCATTER,
	};
}

FIXTURE_TEARDOWN(fields)
{
	close(self->fd);
	close(self->alone);
}

#define EXPECT_JOIN(error) \
	EXPECT_EQ(error, device_call(self->fd, SCATTER_IOCTL_JOIN, &self->join))
/* What COLL returns, if that is also in its results. */
static int coll_of(int fd, struct scatter_coll *coll, struct scatter_results *results)
{
	int error;

	*results = new_results();
	error = coll_call(fd, coll, results);
	return (int)results->error == -error ? error : -EBADMSG;
}

#define EXPECT_COLL(wanted) \
	EXPECT_EQ(wanted, coll_of(self->alone, &self->coll, &self->results))

/* The values of the fixture are good: only the deadline ends JOIN. */
TEST_F(fields, the_good_values_are_good)
{
	EXPECT_JOIN(-ETIMEDOUT);
	EXPECT_COLL(0);
}

TEST_F(fields, join_members_out_of_range)
{
	const __u32 bad[] = { 0, MEMBERS_MAX + 1, INT_MAX, 1U << 31,
			      UINT_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		self->join.members = bad[i];
		EXPECT_JOIN(-EINVAL);
	}
	self->join.members = MEMBERS_MAX;
	EXPECT_JOIN(-ETIMEDOUT);
}

TEST_F(fields, join_rank_out_of_range)
{
	const __s32 bad[] = { SIZE_OF_GROUP, MEMBERS_MAX, INT_MAX, -2,
			      INT_MIN };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		self->join.rank = bad[i];
		EXPECT_JOIN(-EINVAL);
	}
	self->join.rank = SIZE_OF_GROUP - 1;
	EXPECT_JOIN(-ETIMEDOUT);
}

TEST_F(fields, join_mode_out_of_range)
{
	const __u32 bad[] = { 01000, 02000, 04000, 0100600, 1U << 31,
			      UINT_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		self->join.mode = bad[i];
		EXPECT_JOIN(-EINVAL);
	}
	self->join.mode = 0777;
	EXPECT_JOIN(-ETIMEDOUT);
	/* The mode is for other users, so 0 is good. */
	self->join.mode = 0;
	EXPECT_JOIN(-ETIMEDOUT);
}

/* What owners there are, and what they may do, is in owner_test. */
TEST_F(fields, join_owner_and_exclusive)
{
	self->join.owner = 0;
	EXPECT_JOIN(-ETIMEDOUT);
	self->join.flags = SCATTER_JOIN_EXCL;
	EXPECT_JOIN(-ETIMEDOUT);
	self->join.owner = SCATTER_OWNER_SELF;
	EXPECT_JOIN(-ETIMEDOUT);
	/* Another user's group is not for this user to create. */
	self->join.owner = 1;
	EXPECT_JOIN(-EINVAL);
	self->join.flags = 0;
	EXPECT_JOIN(-ENOENT);
	self->join.owner = SCATTER_OWNER_SELF - 1;
	EXPECT_JOIN(-ENOENT);
	self->join.owner = SCATTER_OWNER_SELF;
	self->join.flags = SCATTER_JOIN_EXCL | SCATTER_JOIN_LOCAL;
	EXPECT_JOIN(-ETIMEDOUT);
	self->join.flags = SCATTER_JOIN_EXCL | SCATTER_JOIN_DECLINE << 1;
	EXPECT_JOIN(-EOPNOTSUPP);
}

TEST_F(fields, join_ring_out_of_range)
{
	const __u32 min = self->info.ring_bytes_min;
	const __u32 max = self->info.ring_bytes_max;
	const __u32 bad[] = { 1, min / 2, min - 1, min + 1, 3 * min, max + 1,
			      max * 2, 1U << 31, UINT_MAX };
	const __u32 good[] = { 0, min, 2 * min, max };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		self->join.ring_bytes = bad[i];
		EXPECT_JOIN(-EINVAL)
			TH_LOG("ring_bytes %u", bad[i]);
	}
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		self->join.ring_bytes = good[i];
		EXPECT_JOIN(-ETIMEDOUT);
	}
}

/* What is not possible with one that is known is in plan_test. */
TEST_F(fields, join_algorithm_unknown)
{
	unsigned int algorithm;

	for (algorithm = 0; algorithm < 80; algorithm++) {
		if (algorithm < 64 && self->info.algorithms >> algorithm & 1)
			continue;
		self->join.schedule.algorithm = algorithm;
		EXPECT_JOIN(-EOPNOTSUPP);
	}
	self->join.schedule.algorithm = 1U << 31;
	EXPECT_JOIN(-EOPNOTSUPP);
	self->join.schedule.algorithm = UINT_MAX;
	EXPECT_JOIN(-EOPNOTSUPP);
}

TEST_F(fields, join_deadline_beyond_all_time)
{
	self->join.deadline_ns = 1ULL << 63;
	EXPECT_JOIN(-EINVAL);
	self->join.deadline_ns = ~0ULL;
	EXPECT_JOIN(-EINVAL);
}

TEST_F(fields, join_name_bad)
{
	static const char *const bad[] = {
		"", "/", "a/b", "/a", "a/", "\n", "a\nb", "a\tb", "\x1f",
		"a\x7f", "\x80", "\xff", "\xc3\xbc",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		memset(self->join.name, 0, sizeof(self->join.name));
		strcpy(self->join.name, bad[i]);
		EXPECT_JOIN(-EINVAL)
			TH_LOG("name %u", i);
	}
	/* No NUL. */
	memset(self->join.name, 'a', sizeof(self->join.name));
	EXPECT_JOIN(-EINVAL);
	/* The longest. */
	self->join.name[SCATTER_NAME_MAX - 1] = '\0';
	EXPECT_JOIN(-ETIMEDOUT);
}

TEST_F(fields, join_name_with_garbage_behind_its_end)
{
	size_t length = strlen(self->join.name);
	size_t at;

	for (at = length + 1; at < SCATTER_NAME_MAX; at++) {
		self->join.name[at] = 'x';
		EXPECT_JOIN(-EINVAL);
		self->join.name[at] = '\0';
	}
	EXPECT_JOIN(-ETIMEDOUT);
}

TEST_F(fields, join_name_may_have_any_printable_character)
{
	char c;

	for (c = ' '; c <= '~'; c++) {
		if (c == '/')
			continue;
		memset(self->join.name, 0, sizeof(self->join.name));
		self->join.name[0] = c;
		EXPECT_JOIN(-ETIMEDOUT)
			TH_LOG("character %#x", (unsigned int)c);
	}
}

TEST_F(fields, coll_op_unknown)
{
	unsigned int op;

	for (op = 0; op < 80; op++) {
		if (op <= SCATTER_OP_GATHERV)
			continue;
		self->coll.op = op;
		EXPECT_COLL(-EOPNOTSUPP);
	}
	self->coll.op = 1U << 31;
	EXPECT_COLL(-EOPNOTSUPP);
	self->coll.op = UINT_MAX;
	EXPECT_COLL(-EOPNOTSUPP);
}

TEST_F(fields, coll_algorithm_unknown)
{
	unsigned int algorithm;

	for (algorithm = 0; algorithm < 80; algorithm++) {
		if (algorithm < 64 && self->info.algorithms >> algorithm & 1)
			continue;
		self->coll.schedule.algorithm = algorithm;
		EXPECT_COLL(-EOPNOTSUPP);
	}
	self->coll.schedule.algorithm = 1U << 31;
	EXPECT_COLL(-EOPNOTSUPP);
	self->coll.schedule.algorithm = UINT_MAX;
	EXPECT_COLL(-EOPNOTSUPP);
}

TEST_F(fields, reserved_not_zero)
{
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		self->coll.schedule.__reserved = 1U << bit;
		EXPECT_COLL(-EOPNOTSUPP);
		self->join.schedule.__reserved = 1U << bit;
		EXPECT_JOIN(-EOPNOTSUPP);
	}
	self->join.schedule.__reserved = 0;
	for (bit = 0; bit < 32; bit++) {
		self->join.__reserved = 1U << bit;
		EXPECT_JOIN(-EOPNOTSUPP);
	}
}

TEST_F(fields, coll_root_out_of_range)
{
	const __u32 bad[] = { 1, 2, MEMBERS_MAX, INT_MAX, 1U << 31,
			      UINT_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		self->coll.root = bad[i];
		EXPECT_COLL(-EINVAL);
		EXPECT_EQ(SCATTER_RANK_ANY, self->results.culprit);
		EXPECT_EQ(SCATTER_NUMBER_NEW, self->results.number);
	}
}

TEST_F(fields, coll_block_out_of_range)
{
	self->coll.block = self->info.block_max + 1;
	EXPECT_COLL(-EINVAL);
	self->coll.block = 1ULL << 63;
	EXPECT_COLL(-EINVAL);
	self->coll.block = ~0ULL;
	EXPECT_COLL(-EINVAL);
}

TEST_F(fields, coll_deadline_beyond_all_time)
{
	self->coll.deadline_ns = 1ULL << 63;
	EXPECT_COLL(-EINVAL);
	self->coll.deadline_ns = ~0ULL;
	EXPECT_COLL(-EINVAL);
}

/* A call that need not wait completes although its deadline has passed. */
TEST_F(fields, coll_deadline_in_the_past_is_no_error)
{
	self->coll.deadline_ns = 1;
	EXPECT_COLL(0);
}

TEST_F(fields, coll_barrier_takes_no_other_field)
{
	self->coll.op = SCATTER_OP_BARRIER;
	EXPECT_COLL(0);
	self->coll.schedule.algorithm = SCATTER_ALGORITHM_LINEAR;
	EXPECT_COLL(-EINVAL);
	self->coll.schedule.algorithm = 0;
	self->coll.block = 1;
	EXPECT_COLL(-EINVAL);
	self->coll.block = 0;
	self->coll.flags = SCATTER_COLL_IN_PLACE;
	EXPECT_COLL(-EINVAL);
	self->coll.flags = 0;
	self->coll.sendbuf = ~0ULL;
	self->coll.recvbuf = ~0ULL;
	EXPECT_COLL(0);
}

/* Lengths that wrap around the address space do not wrap around the checks. */
TEST_F(fields, coll_buffers_beyond_the_address_space)
{
	const __u64 addresses[] = { 0, 1, 1ULL << 47, 1ULL << 63,
				    ~0ULL - 4095, ~0ULL };
	const __u64 blocks[] = { 1, 8, 1 << 20, 1ULL << 47,
				 self->info.block_max };
	unsigned int op, i, j;

	for (op = SCATTER_OP_SCATTER; op <= SCATTER_OP_GATHER; op++)
		for (i = 0; i < ARRAY_SIZE(addresses); i++)
			for (j = 0; j < ARRAY_SIZE(blocks); j++) {
				self->coll.op = op;
				self->coll.sendbuf = addresses[i];
				self->coll.recvbuf = addresses[i];
				self->coll.block = blocks[j];
				EXPECT_COLL(-EFAULT);
			}
	/* The group has survived all of that. */
	self->coll.block = 0;
	EXPECT_COLL(0);
}

TEST_F(fields, refused_calls_are_no_operations)
{
	struct seen status;

	self->coll.op = 99;
	EXPECT_COLL(-EOPNOTSUPP);
	self->coll.op = SCATTER_OP_GATHER;
	self->coll.root = 1;
	EXPECT_COLL(-EINVAL);
	ASSERT_EQ(0, status_of(self->alone, &status));
	EXPECT_EQ(0ULL, status.next);
}

TEST_F(fields, a_second_join_of_a_file_is_refused)
{
	EXPECT_EQ(-EISCONN, device_call(self->alone, SCATTER_IOCTL_JOIN,
					&self->join));
}

TEST_HARNESS_MAIN

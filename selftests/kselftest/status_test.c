// SPDX-License-Identifier: GPL-2.0
/*
 * STATUS and COUNTERS as calls: masks of any length, the group's identity, whose counters. What
 * they tell of is in the tests of that.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"
#include "regroup.h"

#define MOST_BITS	(1U << 20)
#define PAGE		4096UL

FIXTURE(masks)
{
	int group;
	int fd;		/* rank 0 of two, of which one has joined */
	char *area;	/* MOST_BITS, and then a page that cannot be accessed */
	struct scatter_status status;
};

FIXTURE_SETUP(masks)
{
	const size_t bytes = MOST_BITS / 8;

	self->group = group_create(100);
	ASSERT_LE(0, self->group);
	self->fd = join_by(self->group, 0);
	ASSERT_LE(0, self->fd);
	self->area = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	ASSERT_EQ(0, mprotect(self->area + bytes, PAGE, PROT_NONE));
	self->status = (struct scatter_status){
		.size = sizeof(self->status),
		.bits = 128,
		.missing = address(self->area),
	};
}

FIXTURE_TEARDOWN(masks)
{
	munmap(self->area, MOST_BITS / 8 + PAGE);
	close(self->fd);
	close(self->group);
}

/* What STATUS of a member returns, if that of its group's descriptor returns the same. */
static int status_of_both(int fd, int group, struct scatter_status *status)
{
	int error = device_call(fd, SCATTER_IOCTL_STATUS, status);

	return device_call(group, SCATTER_IOCTL_STATUS, status) == error ? error : -EBADMSG;
}

#define EXPECT_STATUS(wanted) \
	EXPECT_EQ(wanted, status_of_both(self->fd, self->group, &self->status))

static bool is_filled(const char *from, size_t bytes, char with)
{
	while (bytes && from[bytes - 1] == with)
		bytes--;
	return !bytes;
}

TEST_F(masks, lengths_that_will_not_do)
{
	static const __u32 bad[] = { 0, 1, 64, 100, 127, 129, MOST_BITS + 64, ~0U, ~0U & ~63U };
	unsigned int i;

	memset(self->area, POISON, MOST_BITS / 8);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		self->status.bits = bad[i];
		EXPECT_STATUS(-EINVAL);
	}
	EXPECT_TRUE(is_filled(self->area, MOST_BITS / 8, (char)POISON));
	/* Without a mask nobody looks at the length. */
	self->status.missing = 0;
	EXPECT_STATUS(0);
	EXPECT_EQ(~0U & ~63U, self->status.bits);
}

TEST_F(masks, are_written_whole_and_no_further)
{
	static const __u32 good[] = { 128, 192, 1024, 4096, MOST_BITS };
	const __u64 *words = (void *)self->area;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		const size_t bytes = good[i] / 8;

		memset(self->area, POISON, MOST_BITS / 8);
		self->status.bits = good[i];
		EXPECT_STATUS(0);
		EXPECT_EQ(~1ULL, words[0]);
		EXPECT_EQ(RANKS(0, 35), words[1]);
		EXPECT_TRUE(is_filled(self->area + 16, bytes - 16, 0));
		EXPECT_TRUE(is_filled(self->area + bytes, MOST_BITS / 8 - bytes, (char)POISON));
	}
}

TEST_F(masks, that_cannot_be_written)
{
	char *end = self->area + MOST_BITS / 8;

	self->status.missing = address(end);
	EXPECT_STATUS(-EFAULT);
	self->status.missing = address(end - 8);
	EXPECT_STATUS(-EFAULT);
	self->status.missing = address(end - 16);
	EXPECT_STATUS(0);
	self->status.bits = 2048;
	EXPECT_STATUS(-EFAULT);
	self->status.dead = 8;
	self->status.missing = 0;
	EXPECT_STATUS(-EFAULT);
	self->status.dead = 0;
	self->status.left = ~0ULL - 7;
	EXPECT_STATUS(-EFAULT);
	self->status.left = 0;
	self->status.__reserved = 1;
	EXPECT_STATUS(-EOPNOTSUPP);
}

TEST_F(masks, of_get_failed)
{
	struct scatter_get_failed get = { .size = sizeof(get), .bits = 77 };

	/* None is wanted. */
	EXPECT_EQ(0, device_call(self->fd, SCATTER_IOCTL_GET_FAILED, &get));
	get.failed = address(self->area);
	EXPECT_EQ(-EINVAL, device_call(self->fd, SCATTER_IOCTL_GET_FAILED, &get));
	get.bits = 64;
	EXPECT_EQ(-EINVAL, device_call(self->fd, SCATTER_IOCTL_GET_FAILED, &get));
	get.bits = MOST_BITS;
	memset(self->area, POISON, MOST_BITS / 8);
	EXPECT_EQ(0, device_call(self->fd, SCATTER_IOCTL_GET_FAILED, &get));
	EXPECT_TRUE(is_filled(self->area, MOST_BITS / 8, 0));
	get.failed = address(self->area + MOST_BITS / 8 - 8);
	EXPECT_EQ(-EFAULT, device_call(self->fd, SCATTER_IOCTL_GET_FAILED, &get));
	get.failed = 0;
	get.__reserved = 1;
	EXPECT_EQ(-EOPNOTSUPP, device_call(self->fd, SCATTER_IOCTL_GET_FAILED, &get));
}

/* A caller that could not be told has acknowledged nothing. */
TEST(only_what_was_told_is_acknowledged)
{
	struct scatter_get_failed get = {
		.size = sizeof(get), .flags = SCATTER_GET_FAILED_ACK, .failed = 8,
		.bits = 64,
	};
	int group = group_create(2), fd[2], i;

	for (i = 0; i < 2; i++)
		fd[i] = join_by(group, i);
	ASSERT_LE(0, fd[1]);
	close(fd[1]);
	EXPECT_EQ(-EFAULT, device_call(fd[0], SCATTER_IOCTL_GET_FAILED, &get));
	get.failed = 0;
	get.flags = 0;
	EXPECT_EQ(0, device_call(fd[0], SCATTER_IOCTL_GET_FAILED, &get));
	EXPECT_EQ(1U, get.count);
	EXPECT_EQ(0U, get.acknowledged);
	get.flags = SCATTER_GET_FAILED_ACK;
	EXPECT_EQ(0, device_call(fd[0], SCATTER_IOCTL_GET_FAILED, &get));
	EXPECT_EQ(1U, get.acknowledged);
	close(fd[0]);
	close(group);
}

TEST(a_group_has_an_identity_of_its_own)
{
	struct seen seen[4];
	int group[2], fd[2], i;

	for (i = 0; i < 2; i++) {
		group[i] = group_create(2);
		fd[i] = join_by(group[i], 0);
		ASSERT_EQ(0, status_of(group[i], &seen[i]));
		ASSERT_EQ(0, status_of(fd[i], &seen[2 + i]));
		EXPECT_EQ(0, memcmp(seen[i].id, seen[2 + i].id, sizeof(seen[i].id)));
	}
	EXPECT_NE(0, memcmp(seen[0].id, seen[1].id, sizeof(seen[0].id)));
	EXPECT_NE(seen[0].id[0], seen[0].id[1]);
	for (i = 0; i < 2; i++) {
		close(fd[i]);
		close(group[i]);
	}
}

/* A new group has a new id, the same for all of its members. */
TEST(a_new_group_has_a_new_identity)
{
	const struct scatter_regroup dup = regroup_of(SCATTER_OP_DUP);
	struct seen before;
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, 2, 0));
	ASSERT_NE(NULL, crew_seen(&crew, 0));
	before = crew.worker[0].reply.args.status;
	crew_regroup_start(&crew, RANKS(0, 1), &dup);
	ASSERT_TRUE(crew_adopt(&crew, RANKS(0, 1)));
	ASSERT_NE(NULL, crew_seen(&crew, 0));
	ASSERT_NE(NULL, crew_seen(&crew, 1));
	EXPECT_NE(0, memcmp(before.id, crew.worker[0].reply.args.status.id, sizeof(before.id)));
	EXPECT_EQ(0, memcmp(crew.worker[1].reply.args.status.id,
			    crew.worker[0].reply.args.status.id, sizeof(before.id)));
	EXPECT_TRUE(crew_end(&crew));
}

/* A group's descriptor has done nothing itself. */
TEST(counters_of_a_member_and_of_all)
{
	const struct call scatter = patient_call(SCATTER_OP_SCATTER, 0, 64);
	int group = group_create(3);
	struct seen seen, whole;
	__u64 startups = 0;
	struct crew crew;
	unsigned int r;

	ASSERT_LE(0, group);
	ASSERT_TRUE(crew_form_by(&crew, group, 3));
	ASSERT_TRUE(crew_runs(&crew, &scatter));
	ASSERT_EQ(0, status_of(group, &whole));
	EXPECT_EQ(0ULL, whole.own.startups);
	EXPECT_EQ(0ULL, whole.own.bytes_copied);
	EXPECT_EQ(2ULL, whole.total.startups);
	for (r = 0; r < 3; r++) {
		ASSERT_NE(NULL, crew_seen(&crew, r));
		seen = crew.worker[r].reply.args.status;
		startups += seen.own.startups;
		EXPECT_EQ(2ULL, seen.total.startups);
	}
	EXPECT_EQ(2ULL, startups);
	close(group);
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN

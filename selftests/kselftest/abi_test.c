// SPDX-License-Identifier: GPL-2.0
/*
 * The form of the ABI: struct sizes, tails, flags, reserved fields, ranges,
 * pointers, unknown numbers. The other tests show what the ioctls do.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common.h"
#include "harness.h"

#define FRAME_BYTES	(4UL * 4096)

union any_struct {
	__u32 head[2];	/* size and flags, in every struct */
	struct scatter_info info;
	struct scatter_join join;
	struct scatter_leave leave;
	struct scatter_coll coll;
	struct scatter_status status;
	struct scatter_create create;
	struct scatter_regroup regroup;
	struct scatter_agree agree;
	struct scatter_get_failed failed;
	struct scatter_credentials credentials;
	struct scatter_counters counters;
	unsigned char byte[FRAME_BYTES];
};

/*
 * Each variant is one ioctl. @first is the size that was published first; it
 * never grows. @now is the size now, if that is another. @member: it needs a file that has joined.
 */
FIXTURE(each)
{
	int fd;
	union any_struct *arg;
	union any_struct was;
};

FIXTURE_VARIANT(each)
{
	unsigned int request;
	__u32 first;
	__u32 now;
	__u32 flags;
	bool member;
	void (*prepare)(union any_struct *arg);
};

static void prepare_nothing(union any_struct *arg)
{
	(void)arg;
}

static void prepare_join(union any_struct *arg)
{
	char name[SCATTER_NAME_MAX];

	name_make(name, "abi");
	arg->join = join_of(name, 1, SCATTER_RANK_ANY);
}

/* A barrier of a group of one completes at once. */
static void prepare_coll(union any_struct *arg)
{
	static struct scatter_results results;

	results = new_results();
	arg->coll = (struct scatter_coll){
		.op = SCATTER_OP_BARRIER,
		.results = address(&results),
	};
}

FIXTURE_VARIANT_ADD(each, info) {
	.request = SCATTER_IOCTL_INFO,
	.first = 104,
	.prepare = prepare_nothing,
};

FIXTURE_VARIANT_ADD(each, join) {
	.request = SCATTER_IOCTL_JOIN,
	.first = 168,
	.flags = SCATTER_JOIN_NONBLOCK | SCATTER_JOIN_EXCL | SCATTER_JOIN_RELATIVE |
		 SCATTER_JOIN_LOCAL | SCATTER_JOIN_DECLINE,
	.prepare = prepare_join,
};

FIXTURE_VARIANT_ADD(each, leave) {
	.request = SCATTER_IOCTL_LEAVE,
	.first = 8,
	.member = true,
	.prepare = prepare_nothing,
};

FIXTURE_VARIANT_ADD(each, revoke) {
	.request = SCATTER_IOCTL_REVOKE,
	.first = 8,
	.member = true,
	.prepare = prepare_nothing,
};

FIXTURE_VARIANT_ADD(each, coll) {
	.request = SCATTER_IOCTL_COLL,
	.first = 136,
	.flags = SCATTER_COLL_IN_PLACE | SCATTER_COLL_UNIFORM |
		 SCATTER_COLL_DEADLINE_ALL | SCATTER_COLL_RELATIVE |
		 SCATTER_COLL_AT_MOST,
	.member = true,
	.prepare = prepare_coll,
};

FIXTURE_VARIANT_ADD(each, status) {
	.request = SCATTER_IOCTL_STATUS,
	.first = 160,
	.member = true,
	.prepare = prepare_nothing,
};

static void prepare_create(union any_struct *arg)
{
	arg->create = (struct scatter_create){ .members = 1 };
}

static void prepare_dup(union any_struct *arg)
{
	arg->regroup = (struct scatter_regroup){
		.op = SCATTER_OP_DUP, .number = SCATTER_NUMBER_NEW,
	};
}

FIXTURE_VARIANT_ADD(each, create) {
	.request = SCATTER_IOCTL_CREATE,
	.first = 72,
	.prepare = prepare_create,
};

FIXTURE_VARIANT_ADD(each, regroup) {
	.request = SCATTER_IOCTL_REGROUP,
	.first = 112,
	.flags = SCATTER_REGROUP_RELATIVE,
	.member = true,
	.prepare = prepare_dup,
};

FIXTURE_VARIANT_ADD(each, agree) {
	.request = SCATTER_IOCTL_AGREE,
	.first = 32,
	.flags = SCATTER_AGREE_RELATIVE,
	.member = true,
	.prepare = prepare_nothing,
};

FIXTURE_VARIANT_ADD(each, get_failed) {
	.request = SCATTER_IOCTL_GET_FAILED,
	.first = 32,
	.flags = SCATTER_GET_FAILED_ACK,
	.member = true,
	.prepare = prepare_nothing,
};

FIXTURE_VARIANT_ADD(each, credentials) {
	.request = SCATTER_IOCTL_CREDENTIALS,
	.first = 40,
	.member = true,
	.prepare = prepare_nothing,
};

FIXTURE_VARIANT_ADD(each, counters) {
	.request = SCATTER_IOCTL_COUNTERS,
	.first = 72,
	.flags = SCATTER_COUNTERS_TOTAL,
	.member = true,
	.prepare = prepare_nothing,
};

/* A page that cannot be accessed follows the frame. */
FIXTURE_SETUP(each)
{
	char name[SCATTER_NAME_MAX];

	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
	if (variant->member) {
		name_make(name, "each");
		ASSERT_EQ(0, join(self->fd, name, 1, 0));
	}
	self->arg = mmap(NULL, FRAME_BYTES + 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->arg);
	ASSERT_EQ(0, mprotect((char *)self->arg + FRAME_BYTES, 4096,
			      PROT_NONE));
	variant->prepare(self->arg);
	self->arg->head[0] = variant->first;
}

FIXTURE_TEARDOWN(each)
{
	munmap(self->arg, FRAME_BYTES + 4096);
	close(self->fd);
}

TEST_F(each, accepts_the_first_published_size)
{
	EXPECT_EQ(0, device_call(self->fd, variant->request, self->arg));
	EXPECT_EQ(variant->first, self->arg->head[0]);
}

TEST_F(each, refuses_sizes_below_the_first_published)
{
	const __u32 sizes[] = { 0, 1, 4, 7, variant->first - 1 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		self->arg->head[0] = sizes[i];
		EXPECT_EQ(-EINVAL,
			  device_call(self->fd, variant->request, self->arg))
			TH_LOG("size %u", sizes[i]);
	}
}

static void each_accepts_tail(struct __test_metadata *_metadata,
			      FIXTURE_DATA(each) *self,
			      const FIXTURE_VARIANT(each) *variant, __u32 size)
{
	unsigned int i;

	self->arg->head[0] = size;
	ASSERT_EQ(0, device_call(self->fd, variant->request, self->arg)) {
		TH_LOG("size %u", size);
	}
	EXPECT_EQ(size, self->arg->head[0]);
	/* Fields that have been added since are answers, or as they were. */
	for (i = variant->now ? variant->now : variant->first; i < size; i++)
		EXPECT_EQ(0, self->arg->byte[i]);
}

TEST_F(each, accepts_one_more_zero_byte)
{
	each_accepts_tail(_metadata, self, variant, variant->first + 1);
}

TEST_F(each, accepts_more_zero_fields)
{
	each_accepts_tail(_metadata, self, variant, variant->first + 64);
}

TEST_F(each, accepts_a_page)
{
	each_accepts_tail(_metadata, self, variant, 4096);
}

/* With and without this, STATUS and the like work as if nothing had been. */
TEST_F(each, refuses_a_dirty_tail)
{
	const __u32 end = variant->now ? variant->now : variant->first;
	const __u32 at[] = { 0, 1, 7, 8, 63 };
	unsigned int i;

	self->arg->head[0] = end + 64;
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		self->arg->byte[end + at[i]] = 0x80;
		EXPECT_EQ(-E2BIG,
			  device_call(self->fd, variant->request, self->arg))
			TH_LOG("tail byte %u", at[i]);
		self->arg->byte[end + at[i]] = 0;
	}
	EXPECT_EQ(0, device_call(self->fd, variant->request, self->arg));
}

TEST_F(each, refuses_a_dirty_byte_right_behind)
{
	const __u32 end = variant->now ? variant->now : variant->first;

	self->arg->head[0] = end + 1;
	self->arg->byte[end] = 1;
	EXPECT_EQ(-E2BIG, device_call(self->fd, variant->request, self->arg));
}

TEST_F(each, does_not_look_behind_its_size)
{
	memset(self->arg->byte + variant->first, 0xff,
	       FRAME_BYTES - variant->first);
	EXPECT_EQ(0, device_call(self->fd, variant->request, self->arg));
	EXPECT_EQ(0xff, self->arg->byte[variant->first]);
}

/* No struct will ever be longer than a page. */
TEST_F(each, refuses_huge_sizes)
{
	const __u32 sizes[] = { FRAME_BYTES, 1U << 30, INT_MAX, UINT_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		self->arg->head[0] = sizes[i];
		EXPECT_EQ(-E2BIG,
			  device_call(self->fd, variant->request, self->arg))
			TH_LOG("size %u", sizes[i]);
	}
}

TEST_F(each, refuses_every_unknown_flag)
{
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		if (variant->flags >> bit & 1)
			continue;
		self->arg->head[1] = 1U << bit;
		EXPECT_EQ(-EOPNOTSUPP,
			  device_call(self->fd, variant->request, self->arg))
			TH_LOG("flag %#x", 1U << bit);
	}
}

TEST_F(each, refuses_structs_that_are_not_accessible)
{
	char *end = (char *)self->arg + FRAME_BYTES;
	void *const at[] = {
		NULL, (void *)1, end, end - 2, end - 4,
		end + 1 - variant->first, (void *)(LONG_MAX & ~0xfffUL),
		(void *)-4096L,
	};
	unsigned int i;

	memcpy(&self->was, self->arg, variant->first);
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		/* As much as is accessible is right. */
		if (at[i] > (void *)self->arg && at[i] < (void *)end)
			memcpy(at[i], &self->was, end - (char *)at[i]);
		EXPECT_EQ(-EFAULT,
			  device_call(self->fd, variant->request, at[i]))
			TH_LOG("address %p", at[i]);
	}
}

TEST_F(each, accepts_any_alignment)
{
	char *at = (char *)self->arg + 3;

	memmove(at, self->arg, variant->first);
	EXPECT_EQ(0, device_call(self->fd, variant->request, at));
}

TEST_F(each, fits_exactly_before_a_hole)
{
	char *at = (char *)self->arg + FRAME_BYTES - variant->first;

	memmove(at, self->arg, variant->first);
	EXPECT_EQ(0, device_call(self->fd, variant->request, at));
}

TEST_F(each, works_on_a_read_only_struct_but_for_what_it_writes_back)
{
	const bool answers = variant->request != SCATTER_IOCTL_LEAVE &&
			     variant->request != SCATTER_IOCTL_REVOKE &&
			     variant->request != SCATTER_IOCTL_COLL;
	struct seen status;
	int result;

	ASSERT_EQ(0, mprotect(self->arg, FRAME_BYTES, PROT_READ));
	result = device_call(self->fd, variant->request, self->arg);
	/* LEAVE and REVOKE have nothing to say, and COLL says it elsewhere. */
	EXPECT_EQ(answers ? -EFAULT : 0, result);
	/* "A JOIN that ends with any other error has taken no rank." */
	if (variant->request == SCATTER_IOCTL_JOIN)
		EXPECT_EQ(-ENOTCONN, status_of(self->fd, &status));
	ASSERT_EQ(0, mprotect(self->arg, FRAME_BYTES, PROT_READ | PROT_WRITE));
}

/* Only @size and @flags can be written: it is not enough. */
TEST_F(each, is_not_run_if_it_cannot_be_written_back_whole)
{
	char *at = (char *)self->arg + 4096 - 8;
	struct seen status;

	if (variant->first <= 8 || variant->request == SCATTER_IOCTL_COLL)
		return;
	memcpy(at, self->arg, variant->first);
	ASSERT_EQ(0, mprotect((char *)self->arg + 4096, 4096, PROT_READ));
	EXPECT_EQ(-EFAULT, device_call(self->fd, variant->request, at));
	if (variant->request == SCATTER_IOCTL_JOIN)
		EXPECT_EQ(-ENOTCONN, status_of(self->fd, &status));
	ASSERT_EQ(0, mprotect((char *)self->arg + 4096, 4096,
			      PROT_READ | PROT_WRITE));
}

TEST_F(each, needs_a_file_that_has_joined_or_not)
{
	int fd = device_open(0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(variant->member ? -ENOTCONN : 0,
		  device_call(fd, variant->request, self->arg));
	close(fd);
}

TEST(unknown_numbers_are_not_ioctls)
{
	char arg[4096] = { 0 };
	int fd = device_open(0);
	unsigned int nr;

	ASSERT_LE(0, fd);
	for (nr = _IOC_NR(SCATTER_IOCTL_COUNTERS) + 1; nr < 256; nr++) {
		EXPECT_EQ(-ENOTTY,
			  device_call(fd, _IO(SCATTER_IOCTL_TYPE, nr), arg)) {
			TH_LOG("number %u", nr);
		}
	}
	EXPECT_EQ(-ENOTTY, device_call(fd, _IO(SCATTER_IOCTL_TYPE + 1, 0), arg));
	EXPECT_EQ(-ENOTTY, device_call(fd, _IO(0, 0), arg));
	/* The number carries neither size nor direction. */
	EXPECT_EQ(-ENOTTY, device_call(fd, _IOR(SCATTER_IOCTL_TYPE, 0,
						struct scatter_info), arg));
	EXPECT_EQ(-ENOTTY, device_call(fd, _IOWR(SCATTER_IOCTL_TYPE, 0,
						 struct scatter_info), arg));
	EXPECT_EQ(-ENOTTY, device_call(fd, _IOC(0, SCATTER_IOCTL_TYPE, 0, 8),
				       arg));
	EXPECT_EQ(-ENOTTY, device_call(fd, FIONREAD, arg));
	close(fd);
}

TEST(the_device_is_neither_read_nor_written_nor_mapped)
{
	int fd = device_open(0);
	char byte = 0;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, read(fd, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(fd, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, lseek(fd, 1, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(ENODEV, errno);
	close(fd);
}

TEST(info_is_consistent)
{
	struct scatter_info info;

	ASSERT_EQ(0, device_info(&info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(0U, info.flags);
	EXPECT_EQ((1ULL << (SCATTER_OP_AGREE + 1)) - 1, info.operations);
	EXPECT_EQ(7ULL, info.algorithms & 7);
	EXPECT_EQ(0ULL, info.features);
	EXPECT_EQ(MEMBERS_MAX, info.size_max);
	EXPECT_EQ(SCATTER_NAME_MAX, info.name_max);
	/* Long enough for anybody; a group's buffer still has a length. */
	EXPECT_LE(1ULL << 40, info.block_max);
	EXPECT_GE(~0ULL / 2 / info.size_max, info.block_max);
	EXPECT_LT(0U, info.ring_bytes_min);
	EXPECT_EQ(0U, info.ring_bytes_min & (info.ring_bytes_min - 1));
	EXPECT_EQ(0U, info.ring_bytes_max & (info.ring_bytes_max - 1));
	EXPECT_EQ(0U, info.ring_bytes & (info.ring_bytes - 1));
	EXPECT_LE(info.ring_bytes_min, info.ring_bytes);
	EXPECT_LE(info.ring_bytes, info.ring_bytes_max);
	EXPECT_LE(1U, info.eager_limit);
	EXPECT_LE(1000U, info.window);
	EXPECT_LE(info.eager_limit, info.gather_limit);
	EXPECT_LE(1ULL << 20, info.user_bytes);
}

TEST(out_fields_are_not_looked_at_and_written_whole)
{
	struct scatter_counters counters;
	struct scatter_status status;
	__u64 masks[3][MASK_WORDS];
	int i;
	struct scatter_info info;
	char name[SCATTER_NAME_MAX];
	int fd = device_open(0);

	ASSERT_LE(0, fd);
	memset(&info, 0xff, sizeof(info));
	info.size = sizeof(info);
	info.flags = 0;
	ASSERT_EQ(0, device_call(fd, SCATTER_IOCTL_INFO, &info));
	EXPECT_EQ(0ULL, info.features);
	EXPECT_EQ(0ULL, info.node);
	EXPECT_EQ(0ULL, info.cluster);

	name_make(name, "out");
	ASSERT_EQ(0, join(fd, name, 1, 0));
	memset(&status, 0xff, sizeof(status));
	status.size = sizeof(status);
	status.flags = 0;
	status.__reserved = 0;
	status.bits = MEMBERS_MAX;
	memset(masks, 0xff, sizeof(masks));
	status.dead = address(masks[0]);
	status.left = address(masks[1]);
	status.missing = address(masks[2]);
	ASSERT_EQ(0, device_call(fd, SCATTER_IOCTL_STATUS, &status));
	EXPECT_EQ(0U, status.error);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0U, mask_count(masks[i]));
	memset(&counters, 0xff, sizeof(counters));
	counters.size = sizeof(counters);
	counters.flags = 0;
	ASSERT_EQ(0, device_call(fd, SCATTER_IOCTL_COUNTERS, &counters));
	EXPECT_EQ(0ULL, counters.startups);
	EXPECT_EQ(0ULL, counters.spins);
	close(fd);
}

TEST(status_of_a_group_of_one_tells_all)
{
	struct scatter_coll coll = {
		.size = sizeof(coll), .op = SCATTER_OP_BARRIER,
	};
	struct scatter_results results;
	struct seen status;
	char name[SCATTER_NAME_MAX];
	struct scatter_info info;
	int fd = device_open(0);
	__u64 i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, device_info(&info));
	name_make(name, "one");
	ASSERT_EQ(0, join(fd, name, 1, SCATTER_RANK_ANY));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, status_of(fd, &status));
		EXPECT_EQ(i, status.next);
		results = new_results();
		ASSERT_EQ(0, coll_call(fd, &coll, &results));
		EXPECT_EQ(SCATTER_RANK_ANY, results.culprit);
		EXPECT_EQ(i, results.number);
	}
	EXPECT_EQ(SCATTER_STATE_ACTIVE, (int)status.state);
	EXPECT_EQ(0, status.rank);
	EXPECT_EQ(1U, status.members);
	EXPECT_EQ(1U, status.joined);
	EXPECT_EQ(0U, status.error);
	EXPECT_EQ(SCATTER_RANK_ANY, status.culprit);
	EXPECT_EQ(info.eager_limit, status.eager_limit);
	EXPECT_EQ(info.ring_bytes, status.ring_bytes);
	close(fd);
}

TEST_HARNESS_MAIN

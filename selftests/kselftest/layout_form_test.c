// SPDX-License-Identifier: GPL-2.0
/*
 * What a layout may not say, what becomes of memory that is not there, and layouts of
 * calls that are paused.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"
#include "shape.h"

#define PAGE	4096UL
#define BLOCK	60ULL

/* A group of one, which scatters from one buffer into the other. */
FIXTURE(alone)
{
	int fd;
	struct scatter_coll coll;
	struct scatter_layout *send;
	struct scatter_layout *recv;
	char *page;	/* its last bytes are these layouts; then comes a hole */
	struct scatter_iovec iov[SCATTER_IOV_MAX + 1];
	char from[4096];
	char to[4096];
};

FIXTURE_SETUP(alone)
{
	char name[SCATTER_NAME_MAX];
	unsigned int i;

	name_make(name, "form");
	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, join(self->fd, name, 1, 0));
	self->page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->page);
	ASSERT_EQ(0, munmap(self->page + PAGE, PAGE));
	self->recv = (void *)(self->page + PAGE - sizeof(*self->recv));
	self->send = (void *)self->page;
	*self->send = strided(BLOCK, 0, 1, BLOCK);
	*self->recv = strided(BLOCK, 0, 1, BLOCK);
	for (i = 0; i < sizeof(self->from); i++)
		self->from[i] = (char)(i * 7 + i / 256);
	memset(self->to, POISON, sizeof(self->to));
	self->coll = (struct scatter_coll){
		.size = sizeof(self->coll),
		.op = SCATTER_OP_SCATTER,
		.block = BLOCK,
		.sendbuf = address(self->from),
		.recvbuf = address(self->to),
		.send_layout = address(self->send),
		.recv_layout = address(self->recv),
	};
}

FIXTURE_TEARDOWN(alone)
{
	EXPECT_EQ(0, leave(self->fd));
	close(self->fd);
	munmap(self->page, PAGE);
}

/* Nothing was called, nothing was written. */
#define REFUSED(error) do {						\
	struct seen status;					\
									\
	EXPECT_EQ(error, coll_once(self->fd, &self->coll));		\
	ASSERT_EQ(0, status_of(self->fd, &status));			\
	EXPECT_EQ(0, status.next);					\
	EXPECT_TRUE(poison_holds(self->to, sizeof(self->to)));		\
} while (0)

#define ACCEPTED() EXPECT_EQ(0, coll_once(self->fd, &self->coll))

TEST_F(alone, the_good_ones_are_good)
{
	ACCEPTED();
	EXPECT_EQ(0, memcmp(self->from, self->to, BLOCK));
	EXPECT_TRUE(poison_holds(self->to + BLOCK, sizeof(self->to) - BLOCK));
}

TEST_F(alone, sizes)
{
	const __u32 small[] = { 0, 1, 8, 71 };
	struct scatter_layout *longer = self->send;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(small); i++) {
		self->recv->size = small[i];
		REFUSED(-EINVAL);
	}
	self->recv->size = PAGE + 1;
	REFUSED(-E2BIG);
	self->recv->size = sizeof(*self->recv) + 1;
	REFUSED(-EFAULT);
	self->recv->size = sizeof(*self->recv);
	longer->size = sizeof(*longer) + 8;
	self->page[sizeof(*longer) + 7] = 1;
	REFUSED(-E2BIG);
	self->page[sizeof(*longer) + 7] = 0;
	ACCEPTED();
	EXPECT_EQ(0, memcmp(self->from, self->to, BLOCK));
}

TEST_F(alone, flags_and_kinds)
{
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		self->recv->flags = 1U << bit;
		REFUSED(-EOPNOTSUPP);
	}
	self->recv->flags = 0;
	for (bit = 1; bit < 32; bit++) {
		self->send->kind = 1U << bit;
		REFUSED(-EOPNOTSUPP);
	}
}

TEST_F(alone, structs_that_are_not_there)
{
	self->coll.recv_layout = BOGUS_ADDRESS;
	REFUSED(-EFAULT);
	self->coll.recv_layout = UINT64_MAX;
	REFUSED(-EFAULT);
	self->coll.recv_layout = address(self->recv) + 8;
	self->recv->flags = sizeof(*self->recv);
	memmove((char *)self->recv + 8, self->send, sizeof(*self->recv) - 8);
	REFUSED(-EFAULT);
}

/* Fields of the other kind, and zeros. */
TEST_F(alone, fields_out_of_range)
{
	const struct scatter_layout good = *self->recv;

	self->recv->length = 0;
	REFUSED(-EINVAL);
	*self->recv = good;
	self->recv->count = 0;
	REFUSED(-EINVAL);
	*self->recv = good;
	self->recv->rows = 0;
	REFUSED(-EINVAL);
	*self->recv = good;
	self->recv->iov = address(self->iov);
	REFUSED(-EINVAL);
	*self->recv = good;
	self->recv->iov_count = 1;
	REFUSED(-EINVAL);
	/* Also if there are no bytes. */
	self->coll.block = 0;
	REFUSED(-EINVAL);
	*self->recv = good;
	ACCEPTED();
}

TEST_F(alone, lists_with_fields_of_strided_ones)
{
	const struct scatter_layout good = listed(self->iov, 1);
	unsigned int i;

	self->iov[0] = (struct scatter_iovec){ address(self->to), BLOCK };
	for (i = 0; i < 6; i++) {
		*self->recv = good;
		(&self->recv->length)[i] = 1;
		REFUSED(-EINVAL);
	}
	*self->recv = good;
	ACCEPTED();
	EXPECT_EQ(0, memcmp(self->from, self->to, BLOCK));
}

TEST_F(alone, elements_that_are_too_long)
{
	self->recv->length = 1ULL << 63;
	REFUSED(-EINVAL);
	*self->recv = strided(1ULL << 32, 1LL << 40, 1ULL << 31, 1);
	REFUSED(-EINVAL);
	*self->recv = strided(1ULL << 40, 1LL << 40, 1ULL << 40, 1);
	REFUSED(-EINVAL);
	*self->recv = strided(1, 1, UINT64_MAX, 1);
	REFUSED(-EINVAL);
	*self->recv = strided(1ULL << 22, 1, 1ULL << 21, 1);
	self->recv->rows = 1ULL << 21;
	REFUSED(-EINVAL);
}

TEST_F(alone, addresses_that_wrap)
{
	*self->send = strided(BLOCK, 0, 1, INT64_MIN);
	ACCEPTED();	/* there is but one element */
	memset(self->to, POISON, sizeof(self->to));
	self->coll.recvbuf = address(self->to);
	*self->send = strided(1, INT64_MAX, BLOCK, 1);
	EXPECT_EQ(-EINVAL, coll_once(self->fd, &self->coll));
	*self->send = strided(1, INT64_MIN, BLOCK, 1);
	EXPECT_EQ(-EINVAL, coll_once(self->fd, &self->coll));
	*self->send = strided(1, -(1LL << 58), 2, -(1LL << 62));
	EXPECT_EQ(-EINVAL, coll_once(self->fd, &self->coll));
	*self->send = strided(1, 1, 1, INT64_MAX);
	EXPECT_EQ(-EINVAL, coll_once(self->fd, &self->coll));
	*self->send = strided(1, 1, 2, 1);
	self->send->rows = 2;
	self->send->row_stride = INT64_MAX - 1;
	EXPECT_EQ(-EINVAL, coll_once(self->fd, &self->coll));
	*self->send = strided(2, 3, 4, 20);
	self->coll.sendbuf = 1ULL << 63;
	EXPECT_EQ(-EINVAL, coll_once(self->fd, &self->coll));
	self->coll.sendbuf = UINT64_MAX - 3;
	EXPECT_EQ(-EINVAL, coll_once(self->fd, &self->coll));
	EXPECT_TRUE(poison_holds(self->to, sizeof(self->to)));
}

TEST_F(alone, lists_that_are_wrong)
{
	*self->send = listed(self->iov, 2);
	self->iov[0] = (struct scatter_iovec){ address(self->from), 59 };
	REFUSED(-EINVAL);	/* a byte too short */
	self->iov[1] = (struct scatter_iovec){ address(self->from), INT64_MAX };
	REFUSED(-EINVAL);
	self->iov[1] = (struct scatter_iovec){ UINT64_MAX, 1 };
	REFUSED(-EINVAL);
	self->iov[1] = (struct scatter_iovec){ INT64_MAX, 1 };
	REFUSED(-EINVAL);
	/* Each is right, and together they are too long. */
	self->iov[0] = (struct scatter_iovec){ 4096, INT64_MAX - 4096 };
	self->iov[1] = (struct scatter_iovec){ 0, 4097 };
	REFUSED(-EINVAL);
	*self->send = listed(self->iov, SCATTER_IOV_MAX + 1);
	REFUSED(-EINVAL);
	*self->send = listed(self->iov, UINT32_MAX);
	REFUSED(-EINVAL);
	*self->send = listed((void *)BOGUS_ADDRESS, 1);
	REFUSED(-EFAULT);
	*self->send = listed((void *)(self->page + PAGE - 20), 2);
	REFUSED(-EFAULT);
	*self->send = listed(NULL, 0);
	REFUSED(-EINVAL);
	self->coll.block = 0;
	ACCEPTED();
}

TEST_F(alone, the_longest_list)
{
	unsigned int i;

	for (i = 0; i < SCATTER_IOV_MAX; i++)
		self->iov[i] = (struct scatter_iovec){
			address(self->from) + 4 * (SCATTER_IOV_MAX - 1 - i), 3,
		};
	*self->send = listed(self->iov, SCATTER_IOV_MAX);
	self->coll.recv_layout = 0;
	self->coll.block = 3 * SCATTER_IOV_MAX;
	ACCEPTED();
	for (i = 0; i < SCATTER_IOV_MAX; i++)
		ASSERT_EQ(0, memcmp(pointer(self->iov[i].base), self->to + 3 * i, 3));
}

/* Nothing is written twice ---------------------------------------------------- */

TEST_F(alone, bytes_that_would_be_written_twice)
{
	*self->recv = strided(10, 9, 6, 600);
	REFUSED(-EINVAL);
	*self->recv = strided(10, -9, 3, 600);
	self->coll.recvbuf = address(self->to) + 1000;
	REFUSED(-EINVAL);
	*self->recv = strided(10, 20, 2, 20);
	REFUSED(-EINVAL);
	*self->recv = strided(10, 20, 2, 0);
	REFUSED(-EINVAL);
	*self->recv = strided(1, 7, 20, 140);
	self->recv->rows = 3;
	self->recv->row_stride = 21;
	REFUSED(-EINVAL);
	*self->recv = listed(self->iov, 3);
	self->iov[0] = (struct scatter_iovec){ address(self->to), 20 };
	self->iov[1] = (struct scatter_iovec){ address(self->to) + 30, 20 };
	self->iov[2] = (struct scatter_iovec){ address(self->to) + 11, 20 };
	REFUSED(-EINVAL);
	self->iov[2].base = address(self->to) + 49;
	REFUSED(-EINVAL);
	self->iov[2].base = address(self->to) + 20;
	REFUSED(-EINVAL);
}

/* Twice in what is behind the end of the block is not twice. */
TEST_F(alone, bytes_that_would_be_written_once)
{
	*self->recv = listed(self->iov, 3);
	self->iov[0] = (struct scatter_iovec){ address(self->to), 20 };
	self->iov[1] = (struct scatter_iovec){ address(self->to) + 30, 40 };
	self->iov[2] = (struct scatter_iovec){ address(self->to), 20 };
	ACCEPTED();
	EXPECT_EQ(0, memcmp(self->from, self->to, 20));
	EXPECT_EQ(0, memcmp(self->from + 20, self->to + 30, 40));
	*self->recv = strided(30, 40, 3, 0);
	ACCEPTED();
	EXPECT_EQ(0, memcmp(self->from, self->to, 30));
	EXPECT_EQ(0, memcmp(self->from + 30, self->to + 40, 30));
	/* Levels interleave; no byte comes twice: 0, 30 and 20, 50, and 15 on. */
	*self->recv = strided(5, 30, 2, 15);
	self->recv->rows = 2;
	self->recv->row_stride = 20;
	self->coll.block = 40;
	memset(self->to, POISON, sizeof(self->to));
	ACCEPTED();
	EXPECT_EQ(0, memcmp(self->from + 5, self->to + 30, 5));
	EXPECT_EQ(0, memcmp(self->from + 25, self->to + 45, 5));
	EXPECT_EQ(0, memcmp(self->from + 30, self->to + 35, 5));
	EXPECT_TRUE(poison_holds(self->to + 5, 10));
	/* One more element: 30 again. */
	self->coll.block = 60;
	EXPECT_EQ(-EINVAL, coll_once(self->fd, &self->coll));
}

/* A displacement more is another element; what is in no block does not count. */
TEST_F(alone, gaps_between_blocks_may_be_written_twice)
{
	const __u64 count = 30;
	__u64 displ = 60;

	self->coll.op = SCATTER_OP_GATHERV;
	self->coll.counts = address(&count);
	self->coll.displs = address(&displ);
	self->coll.block = count;
	*self->recv = strided(30, 1, 1, 1);
	ACCEPTED();
	EXPECT_EQ(0, memcmp(self->from, self->to + 2, 30));
	displ = 61;
	EXPECT_EQ(-EINVAL, coll_once(self->fd, &self->coll));
	self->coll.op = SCATTER_OP_SCATTERV;
	self->coll.send_layout = address(self->recv);
	self->coll.recv_layout = 0;
	ACCEPTED();
	EXPECT_EQ(0, memcmp(self->from + 3, self->to, 29));
	EXPECT_EQ(self->from[3], self->to[29]);
}

/* Bytes that are only read may come any number of times. */
TEST_F(alone, bytes_that_are_sent_twice)
{
	unsigned int i;

	*self->send = strided(6, 0, 2, 0);
	ACCEPTED();
	for (i = 0; i < BLOCK; i += 6)
		EXPECT_EQ(0, memcmp(self->from, self->to + i, 6));
	*self->send = strided(10, 5, 3, -1);
	self->coll.sendbuf = address(self->from) + 1;
	ACCEPTED();
	EXPECT_EQ(0, memcmp(self->from + 6, self->to + 10, 10));
	EXPECT_EQ(0, memcmp(self->from + 5, self->to + 40, 10));
	*self->send = listed(self->iov, 2);
	self->iov[0] = (struct scatter_iovec){ address(self->from), 30 };
	self->iov[1] = (struct scatter_iovec){ address(self->from) + 3, 30 };
	ACCEPTED();
	EXPECT_EQ(0, memcmp(self->from + 3, self->to + 30, 30));
	EXPECT_TRUE(poison_holds(self->to + BLOCK, sizeof(self->to) - BLOCK));
}

TEST_F(alone, too_many_pieces_to_be_looked_at)
{
	const size_t bytes = 4UL << 20;
	char *big = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)big);
	self->coll.sendbuf = address(big);
	self->coll.recvbuf = address(big) + bytes;
	self->coll.send_layout = 0;
	/* The second piece of each element fits between those of the next two. */
	*self->recv = strided(5, 15, 2, 10);
	self->coll.block = 5 * SCATTER_LAYOUT_PIECES_MAX;
	ACCEPTED();
	self->coll.block++;
	EXPECT_EQ(-EINVAL, coll_once(self->fd, &self->coll));
	/* At a glance any number is. */
	*self->recv = strided(5, 10, 2, 20);
	ACCEPTED();
	munmap(big, 2 * bytes);
}

TEST_F(alone, an_operation_without_buffers_ignores_them)
{
	self->coll.op = SCATTER_OP_BARRIER;
	self->coll.block = 0;
	self->coll.send_layout = BOGUS_ADDRESS;
	self->coll.recv_layout = BOGUS_ADDRESS;
	ACCEPTED();
}

/* Memory that is not there, calls that pause ---------------------------------- */

#define SIZE	3
#define LARGE	100000ULL

FIXTURE(split)
{
	struct crew crew;
	struct call call;
};

FIXTURE_VARIANT(split)
{
	__u32 op;
	__u64 block;
};

FIXTURE_VARIANT_ADD(split, scatter_eager) {
	.op = SCATTER_OP_SCATTER, .block = 3000,
};

FIXTURE_VARIANT_ADD(split, scatter_large) {
	.op = SCATTER_OP_SCATTER, .block = LARGE,
};

FIXTURE_VARIANT_ADD(split, gather_eager) {
	.op = SCATTER_OP_GATHER, .block = 3000,
};

FIXTURE_VARIANT_ADD(split, gather_large) {
	.op = SCATTER_OP_GATHER, .block = LARGE,
};

FIXTURE_SETUP(split)
{
	self->call = (struct call){
		.op = variant->op,
		.block = variant->block,
		.seed = 4,
		.split = true,
		.timeout_ms = PATIENCE_MS,
	};
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	ASSERT_TRUE(crew_runs(&self->crew, &self->call));
}

FIXTURE_TEARDOWN(split)
{
	EXPECT_TRUE(crew_runs(&self->crew, &self->call));
	EXPECT_TRUE(crew_end(&self->crew));
}

/* A page near the end of a block, filled before. */
static bool lacks(struct crew *crew, unsigned int rank, char *area, __u64 at,
		  const struct call *call)
{
	union task_args args = { .call = crew_args(rank, call, CALL_CHECK) };
	char *page = area + ((GUARD_BYTES + at) & ~(PAGE - 1));

	if (worker_map(&crew->worker[rank], page, PAGE, 0, MAP_HOW_PROTECT))
		return false;
	worker_order(&crew->worker[rank], task_call, &args);
	return true;
}

static bool has_again(struct crew *crew, unsigned int rank, char *area)
{
	return !worker_map(&crew->worker[rank], area, 1UL << 20,
			   PROT_READ | PROT_WRITE, MAP_HOW_PROTECT);
}

TEST_F(split, a_source_that_is_not_there)
{
	struct crew *crew = &self->crew;
	const bool scatters = variant->op == SCATTER_OP_SCATTER;
	const unsigned int owner = scatters ? 0 : 1;
	/* In a scatter of the last rank's block, and of no other. */
	const __u64 at = scatters ? SIZE * variant->block - 200 : variant->block - 200;

	ASSERT_TRUE(lacks(crew, owner, send_area, at, &self->call));
	crew_start(crew, RANKS(0, SIZE - 1) & ~RANK(owner), &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(owner), EFAULT, SCATTER_RANK_ANY));
	EXPECT_TRUE(crew_fails(crew, RANK(scatters ? SIZE - 1 : 0), EREMOTEIO,
			       owner));
	ASSERT_TRUE(has_again(crew, owner, send_area));
	worker_finish(&crew->worker[scatters ? 1 : 2]);
}

TEST_F(split, a_target_that_is_not_there)
{
	struct crew *crew = &self->crew;
	const bool scatters = variant->op == SCATTER_OP_SCATTER;
	const unsigned int owner = scatters ? 1 : 0;
	const __u64 at = scatters ? variant->block - 200 : 2 * variant->block - 200;

	ASSERT_TRUE(lacks(crew, owner, recv_area, at, &self->call));
	crew_start(crew, RANKS(0, SIZE - 1) & ~RANK(owner), &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(owner), EFAULT, SCATTER_RANK_ANY));
	ASSERT_TRUE(has_again(crew, owner, recv_area));
	if (scatters) {
		EXPECT_TRUE(crew_succeeds(crew, RANK(0) | RANK(2)));
		return;
	}
	/* Their errno depends on whether they had given all. */
	worker_finish(&crew->worker[1]);
	worker_finish(&crew->worker[2]);
}

/*
 * A gather's root or a scatter's leaf with a layout in a page of its own, so that this
 * can go. words: 0: operation; 1: not 0: the page goes; 2: added to the layout's address;
 * 3: block.
 */
static __s64 task_paused(struct self *self, union task_args *args)
{
	char *page = recv_area + (64UL << 20);
	struct scatter_layout *layout = (void *)page;
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = args->word[0],
		.block = args->word[3],
		.root = args->word[0] == SCATTER_OP_GATHER ? self->rank : 0,
		.sendbuf = address(SEND_BUFFER),
		.recvbuf = address(RECV_BUFFER),
		.recv_layout = address(page) + args->word[2],
	};
	const __u64 bytes = coll.op == SCATTER_OP_GATHER ?
			    coll.block * self->members : coll.block;
	__s64 error;
	__u64 i;

	memset(SEND_BUFFER, 'x', coll.block);
	if (args->word[1])
		munmap(page, PAGE);
	else
		*layout = strided(4, 8, bytes / 4, (__s64)bytes * 2);
	error = self_coll(self, &coll);
	for (i = 0; !error && i < bytes; i++)
		if (RECV_BUFFER[i / 4 * 8 + i % 4] != 'x')
			return -EBADMSG;
	return error;
}

static __s64 task_give(struct self *self, union task_args *args)
{
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = args->word[0],
		.block = args->word[3],
		.root = args->word[0] == SCATTER_OP_GATHER ? 1 : 0,
		.sendbuf = address(SEND_BUFFER),
		.recvbuf = address(RECV_BUFFER),
	};

	memset(SEND_BUFFER, 'x', self->members * coll.block);
	return self_coll(self, &coll);
}

TEST_F(split, a_call_that_resumes_does_not_read_it_again)
{
	struct crew *crew = &self->crew;
	struct worker *worker = &crew->worker[1];
	union task_args args = { .word = { variant->op, 0, 0, variant->block } };

	worker_order(worker, task_paused, &args);
	ASSERT_TRUE(crew_sleeps(crew, RANK(1)));
	worker_signal(worker, SIGUSR1);
	ASSERT_EQ(-EINTR, worker_finish(worker));
	args.word[2] = 8;
	ASSERT_EQ(-EBUSY, worker_do(worker, task_paused, &args));
	args.word[2] = 0;
	args.word[1] = 1;
	worker_order(worker, task_paused, &args);
	ASSERT_TRUE(crew_sleeps(crew, RANK(1)));
	worker_order(&crew->worker[0], task_give, &args);
	worker_order(&crew->worker[2], task_give, &args);
	EXPECT_EQ(0, worker_finish(worker));
	EXPECT_EQ(0, worker_finish(&crew->worker[0]));
	EXPECT_EQ(0, worker_finish(&crew->worker[2]));
}

TEST_HARNESS_MAIN

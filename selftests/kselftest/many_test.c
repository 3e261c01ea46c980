// SPDX-License-Identifier: GPL-2.0
/*
 * A root with many receivers, all in one process: what may happen between two of its sends.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <scatter.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "common.h"
#include "harness.h"

#define MANY	128

/* All members are this process's, and none but the root calls before the root has returned. */
FIXTURE(many)
{
	struct scatter_group *group[MANY];
	__u64 block[MANY];
	__u32 algorithm;
	pthread_t pest;
	pthread_t root;
	atomic_bool over;
	bool died;		/* the root */
};

/* The root sends to each itself, or into each of seven trees. */
FIXTURE_VARIANT(many)
{
	__u32 algorithm;
	size_t bytes;		/* that the root does not wait for */
};

FIXTURE_VARIANT_ADD(many, linear) {
	.algorithm = SCATTER_ALGORITHM_LINEAR, .bytes = sizeof(__u64),
};

/* Payload would stay with the root until it is fetched. */
FIXTURE_VARIANT_ADD(many, rotated) { .algorithm = SCATTER_ALGORITHM_ROTATED };

static void ignore(int number)
{
	(void)number;
}

FIXTURE_SETUP(many)
{
	const struct sigaction action = { .sa_handler = ignore };
	struct scatter_join_opts opts = { .size = MANY, .nonblock = 1 };
	char name[SCATTER_NAME_MAX];
	unsigned int r;

	name_make(name, "many");
	for (r = 0; r < MANY; r++) {
		opts.rank = (int)r;
		ASSERT_EQ(0, scatter_join(&self->group[r], name, &opts));
		self->block[r] = r + 1;
	}
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	self->root = pthread_self();
	self->algorithm = variant->algorithm;
}

FIXTURE_TEARDOWN(many)
{
	unsigned int r;

	for (r = 0; r < MANY; r++) {
		int error = scatter_leave(self->group[r]);

		EXPECT_EQ(!r && self->died ? -ENOTTY : 0, error);
	}
}

/* One signal after the other, until the root has had enough. */
static void *pester(void *data)
{
	FIXTURE_DATA(many) *self = data;

	while (!atomic_load(&self->over)) {
		pthread_kill(self->root, SIGUSR1);
		sched_yield();
	}
	return NULL;
}

static int scatter_bytes(const FIXTURE_DATA(many) *self, unsigned int rank, __u64 *to,
			 size_t bytes)
{
	struct scatter_opts opts = {
		.schedule.algorithm = self->algorithm,
		.timeout_ns = paced_ms(PATIENCE_MS) * (long long)NSEC_PER_MSEC,
	};

	return scatter_scatter_opts(self->group[rank], rank ? NULL : self->block, to, bytes,
				    0, &opts);
}

/*
 * The root waits for nobody: a call that a signal ends has been paused between two sends, or
 * between two trees.
 */
TEST_F(many, a_signal_pauses_a_root_between_two_sends)
{
	const __u64 end = after_ms(PATIENCE_MS);
	unsigned int pauses = 0, r;
	__u64 got = 0;
	int error;

	ASSERT_EQ(0, pthread_create(&self->pest, NULL, pester, self));
	do {
		error = scatter_bytes(self, 0, &got, variant->bytes);
		if (error == -EINTR) {
			pauses++;
			continue;
		}
		EXPECT_EQ(0, error);
		EXPECT_EQ(variant->bytes ? 1ULL : 0ULL, got);
		if (pauses || error)
			break;
		for (r = 1; r < MANY; r++)
			while (scatter_bytes(self, r, &got, variant->bytes) == -EINTR)
				;
		got = 0;
	} while (now_ns() < end);
	atomic_store(&self->over, true);
	pthread_join(self->pest, NULL);
	EXPECT_LT(0U, pauses);
	ASSERT_EQ(0, error);
	for (r = 1; r < MANY; r++) {
		got = 0;
		EXPECT_EQ(0, scatter_bytes(self, r, &got, variant->bytes));
		EXPECT_EQ(variant->bytes ? r + 1ULL : 0ULL, got);
	}
}

/* Returns -errno of the last receiver, of nothing. */
static void *last_receiver(void *data)
{
	FIXTURE_DATA(many) *self = data;
	sigset_t all;
	__u64 got;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	return (void *)(long)scatter_bytes(self, MANY - 1, &got, 0);
}

/* Nothing of the root's memory is wanted any more, but the last ones have not been told. */
TEST_F(many, a_root_that_dies_between_two_sends_of_nothing_is_missed)
{
	const __u64 end = after_ms(PATIENCE_MS);
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC), error;
	pthread_t last;
	void *result;
	__u64 got;

	ASSERT_EQ(0, pthread_create(&self->pest, NULL, pester, self));
	do {
		ASSERT_EQ(0, pthread_create(&last, NULL, last_receiver, self));
		error = scatter_bytes(self, 0, &got, 0);
		if (error == -EINTR)
			break;
		ASSERT_EQ(0, error);
		ASSERT_EQ(0, pthread_join(last, &result));
		ASSERT_EQ(0, (long)result);
	} while (now_ns() < end);
	atomic_store(&self->over, true);
	pthread_join(self->pest, NULL);
	ASSERT_EQ(-EINTR, error);
	/* Its file is closed, without LEAVE. */
	ASSERT_LE(0, dup2(nowhere, scatter_fd(self->group[0])));
	self->died = true;
	ASSERT_EQ(0, pthread_join(last, &result));
	EXPECT_EQ(-ECONNRESET, (long)result);
	close(nowhere);
}

TEST_HARNESS_MAIN

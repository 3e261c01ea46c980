// SPDX-License-Identifier: GPL-2.0
/*
 * Shared memory, futexes in it, and the barrier made of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "board.h"

/* How often somebody who sleeps looks whether there is still a benchmark. */
#define ORPHAN_NS	(10 * NSEC_PER_SEC)

int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static struct board *board_map(int fd)
{
	struct board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
				   MAP_SHARED, fd, 0);

	return board == MAP_FAILED ? NULL : board;
}

/* NULL and errno if that fails. The name is the caller's to shm_unlink(). */
struct board *board_create(const char *name)
{
	int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct board *board = NULL;

	if (fd < 0)
		return NULL;
	if (!ftruncate(fd, sizeof(*board)))
		board = board_map(fd);
	close(fd);
	if (board)
		board->owner = getpid();
	return board;
}

struct board *board_open(const char *name)
{
	int fd = shm_open(name, O_RDWR | O_CLOEXEC, 0);
	struct board *board;

	if (fd < 0)
		return NULL;
	board = board_map(fd);
	close(fd);
	return board;
}

uint32_t word_read(const struct word *word)
{
	return __atomic_load_n(&word->value, __ATOMIC_SEQ_CST);
}

void word_write(struct word *word, uint32_t value)
{
	__atomic_store_n(&word->value, value, __ATOMIC_SEQ_CST);
}

/* Returns the new value. */
uint32_t word_add(struct word *word, uint32_t more)
{
	return __atomic_add_fetch(&word->value, more, __ATOMIC_SEQ_CST);
}

/* Sleep if the word has the @old value; false if nothing woke us in time. */
bool word_wait(struct word *word, uint32_t old, int64_t timeout_ns)
{
	const struct timespec timeout = {
		.tv_sec = timeout_ns / NSEC_PER_SEC,
		.tv_nsec = timeout_ns % NSEC_PER_SEC,
	};
	long error;

	__atomic_add_fetch(&word->sleepers, 1, __ATOMIC_SEQ_CST);
	error = syscall(SYS_futex, &word->value, FUTEX_WAIT, old, &timeout,
			NULL, 0);
	if (error)
		error = errno;
	__atomic_sub_fetch(&word->sleepers, 1, __ATOMIC_SEQ_CST);
	return error != ETIMEDOUT;
}

/* A rank that is about to sleep has counted itself, and will see the new value. */
void word_wake(struct word *word)
{
	if (__atomic_load_n(&word->sleepers, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &word->value, FUTEX_WAKE, INT_MAX, NULL,
			NULL, 0);
}

/* Sleep until the word changes. */
void await_change(const struct board *board, struct word *word, uint32_t old)
{
	while (word_read(word) == old)
		if (!word_wait(word, old, ORPHAN_NS) &&
		    kill(board->owner, 0) && errno == ESRCH)
			_exit(1);
}

/* All ranks are awake by then, so that none gains from having come last. */
static void await_start(const struct seats *seats)
{
	while (seats->wake_ns &&
	       now_ns() < __atomic_load_n(&seats->barrier.start, __ATOMIC_SEQ_CST))
		sched_yield();
}

/*
 * The last rank to come wakes the others. The others have spun before they slept, but
 * never in the way of a rank that has yet to come: even where every rank could have a
 * CPU, two may be on the same one.
 */
void barrier_wait(const struct board *board, struct seats *seats)
{
	struct barrier *barrier = &seats->barrier;
	uint32_t generation = word_read(&barrier->generation);
	int64_t until;

	if (word_add(&barrier->arrived, 1) == seats->ranks) {
		word_write(&barrier->arrived, 0);
		__atomic_store_n(&barrier->start, now_ns() + seats->wake_ns,
				 __ATOMIC_SEQ_CST);
		word_add(&barrier->generation, 1);
		word_wake(&barrier->generation);
		await_start(seats);
		return;
	}
	until = now_ns() + seats->spin_ns;
	while (word_read(&barrier->generation) == generation) {
		if (now_ns() < until)
			sched_yield();
		else
			await_change(board, &barrier->generation, generation);
	}
	await_start(seats);
}

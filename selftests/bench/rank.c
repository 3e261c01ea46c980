// SPDX-License-Identifier: GPL-2.0
/*
 * One rank of one contender: takes turns as the board says.
 *
 *	PROGRAM BOARD CONTENDER [ARGUMENT]...
 *
 * While others are measured it sleeps in a futex, whatever its library would
 * like to do.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "board.h"
#include "contender.h"

/*
 * Copies between buffers that both begin at a multiple of 2 MiB are ten times
 * slower under emulation: these begin some pages after one, and not the same
 * number.
 */
#define ALIGNMENT	(2UL << 20)
#define SEND_OFFSET	(3UL << 12)
#define RECV_OFFSET	(9UL << 12)

/**
 * struct rank - this process
 * @board: shared with all
 * @seats: shared with the ranks of this contender
 * @slot: this rank's
 * @call: how operations are called; block changes by turn
 * @bytes: of each buffer
 * @turns: the last one seen
 * @seed: of the pattern in the buffers
 * @used: at the end of the last turn
 */
struct rank {
	struct board *board;
	struct seats *seats;
	struct slot *slot;
	struct call call;
	size_t bytes;
	uint32_t turns;
	unsigned int seed;
	struct usage used;
};

/* The first rank that finds a mistake names it; then the benchmark ends all ranks. */
static void __attribute__((noreturn)) fail(struct rank *me, const char *what,
					   int error)
{
	struct seats *seats = me->seats;

	if (word_add(&seats->failing, 1) == 1) {
		snprintf(seats->error, sizeof(seats->error), "rank %u: %s: %s",
			 me->call.rank, what, strerror(-error));
		word_add(&seats->failed, 1);
	}
	word_add(&seats->ready, 1);
	word_wake(&seats->ready);
	word_add(&seats->done, 1);
	word_wake(&seats->done);
	await_change(me->board, &seats->turns, me->turns);
	_exit(1);
}

static struct usage usage_now(void)
{
	struct rusage rusage;
	struct usage usage;

	getrusage(RUSAGE_SELF, &rusage);
	usage.cpu_ns = (rusage.ru_utime.tv_sec + rusage.ru_stime.tv_sec) *
		       NSEC_PER_SEC +
		       (rusage.ru_utime.tv_usec + rusage.ru_stime.tv_usec) *
		       NSEC_PER_USEC;
	usage.switches = rusage.ru_nvcsw + rusage.ru_nivcsw;
	return usage;
}

static struct usage usage_between(const struct usage *from,
				  const struct usage *to)
{
	const struct usage usage = {
		.cpu_ns = to->cpu_ns - from->cpu_ns,
		.switches = to->switches - from->switches,
	};

	return usage;
}

/* Buffers ------------------------------------------------------------------ */

static char *buffer_make(struct rank *me, size_t offset)
{
	const size_t bytes = me->bytes + offset + ALIGNMENT;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		fail(me, "memory", -errno);
	if (me->board->pages == PAGES_4K)
		madvise(memory, bytes, MADV_NOHUGEPAGE);
	if (me->board->pages == PAGES_HUGE &&
	    madvise(memory, bytes, MADV_HUGEPAGE))
		fail(me, "huge pages", -errno);
	memory += ALIGNMENT - (uintptr_t)memory % ALIGNMENT;
	return memory + offset;
}

/* A byte of the whole of all blocks. */
static char pattern(unsigned int seed, size_t position)
{
	return (char)(seed + position * 7 + (position >> 8) * 13 +
		      (position >> 16) * 31);
}

static void area_fill(char *buffer, const struct area *area, unsigned int seed)
{
	size_t i;

	for (i = 0; i < area->bytes; i++)
		buffer[area->from + i] = pattern(seed, area->position + i);
}

static bool area_is_right(const char *buffer, const struct area *area,
			  unsigned int seed)
{
	size_t i;

	for (i = 0; i < area->bytes; i++)
		if (buffer[area->from + i] != pattern(seed, area->position + i))
			return false;
	return true;
}

/* This rank's part of the bytes of all ranks, or of one block. */
static struct area area_of(const struct call *call, bool all)
{
	struct area area = { .bytes = call->block };

	if (!all)
		area.position = call->rank * call->block;
	else if (!call->rank)
		area.bytes = call->members * call->block;
	else
		area.bytes = 0;
	return area;
}

static bool op_scatters(enum op op)
{
	return op == SCATTER || op == BARRIER_SCATTER;
}

/* The root of a pair has all on both sides, the others have their own block. */
static struct area sent(const struct rank *me)
{
	const enum op op = me->seats->turn.op;

	if (contender.share)
		return contender.share(&me->call);
	return area_of(&me->call, op == PAIR ? !me->call.rank : op_scatters(op));
}

static struct area received(const struct rank *me)
{
	const enum op op = me->seats->turn.op;

	if (contender.share)
		return contender.share(&me->call);
	return area_of(&me->call, op == PAIR ? !me->call.rank : !op_scatters(op));
}

static void buffers_fill(struct rank *me)
{
	const struct area send = sent(me), recv = received(me);

	area_fill(me->call.send, &send, ++me->seed);
	area_fill(me->call.recv, &recv, me->seed + 1);
}

static void buffers_check(struct rank *me)
{
	const struct area recv = received(me);

	if (!area_is_right(me->call.recv, &recv, me->seed))
		fail(me, "received wrong data", -EBADMSG);
}

/* Pages that the kernel has not seen before; those to be sent have data. */
static void buffers_renew(struct rank *me)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t bytes = me->bytes / page * page;
	const struct area send = sent(me);

	if (bytes && (madvise(me->call.send, bytes, MADV_DONTNEED) ||
		      madvise(me->call.recv, bytes, MADV_DONTNEED)))
		fail(me, "new pages", -errno);
	memset(me->call.send + send.from, 1, send.bytes);
}

/* Turns -------------------------------------------------------------------- */

static void sample_prepare(struct rank *me)
{
	if (me->seats->turn.verify)
		buffers_fill(me);
	else if (me->board->renew)
		buffers_renew(me);
}

static void be_late(const struct rank *me)
{
	const int64_t late_ns = me->seats->turn.late_ns;
	const struct timespec late = {
		.tv_sec = late_ns / NSEC_PER_SEC,
		.tv_nsec = late_ns % NSEC_PER_SEC,
	};

	if (late_ns && !me->call.rank)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &late, NULL);
}

/* The calls before the timed call. */
static int meet(struct rank *me)
{
	const enum op op = me->seats->turn.op;
	int error = 0;

	if (op == SCATTER || op == GATHER || (op != PAIR && !contender.barrier))
		barrier_wait(me->board, me->seats);
	else if (op != PAIR)
		error = contender.barrier();
	be_late(me);
	return error;
}

static int op_run(const struct rank *me)
{
	const enum op op = me->seats->turn.op;
	int error = 0;

	if (op == PAIR || op_scatters(op))
		error = contender.scatter(&me->call);
	if (!error && (op == PAIR || !op_scatters(op)))
		error = contender.gather(&me->call);
	return error;
}

static struct stamps sample_take(struct rank *me)
{
	struct stamps stamps;
	int error;

	sample_prepare(me);
	error = meet(me);
	stamps.start = now_ns();
	if (!error)
		error = op_run(me);
	stamps.end = now_ns();
	if (error)
		fail(me, "operation", error);
	if (me->seats->turn.verify)
		buffers_check(me);
	return stamps;
}

/* The kernel's counters are those of a node. */
static bool counts(const struct rank *me)
{
	return contender.count && (!me->call.rank || me->board->nodes);
}

static void count(struct rank *me, struct scatter_counters *counters)
{
	int error;

	memset(counters, 0, sizeof(*counters));
	if (!counts(me))
		return;
	error = contender.count(counters);
	if (error)
		fail(me, "counters", error);
}

static void counters_note(struct rank *me, const struct scatter_counters *from)
{
	struct scatter_counters to;

	count(me, &to);
	to.startups -= from->startups;
	to.edge_bytes -= from->edge_bytes;
	to.bytes_copied -= from->bytes_copied;
	to.pins -= from->pins;
	to.wakeups -= from->wakeups;
	to.sleeps -= from->sleeps;
	to.spins -= from->spins;
	me->slot->counted = to;
}

/* The first sample does not count: all have just been woken. */
static void turn_take(struct rank *me)
{
	const struct turn *turn = &me->seats->turn;
	struct usage before = usage_now(), after;
	struct scatter_counters counters;
	uint32_t i;

	me->slot->idle = usage_between(&me->used, &before);
	me->call.block = turn->block;
	count(me, &counters);
	sample_take(me);
	for (i = 0; i < turn->samples; i++)
		me->slot->stamps[i] = sample_take(me);
	barrier_wait(me->board, me->seats);
	counters_note(me, &counters);
	after = usage_now();
	me->slot->turn = usage_between(&before, &after);
	me->used = after;
	if (word_add(&me->seats->done, 1) == me->seats->ranks)
		word_wake(&me->seats->done);
}

static void turns_take(struct rank *me)
{
	me->used = usage_now();
	if (word_add(&me->seats->ready, 1) == me->seats->ranks)
		word_wake(&me->seats->ready);
	for (;;) {
		await_change(me->board, &me->seats->turns, me->turns);
		me->turns = word_read(&me->seats->turns);
		if (me->turns == TURN_QUIT)
			return;
		turn_take(me);
	}
}

/* What a launcher or a library has chosen for its processes is not compared. */
static void cpus_choose(struct rank *me)
{
	const uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;
	uint32_t cpu;

	CPU_ZERO(&set);
	for (cpu = 0; cpu < cpus; cpu++)
		if (!me->board->pin || cpu == me->call.rank % cpus)
			CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail(me, "CPUs", -errno);
}

static void join(struct rank *me, int argc, char **argv)
{
	uint32_t rank = 0, ranks = 0;
	int error = contender.start(argc, argv, &rank, &ranks);

	me->call.rank = rank;
	if (error)
		fail(me, "start", error);
	if (ranks != me->seats->ranks || rank >= ranks)
		fail(me, "start: number of ranks", -EINVAL);
	me->slot = &me->seats->slot[rank];
	me->slot->pid = getpid();
	me->call.ranks = ranks;
	me->call.members = me->board->members;
	me->bytes = me->board->bytes * me->board->members;
	cpus_choose(me);
	me->call.send = buffer_make(me, SEND_OFFSET);
	me->call.recv = buffer_make(me, RECV_OFFSET);
}

int main(int argc, char **argv)
{
	struct rank me = { .turns = 0 };
	unsigned long number;

	if (argc < 3) {
		fprintf(stderr, "usage: %s BOARD CONTENDER [ARGUMENT]...\n",
			argv[0]);
		return 2;
	}
	me.board = board_open(argv[1]);
	number = strtoul(argv[2], NULL, 10);
	if (!me.board || number >= CONTENDERS) {
		fprintf(stderr, "%s: no board %s\n", argv[0], argv[1]);
		return 1;
	}
	me.seats = &me.board->seats[number];
	join(&me, argc - 3, argv + 3);
	turns_take(&me);
	contender.stop();
	return 0;
}

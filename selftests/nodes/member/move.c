// SPDX-License-Identifier: GPL-2.0
/*
 * The command "move" of a member: scatters and gathers, in which every byte is checked. Its words
 * are in member.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "goods.h"
#include "inject.h"
#include "move.h"

/* In place of an operation, a root: each call has another one. */
#define ANY		(-1)
/* For what a call does not use. */
#define BOGUS		((void *)0x10)

static const char *const op_names[] = {
	[SCATTER_OP_SCATTER] = "scatter",
	[SCATTER_OP_GATHER] = "gather",
	[SCATTER_OP_SCATTERV] = "scatterv",
	[SCATTER_OP_GATHERV] = "gatherv",
};

static const char *const algorithm_names[] = {
	"auto", "linear", "hypercube", "mesh", "torus", "knomial", "rotated", "balanced",
	"irregular", "or-broadcast",
};

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* A command, of which calls are left to do. */
struct order {
	char name[16];
	int op;
	int root;		/* a group rank */
	uint64_t bytes;
	unsigned long long left;
	uint64_t seed;
	int filled;		/* a block, or ANY */
	unsigned int nth;	/* which allocation or copy of the next call fails; 0: none */
	bool failed;		/* one has */
	bool in_place;
	bool layout;
	bool fault;
	bool vary;
	bool quiet;
	bool clock;
	bool anyhow;
	struct scatter_opts opts;
};

/* A call, which may be paused. */
struct call {
	struct goods goods;
	int root;		/* a group rank */
	int named;		/* the root as the kernel wants it from this member */
	int rank;		/* a group rank */
	bool paused;
};

static struct order order;
static struct call call;
/* Of this process, in this group. All members make the same calls. */
static uint64_t calls;

static int find(const char *word, const char *const *names, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (names[i] && !strcmp(word, names[i]))
			return i;
	return ANY;
}

/**
 * schedule_read() - read an algorithm and its parameters
 * @schedule: (out) as the kernel wants it
 * @text: NAME[:ports=K][:AxBxC]; it is cut into pieces
 *
 * Return: whether the text is one.
 */
bool schedule_read(struct scatter_schedule *schedule, char *text)
{
	char *word = strsep(&text, ":");
	int algorithm = find(word, algorithm_names, COUNT(algorithm_names));

	*schedule = (struct scatter_schedule){ .algorithm = algorithm };
	while (algorithm != ANY && (word = strsep(&text, ":"))) {
		if (!strncmp(word, "ports=", 6)) {
			schedule->ports = strtoul(word + 6, NULL, 10);
			continue;
		}
		while (*word && schedule->dims < SCATTER_DIMS_MAX) {
			schedule->extent[schedule->dims++] = strtoul(word, &word, 10);
			word += *word == 'x';
		}
	}
	return algorithm != ANY;
}

static bool read_option(char *word)
{
	char *value = strchr(word, '=');

	if (value)
		*value++ = 0;
	if (!strcmp(word, "in_place"))
		order.in_place = true;
	else if (!strcmp(word, "layout"))
		order.layout = true;
	else if (!strcmp(word, "fault"))
		order.fault = true;
	else if (!strcmp(word, "vary"))
		order.vary = true;
	else if (!strcmp(word, "uniform"))
		order.opts.flags |= SCATTER_COLL_UNIFORM;
	else if (!strcmp(word, "deadline_all"))
		order.opts.flags |= SCATTER_COLL_DEADLINE_ALL;
	else if (!strcmp(word, "at_most"))
		order.opts.flags |= SCATTER_COLL_AT_MOST;
	else if (!strcmp(word, "quiet"))
		order.quiet = true;
	else if (!strcmp(word, "clock"))
		order.clock = true;
	else if (!strcmp(word, "anyhow"))
		order.anyhow = true;
	else if (value && !strcmp(word, "n"))
		order.left = strtoull(value, NULL, 10);
	else if (value && !strcmp(word, "ms"))
		order.opts.timeout_ns = strtoll(value, NULL, 10) * 1000000;
	else if (value && !strcmp(word, "seed"))
		order.seed = strtoull(value, NULL, 10);
	else if (value && !strcmp(word, "filled"))
		order.filled = atoi(value);
	else if (value && !strcmp(word, "nth"))
		order.nth = strtoul(value, NULL, 10);
	else
		return value && !strcmp(word, "schedule") &&
		       schedule_read(&order.opts.schedule, value);
	return true;
}

static bool read_order(char *(*next_word)(void))
{
	const char *op = next_word(), *root = next_word(), *bytes = next_word();
	char *word;

	if (!bytes)
		return false;
	order = (struct order){ .left = 1, .bytes = strtoull(bytes, NULL, 10), .filled = ANY };
	snprintf(order.name, sizeof(order.name), "%s", op);
	order.op = find(op, op_names, COUNT(op_names));
	order.root = strcmp(root, "any") ? atoi(root) : ANY;
	if (order.op == ANY && strcmp(op, "any"))
		return false;
	while ((word = next_word()))
		if (!read_option(word))
			return false;
	return true;
}

/* Small ones as often as large ones, 0 and the most too. */
static uint64_t varied(uint64_t most, uint64_t number)
{
	uint64_t chance = goods_mix(number ^ 0x5a5a), shift = 0;

	while (most >> shift)
		shift++;
	most >>= chance % (shift + 1);
	return (chance >> 8) % 8 ? (chance >> 16) % (most + 1) : most;
}

/* What the member is in this call, by its own rank and the root's. */
static void take_part(const struct scatter_status *status)
{
	const int near = status->sides[0];
	const bool sided = near > 0, far_root = sided && call.root >= near;
	struct goods *goods = &call.goods;

	call.rank = status->rank + (sided && status->side ? near : 0);
	goods->root = call.rank == call.root;
	goods->blocks = status->members;
	goods->own = call.rank;
	call.named = call.root;
	if (!sided)
		return;
	goods->blocks = status->sides[!far_root];
	goods->first = far_root ? 0 : near;
	goods->own = status->side == far_root ? -1 : status->rank;
	goods->in_place = false;
	call.named = call.root - (far_root ? near : 0);
	if (status->side == far_root)
		call.named = (int)(goods->root ? SCATTER_ROOT : SCATTER_PROC_NULL);
}

/* Makes the next call, ready to go. */
static bool prepare(const struct scatter_group *group)
{
	const uint64_t number = calls++ + (order.seed << 32), chance = goods_mix(number);
	struct scatter_status status;

	if (scatter_status(group, &status) || status.members > GOODS_BLOCKS)
		return false;
	call.root = order.root == ANY ? (int)(chance % status.members) : order.root;
	call.goods = (struct goods){
		.op = order.op == ANY ? SCATTER_OP_SCATTER + chance / 1024 % 4 : (uint32_t)order.op,
		.number = number,
		.base = order.vary ? varied(order.bytes, number) : order.bytes,
		.empty = order.filled == ANY ? (int)((number % 3 * 2 + 1) % 3) :
					       (order.filled + 1) % 3,
		.in_place = order.in_place,
		.laid_out = order.layout,
		.faulty = order.fault,
	};
	take_part(&status);
	return goods_make(&call.goods);
}

static void *buffer(bool sends)
{
	struct goods *goods = &call.goods;

	if (goods_has_all(goods, sends) || goods_has_one(goods, sends))
		return sends ? goods->send.base : goods->recv.base;
	return goods->root && goods->in_place ? SCATTER_IN_PLACE : BOGUS;
}

static const struct scatter_layout *layout(bool sends)
{
	const struct shape *shape = sends ? &call.goods.send : &call.goods.recv;
	bool used = goods_has_all(&call.goods, sends) || goods_has_one(&call.goods, sends);

	return used && shape->kind != SHAPE_PLAIN ? &shape->layout : NULL;
}

static int invoke(struct scatter_group *group)
{
	const struct goods *goods = &call.goods;
	const uint64_t own = goods->own < 0 ? 0 : goods->counts[goods->own];
	const uint64_t *counts = goods->root ? goods->counts : BOGUS;
	const uint64_t *displs = goods->dense ? NULL : goods->root ? goods->displs : BOGUS;
	void *send = buffer(true), *recv = buffer(false);

	order.opts.culprit = SCATTER_RANK_ANY;
	order.opts.send_layout = layout(true);
	order.opts.recv_layout = layout(false);
	switch (goods->op) {
	case SCATTER_OP_SCATTER:
		return scatter_scatter_opts(group, send, recv, goods->base, call.named,
					    &order.opts);
	case SCATTER_OP_GATHER:
		return scatter_gather_opts(group, send, recv, goods->base, call.named,
					   &order.opts);
	case SCATTER_OP_SCATTERV:
		return scatter_scatterv_opts(group, send, counts, displs, recv, own, call.named,
					     &order.opts);
	default:
		return scatter_gatherv_opts(group, send, own, recv, counts, displs, call.named,
					    &order.opts);
	}
}

/* Makes the call. Sets "paused" if the member has to make it again: also if it lacked memory. */
static int attempt(struct scatter_group *group)
{
	struct scatter_status before, after;
	int error, fd;

	if (!order.nth) {
		error = invoke(group);
		call.paused = error == -EINTR || error == -ETIMEDOUT;
		return error;
	}
	if (scatter_status(group, &before))
		return -ENOTCONN;
	fd = inject_arm(order.nth);
	if (fd < 0)
		return fd;
	error = invoke(group);
	order.failed = inject_disarm(fd);
	order.nth = 0;
	call.paused = error && !scatter_status(group, &after) && after.next == before.next;
	return error;
}

/* Whether all is as it has to be after a call that has ended; says it if not. */
static bool verify(int error)
{
	const struct goods *goods = &call.goods;
	uint64_t arriving = error ? 0 : goods_arriving(goods);
	unsigned long long number = goods->number & 0xffffffff;
	struct flaw flaw;

	if (!goods_intact(goods, !error, &flaw))
		printf("%s WRONG call %llu %s root %d rank %d: %s byte %lld is %02x, not %02x\n",
		       order.name, number, op_names[goods->op], call.root, call.rank, flaw.what,
		       flaw.byte, flaw.got, flaw.expected);
	else if (order.opts.bytes != arriving)
		printf("%s WRONG call %llu %s root %d rank %d: received %llu bytes, not %llu\n",
		       order.name, number, op_names[goods->op], call.root, call.rank,
		       (unsigned long long)order.opts.bytes, (unsigned long long)arriving);
	else
		return true;
	return false;
}

/* @late_ms: by how much the call has taken longer than it may. */
static void answer(int error, long long late_ms)
{
	if (!error && order.quiet)
		return;
	printf("%s", order.name);
	if (error)
		printf(" %s %d", strerrorname_np(-error), order.opts.culprit);
	if (error && order.clock)
		printf(" late %lld", late_ms);
	if (error && order.quiet)
		printf(" of %s root %d bytes %llu %s", op_names[call.goods.op], call.root,
		       (unsigned long long)call.goods.base,
		       algorithm_names[order.opts.schedule.algorithm]);
	if (order.failed)
		printf(call.paused ? " failed, again" : " failed");
	printf("\n");
}

/* The calls that are left, until one does not succeed; with "anyhow", until one is paused. */
static void play(struct scatter_group *group)
{
	uint64_t began = 0;
	int error = 0;

	for (; !error && order.left; order.left -= !error) {
		if (!call.paused && !prepare(group)) {
			printf("%s WRONG: no status, or too much for this program\n", order.name);
			return;
		}
		began = now_ns();
		error = attempt(group);
		if (!call.paused && !verify(error))
			return;
		if (!call.paused && order.anyhow)
			error = 0;
	}
	answer(error, (long long)(now_ns() - began - order.opts.timeout_ns) / 1000000);
}

/**
 * move_begin() - do what the rest of a command says, and answer
 * @group: the membership
 * @next_word: the next word of the command, or NULL
 */
void move_begin(struct scatter_group *group, char *(*next_word)(void))
{
	if (call.paused)
		printf("move: a call is paused\n");
	else if (!read_order(next_word))
		printf("? move\n");
	else
		play(group);
}

/**
 * move_anew() - there is another group, of which all members begin with the same call
 */
void move_anew(void)
{
	calls = 0;
	call.paused = false;
}

/**
 * move_resume() - go on with the call that is paused, and those that are left
 * @group: the membership
 * @ms: how long each may take from now on, or NULL: as before
 */
void move_resume(struct scatter_group *group, const char *ms)
{
	if (ms)
		order.opts.timeout_ns = strtoll(ms, NULL, 10) * 1000000;
	if (call.paused)
		play(group);
	else
		printf("resume: no call is paused\n");
}

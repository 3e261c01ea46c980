// SPDX-License-Identifier: GPL-2.0
/*
 * Counters: what members did, and which objects exist.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/scatter.h>

#include "stats.h"

struct scatter_births {
	long created[SCATTER_OBJECT_NR];
	long destroyed[SCATTER_OBJECT_NR];
};

static DEFINE_PER_CPU(struct scatter_births, births);

static const char *const object_names[SCATTER_OBJECT_NR] = {
	[SCATTER_OBJECT_GROUP] = "group",
	[SCATTER_OBJECT_MEMBER] = "member",
	[SCATTER_OBJECT_OPERATION] = "operation",
	[SCATTER_OBJECT_RING] = "ring",
	[SCATTER_OBJECT_SLOT] = "slot",
	[SCATTER_OBJECT_PIN] = "pin",
	[SCATTER_OBJECT_USER] = "user",
	[SCATTER_OBJECT_MEETING] = "meeting",
	[SCATTER_OBJECT_HOME] = "home",
	[SCATTER_OBJECT_NODE] = "node",
	[SCATTER_OBJECT_PEER] = "peer",
};

/**
 * scatter_stats_created() - note that objects came to life
 * @kind: the kind of objects
 * @n: how many
 *
 * Context: any.
 */
void scatter_stats_created(enum scatter_object kind, long n)
{
	this_cpu_add(births.created[kind], n);
}

/**
 * scatter_stats_destroyed() - note that objects are gone
 * @kind: the kind of objects
 * @n: how many
 *
 * Context: any.
 */
void scatter_stats_destroyed(enum scatter_object kind, long n)
{
	this_cpu_add(births.destroyed[kind], n);
}

/**
 * scatter_stats_read() - how many objects of a kind came to life, and how many are gone
 * @kind: the kind of objects
 * @created: (out) how many there have been
 * @destroyed: (out) how many of them are gone
 *
 * Context: any. The CPUs are not read at one instant.
 * Return: the kind's name.
 */
const char *scatter_stats_read(enum scatter_object kind, u64 *created, u64 *destroyed)
{
	int cpu;

	*created = 0;
	*destroyed = 0;
	for_each_possible_cpu(cpu) {
		const struct scatter_births *some = per_cpu_ptr(&births, cpu);

		*destroyed += READ_ONCE(some->destroyed[kind]);
	}
	/* After the destroyed objects, so that each destroyed object counts as created, too. */
	smp_rmb();
	for_each_possible_cpu(cpu) {
		const struct scatter_births *some = per_cpu_ptr(&births, cpu);

		*created += READ_ONCE(some->created[kind]);
	}
	return object_names[kind];
}

/**
 * scatter_stats_report() - log one line per kind of object, at unload
 *
 * The test harness fails a run in which the two figures of a line differ.
 *
 * Context: process; nobody else uses the module any more.
 */
void scatter_stats_report(void)
{
	u64 created, destroyed;
	const char *name;
	int kind;

	for (kind = 0; kind < SCATTER_OBJECT_NR; kind++) {
		name = scatter_stats_read(kind, &created, &destroyed);
		pr_info("unload: %s created %llu destroyed %llu\n", name, created, destroyed);
	}
}

/**
 * scatter_stats_round() - remember the highest round that a header carried
 * @tally: as of scatter_stats_count()
 * @round: the header's round, 1 and up
 *
 * Context: any.
 */
void scatter_stats_round(struct scatter_tally *tally, u32 round)
{
	u64 *highest = &tally->value[SCATTER_COUNTER_ROUNDS];

	if (*highest < round)
		WRITE_ONCE(*highest, round);
}

/**
 * scatter_stats_add() - add one member's counters to a sum
 * @tally: the member's counters
 * @sum: (in, out) the sum; for rounds, the maximum. Wake-ups are not in the tally: others count a
 *	member's wake-ups, see struct scatter_member.
 *
 * Context: any. The counters are not read at one instant.
 */
void scatter_stats_add(const struct scatter_tally *tally,
		       struct scatter_counters *sum)
{
	static_assert(sizeof(*sum) - offsetof(struct scatter_counters, startups) ==
		      SCATTER_COUNTER_NR * sizeof(u64));
	u64 value[SCATTER_COUNTER_NR];
	int i;

	for (i = 0; i < SCATTER_COUNTER_NR; i++)
		value[i] = READ_ONCE(tally->value[i]);
	sum->startups += value[SCATTER_COUNTER_STARTUPS];
	sum->edge_bytes += value[SCATTER_COUNTER_EDGE_BYTES];
	sum->bytes_copied += value[SCATTER_COUNTER_BYTES_COPIED];
	sum->rounds = max_t(u64, sum->rounds, value[SCATTER_COUNTER_ROUNDS]);
	sum->pins += value[SCATTER_COUNTER_PINS];
	sum->sleeps += value[SCATTER_COUNTER_SLEEPS];
	sum->spins += value[SCATTER_COUNTER_SPINS];
}

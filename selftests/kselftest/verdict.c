// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "storm.h"

struct storm *storm;
unsigned int storm_number;

void storm_count(enum storm_count what)
{
	__atomic_add_fetch(&storm->count[what], 1, __ATOMIC_RELAXED);
}

void storm_wrong(const char *format, ...)
{
	va_list arguments;
	int n;

	if (__atomic_exchange_n(&storm->wrong, 1, __ATOMIC_RELAXED))
		return;
	n = snprintf(storm->what, sizeof(storm->what), "worker %u: ", storm_number);
	va_start(arguments, format);
	vsnprintf(storm->what + n, sizeof(storm->what) - n, format, arguments);
	va_end(arguments);
}

void storm_doing(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(storm->doing[storm_number], sizeof(storm->doing[storm_number]), format,
		  arguments);
	va_end(arguments);
}

/* All members that know how something ended know the same. */
void storm_witness(__u64 key, __u64 outcome)
{
	struct witness *slot = &storm->witness[key % STORM_WITNESSES];
	__u64 none = 0, first = 0;

	outcome |= 1ULL << 63;
	storm_count(STORM_WITNESSED);
	/* Taken by another one: so be it. */
	if (!__atomic_compare_exchange_n(&slot->key, &none, key, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
	    none != key)
		return;
	if (!__atomic_compare_exchange_n(&slot->outcome, &first, outcome, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
	    first != outcome)
		storm_wrong("it ended with %#llx, for another with %#llx: %s",
			    (unsigned long long)outcome, (unsigned long long)first,
			    storm->doing[storm_number]);
}

/* One member gives all of operation @key a deadline that the others do not ask for. */
void storm_press(__u64 key)
{
	__atomic_store_n(&storm->pressed[key % STORM_WITNESSES], 1, __ATOMIC_RELEASE);
}

bool storm_is_pressed(__u64 key)
{
	return __atomic_load_n(&storm->pressed[key % STORM_WITNESSES], __ATOMIC_ACQUIRE);
}

/* Errnos and what calls may end with them -------------------------------------- */

static const struct {
	int error;
	unsigned int calls;
	bool named;	/* with a culprit */
} vocabulary[] = {
	{ 0, ~0U, false },
	{ EINTR, MAY_ANY, false },
	{ ETIMEDOUT, MAY_COLL | MAY_REGROUP | MAY_SHRINK | MAY_AGREE, false },
	{ ETIME, MAY_END_TOGETHER, true },
	{ EFAULT, MAY_FAULT, false },
	{ EBUSY, MAY_BE_BUSY, false },
	{ EREMOTEIO, MAY_COLL, true },
	{ EPROTO, MAY_COLL | MAY_REGROUP | MAY_SHRINK | MAY_AGREE, true },
	{ ECONNRESET, MAY_COLL | MAY_REGROUP | MAY_AGREE, true },
	{ ESHUTDOWN, MAY_COLL | MAY_REGROUP | MAY_AGREE, true },
	{ ECANCELED, MAY_COLL | MAY_REGROUP, true },
};

/* Note how a call has ended. */
void storm_judge(unsigned int members, int error, unsigned int may, int culprit,
		 __u64 began_ns)
{
	unsigned int i;
	bool named;

	storm_count(STORM_CALLS);
	__atomic_add_fetch(&storm->ended[-error % STORM_ERRNOS], 1, __ATOMIC_RELAXED);
	if (now_ns() - began_ns > paced_ms(STORM_PATIENCE_MS) * NSEC_PER_MSEC)
		storm_wrong("hangs: %d after %llu ms: %s", error,
			    (unsigned long long)((now_ns() - began_ns) / NSEC_PER_MSEC),
			    storm->doing[storm_number]);
	for (i = 0; i < sizeof(vocabulary) / sizeof(*vocabulary); i++)
		if (vocabulary[i].error == -error && vocabulary[i].calls & may)
			break;
	if (i == sizeof(vocabulary) / sizeof(*vocabulary)) {
		storm_wrong("%d is not for that: %s", error, storm->doing[storm_number]);
		return;
	}
	named = culprit >= 0 && culprit < (int)members;
	/* Between nodes nobody may be known to be late. */
	if (error == -ETIME && across_nodes() && culprit == SCATTER_RANK_ANY)
		return;
	if (vocabulary[i].named ? !named : culprit != SCATTER_RANK_ANY)
		storm_wrong("%d names %d: %s", error, culprit, storm->doing[storm_number]);
}

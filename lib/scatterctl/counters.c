// SPDX-License-Identifier: GPL-2.0
/*
 * Printing counters.
 */
#include <inttypes.h>

#include "json.h"
#include "transfer.h"

/**
 * struct counter - one of struct scatter_counters
 * @name: as in the struct
 * @offset: where in the struct
 */
struct counter {
	const char *name;
	size_t offset;
};

#define COUNTER(name)	{ #name, offsetof(struct scatter_counters, name) }

static const struct counter all[] = {
	COUNTER(startups),
	COUNTER(edge_bytes),
	COUNTER(bytes_copied),
	COUNTER(rounds),
	COUNTER(pins),
	COUNTER(wakeups),
	COUNTER(sleeps),
	COUNTER(spins),
};

static uint64_t value(const struct scatter_counters *counters, size_t i)
{
	return *(const __u64 *)((const char *)counters + all[i].offset);
}

/**
 * counters_text() - print counters on one line, without a newline
 * @out: where to
 * @name: whose
 * @counters: what
 */
void counters_text(FILE *out, const char *name,
		   const struct scatter_counters *counters)
{
	size_t i;

	fprintf(out, "%s:", name);
	for (i = 0; i < ARRAY_SIZE(all); i++)
		fprintf(out, " %s %" PRIu64, all[i].name, value(counters, i));
}

/**
 * counters_json() - add counters as an object
 * @json: the document
 * @name: whose
 * @counters: what
 */
void counters_json(struct json *json, const char *name,
		   const struct scatter_counters *counters)
{
	size_t i;

	json_open(json, name, '{');
	for (i = 0; i < ARRAY_SIZE(all); i++)
		json_unsigned(json, all[i].name, value(counters, i));
	json_close(json, '}');
}

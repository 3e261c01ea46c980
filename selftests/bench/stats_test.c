// SPDX-License-Identifier: GPL-2.0
/*
 * Medians, quartiles, ratios, times of samples, plans and counters of the wire, of numbers
 * that were worked out by hand.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "plan.h"
#include "stats.h"
#include "wire.h"

static unsigned int tests, failures;

static void test(bool good, const char *what)
{
	tests++;
	failures += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", tests, what);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 0.000000001;
}

static bool is(const struct spread *spread, double q1, double median, double q3,
	       size_t count)
{
	return near(spread->q1, q1) && near(spread->median, median) &&
	       near(spread->q3, q3) && spread->count == count;
}

static void test_spread(void)
{
	static const double odd[] = { 5, 1, 4, 2, 3 };
	static const double even[] = { 4, 1, 3, 2 };
	static const double holes[] = { NAN, 30, NAN, 10, 20, NAN };
	static const double outlier[] = { 1, 1, 1, 1, 1000000 };
	struct spread spread;

	spread = spread_of(odd, ARRAY_SIZE(odd));
	test(is(&spread, 2, 3, 4, 5), "an odd number of values");
	test(near(odd[0], 5) && near(odd[4], 3), "they stay as they were");
	spread = spread_of(even, ARRAY_SIZE(even));
	test(is(&spread, 1.75, 2.5, 3.25, 4), "an even number of values");
	spread = spread_of(holes, ARRAY_SIZE(holes));
	test(is(&spread, 15, 20, 25, 3), "values that are not there");
	spread = spread_of(outlier, ARRAY_SIZE(outlier));
	test(is(&spread, 1, 1, 1, 5), "an outlier");
	spread = spread_of(odd, 1);
	test(is(&spread, 5, 5, 5, 1), "one value");
	spread = spread_of(odd, 0);
	test(isnan(spread.median) && isnan(spread.q1) && isnan(spread.q3) &&
	     !spread.count, "no value");
	spread = spread_of(holes, 1);
	test(isnan(spread.median) && !spread.count, "none that is there");
	test(near(median_of(even, ARRAY_SIZE(even)), 2.5), "median");
}

static void test_ratios(void)
{
	static const double over[] = { 2, 30, NAN, 8, 100, 5 };
	static const double under[] = { 1, 10, 7, 2, NAN, 0 };
	/* The ratio of the medians, 3/3, is another number. */
	static const double early[] = { 1, 3, 9 };
	static const double later[] = { 2, 6, 3 };
	struct spread spread;

	spread = spread_of_ratios(over, under, ARRAY_SIZE(over));
	test(is(&spread, 2.5, 3, 3.5, 3), "ratios where both are there");
	spread = spread_of_ratios(early, later, ARRAY_SIZE(early));
	test(is(&spread, 0.5, 0.5, 1.75, 3), "ratios are of pairs");
	spread = spread_of_ratios(over, over, ARRAY_SIZE(over));
	test(is(&spread, 1, 1, 1, 5), "of something to itself");
	spread = spread_of_ratios(over + 2, under + 2, 1);
	test(isnan(spread.median) && !spread.count, "no pair");
}

static void test_smallest(void)
{
	static const double values[] = { NAN, 3, 2, 4, 2 };

	test(smallest_of(values, ARRAY_SIZE(values)) == 2, "the first smallest");
	test(smallest_of(values, 2) == 1, "the only one");
	test(smallest_of(values, 1) == -1, "none");
}

/* Three ranks; the root is neither the first to start nor the last to end. */
static void test_samples(void)
{
	static struct seats seats = {
		.ranks = 3,
		.turn = { .samples = 2 },
		.slot = {
			{ .stamps = { { 2000, 3000 }, { 20000, 21000 } } },
			{ .stamps = { { 1000, 9000 }, { 19000, 20000 } } },
			{ .stamps = { { 4000, 4500 }, { 20000, 22000 } } },
		},
	};

	test(near(sample_last(&seats, 0), 7), "last end of a sample");
	test(near(sample_last(&seats, 1), 2), "last end of another sample");
	test(near(sample_mean(&seats, 0), 9500 / 3.0 / 1000),
	     "mean over ranks of a sample");
	test(near(sample_since(&seats, 0), 8500 / 3.0 / 1000),
	     "mean over ranks since the root has started");
	test(near(sample_since(&seats, 1), 1), "nothing before the root");
	test(near(sample_early(&seats, 0), 1), "one is earlier than the root");
	test(near(sample_early(&seats, 1), 1), "one at the same time is not");
	test(near(sample_each(&seats), 10000), "from sample to sample");
	seats.ranks = 2;
	test(near(sample_last(&seats, 1), 1), "only ranks that there are");
}

static bool plans(double each_ns, uint32_t common, uint32_t samples,
		  unsigned int stride)
{
	const struct plan plan = plan_make(1000, 10, each_ns, common);

	return plan.samples == samples && plan.stride == stride;
}

/* A budget of 1000 in 10 rounds: 100 for a turn, of which one sample is lost. */
static void test_plans(void)
{
	const double all[] = { 5, 50, 4, NAN, NAN, 90, 1, 10, 1 };
	const double no_peer[] = { 5, NAN, NAN, NAN, NAN, 90, 1, 10, 1 };
	const double none[] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	const double fast[] = { 0.01, 0.01, 0.01, NAN, NAN, NAN, NAN, 0.01, 0.01 };
	const double slow[] = { 5, 60, 80, NAN, NAN, NAN, NAN, 5, 5 };
	const double nodes[] = { 5, NAN, NAN, 10, 80, NAN, NAN, 5, NAN };

	test(plan_common(1000, 10, all) == 9, "as many as the slowest of us");
	test(plan_common(1000, 10, no_peer) == 9, "without peers");
	test(plan_common(1000, 10, none) == SAMPLES_MAX, "without anybody");
	test(plan_common(1000, 10, fast) == SAMPLES_MAX, "not too many");
	test(plan_common(1000, 10, slow) == SAMPLES_MIN, "not too few");
	test(plan_common(1000, 10, nodes) == 9, "TCP is no peer between nodes");
	test(plans(10, 9, 9, 1), "who has time for all");
	test(plans(20, 9, 9, 2), "who has time for half of the turns");
	test(plans(50, 9, 5, 3), "who has time for three shorter turns");
	test(plans(5000, 9, 1, 3), "who has time for nothing");
}

static void counter_write(const char *directory, const char *name, uint64_t value)
{
	char path[4096], *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	for (slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(path, 0755);
	}
	file = fopen(path, "we");
	if (!file || fprintf(file, "%llu\n", (unsigned long long)value) < 0 || fclose(file))
		test(false, "a counter cannot be written");
}

/* Of nodes 1 to 3; the third one is not asked. */
static void wires_write(const char *directory, uint64_t step)
{
	static const char *const names[WIRE_COUNTS] = {
		"net/bedv%u/statistics/tx_bytes",
		"net/bedv%u/statistics/tx_packets",
		"infiniband/bed%u/ports/1/hw_counters/sent_pkts",
		"infiniband/bed%u/ports/1/hw_counters/rdma_sends",
		"infiniband/bed%u/ports/1/hw_counters/completer_retry_err",
	};
	unsigned int node, i;
	char name[256];

	for (node = 1; node <= 3; node++)
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			snprintf(name, sizeof(name), names[i], node);
			counter_write(directory, name, 1000 + step * node * (i + 1));
		}
}

/* Each count is by @step more than the one before. */
static bool sent(const struct wire *wire, uint64_t first, uint64_t step)
{
	unsigned int i;

	for (i = 0; i < WIRE_COUNTS; i++)
		if (wire->count[i] != first + i * step)
			return false;
	return true;
}

static void test_wire(const char *directory)
{
	struct wire sum = { { 0 } }, from, to;

	wires_write(directory, 10);
	from = wire_read(directory, 2);
	test(sent(&from, 2030, 30), "what two nodes have sent");
	wires_write(directory, 110);
	to = wire_read(directory, 2);
	wire_add(&sum, &from, &to);
	test(sent(&sum, 300, 300), "what they have sent meanwhile");
	wire_add(&sum, &from, &to);
	test(sent(&sum, 600, 600), "several times");
	to = wire_read(directory, 0);
	test(sent(&to, 0, 0), "nothing without nodes");
}

/* DIRECTORY: for files. */
int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	test_spread();
	test_ratios();
	test_smallest();
	test_samples();
	test_plans();
	test_wire(argv[1]);
	printf("1..%u\n", tests);
	return failures != 0;
}

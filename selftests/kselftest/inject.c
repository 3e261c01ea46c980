// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "inject.h"
#include "sample.h"

#define DEBUGFS	"/sys/kernel/debug/"

/* No call has as many points of failure. */
#define MOST_POINTS	20000U

#define FEW_POINTS	4U

static const char * const kinds[] = {
	"failslab", "fail_page_alloc", "fail_usercopy",
};

/* An attribute of each kind, or of as many kinds. */
static bool set_attribute(const char *name, const char *value, unsigned int nr)
{
	char path[128];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s/%s", kinds[i], name);
		if (file_write(path, value))
			return false;
	}
	return true;
}

/* Allocations that may sleep fail, too. False if this kernel cannot. */
bool inject_set_up(void)
{
	return !access(FAIL_NTH, W_OK) &&
	       set_attribute("ignore-gfp-wait", "N", 2) &&
	       !file_write(DEBUGFS "fail_page_alloc/min-order", "0") &&
	       set_attribute("verbose",
			     getenv("KSELFTEST_VERBOSE") ? "2" : "0", 3);
}

/* Where a function of the kernel begins and the next symbol does. */
static bool function_range(const char *function, char start[32], char end[32])
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	unsigned long long from = 0, to = ~0ULL, at;
	char name[256];

	if (!symbols)
		return false;
	while (fscanf(symbols, "%llx %*c %255s%*[^\n]", &at, name) == 2)
		if (!strcmp(name, function))
			from = at;
	rewind(symbols);
	while (from && fscanf(symbols, "%llx %*c %*s%*[^\n]", &at) == 1)
		if (at > from && at < to)
			to = at;
	fclose(symbols);
	snprintf(start, 32, "%#llx", from);
	snprintf(end, 32, "%#llx", to);
	return from;
}

/* No failure in what this function of the kernel calls, and that calls. */
bool inject_not_below(const char *function)
{
	char start[32], end[32];

	return function_range(function, start, end) &&
	       set_attribute("reject-end", end, 3) &&
	       set_attribute("reject-start", start, 3);
}

static bool set_nth(int fd, unsigned int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(fd, text, n, 0) == n;
}

/* The @nth point of this thread from now on fails. What inject_disarm() takes,
 * or -errno.
 */
int inject_arm(unsigned int nth)
{
	int fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (set_nth(fd, nth))
		return fd;
	close(fd);
	return -EIO;
}

/* Whether the point came. */
bool inject_disarm(int fd)
{
	char text[16] = "";
	bool came = pread(fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;

	set_nth(fd, 0);
	close(fd);
	return came;
}

bool inject_next(unsigned int *nth, bool came)
{
	const char *only = getenv("KSELFTEST_POINT");

	if (only) {
		if (*nth)
			return false;
		*nth = (unsigned int)atoi(only);
		return *nth;
	}
	if (*nth && !came)
		return false;
	return ++*nth < MOST_POINTS;
}

/*
 * Where each point takes long, a sampled run tries the first and one of a few, others with each
 * seed.
 */
bool inject_skips(unsigned int nth)
{
	const unsigned int few = sample_few(FEW_POINTS);

	return nth > 1 && !getenv("KSELFTEST_POINT") && nth % few != sample_seed() % few;
}

/* Whether there is no further point to try, and the first one came. */
bool inject_swept(unsigned int nth, bool came, const char *what)
{
	if (getenv("KSELFTEST_POINT")) {
		diag("failnth point %u of %s %s", nth, what,
		     came ? "came" : "did not come");
		return true;
	}
	diag("failnth points %u (%s)", nth - 1, what);
	return !came && nth > 1;
}

// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * Settings from the environment, and messages to the user.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings.h"

#define REASONS_MAX	32

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum settings_mode mode;
static bool verbose;

static void read_all(void)
{
	const char *said = getenv("SCATTER_MPI_VERBOSE");
	const char *value = getenv("SCATTER_MPI");

	verbose = said && *said && strcmp(said, "0");
	if (!value || !*value || !strcmp(value, "on"))
		mode = SETTINGS_ON;
	else if (!strcmp(value, "off"))
		mode = SETTINGS_OFF;
	else if (!strcmp(value, "require"))
		mode = SETTINGS_REQUIRE;
	else
		fprintf(stderr, "libscatter-mpi: SCATTER_MPI=%s is none of %s\n", value,
			"off, on, require: see scatter_mpi(7)");
}

enum settings_mode settings_mode(void)
{
	pthread_once(&once, read_all);
	return mode;
}

static const char *told[REASONS_MAX];
static size_t count;

/* Whether a reason, a constant string or NULL, is new. */
static bool is_new(const char *reason)
{
	bool known = false;
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < count; i++)
		known = known || told[i] == reason;
	if (!known && count < REASONS_MAX)
		told[count++] = reason;
	pthread_mutex_unlock(&lock);
	return !known;
}

void settings_tell(int ranks, const char *reason)
{
	pthread_once(&once, read_all);
	if (!verbose || !is_new(reason))
		return;
	if (reason)
		fprintf(stderr, "libscatter-mpi: %d ranks: the MPI library serves: %s\n", ranks,
			reason);
	else
		fprintf(stderr, "libscatter-mpi: %d ranks: /dev/scatter serves\n", ranks);
}

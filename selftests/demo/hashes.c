// SPDX-License-Identifier: GPL-2.0
/*
 * The hashes of what the ranks received, and whether they are those of the file.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hashes.h"

/* What the hashes should be: of each rank's part, and last of the whole. */
static char expected[RANKS + 1][SHA256_HEX];

void hashes_read(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned int i;

	if (!file)
		die(path, -errno);
	for (i = 0; i <= RANKS; i++)
		if (fscanf(file, "%64s", expected[i]) != 1)
			die(path, -ENODATA);
	fclose(file);
}

/* One line of the table of hashes. */
static bool hash_show(const char *name, __u64 bytes, const char *found,
		      const char *wanted)
{
	bool wrong = strncmp(found, wanted, SHA256_HEX) != 0;

	printf("%5s %12llu  %s  %s\n", name, bytes, found,
	       wrong ? "DIFFERENT" : "equal");
	if (wrong)
		printf("wrong: %s: the file has %s\n", name, wanted);
	return wrong;
}

/* Lest a reader takes it for a mistake. */
static void twins_show(const struct job *job, const struct report *report)
{
	__u32 a, b;

	for (a = 0; a < RANKS; a++)
		for (b = a + 1; b < RANKS; b++)
			if (part_bytes(job, b) &&
			    !strcmp(report->part[a], report->part[b]))
				printf("(Parts %u and %u of the file are the same.)\n",
				       a, b);
}

/* Returns whether any hash is wrong. */
bool hashes_show(const struct job *job, const struct report *report)
{
	bool wrong = false;
	char name[16];
	__u32 rank;

	printf("\n%5s %12s  %-64s  %s\n", "rank", "bytes",
	       "SHA-256 of what it received", "in the file");
	for (rank = 0; rank < RANKS; rank++) {
		snprintf(name, sizeof(name), "%u", rank);
		wrong |= hash_show(name, part_bytes(job, rank),
				   report->part[rank], expected[rank]);
	}
	wrong |= hash_show("whole", job->bytes, report->whole,
			   expected[RANKS]);
	twins_show(job, report);
	return wrong;
}

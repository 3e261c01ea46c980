// SPDX-License-Identifier: GPL-2.0
/*
 * What the demos do: the job, and what is said of it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "demo.h"

#define NSEC_PER_SEC	1000000000LL

/* Of one operation: a minute, and a second for each 2 MiB of the file. */
#define TIMEOUT_S	60
#define BYTES_PER_S	(2ULL << 20)

void die(const char *what, int error)
{
	const char *name = strerrorname_np(-error);

	fprintf(stderr, "demo: %s: %s (%s)\n", what, name ? name : "?",
		strerror(-error));
	exit(1);
}

struct job job_make(const char *group, const char *file)
{
	struct job job = { .file = file };
	struct stat stat_buf;

	if (stat(file, &stat_buf))
		die(file, -errno);
	snprintf(job.group, sizeof(job.group), "%s", group);
	job.bytes = stat_buf.st_size;
	job.block = job.bytes / RANKS + !!(job.bytes % RANKS);
	job.timeout_ns = (TIMEOUT_S + job.bytes / BYTES_PER_S) * NSEC_PER_SEC;
	return job;
}

const char *bytes_text(char text[BYTES_TEXT], __u64 bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double n = bytes / 1024.0;
	unsigned int unit = 0;

	if (bytes < 1024) {
		snprintf(text, BYTES_TEXT, "%llu B", bytes);
		return text;
	}
	for (; n >= 1024 && unit < 3; unit++)
		n /= 1024;
	snprintf(text, BYTES_TEXT, "%.1f %s", n, units[unit]);
	return text;
}

void job_show(const struct job *job)
{
	char text[BYTES_TEXT];

	printf("%u processes, a block of %s each", RANKS,
	       bytes_text(text, job->block));
	if (RANKS * job->block > job->bytes)
		printf(", with %llu bytes of padding after the file",
		       RANKS * job->block - job->bytes);
	printf("; rank %u has the file\n", ROOT);
}

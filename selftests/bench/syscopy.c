// SPDX-License-Identifier: GPL-2.0
/*
 * What a copy by the kernel costs more than one by the C library, which may use vector
 * registers: so much of ours/copy is not the module's to gain.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "board.h"
#include "stats.h"
#include "syscopy.h"

#define BYTES	((size_t)1 << 20)
/* Emulated copies between equal offsets in 2 MiB are ten times slower. */
#define OFFSET	((size_t)5 << 12)
#define ROUNDS	51

/* Median over rounds of the ratio of pread() to memcpy() of 1 MiB; NAN: failed. */
double kernel_copy_ratio(void)
{
	double ratio[ROUNDS], result = NAN;
	int fd = memfd_create("copy", MFD_CLOEXEC);
	char *from = malloc(BYTES + OFFSET), *to = malloc(BYTES + OFFSET);
	unsigned int i;

	if (fd < 0 || !from || !to)
		goto out;
	memset(from, 1, BYTES + OFFSET);
	memset(to, 2, BYTES + OFFSET);
	if (pwrite(fd, from, BYTES, 0) != (ssize_t)BYTES)
		goto out;
	for (i = 0; i < ROUNDS; i++) {
		const int64_t start = now_ns();
		int64_t middle;

		memcpy(to + OFFSET, from, BYTES);
		middle = now_ns();
		if (pread(fd, to + OFFSET, BYTES, 0) != (ssize_t)BYTES)
			goto out;
		ratio[i] = (double)(now_ns() - middle) /
			   (double)(middle - start);
	}
	result = median_of(ratio, ROUNDS);
out:
	free(from);
	free(to);
	if (fd >= 0)
		close(fd);
	return result;
}

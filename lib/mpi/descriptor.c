// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * Descriptors of the device.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "descriptor.h"

/* How many more than the program has, at most. */
#define MORE	16384
/* Programs with so many will not run out of them. */
#define MOST	(1 << 20)

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* The lowest number for the device; written once. */
static int lowest;

/* Programs stay below the soft limit; what is above it, up to the hard one, nobody uses. */
static void limit_raise(void)
{
	struct rlimit limit;
	rlim_t usual;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	usual = limit.rlim_cur;
	if (usual > MOST)
		return;
	lowest = usual / 2;
	if (limit.rlim_max <= usual)
		return;
	limit.rlim_cur = limit.rlim_max - usual < MORE ? limit.rlim_max : usual + MORE;
	if (!setrlimit(RLIMIT_NOFILE, &limit))
		lowest = usual;
}

int descriptor_open(void)
{
	int fd, high;

	pthread_once(&once, limit_raise);
	fd = open(DESCRIPTOR_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fd >= lowest)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
	close(fd);
	/* The limit is lower than it was. */
	if (high < 0 && errno == EINVAL)
		errno = EMFILE;
	return high;
}

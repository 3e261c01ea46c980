// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "absent.h"

int absent_faults = -1;

/* Maps what is absent; @flags: more of mmap(). Returns 0 or -errno. */
int absent_map(void *at, size_t bytes, int flags)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { .start = address(at), .len = bytes },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	if (mmap(at, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | flags, -1, 0) == MAP_FAILED)
		return -errno;
	absent_faults = syscall(__NR_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	return absent_faults < 0 || ioctl(absent_faults, UFFDIO_API, &api) ||
	       ioctl(absent_faults, UFFDIO_REGISTER, &range) ? -errno : 0;
}

/* Until somebody has come to such a page. */
__s64 task_await_fault(struct self *self, union task_args *args)
{
	struct pollfd poller = { .fd = absent_faults, .events = POLLIN };

	(void)self;
	(void)args;
	if (poll(&poller, 1, (int)paced_ms(PATIENCE_MS)) != 1)
		return -ETIMEDOUT;
	return (poller.revents & POLLIN) ? 0 : -EIO;
}

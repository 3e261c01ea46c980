// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "fuse.h"

#define FUSE_DEVICE	"/dev/fuse"
#define FILE_NODE	2

/* In the server ------------------------------------------------------------ */

static void reply(int fd, const struct fuse_in_header *in, int error,
		  const void *data, size_t bytes)
{
	struct fuse_out_header out = {
		.len = (uint32_t)(sizeof(out) + bytes),
		.error = error,
		.unique = in->unique,
	};
	struct iovec iov[2] = {
		{ &out, sizeof(out) },
		{ (void *)data, bytes },
	};

	/* The task that asked may be gone. */
	if (writev(fd, iov, bytes ? 2 : 1) < 0)
		return;
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node,
		.size = node == FILE_NODE ? FUSE_FILE_BYTES : 0,
		.mode = node == FILE_NODE ? S_IFREG | 0666 : S_IFDIR | 0777,
		.nlink = 1,
		.blksize = 4096,
	};
}

static void reply_node(int fd, const struct fuse_in_header *in)
{
	const struct fuse_attr_out attr = {
		.attr_valid = 3600,
		.attr = attributes(in->nodeid),
	};
	const struct fuse_entry_out entry = {
		.nodeid = FILE_NODE,
		.entry_valid = 3600,
		.attr_valid = 3600,
		.attr = attributes(FILE_NODE),
	};

	if (in->opcode == FUSE_LOOKUP)
		reply(fd, in, 0, &entry, sizeof(entry));
	else
		reply(fd, in, 0, &attr, sizeof(attr));
}

static void serve(int fd, const struct fuse_in_header *in, int *stuck)
{
	const struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = 31,
		.max_write = 4096,
	};
	const struct fuse_open_in *how = (const void *)(in + 1);
	struct fuse_open_out open = { .fh = 1 };

	switch (in->opcode) {
	case FUSE_INIT:
		reply(fd, in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
	case FUSE_GETATTR:
		reply_node(fd, in);
		break;
	case FUSE_OPEN:
		open.open_flags = (how->flags & FUSE_UNCACHED) ? FOPEN_DIRECT_IO : 0;
		reply(fd, in, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		__atomic_add_fetch(stuck, 1, __ATOMIC_RELEASE);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		reply(fd, in, 0, NULL, 0);
		break;
	default:
		reply(fd, in, -EOPNOTSUPP, NULL, 0);
	}
}

static void __attribute__((noreturn)) server_main(int fd, int *stuck)
{
	static char request[1 << 16] __attribute__((aligned(8)));

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		ssize_t n = read(fd, request, sizeof(request));

		if (n >= (ssize_t)sizeof(struct fuse_in_header))
			serve(fd, (struct fuse_in_header *)request, stuck);
		else if (n >= 0 || (errno != EINTR && errno != ENOENT))
			_exit(0);
	}
}

/* In the test -------------------------------------------------------------- */

static bool fuse_mount(struct fuse *fuse, int fd)
{
	char options[128];

	snprintf(fuse->directory, sizeof(fuse->directory), "/tmp/fuse-XXXXXX");
	if (!mkdtemp(fuse->directory))
		return false;
	snprintf(fuse->path, sizeof(fuse->path), "%s/file", fuse->directory);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40777,user_id=0,group_id=0,allow_other", fd);
	return !mount("fuse", fuse->directory, "fuse", MS_NOSUID | MS_NODEV, options);
}

/* Root's; false: this kernel has no FUSE, or something is wrong. */
bool fuse_begin(struct fuse *fuse)
{
	int fd;

	memset(fuse, 0, sizeof(*fuse));
	if (access(FUSE_DEVICE, F_OK) && system("modprobe -q fuse"))
		return false;
	fuse->stuck = shared_map(sizeof(*fuse->stuck));
	fd = open(FUSE_DEVICE, O_RDWR | O_CLOEXEC);
	if (!fuse->stuck || fd < 0)
		return false;
	if (fuse_mount(fuse, fd)) {
		fflush(stdout);
		fuse->server = fork();
		if (!fuse->server)
			server_main(fd, fuse->stuck);
	}
	/* The end of the server is the end of the connection. */
	close(fd);
	return fuse->server > 0;
}

/* Whether tasks come to be stuck in that many reads, or more. */
bool fuse_catches(const struct fuse *fuse, int reads)
{
	return shared_reaches(fuse->stuck, reads);
}

/* All that is stuck gets an error. */
void fuse_end(struct fuse *fuse)
{
	if (fuse->server > 0) {
		kill(fuse->server, SIGKILL);
		waitpid(fuse->server, NULL, 0);
	}
	fuse->server = 0;
	if (fuse->path[0]) {
		umount2(fuse->directory, MNT_DETACH);
		rmdir(fuse->directory);
	}
	fuse->path[0] = '\0';
}

/* Private memory whose pages nobody ever brings; MAP_FAILED if there is none. */
void *fuse_map(const char *path, void *at, size_t bytes)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *got = MAP_FAILED;

	if (fd >= 0)
		got = mmap(at, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);
	close(fd);
	return got;
}

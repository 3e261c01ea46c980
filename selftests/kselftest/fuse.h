/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file system whose server, a child of the test, answers all but reads of data: a task
 * that touches a page of its file is stuck in state D until the server ends.
 */
#ifndef _KSELFTEST_FUSE_H
#define _KSELFTEST_FUSE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define FUSE_FILE_BYTES	(1UL << 20)
/*
 * Opened with this flag the file is not cached: its mmap() throws away cached pages, and so
 * waits, with the lock of the mappings, for those that are being read.
 */
#define FUSE_UNCACHED	O_APPEND

/* @stuck: how many reads the server has got, and does not answer */
struct fuse {
	char directory[64];
	char path[80];
	pid_t server;
	int *stuck;
};

bool fuse_begin(struct fuse *fuse);
bool fuse_catches(const struct fuse *fuse, int reads);
void fuse_end(struct fuse *fuse);
void *fuse_map(const char *path, void *at, size_t bytes);

#endif /* _KSELFTEST_FUSE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes as programs see them: network namespaces.
 */
#ifndef MEMBER_NAMESPACE_H
#define MEMBER_NAMESPACE_H

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* From now on the process is on the node whose namespace the file is; it ends if that fails. */
static inline void namespace_enter(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		perror(file);
		_exit(3);
	}
	close(fd);
}

#endif /* MEMBER_NAMESPACE_H */

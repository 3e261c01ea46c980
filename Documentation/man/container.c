// SPDX-License-Identifier: MIT
/*
 * A group across the wall of a container: as root, ./container
 *
 * The parent creates a group and sends its descriptor over a UNIX socket to a child in
 * user, process and mount namespaces of its own, whose /dev is empty. Both join, and the
 * parent gathers what each calls itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <scatter.h>

#define TEXT	32

/* Send @fd over @channel, or, if it is negative, receive one. */
static int pass(int channel, int fd)
{
	char control[CMSG_SPACE(sizeof(fd))] = { 0 }, byte = 0;
	struct iovec vector = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	if (fd >= 0) {
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
		return sendmsg(channel, &message, 0) == 1 ? fd : -errno;
	}
	if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC) != 1)
		return -EPIPE;
	header = CMSG_FIRSTHDR(&message);
	if (!header)
		return -EBADMSG;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

/* Join by the descriptor, and let rank 0 print what the members call themselves. */
static int take_part(int fd, int rank)
{
	const struct scatter_join_opts opts = {
		.rank = rank,
		.timeout_ns = 60 * 1000000000LL,
	};
	char text[TEXT] = { 0 }, all[2][TEXT];
	struct scatter_group *group;
	int error;

	snprintf(text, sizeof(text), "process %d, user %d", (int)getpid(),
		 (int)getuid());
	error = scatter_join_by(&group, fd, &opts);
	if (error)
		return error;
	error = scatter_gather(group, text, all, sizeof(text), 0);
	if (!error && !rank)
		printf("outside: %s\ninside: %s\n", all[0], all[1]);
	scatter_leave(group);
	return error;
}

/* In the container: its first process, nobody, and no device. */
static int inside(int channel)
{
	int fd;

	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("empty", "/dev", "tmpfs", 0, NULL))
		return -errno;
	fd = open("/dev/scatter", O_RDWR);
	if (fd >= 0 || errno != ENOENT)
		return -EEXIST;
	fd = pass(channel, -1);
	return fd < 0 ? fd : take_part(fd, 1);
}

static int outside(int channel)
{
	const struct scatter_join_opts opts = { .size = 2 };
	int fd = scatter_create(&opts);
	int error;

	if (fd < 0)
		return fd;
	error = pass(channel, fd);
	return error < 0 ? error : take_part(fd, 0);
}

int main(void)
{
	int channel[2], status = 0, error;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel))
		return EXIT_FAILURE;
	child = fork();
	if (!child) {
		/* The next child is the first process of the namespace. */
		if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS))
			_exit(errno);
		child = fork();
		if (!child)
			_exit(-inside(channel[1]));
		waitpid(child, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	close(channel[1]);
	error = outside(channel[0]);
	if (error)
		fprintf(stderr, "container: %s\n", strerror(-error));
	waitpid(child, &status, 0);
	return error || status ? EXIT_FAILURE : EXIT_SUCCESS;
}

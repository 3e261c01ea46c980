// SPDX-License-Identifier: MIT
/*
 * A member with an event loop: joins without waiting, tells rank 0 its process ID when the
 * group is complete, and reports who dies.
 *
 *	SCATTER_GROUP=g SCATTER_SIZE=3 ./example_poll	# three times
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <scatter.h>

/* Operations wait, but not for long if all members call them on the same event. */
static int on_complete(struct scatter_group *group)
{
	int size = scatter_size(group);
	int own = getpid();
	int *all = calloc(size, sizeof(*all));
	int error, i;

	if (!all)
		return -ENOMEM;
	error = scatter_gather(group, &own, all, sizeof(own), 0);
	if (!error && !scatter_rank(group))
		for (i = 0; i < size; i++)
			printf("rank %d is process %d\n", i, all[i]);
	free(all);
	return error;
}

static int on_death(struct scatter_group *group)
{
	int size = scatter_size(group), words = (size + 63) / 64;
	uint64_t *dead = calloc(words, sizeof(*dead));
	int error, i;

	if (!dead)
		return -ENOMEM;
	error = scatter_masks(group, 64 * words, dead, NULL, NULL);
	for (i = 0; !error && i < size; i++)
		if (dead[i / 64] >> i % 64 & 1)
			printf("rank %d is dead\n", i);
	free(dead);
	return error;
}

/* Edges: POLLOUT stays set for as long as the file is a member. */
static int loop(struct scatter_group *group, int epoll)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLPRI | EPOLLET };
	bool complete = false;
	int error = 0;

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, scatter_fd(group), &event))
		return -errno;
	while (!error) {
		if (epoll_wait(epoll, &event, 1, -1) < 0)
			return -errno;
		if (event.events & EPOLLPRI)
			return on_death(group);
		if (event.events & (EPOLLERR | EPOLLHUP))
			return -ESHUTDOWN;
		if (event.events & EPOLLOUT && !complete) {
			error = on_complete(group);
			complete = true;
			fflush(stdout);
		}
	}
	/* Who dies while others are in an operation ends that. */
	return error == -ECONNRESET ? on_death(group) : error;
}

int main(void)
{
	const char *name = getenv("SCATTER_GROUP");
	const char *size = getenv("SCATTER_SIZE");
	struct scatter_join_opts opts = {
		.size = size ? atoi(size) : 0,
		.rank = SCATTER_RANK_ANY,
		.nonblock = 1,
	};
	struct scatter_group *group;
	int error, epoll;

	error = scatter_join(&group, name, &opts);
	if (!error) {
		epoll = epoll_create1(EPOLL_CLOEXEC);
		error = epoll < 0 ? -errno : loop(group, epoll);
		scatter_leave(group);
	}
	if (error)
		fprintf(stderr, "example_poll: %s\n", strerror(-error));
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation and each user copy of a JOIN fails, one after the other, while a group forms on
 * two nodes.
 *
 *	sweep first|last FILE FILE
 *
 * FILE is the network namespace of a node; each has one member. In the JOIN that comes first or
 * last the first of these fails, in the next group the second one, and so on until there are no
 * more. A JOIN that has failed is tried again. What must be true of each group:
 *
 *  - both members come back from JOIN and from a barrier;
 *  - a JOIN that comes first can be tried again, and then the group forms; so can one that comes
 *    last, unless the group has formed: then the first member learns that the other one is dead,
 *    and SHRINK makes a group without it;
 *  - both barriers succeed, or none.
 *
 * Prints how many there were, and ends with 1 if any of this was not so. The kernel has
 * to be told which of them may fail: faults_test does that.
 */
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <scatter.h>

#include "inject.h"
#include "namespace.h"

#define PATIENCE_MS	20000
#define LATE_MS		3000
/* No JOIN has as many. */
#define MOST		2000U

/*
 * What a member has found.
 * @joined: 0, or -errno of JOIN
 * @again: likewise of another one, if that failed
 * @barrier: 0 or -errno; -EAGAIN: the other JOIN made a group of its own
 * @shrink: 0, or -errno of SHRINK after the other member's death
 * @failed: an allocation or a copy has
 */
struct found {
	int joined;
	int again;
	int barrier;
	int shrink;
	bool failed;
};

struct board {
	atomic_int first_is_there;
	struct found found[2];
};

static struct board *board;

static int join_failing(struct scatter_group **group, const char *name,
			const struct scatter_join_opts *opts, unsigned int nth, bool *failed)
{
	int fd = inject_arm(nth), error;

	if (fd < 0)
		_exit(3);
	error = scatter_join(group, name, opts);
	*failed = inject_disarm(fd);
	return error;
}

/* @nth: which allocation or copy of the JOIN fails; 0: none. */
static void member(const char *file, const char *name, int rank, unsigned int nth)
{
	const struct scatter_join_opts opts = { .size = 2, .rank = rank, .nonblock = 1 };
	struct scatter_opts how = { .timeout_ns = PATIENCE_MS * 1000000LL };
	struct found *found = &board->found[rank];
	struct scatter_group *group = NULL, *rest = NULL;
	struct pollfd formed = { .events = POLLOUT | POLLPRI };
	bool late;
	int waits;

	namespace_enter(file);
	for (waits = 0; rank && !atomic_load(&board->first_is_there); waits++) {
		if (waits > PATIENCE_MS)
			_exit(3);
		usleep(1000);
	}
	if (nth)
		found->joined = join_failing(&group, name, &opts, nth, &found->failed);
	else
		found->joined = scatter_join(&group, name, &opts);
	if (found->joined)
		found->again = scatter_join(&group, name, &opts);
	atomic_store(&board->first_is_there, 1);
	if (found->again)
		_exit(0);
	formed.fd = scatter_fd(group);
	/* Had the group formed when the JOIN failed, the name is another group's now. */
	late = rank && found->joined;
	if (poll(&formed, 1, late ? LATE_MS : PATIENCE_MS) < 1)
		found->barrier = late ? -EAGAIN : -ETIMEDOUT;
	else
		found->barrier = scatter_barrier_opts(group, &how);
	if (found->barrier == -ECONNRESET)
		found->shrink = scatter_shrink(group, &rest, &how);
	_exit(0);
}

static bool is_fine(const struct found *found, int armed)
{
	const struct found *own = &found[armed], *other = &found[!armed];

	if (own->joined && own->joined != -ENOMEM && own->joined != -EFAULT &&
	    own->joined != -EHOSTUNREACH)
		return false;
	if (other->joined || found[0].barrier == -ETIMEDOUT || found[1].barrier == -ETIMEDOUT)
		return false;
	if (!armed)
		return !own->again && !own->barrier && !other->barrier;
	if (own->again || own->barrier)
		return other->barrier == -ECONNRESET && !other->shrink;
	return !other->barrier;
}

/* False if it is not as it should be. */
static bool group_of(char **files, int armed, unsigned int nth)
{
	const struct found *found = board->found;
	char name[64];
	int i, status;
	bool fine = true;

	memset(board, 0, sizeof(*board));
	snprintf(name, sizeof(name), "sweep%d-%u", getpid(), nth);
	for (i = 0; i < 2; i++)
		if (!fork())
			member(files[i], name, i, i == armed ? nth : 0);
	for (i = 0; i < 2; i++)
		if (wait(&status) < 0 || status)
			fine = false;
	if (fine && is_fine(found, armed))
		return true;
	printf("# point %u:", nth);
	for (i = 0; i < 2; i++)
		printf(" rank %d: join %d, again %d, barrier %d, shrink %d;", i, found[i].joined,
		       found[i].again, found[i].barrier, found[i].shrink);
	printf("\n");
	return false;
}

int main(int argc, char **argv)
{
	int armed = argc > 1 && !strcmp(argv[1], "last");
	unsigned int nth, errors = 0;
	bool fine = true;

	if (argc != 4)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (board == MAP_FAILED)
		return 3;
	for (nth = 1; nth < MOST && fine; nth++) {
		fine = group_of(argv + 2, armed, nth);
		if (!board->found[armed].failed)
			break;
		errors += !!board->found[armed].joined;
	}
	printf("# %u allocations and copies failed, and %u JOINs\n", nth - 1, errors);
	return fine && errors && nth < MOST ? 0 : 1;
}

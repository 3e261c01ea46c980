// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * One call of the program as an operation of the device. All calls are v forms, in which the sender
 * of a block says how long it is, and the receiver how much room there is: as in MPI.
 *
 * Other calls of MPI that the program has begun before must go on while this rank waits, since the
 * ranks that this rank waits for may wait for those calls. So the wait is cut in slices, and
 * between two of them the MPI library gets a chance.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <time.h>

#include "operate.h"
#include "self.h"
#include "view.h"

/* The first slice, the second one, and the longest one, in ns. */
#define SLICE_FIRST	30000
#define SLICE_SECOND	50000
#define SLICE_LONGEST	1000000

/* How often a call that finds no kernel memory tries again, a longest slice apart. */
#define TRIES_MAX	10000

/* An errno that a later try may not get: nothing was called. */
static bool is_passing(int error)
{
	return error == EDQUOT || error == ENOMEM;
}

static void nap(void)
{
	const struct timespec slice = { .tv_nsec = SLICE_LONGEST };

	nanosleep(&slice, NULL);
}

/* Returns 0 or an errno. */
static int call(const struct group *group, struct scatter_coll *coll)
{
	int error, tries = 0;

	coll->deadline_ns = SLICE_FIRST;
	while (ioctl(group->fd, SCATTER_IOCTL_COLL, coll)) {
		error = errno;
		if (is_passing(error) && tries++ < TRIES_MAX)
			nap();
		else if (error != ETIMEDOUT && error != EINTR)
			return error;
		self_progress();
		if (coll->deadline_ns == SLICE_FIRST)
			coll->deadline_ns = SLICE_SECOND;
		else if (coll->deadline_ns < SLICE_LONGEST / 2)
			coll->deadline_ns *= 2;
		else
			coll->deadline_ns = SLICE_LONGEST;
	}
	return 0;
}

/* A rank that cannot take its part ends the group, or the others would wait for the rank. */
static void give_up(const struct group *group)
{
	struct scatter_revoke revoke = { .size = sizeof(revoke) };

	ioctl(group->fd, SCATTER_IOCTL_REVOKE, &revoke);
}

static int class_of_death(void)
{
#ifdef MPIX_ERR_PROC_FAILED
	return MPIX_ERR_PROC_FAILED;
#else
	static int class;

	if (class)
		return class;
	if (host_get()->Add_error_class(&class) ||
	    host_get()->Add_error_string(class, "a process of the communicator has died"))
		return MPI_ERR_OTHER;
	return class;
#endif
}

static int class_of(int error)
{
	switch (error) {
	case 0:
		return MPI_SUCCESS;
	case EOPNOTSUPP:
		return REQUEST_HOST;
	case EMSGSIZE:
		return MPI_ERR_TRUNCATE;
	case ECONNRESET:
		return class_of_death();
	case EFAULT:
		return MPI_ERR_BUFFER;
	case ENOMEM:
	case EDQUOT:
		return MPI_ERR_NO_MEM;
	default:
		return MPI_ERR_OTHER;
	}
}

static __u32 root_of(int root)
{
	switch (root) {
	case MPI_ROOT:
		return SCATTER_ROOT;
	case MPI_PROC_NULL:
		return SCATTER_PROC_NULL;
	default:
		return root;
	}
}

static void coll_fill(struct scatter_coll *coll, const struct request *request)
{
	*coll = (struct scatter_coll){
		.size = sizeof(*coll),
		.flags = SCATTER_COLL_RELATIVE | SCATTER_COLL_AT_MOST,
		.op = request->gathers ? SCATTER_OP_GATHERV : SCATTER_OP_SCATTERV,
		.root = root_of(request->root),
	};
	if (request->is_root && !request->owns && request->root >= 0)
		coll->flags |= SCATTER_COLL_IN_PLACE;
}

static void coll_set(struct scatter_coll *coll, const struct request *request,
		     const struct view *all, const struct view *own)
{
	const struct view *send = request->gathers ? own : all;
	const struct view *recv = request->gathers ? all : own;

	coll->sendbuf = (uintptr_t)send->address;
	coll->recvbuf = (uintptr_t)recv->address;
	coll->send_layout = send->layout.size ? (uintptr_t)&send->layout : 0;
	coll->recv_layout = recv->layout.size ? (uintptr_t)&recv->layout : 0;
	coll->block = request->owns ? *own->lengths : 0;
	coll->counts = request->is_root ? (uintptr_t)all->lengths : 0;
	coll->displs = request->is_root ? (uintptr_t)all->places : 0;
}

/*
 * One try. The device refuses some calls with EINVAL, such as a gather whose blocks overlap, but
 * may take them if all blocks are packed.
 */
static int attempt(const struct request *request, struct group *group, bool packed, int *error)
{
	struct scatter_results results = { .size = sizeof(results), .number = SCATTER_NUMBER_NEW };
	uint64_t length = 0, place = 0;
	struct view all = { 0 }, own = { 0 };
	struct scatter_coll coll;
	int class = MPI_SUCCESS;

	coll_fill(&coll, request);
	coll.results = (uintptr_t)&results;
	all.operand = &request->all;
	all.skip = coll.flags & SCATTER_COLL_IN_PLACE ? request->root : -1;
	all.lengths = group->counts;
	all.places = group->counts + group->peers;
	own.operand = &request->own;
	own.skip = -1;
	own.lengths = &length;
	own.places = &place;
	if (request->is_root)
		class = view_open(&all, packed);
	if (!class && request->owns)
		class = view_open(&own, packed);
	if (class) {
		give_up(group);
	} else {
		coll_set(&coll, request, &all, &own);
		*error = call(group, &coll);
		class = class_of(*error);
	}
	/* A truncated message has arrived as far as it fits. */
	if (!class)
		class = view_unpack(request->gathers ? &all : &own);
	else if (class == MPI_ERR_TRUNCATE)
		view_unpack(request->gathers ? &all : &own);
	view_close(&all);
	view_close(&own);
	return class;
}

int operate_run(const struct request *request, struct group *group)
{
	int error = 0, class;

	class = attempt(request, group, false, &error);
	if (error == EINVAL)
		class = attempt(request, group, true, &error);
	if (is_passing(error))
		give_up(group);
	return class;
}

int operate_fail(MPI_Comm comm, int class)
{
	host_get()->Comm_call_errhandler(comm, class);
	return class;
}

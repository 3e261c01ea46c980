// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * Choose who serves a call: the device or the host.
 */
#include "meet.h"
#include "operate.h"
#include "serve.h"
#include "settings.h"

/* The bits of a handle of MPICH that say what the handle is of. */
#define MPICH_KIND(handle)	((unsigned int)(handle) >> 26 & 15)
#define MPICH_KIND_COMM		1

/* Whether a handle may be asked about, without the host complaining in another function's name. */
static bool is_comm(MPI_Comm comm)
{
#ifdef OPEN_MPI
	return comm && comm != host_get()->comm_null;
#else
	return comm != MPI_COMM_NULL && MPICH_KIND(comm) == MPICH_KIND_COMM;
#endif
}

static int serve_valid(struct request *request, struct group *group)
{
	int error;

	request->all.blocks = group->peers;
	request->own.blocks = 1;
	error = request_check(request, group);
	if (error > 0)
		return operate_fail(group->comm, error);
	if (error)
		return error;
	if (group->state == GROUP_UNDECIDED) {
		error = meet_decide(group);
		if (error)
			return error;
	}
	if (group->state == GROUP_DEVICE) {
		error = operate_run(request, group);
		if (error > 0)
			return operate_fail(group->comm, error);
		if (!error)
			return error;
		group->state = GROUP_HOST;
	}
	if (group->small || settings_mode() != SETTINGS_REQUIRE)
		return REQUEST_HOST;
	return operate_fail(group->comm, MPI_ERR_OTHER);
}

bool serve_call(struct request *request, host_word handle, int *result)
{
	const MPI_Comm comm = (MPI_Comm)handle;
	struct group *group;
	int error;

	if (host_get()->foreign || !is_comm(comm))
		return false;
	error = group_get(comm, &group);
	if (error == MPI_ERR_COMM)
		return false;
	*result = error ? operate_fail(comm, error) : serve_valid(request, group);
	return *result != REQUEST_HOST;
}

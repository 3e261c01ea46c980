// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * Whether the arguments of a call are good. Arguments that are not significant at a rank may be
 * anything. A call that the host refuses at once goes there, so that codes and messages are the
 * host's own. But what the host does not check at once would not return there, since the other
 * ranks may call the device: such an error is ours to raise. Trials have shown what Open MPI 4.1.4
 * and MPICH 4.0.2 check.
 */
#include "request.h"

#ifdef OPEN_MPI
/* The root of a scatter has its own arguments checked, not those of the send buffer. */
static bool host_checks_all(const struct request *request, const struct group *group)
{
	return request->gathers || request->vector || group->inter || !request->owns;
}

/* Of a receive buffer the host only sees whether the datatype is MPI_DATATYPE_NULL. */
static bool host_checks_type(const struct operand *operand, bool receives)
{
	return !receives || operand->type == host_get()->type_null;
}
#else
static bool host_checks_all(const struct request *request, const struct group *group)
{
	(void)request;
	(void)group;
	return true;
}

static bool host_checks_type(const struct operand *operand, bool receives)
{
	(void)operand;
	(void)receives;
	return true;
}
#endif

static int refuse(bool host_checks, int class)
{
	return host_checks ? REQUEST_HOST : class;
}

static int check_root(struct request *request, const struct group *group)
{
	const int root = request->root;

	if (group->inter && (root == MPI_ROOT || root == MPI_PROC_NULL)) {
		request->is_root = root == MPI_ROOT;
		request->owns = false;
		return MPI_SUCCESS;
	}
	if (root < 0 || root >= group->peers)
		return REQUEST_HOST;
	request->is_root = !group->inter && root == group->rank;
	request->owns = true;
	return MPI_SUCCESS;
}

/* Only the block that the root of an intra-communicator owns may be in place. */
static int check_in_place(struct request *request, const struct group *group)
{
	if (request->owns && request->own.address == MPI_IN_PLACE) {
		if (request->is_root)
			request->owns = false;
#ifdef OPEN_MPI
		else
			return refuse(!group->inter, MPI_ERR_ARG);
#else
		else if (request->own.count)
			return MPI_ERR_BUFFER;
#endif
	}
	if (request->is_root && request->all.address == MPI_IN_PLACE)
		return refuse(!group->inter, MPI_ERR_BUFFER);
	return MPI_SUCCESS;
}

static int check_arrays(const struct operand *all)
{
#ifdef OPEN_MPI
	const bool checked = true;
#else
	const bool checked = false;
#endif

	return all->counts && all->displs ? MPI_SUCCESS : refuse(checked, MPI_ERR_ARG);
}

/* MPICH knows that no basic datatype is at address 0. Of others the device finds out. */
#ifdef OPEN_MPI
static bool host_knows_null(const struct operand *operand)
{
	(void)operand;
	return false;
}
#else
static bool host_knows_null(const struct operand *operand)
{
	const unsigned int builtin = 1;
	int i;

	if (operand->address || !operand->form->size ||
	    (unsigned int)operand->type >> 30 != builtin)
		return false;
	for (i = 0; i < operand->blocks; i++) {
		if (operand_count(operand, i))
			return true;
	}
	return false;
}
#endif

static int check_operand(struct operand *operand, bool receives, bool host_checks)
{
	int error, i;

	for (i = 0; i < operand->blocks; i++) {
		if (operand_count(operand, i) < 0)
			return refuse(host_checks, MPI_ERR_COUNT);
		if (!operand->counts)
			break;
	}
	error = form_get(operand->type, &operand->form);
	if (error == MPI_ERR_TYPE)
		return refuse(host_checks && host_checks_type(operand, receives), error);
	if (!error && host_knows_null(operand))
		return REQUEST_HOST;
	return error;
}

/*
 * MPICH refuses a root whose own block is the same place in both buffers. MPICH reckons with the
 * size, not with the extent.
 */
static bool is_aliased(const struct request *request, const struct group *group)
{
#ifdef OPEN_MPI
	(void)request;
	(void)group;
	return false;
#else
	const struct operand *all = &request->all, *own = &request->own;
	const int64_t count = operand_count(all, group->rank);

	if (all->type != own->type || !count || !own->count)
		return false;
	if (!request->vector && count != own->count)
		return false;
	return (char *)all->address + operand_displ(all, group->rank) * all->form->size ==
	       (char *)own->address;
#endif
}

int request_check(struct request *request, const struct group *group)
{
	int error;

	error = check_root(request, group);
	if (!error)
		error = check_in_place(request, group);
	if (!error && request->owns)
		error = check_operand(&request->own, !request->gathers, true);
	if (error || !request->is_root)
		return error;
	if (request->vector)
		error = check_arrays(&request->all);
	if (!error)
		error = check_operand(&request->all, request->gathers,
				      host_checks_all(request, group));
	if (!error && request->owns && is_aliased(request, group))
		error = REQUEST_HOST;
	return error;
}

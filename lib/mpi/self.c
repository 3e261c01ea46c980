// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * A communicator of this process alone, and a request that never completes. Looking at such a
 * request makes every MPI library work on all that is under way. Probing for messages does not: on
 * a communicator with one rank MPICH 4.0.2 looks at that rank's own messages only.
 */
#include <pthread.h>

#include "host.h"
#include "life.h"
#include "self.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm self;
static MPI_Request never;
static bool made;

static int on_query(void *extra, MPI_Status *status)
{
	(void)extra;
	(void)status;
	return MPI_SUCCESS;
}

static int on_free(void *extra)
{
	(void)extra;
	return MPI_SUCCESS;
}

static int on_cancel(void *extra, int complete)
{
	(void)extra;
	(void)complete;
	return MPI_SUCCESS;
}

#ifdef HOST_SESSIONS
static MPI_Session session;
static bool of_session;

/* A session of the shim's own: those of the program may end in any order. */
static bool comm_of_session(const struct host *host)
{
	MPI_Group group;

	if (!life_has_session() ||
	    host->Session_init(host->info_null, host->errors_return, &session))
		return false;
	if (!host->Group_from_session_pset(session, "mpi://SELF", &group)) {
		of_session = !host->Comm_create_from_group(group, "libscatter-mpi",
							   host->info_null, host->errors_return,
							   &self);
		host->Group_free(&group);
	}
	if (!of_session)
		host->Session_finalize(&session);
	return of_session;
}

static void session_end(const struct host *host)
{
	if (of_session)
		host->Session_finalize(&session);
	of_session = false;
}
#else
static bool comm_of_session(const struct host *host)
{
	(void)host;
	return false;
}

static void session_end(const struct host *host)
{
	(void)host;
}
#endif

/* MPI_Comm_dup() would call what the program has set to copy attributes of MPI_COMM_SELF. */
static bool comm_of_world(const struct host *host)
{
	if (host->Comm_split(host->comm_self, 0, 0, &self))
		return false;
	host->Comm_set_errhandler(self, host->errors_return);
	return true;
}

static void comm_end(const struct host *host)
{
	host->Comm_free(&self);
	session_end(host);
}

static bool make(const struct host *host)
{
	if (!(life_has_world() ? comm_of_world(host) : comm_of_session(host)))
		return false;
	if (!host->Grequest_start(on_query, on_free, on_cancel, NULL, &never))
		return true;
	comm_end(host);
	return false;
}

bool self_get(MPI_Comm *comm)
{
	if (!__atomic_load_n(&made, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&lock);
		if (!made && make(host_get()))
			__atomic_store_n(&made, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&lock);
	}
	*comm = self;
	return made;
}

void self_progress(void)
{
	MPI_Comm comm;
	int flag;

	if (self_get(&comm))
		host_get()->Request_get_status(never, &flag, MPI_STATUS_IGNORE);
}

void self_end(void)
{
	const struct host *host = host_get();

	if (!made)
		return;
	host->Grequest_complete(never);
	host->Request_free(&never);
	comm_end(host);
	made = false;
}

void self_forget(void)
{
	made = false;
}

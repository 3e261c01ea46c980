// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * A communicator of this process alone, and a request that never completes. Looking at such a
 * request makes every MPI library work on all that is under way. Probing for messages does not: on
 * a communicator with one rank MPICH 4.0.2 looks at that rank's own messages only.
 */
#include <pthread.h>

#include "host.h"
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

/* MPI_Comm_dup() would call what the program has set to copy attributes of MPI_COMM_SELF. */
static bool make(const struct host *host)
{
	int initialized = 0;

	host->Initialized(&initialized);
	if (!initialized || host->Comm_split(host->comm_self, 0, 0, &self))
		return false;
	host->Comm_set_errhandler(self, host->errors_return);
	return !host->Grequest_start(on_query, on_free, on_cancel, NULL, &never);
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
	int flag;

	host_get()->Request_get_status(never, &flag, MPI_STATUS_IGNORE);
}

void self_end(void)
{
	if (!made)
		return;
	host_get()->Grequest_complete(never);
	host_get()->Request_free(&never);
}

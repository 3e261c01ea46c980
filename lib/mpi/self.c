// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * A communicator of this process alone.
 */
#include <pthread.h>

#include "host.h"
#include "self.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm self;
static bool made;

/* MPI_Comm_dup() would call what the program has set to copy attributes of MPI_COMM_SELF. */
static bool make(const struct host *host)
{
	int initialized = 0;

	host->Initialized(&initialized);
	if (!initialized || host->Comm_split(host->comm_self, 0, 0, &self))
		return false;
	host->Comm_set_errhandler(self, host->errors_return);
	return true;
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

/* Nobody sends anything there, so each call looks for messages of all kinds. */
void self_progress(void)
{
	int flag;

	host_get()->Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self, &flag, MPI_STATUS_IGNORE);
}

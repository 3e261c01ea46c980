// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * The functions that begin and end a session, as those of entry.c. Open MPI 4 has none.
 */
#include "form.h"
#include "group.h"
#include "life.h"
#include "self.h"

#ifdef HOST_SESSIONS

#define EXPORTED	__attribute__((visibility("default")))

/* As of entry.c. */
typedef int init_call(host_word info, host_word handler, host_word *session);
typedef int finalize_call(host_word *session);

init_call mpi_session_init __asm__("MPI_Session_init") EXPORTED;
init_call pmpi_session_init __asm__("PMPI_Session_init") EXPORTED;
finalize_call mpi_session_finalize __asm__("MPI_Session_finalize") EXPORTED;
finalize_call pmpi_session_finalize __asm__("PMPI_Session_finalize") EXPORTED;

int pmpi_session_init(host_word info, host_word handler, host_word *session)
{
	int result = ((init_call *)(void *)host_get()->Session_init)(info, handler, session);

	if (!result)
		life_session_begun();
	return result;
}

int mpi_session_init(host_word info, host_word handler, host_word *session)
{
	init_call *tool = (void *)host_get()->tool_Session_init;

	return (tool ? tool : pmpi_session_init)(info, handler, session);
}

/*
 * What the shim has of its own ends before the program's last session. A session that the MPI
 * library does not end is still there.
 */
int pmpi_session_finalize(host_word *session)
{
	int result;

	if (!host_get()->foreign && life_session_ends()) {
		group_end_all();
		form_end_all();
		self_end();
	}
	result = ((finalize_call *)(void *)host_get()->Session_finalize)(session);
	if (result && !host_get()->foreign)
		life_session_begun();
	return result;
}

int mpi_session_finalize(host_word *session)
{
	finalize_call *tool = (void *)host_get()->tool_Session_finalize;

	return (tool ? tool : pmpi_session_finalize)(session);
}

#endif /* HOST_SESSIONS */

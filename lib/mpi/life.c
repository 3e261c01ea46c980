// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * From when to when the program uses MPI.
 */
#include "host.h"
#include "life.h"

static int sessions;

bool life_has_world(void)
{
	int begun = 0, ended = 0;

	host_get()->Initialized(&begun);
	host_get()->Finalized(&ended);
	return begun && !ended;
}

bool life_has_session(void)
{
	return __atomic_load_n(&sessions, __ATOMIC_RELAXED);
}

void life_session_begun(void)
{
	__atomic_add_fetch(&sessions, 1, __ATOMIC_RELAXED);
}

bool life_session_ends(void)
{
	return !__atomic_sub_fetch(&sessions, 1, __ATOMIC_RELAXED) && !life_has_world();
}

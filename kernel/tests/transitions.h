/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The states of connections, described a second time: what every event does in every state. For
 * the unit tests in user space and for KUnit; pure code like the states themselves.
 */
#ifndef _SCATTER_TESTS_TRANSITIONS_H
#define _SCATTER_TESTS_TRANSITIONS_H

#include "../wire/states.h"

/* How many events in all states but CLOSING are fine, breaches, and never there */
#define SCATTER_TRANSITIONS_FINE	79
#define SCATTER_TRANSITIONS_BREACHES	24
#define SCATTER_TRANSITIONS_NEVER	59

bool scatter_transitions_try(enum scatter_states state, enum scatter_states_event event,
			     u32 counts[3]);
bool scatter_transitions_try_closing(enum scatter_states after, enum scatter_states_event event);

#endif /* _SCATTER_TESTS_TRANSITIONS_H */

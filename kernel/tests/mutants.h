/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages at random that are nearly right, through all parsers and through the states of one
 * connection, as node/receive.c hands them on. For the unit tests in user space and for KUnit; pure
 * code like the messages themselves.
 */
#ifndef _SCATTER_TESTS_MUTANTS_H
#define _SCATTER_TESTS_MUTANTS_H

#include "../wire/credits.h"
#include "../wire/sequence.h"
#include "../wire/states.h"
#include "messages.h"

/* Of so many messages at least one comes while the connection is up. */
#define SCATTER_MUTANTS_UP_SHARE	5

/**
 * struct mutants_peer - the connection that gets the messages, and what came of them
 * @state: of the connection
 * @sequence: its numbers
 * @credits: its credits
 * @counts: what the parsers said; both descriptions of the messages have to judge the same
 * @ups: how often the connection was up
 * @breaches: how often it ended because of the peer
 * @nevers: events that the states say cannot be
 * @strays: events whose outcome the other description of the states does not know
 * @seen: messages that came in each state
 */
struct mutants_peer {
	struct scatter_state state;
	struct scatter_sequence sequence;
	struct scatter_credits credits;
	struct messages_counts counts;
	u32 ups, breaches, nevers, strays;
	u32 seen[SCATTER_STATES_COUNT];
};

void scatter_mutants_try(struct mutants_peer *peer, u32 messages, u8 *end);
u32 scatter_mutants_unseen(const struct mutants_peer *peer);

#endif /* _SCATTER_TESTS_MUTANTS_H */

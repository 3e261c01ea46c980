// SPDX-License-Identifier: GPL-2.0
/*
 * Messages at random that are nearly right, as kernel/tests/mutants.h has them. Memory ends where
 * each message does.
 *
 *	mutants_test [MESSAGES [SEED]]
 */
#include <stdlib.h>

#include "edge.h"
#include "tap.h"
#include "tests/mutants.h"

#define MESSAGES	100000

int main(int argc, char **argv)
{
	u32 messages = argc > 1 ? (u32)strtoul(argv[1], NULL, 0) : MESSAGES, up, unseen;
	struct mutants_peer peer = { 0 };
	u8 *edge = edge_make(SCATTER_MESSAGES_ROOM);

	if (!ok(edge, "memory with an end"))
		return tap_done();
	if (argc > 2)
		scatter_messages_seed(strtoull(argv[2], NULL, 0));
	scatter_mutants_try(&peer, messages, edge);
	up = peer.seen[SCATTER_STATES_UP];
	unseen = scatter_mutants_unseen(&peer);
	ok(peer.counts.fine && peer.counts.refused && !peer.counts.wrong,
	   "%u messages with mistakes: %u refused, %u misjudged", messages, peer.counts.refused,
	   peer.counts.wrong);
	ok(peer.ups && peer.breaches && !peer.nevers && !peer.strays,
	   "a connection that was up %u times: %u breaches, %u impossible events, %u wrong states",
	   peer.ups, peer.breaches, peer.nevers, peer.strays);
	ok(!unseen && up >= messages / SCATTER_MUTANTS_UP_SHARE,
	   "%u of %u states got no message, and %u messages came while the connection was up",
	   unseen, (u32)SCATTER_STATES_COUNT, up);
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credits: a node sends only messages for which the peer has a receive buffer.
 *
 * Each message but those of the handshake takes one credit and fills one buffer. A receiver that
 * has posted the buffer again owes a credit; the receiver's next message carries the credit. A node
 * keeps its last credit for a CREDIT that gives credits: so two nodes that have filled all of each
 * other's buffers can still tell each other that buffers are free again. The receiver of the last
 * such CREDIT has a credit left, so one of the two nodes can always go on.
 */
#ifndef _SCATTER_CREDITS_H
#define _SCATTER_CREDITS_H

#include "wire/types.h"

/**
 * struct scatter_credits - the credits of a connection, both ways
 * @have: how many messages this node may send now
 * @granted: how many messages the peer may send, with those on their way
 * @owed: buffers posted again that the peer does not know about
 * @ours: receive buffers of this node: @granted, @owed and the buffers whose messages are being
 *	handled
 * @theirs: receive buffers of the peer, the most that @have can be
 */
struct scatter_credits {
	u16 have;
	u16 granted;
	u16 owed;
	u16 ours;
	u16 theirs;
};

void scatter_credits_start(struct scatter_credits *credits, u16 ours, u16 theirs);
bool scatter_credits_take(struct scatter_credits *credits);
bool scatter_credits_take_last(struct scatter_credits *credits);
u16 scatter_credits_give(struct scatter_credits *credits);
bool scatter_credits_due(const struct scatter_credits *credits);
bool scatter_credits_receive(struct scatter_credits *credits, u16 given);
void scatter_credits_post(struct scatter_credits *credits);

#endif /* _SCATTER_CREDITS_H */

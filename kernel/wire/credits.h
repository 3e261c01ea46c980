/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credits: a node sends only what the peer has a receive buffer for.
 *
 * Each message but those of the handshake takes one credit and fills one buffer. When the
 * receiver has posted the buffer again, it owes a credit, which the next message that it
 * sends carries. The last credit is for a CREDIT that gives some: so two nodes that have
 * filled all of each other's buffers can still tell that these are free again. The last
 * of such messages to arrive leaves its receiver a credit, so one of the two can always go on.
 */
#ifndef _SCATTER_CREDITS_H
#define _SCATTER_CREDITS_H

#include "wire/types.h"

/**
 * struct scatter_credits - the credits of a connection, both ways
 * @have: messages that this node may send now
 * @granted: messages that the peer may send, with those on their way
 * @owed: buffers posted again that the peer does not know about
 * @ours: receive buffers of this node; @granted + @owed and those with messages that are
 *	being handled
 * @theirs: receive buffers of the peer, which @have cannot exceed
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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sequence numbers of the messages between two nodes: 1 to 2^32 - 1, then 1 again. 0 is the
 * number before the first message.
 */
#ifndef _SCATTER_SEQUENCE_H
#define _SCATTER_SEQUENCE_H

#include "wire/types.h"
#include "wire/wire.h"

/**
 * struct scatter_sequence - the numbers of both directions, which outlive a connection
 * @sent: the last number that this node gave to a message
 * @acknowledged: the last number that the peer has received; later numbers up to @sent are
 *	unacknowledged
 * @received: the last number received in order
 *
 * All 0 at first, and again when one of the two nodes has forgotten the other.
 */
struct scatter_sequence {
	u32 sent;
	u32 acknowledged;
	u32 received;
};

/**
 * enum scatter_sequence_verdict - what a received number means
 * @SCATTER_SEQUENCE_NEXT: the next number: handle the message
 * @SCATTER_SEQUENCE_AGAIN: the message has been received already, and was sent again after a
 *	reconnect: drop the message
 * @SCATTER_SEQUENCE_GAP: any other number, which is a breach of the protocol
 */
enum scatter_sequence_verdict {
	SCATTER_SEQUENCE_NEXT,
	SCATTER_SEQUENCE_AGAIN,
	SCATTER_SEQUENCE_GAP,
};

bool scatter_sequence_continues(const struct scatter_wire_hello *hello,
				const struct scatter_wire_welcome *welcome);
u32 scatter_sequence_next(u32 number);
bool scatter_sequence_before(u32 number, u32 other);
u32 scatter_sequence_send(struct scatter_sequence *sequence);
u32 scatter_sequence_unacknowledged(const struct scatter_sequence *sequence);
bool scatter_sequence_acknowledge(struct scatter_sequence *sequence, u32 number);
enum scatter_sequence_verdict scatter_sequence_receive(struct scatter_sequence *sequence,
						       u32 number);

#endif /* _SCATTER_SEQUENCE_H */

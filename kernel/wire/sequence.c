// SPDX-License-Identifier: GPL-2.0
/*
 * Sequence numbers of messages: their order, and which ones the peer has acknowledged.
 */
#include "wire/sequence.h"

/* Two numbers that are at least this far apart are in the opposite order. */
#define HALF	((u32)1 << 31)

/**
 * scatter_sequence_next() - find the number of the next message
 * @number: the number of a message, or 0
 *
 * Context: any.
 * Return: 1 and up
 */
u32 scatter_sequence_next(u32 number)
{
	return number + 1 ? number + 1 : 1;
}

/* Count the messages after @from up to @to. Only the first message follows 0. */
static u32 distance(u32 from, u32 to)
{
	return to < from ? to - from - 1 : to - from;
}

/**
 * scatter_sequence_before() - compare two numbers
 * @number: a number, or 0, which is before all others
 * @other: another number, less than 2^31 messages away
 *
 * Context: any.
 * Return: whether @number is before @other
 */
bool scatter_sequence_before(u32 number, u32 other)
{
	if (!number || !other)
		return number < other;
	return number != other && distance(number, other) < HALF;
}

/**
 * scatter_sequence_continues() - whether the numbers go on with a new connection
 * @hello: HELLO of the connection's initiator
 * @welcome: WELCOME of the connection's responder
 *
 * Context: any.
 * Return: false: one node has forgotten the other, so both begin with 1
 */
bool scatter_sequence_continues(const struct scatter_wire_hello *hello,
				const struct scatter_wire_welcome *welcome)
{
	return hello->expected == welcome->incarnation && welcome->expected == hello->incarnation;
}

/**
 * scatter_sequence_send() - number a message
 * @sequence: the peer's numbers
 *
 * Context: any; the caller serializes.
 * Return: the message's number
 */
u32 scatter_sequence_send(struct scatter_sequence *sequence)
{
	sequence->sent = scatter_sequence_next(sequence->sent);
	return sequence->sent;
}

/**
 * scatter_sequence_unacknowledged() - how many messages may have to be sent again
 * @sequence: the peer's numbers
 *
 * Context: any; the caller serializes.
 * Return: how many the peer has not acknowledged
 */
u32 scatter_sequence_unacknowledged(const struct scatter_sequence *sequence)
{
	return distance(sequence->acknowledged, sequence->sent);
}

/**
 * scatter_sequence_acknowledge() - note which messages the peer has received
 * @sequence: the peer's numbers
 * @number: in a header, HELLO or WELCOME: all messages up to this number
 *
 * Messages of an old connection may come late, and acknowledge less than is known.
 *
 * Context: any; the caller serializes.
 * Return: false if no such message was sent, which is a breach of the protocol
 */
bool scatter_sequence_acknowledge(struct scatter_sequence *sequence, u32 number)
{
	if (number == sequence->acknowledged ||
	    scatter_sequence_before(number, sequence->acknowledged))
		return true;
	if (distance(sequence->acknowledged, number) > scatter_sequence_unacknowledged(sequence))
		return false;
	sequence->acknowledged = number;
	return true;
}

/**
 * scatter_sequence_receive() - check a received message's number
 * @sequence: the peer's numbers
 * @number: in the message's header, not 0
 *
 * Context: any; the caller serializes.
 * Return: what to do with the message
 */
enum scatter_sequence_verdict scatter_sequence_receive(struct scatter_sequence *sequence,
						       u32 number)
{
	if (number == scatter_sequence_next(sequence->received)) {
		sequence->received = number;
		return SCATTER_SEQUENCE_NEXT;
	}
	if (number == sequence->received || scatter_sequence_before(number, sequence->received))
		return SCATTER_SEQUENCE_AGAIN;
	return SCATTER_SEQUENCE_GAP;
}

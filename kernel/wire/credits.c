// SPDX-License-Identifier: GPL-2.0
/*
 * Credits: count for how many messages the peer has receive buffers.
 */
#include "wire/credits.h"

/**
 * scatter_credits_start() - set up the credits of a connection that begins
 * @credits: (out) the connection's credits
 * @ours: receive buffers that this node told of in HELLO or WELCOME
 * @theirs: receive buffers that the peer told of
 *
 * Context: any.
 */
void scatter_credits_start(struct scatter_credits *credits, u16 ours, u16 theirs)
{
	*credits = (struct scatter_credits){
		.have = theirs,
		.granted = ours,
		.ours = ours,
		.theirs = theirs,
	};
}

/**
 * scatter_credits_take() - take a credit before sending any message but a CREDIT
 * @credits: the connection's credits
 *
 * Context: any; the caller serializes.
 * Return: false if the message has to wait until the peer gives credits
 */
bool scatter_credits_take(struct scatter_credits *credits)
{
	if (credits->have < 2)
		return false;
	credits->have--;
	return true;
}

/**
 * scatter_credits_take_last() - take a credit before sending a CREDIT
 * @credits: the connection's credits
 *
 * Context: any; the caller serializes.
 * Return: false if the CREDIT has to wait
 */
bool scatter_credits_take_last(struct scatter_credits *credits)
{
	if (!credits->have || (credits->have == 1 && !credits->owed))
		return false;
	credits->have--;
	return true;
}

/**
 * scatter_credits_give() - find the credits to send with a message
 * @credits: the connection's credits
 *
 * Context: any; the caller serializes.
 * Return: the credits for the message's header; nothing is owed any more
 */
u16 scatter_credits_give(struct scatter_credits *credits)
{
	u16 given = credits->owed;

	credits->granted += given;
	credits->owed = 0;
	return given;
}

/**
 * scatter_credits_due() - whether so many credits are owed that a CREDIT is worth sending
 * @credits: the connection's credits
 *
 * Context: any; the caller serializes.
 * Return: true if half of all buffers are owed
 */
bool scatter_credits_due(const struct scatter_credits *credits)
{
	return credits->owed >= credits->ours / 2;
}

/**
 * scatter_credits_receive() - account for a message that has come
 * @credits: the connection's credits
 * @given: the credits in the message's header
 *
 * Context: any; the caller serializes.
 * Return: false if the peer breaks the protocol: the peer had no credit for the message, or gives
 * more credits than it has buffers
 */
bool scatter_credits_receive(struct scatter_credits *credits, u16 given)
{
	if (!credits->granted || given > credits->theirs - credits->have)
		return false;
	credits->granted--;
	credits->have += given;
	return true;
}

/**
 * scatter_credits_post() - account for a receive buffer that has been posted again
 * @credits: the connection's credits
 *
 * Context: any; the caller serializes.
 */
void scatter_credits_post(struct scatter_credits *credits)
{
	credits->owed++;
}

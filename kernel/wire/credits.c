// SPDX-License-Identifier: GPL-2.0
/*
 * Credits: a node sends only what the peer has a receive buffer for.
 */
#include "wire/credits.h"

/**
 * scatter_credits_start() - a connection begins
 * @credits: (out) its credits
 * @ours: receive buffers that this node told of in HELLO or WELCOME
 * @theirs: those that the peer told of
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
 * scatter_credits_take() - before sending any message but a CREDIT
 * @credits: of the connection
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
 * scatter_credits_take_last() - before sending a CREDIT
 * @credits: of the connection
 *
 * Context: any; the caller serializes.
 * Return: false if it has to wait
 */
bool scatter_credits_take_last(struct scatter_credits *credits)
{
	if (!credits->have || (credits->have == 1 && !credits->owed))
		return false;
	credits->have--;
	return true;
}

/**
 * scatter_credits_give() - credits for a message that is sent now
 * @credits: of the connection
 *
 * Context: any; the caller serializes.
 * Return: what its header says; nothing is owed any more
 */
u16 scatter_credits_give(struct scatter_credits *credits)
{
	u16 given = credits->owed;

	credits->granted += given;
	credits->owed = 0;
	return given;
}

/**
 * scatter_credits_due() - is so much owed that it is worth a CREDIT?
 * @credits: of the connection
 *
 * Context: any; the caller serializes.
 * Return: true if it is half of all buffers
 */
bool scatter_credits_due(const struct scatter_credits *credits)
{
	return credits->owed >= credits->ours / 2;
}

/**
 * scatter_credits_receive() - a message has come
 * @credits: of the connection
 * @given: what its header says
 *
 * Context: any; the caller serializes.
 * Return: false if the peer had no credit for it, or gives more than it has buffers, which
 * is a breach of the protocol
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
 * scatter_credits_post() - the buffer of a message has been posted again
 * @credits: of the connection
 *
 * Context: any; the caller serializes.
 */
void scatter_credits_post(struct scatter_credits *credits)
{
	credits->owed++;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Sequence numbers against a count that never wraps, and credits of two nodes that send and
 * receive at random: see flow.h.
 */
#include "../wire/credits.h"
#include "../wire/sequence.h"
#include "flow.h"

#define LAST	SCATTER_FLOW_LAST

static u64 random_state = 777;

static u32 any(u32 bound)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (u32)((random_state >> 33) % bound);
}

/* Sequence numbers -------------------------------------------------------------- */

/* The number of message @count, from 1; 0 is before all. */
static u32 number_of(u64 count)
{
	return count ? (u32)((count - 1) % LAST + 1) : 0;
}

/**
 * scatter_flow_order() - the order of numbers near each other, and near the wrap
 *
 * Context: one at a time.
 * Return: how many mistakes there are
 */
u32 scatter_flow_order(void)
{
	u32 i, bad = 0;

	for (i = 0; i < 20000; i++) {
		u64 first = 1 + any(9) + (any(2) ? 0 : (u64)LAST - any(20));
		u64 ahead = any(3) ? any(20) : any((1u << 31) - 1);
		u32 a = number_of(first), b = number_of(first + ahead);

		bad += scatter_sequence_before(a, b) != !!ahead;
		bad += ahead && scatter_sequence_before(b, a);
		bad += scatter_sequence_next(a) != number_of(first + 1);
	}
	return bad;
}

/* Acknowledge all that may be, and what may not. */
static u32 try_acknowledge(u64 acknowledged, u64 sent)
{
	const struct scatter_sequence given = {
		.sent = number_of(sent),
		.acknowledged = number_of(acknowledged),
	};
	u64 low = acknowledged > 5 ? acknowledged - 5 : 0, count;
	u32 bad = scatter_sequence_unacknowledged(&given) != sent - acknowledged;

	for (count = low; count < sent + 5; count++) {
		struct scatter_sequence sequence = given;
		bool fine = scatter_sequence_acknowledge(&sequence, number_of(count));

		bad += fine != (count <= sent);
		bad += sequence.acknowledged !=
		       number_of(fine && count > acknowledged ? count : acknowledged);
	}
	if (acknowledged) {
		struct scatter_sequence sequence = given;

		bad += !scatter_sequence_acknowledge(&sequence, 0);
		bad += sequence.acknowledged != given.acknowledged;
	}
	return bad;
}

/**
 * scatter_flow_acknowledge() - what was sent is acknowledged, and nothing else
 *
 * Context: any.
 * Return: how many mistakes there are
 */
u32 scatter_flow_acknowledge(void)
{
	const u64 starts[] = { 0, 1, 7, (u64)LAST - 12, (u64)LAST - 1, (u64)LAST,
			       (u64)LAST + 1 };
	u32 i, ahead, bad = 0;

	for (i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		for (ahead = 0; ahead < 20; ahead++)
			bad += try_acknowledge(starts[i], starts[i] + ahead);
	return bad;
}

/**
 * scatter_flow_receive() - messages before and after the wrap come in order, once, and none is
 * left out
 *
 * Context: any.
 * Return: how many mistakes there are
 */
u32 scatter_flow_receive(void)
{
	struct scatter_sequence sender = { .sent = LAST - 100 };
	struct scatter_sequence receiver = { .received = LAST - 100 };
	u32 i, back, number, bad = 0;

	for (i = 0; i < 200; i++) {
		number = scatter_sequence_send(&sender);
		bad += scatter_sequence_receive(&receiver, scatter_sequence_next(number)) !=
		       SCATTER_SEQUENCE_GAP;
		bad += scatter_sequence_receive(&receiver, number) != SCATTER_SEQUENCE_NEXT;
		for (back = 0; back < 50; back++)
			bad += scatter_sequence_receive(&receiver,
							number_of(number + (u64)LAST - back)) !=
			       SCATTER_SEQUENCE_AGAIN;
		bad += receiver.received != number;
	}
	return bad + (sender.sent != 100);
}

/* Credits ----------------------------------------------------------------------- */

#define QUEUE	2048

/*
 * A node: what it was sent and has not looked at, what it has not posted again, and whether it
 * took the last credit for anything but a CREDIT that gives some.
 */
struct talker {
	struct scatter_credits credits;
	u16 queue[QUEUE];
	u32 head, tail, unposted, received;
	bool overdrawn;
};

static u32 waiting(const struct talker *node)
{
	return node->tail - node->head;
}

static void send(struct talker *from, struct talker *to)
{
	to->queue[to->tail++ % QUEUE] = scatter_credits_give(&from->credits);
}

static bool try_send(struct talker *from, struct talker *to)
{
	bool good = scatter_credits_take(&from->credits);

	if (good) {
		from->overdrawn |= !from->credits.have;
		send(from, to);
	}
	return good;
}

static bool try_credit(struct talker *from, struct talker *to)
{
	bool good = scatter_credits_take_last(&from->credits);

	if (good) {
		from->overdrawn |= !from->credits.have && !from->credits.owed;
		send(from, to);
	}
	return good;
}

static bool try_receive(struct talker *node)
{
	if (!waiting(node))
		return true;
	node->received++;
	node->unposted++;
	return scatter_credits_receive(&node->credits, node->queue[node->head++ % QUEUE]);
}

static void try_post(struct talker *node)
{
	if (node->unposted) {
		node->unposted--;
		scatter_credits_post(&node->credits);
	}
}

/* No buffer is lost, and nobody has sent more than there are buffers, or the reserve. */
static bool is_sound(const struct talker *node, const struct talker *peer)
{
	const struct scatter_credits *credits = &node->credits;
	u32 i, coming = 0;

	for (i = peer->head; i != peer->tail; i++)
		coming += peer->queue[i % QUEUE];
	return credits->granted + credits->owed + node->unposted == credits->ours &&
	       waiting(node) + node->unposted <= credits->ours &&
	       peer->credits.have + coming + waiting(node) == credits->granted &&
	       peer->credits.have <= credits->ours && !node->overdrawn;
}

/**
 * scatter_flow_converse() - two nodes always have something to say, in any order
 * @ours: buffers of the one
 * @theirs: buffers of the other
 * @steps: how often something happens
 * @received: (out) how many messages have reached both at least
 *
 * Context: one at a time.
 * Return: true if no credit was lost, made up, or taken from the reserve
 */
bool scatter_flow_converse(u16 ours, u16 theirs, u32 steps, u32 *received)
{
	static struct talker node[2];
	bool good = true;
	u32 i;

	memset(node, 0, sizeof(node));
	scatter_credits_start(&node[0].credits, ours, theirs);
	scatter_credits_start(&node[1].credits, theirs, ours);
	for (i = 0; i < steps && good; i++) {
		struct talker *one = &node[any(2)], *other = &node[one == node];

		switch (any(5)) {
		case 0:
			try_send(one, other);
			break;
		case 1:
			good = try_receive(one);
			break;
		case 2:
			try_post(one);
			break;
		case 3:
			if (scatter_credits_due(&one->credits))
				try_credit(one, other);
			break;
		default:
			/* A keep-alive may come at any time. */
			if (!any(9))
				try_credit(one, other);
		}
		good = good && is_sound(one, other) && is_sound(other, one);
		/* Both sometimes send all that they can, and only then look. */
		while (!any(200) && try_send(one, other))
			try_send(other, one);
		/* When all is received and posted, one can send what lets the other go on. */
		if (!any(500)) {
			while (good && (waiting(one) || waiting(other) || one->unposted ||
					other->unposted)) {
				good = try_receive(one) && try_receive(other);
				try_post(one);
				try_post(other);
			}
			if (!try_credit(one, other))
				good = good && try_credit(other, one);
		}
	}
	*received = node[0].received < node[1].received ? node[0].received : node[1].received;
	return good;
}

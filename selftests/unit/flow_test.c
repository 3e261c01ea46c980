// SPDX-License-Identifier: GPL-2.0
/*
 * Sequence numbers against a count that never wraps, and credits of two nodes that send and
 * receive at random.
 */
#include <string.h>

#include "tap.h"
#include "wire/credits.h"
#include "wire/sequence.h"

#define LAST	0xffffffffu	/* the last number before 1 */
#define STEPS	200000

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

static void test_order(void)
{
	u32 i, bad = 0;

	ok(scatter_sequence_next(0) == 1 && scatter_sequence_next(1) == 2 &&
	   scatter_sequence_next(LAST - 1) == LAST && scatter_sequence_next(LAST) == 1,
	   "sequence: no message has the number 0");
	ok(scatter_sequence_before(0, 1) && scatter_sequence_before(0, LAST) &&
	   !scatter_sequence_before(1, 0) && !scatter_sequence_before(LAST, 0) &&
	   !scatter_sequence_before(0, 0), "sequence: 0 is before all");
	for (i = 0; i < 20000; i++) {
		u64 first = 1 + any(9) + (any(2) ? 0 : (u64)LAST - any(20));
		u64 ahead = any(3) ? any(20) : any((1u << 31) - 1);
		u32 a = number_of(first), b = number_of(first + ahead);

		bad += scatter_sequence_before(a, b) != !!ahead;
		bad += ahead && scatter_sequence_before(b, a);
		bad += scatter_sequence_next(a) != number_of(first + 1);
	}
	ok(!bad, "sequence: the order goes round");
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

static void test_acknowledge(void)
{
	const u64 starts[] = { 0, 1, 7, (u64)LAST - 12, (u64)LAST - 1, (u64)LAST,
			       (u64)LAST + 1 };
	struct scatter_sequence fresh = { 0 };
	u32 i, ahead, bad = 0;

	for (i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		for (ahead = 0; ahead < 20; ahead++)
			bad += try_acknowledge(starts[i], starts[i] + ahead);
	ok(!bad, "sequence: what was sent is acknowledged, and nothing else");
	ok(!scatter_sequence_acknowledge(&fresh, LAST) && !fresh.acknowledged &&
	   !scatter_sequence_acknowledge(&fresh, 1), "sequence: nothing was sent");
}

static void test_receive(void)
{
	struct scatter_sequence sender = { .sent = LAST - 100 };
	struct scatter_sequence receiver = { .received = LAST - 100 };
	struct scatter_sequence fresh = { 0 };
	u32 i, back, number, bad = 0;

	ok(scatter_sequence_receive(&fresh, 2) == SCATTER_SEQUENCE_GAP &&
	   scatter_sequence_receive(&fresh, LAST) == SCATTER_SEQUENCE_GAP && !fresh.received &&
	   scatter_sequence_receive(&fresh, 1) == SCATTER_SEQUENCE_NEXT && fresh.received == 1,
	   "sequence: the first message is 1");
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
	ok(!bad && sender.sent == 100, "sequence: in order, once, and none is left out");
}

/* Credits ----------------------------------------------------------------------- */

#define QUEUE	2048

/* A node: what it was sent and has not looked at, and what it has not posted again. */
struct node {
	struct scatter_credits credits;
	u16 queue[QUEUE];
	u32 head, tail, unposted, received;
};

static u32 waiting(const struct node *node)
{
	return node->tail - node->head;
}

static void send(struct node *from, struct node *to)
{
	to->queue[to->tail++ % QUEUE] = scatter_credits_give(&from->credits);
}

static bool try_send(struct node *from, struct node *to)
{
	bool good = scatter_credits_take(&from->credits);

	if (good)
		send(from, to);
	return good;
}

static bool try_credit(struct node *from, struct node *to)
{
	bool good = scatter_credits_take_last(&from->credits);

	if (good)
		send(from, to);
	return good;
}

static bool try_receive(struct node *node)
{
	if (!waiting(node))
		return true;
	node->received++;
	node->unposted++;
	return scatter_credits_receive(&node->credits, node->queue[node->head++ % QUEUE]);
}

static void try_post(struct node *node)
{
	if (node->unposted) {
		node->unposted--;
		scatter_credits_post(&node->credits);
	}
}

/* No buffer is lost, and nobody has sent more than there are buffers. */
static bool is_sound(const struct node *node, const struct node *peer)
{
	const struct scatter_credits *credits = &node->credits;
	u32 i, coming = 0;

	for (i = peer->head; i != peer->tail; i++)
		coming += peer->queue[i % QUEUE];
	return credits->granted + credits->owed + node->unposted == credits->ours &&
	       waiting(node) + node->unposted <= credits->ours &&
	       peer->credits.have + coming + waiting(node) == credits->granted &&
	       peer->credits.have <= credits->ours;
}

/* As two nodes do that always have something to say, in any order. */
static bool converse(u16 ours, u16 theirs, u32 steps, u32 *received)
{
	static struct node node[2];
	bool good = true;
	u32 i;

	memset(node, 0, sizeof(node));
	scatter_credits_start(&node[0].credits, ours, theirs);
	scatter_credits_start(&node[1].credits, theirs, ours);
	for (i = 0; i < steps && good; i++) {
		struct node *one = &node[any(2)], *other = &node[one == node];

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

static void test_converse(void)
{
	const u16 buffers[][2] = { { 4, 4 }, { 4, 1024 }, { 5, 7 }, { 64, 64 }, { 1024, 1024 } };
	u32 i, received = 0;

	for (i = 0; i < sizeof(buffers) / sizeof(*buffers); i++)
		ok(converse(buffers[i][0], buffers[i][1], STEPS, &received) &&
		   received > STEPS / 100, "credits: %u and %u buffers: at least %u messages",
		   buffers[i][0], buffers[i][1], received);
}

static void test_breaches(void)
{
	struct scatter_credits credits;
	u32 i;

	scatter_credits_start(&credits, 4, 6);
	ok(!scatter_credits_receive(&credits, 1), "credits: more than it has buffers");
	ok(credits.have == 6 && credits.granted == 4, "credits: that changes nothing");
	for (i = 0; i < 4; i++)
		scatter_credits_receive(&credits, 0);
	ok(!credits.granted && !scatter_credits_receive(&credits, 0),
	   "credits: a message more than there are buffers");
	for (i = 0; scatter_credits_take(&credits); i++)
		;
	ok(i == 5 && credits.have == 1, "credits: the last one is not for any message");
	ok(!scatter_credits_take_last(&credits), "credits: nor for a CREDIT that gives none");
	scatter_credits_post(&credits);
	ok(!scatter_credits_due(&credits), "credits: one is not worth a CREDIT");
	scatter_credits_post(&credits);
	ok(scatter_credits_due(&credits), "credits: half of the buffers is");
	ok(scatter_credits_take_last(&credits) && !credits.have, "credits: but for one that does");
	ok(scatter_credits_give(&credits) == 2 && credits.granted == 2 && !credits.owed &&
	   !scatter_credits_give(&credits), "credits: given once");
	scatter_credits_post(&credits);
	ok(!scatter_credits_take_last(&credits), "credits: without any there is no CREDIT");
	ok(!scatter_credits_receive(&credits, 7) && scatter_credits_receive(&credits, 6) &&
	   credits.have == 6, "credits: all at once");
}

int main(void)
{
	test_order();
	test_acknowledge();
	test_receive();
	test_converse();
	test_breaches();
	return tap_done();
}

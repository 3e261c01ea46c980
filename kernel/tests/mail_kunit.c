// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: mail of any length, mail that is posted while mail is sent, and how mail is counted. The
 * allocator warns if a request that must not fail is too large.
 */
#include <kunit/test.h>
#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../memory/mailer.h"
#include "../node/connection.h"
#include "../node/mail.h"
#include "../node/node.h"
#include "../node/peer.h"
#include "../node/say.h"
#include "../node/wire_ops.h"
#include "../wire/wire.h"

static void mail_has_room_for_any_message(struct kunit *test)
{
	static const u32 lengths[] = { 24, 4096, 8096, 8097, SCATTER_WIRE_BYTES_MAX };
	const struct scatter_message *message;
	struct scatter_node *node;
	unsigned int i;
	u8 *data;

	node = kunit_kzalloc(test, sizeof(*node), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, node);
	data = kunit_kzalloc(test, SCATTER_WIRE_BYTES_MAX, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, data);
	spin_lock_init(&node->posting);
	INIT_LIST_HEAD(&node->outbox);
	for (i = 0; i < SCATTER_WIRE_BYTES_MAX; i++)
		data[i] = i % 251;
	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		scatter_mail_post(node, NULL, i + 1, data, lengths[i]);
	i = 0;
	list_for_each_entry(message, &node->outbox, entry) {
		KUNIT_EXPECT_EQ(test, message->to, i + 1ULL);
		KUNIT_EXPECT_EQ(test, message->bytes, lengths[i]);
		KUNIT_EXPECT_EQ(test, memcmp(message->data, data, lengths[i]), 0);
		i++;
	}
	KUNIT_EXPECT_EQ(test, i, (unsigned int)ARRAY_SIZE(lengths));
	scatter_mail_drop(node);
	KUNIT_EXPECT_TRUE(test, list_empty(&node->outbox));
}

/* A node with one peer, on a wire that posts a message for each message that it sends. */
struct mail_bed {
	struct scatter_node node;
	struct scatter_hub hub;
	struct scatter_peer peer;
	struct scatter_connection connection;
	struct scatter_session session;
	unsigned int sent;
	unsigned int delivered;
	bool quiet;
};

#define PEER	7

static void post(struct scatter_node *node)
{
	static const struct scatter_raw_credit raw;

	scatter_mail_post(node, NULL, PEER, &raw, sizeof(raw));
}

static int mail_send(void *line, const void *message, size_t bytes, const struct bio_vec *payload)
{
	struct mail_bed *bed = line;

	bed->sent++;
	if (!bed->quiet)
		post(&bed->node);
	return 0;
}

static bool mail_room(void *line)
{
	return true;
}

static const struct scatter_wire_ops mail_wire = {
	.room = mail_room,
	.send = mail_send,
};

static void count_delivery(struct work_struct *work)
{
	container_of(work, struct mail_bed, hub.delivery)->delivered++;
}

static void make_up(struct mail_bed *bed)
{
	struct scatter_connection *connection = &bed->connection;
	struct scatter_session *session = &bed->session;

	connection->hub = &bed->hub;
	connection->peer = &bed->peer;
	connection->state.now = SCATTER_STATES_UP;
	connection->session = session;
	INIT_LIST_HEAD(&connection->queue);
	INIT_LIST_HEAD(&connection->late);
	INIT_LIST_HEAD(&connection->offers);
	INIT_LIST_HEAD(&connection->held);
	session->hub = &bed->hub;
	session->line = bed;
	session->heard_of = true;
	scatter_credits_start(&session->credits, 100, 100);
}

static void prepare(struct mail_bed *bed)
{
	kref_init(&bed->peer.ref);
	bed->peer.id = PEER;
	bed->peer.connection = &bed->connection;
	spin_lock_init(&bed->node.look);
	spin_lock_init(&bed->node.posting);
	INIT_LIST_HEAD(&bed->node.outbox);
	rb_link_node(&bed->peer.by_id, NULL, &bed->node.peers.rb_node);
	mutex_init(&bed->hub.lock);
	bed->hub.node = &bed->node;
	bed->hub.wire = &mail_wire;
	INIT_WORK(&bed->hub.delivery, count_delivery);
	make_up(bed);
}

/* A flush moves what it finds, and leaves the rest to a work item, which needs the hub's lock. */
static void mail_that_is_posted_meanwhile_waits(struct kunit *test)
{
	struct mail_bed *bed = kunit_kzalloc(test, sizeof(*bed), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bed);
	prepare(bed);
	bed->hub.works = alloc_workqueue("scatter_kunit", WQ_UNBOUND, 0);
	KUNIT_ASSERT_NOT_NULL(test, bed->hub.works);
	post(&bed->node);
	post(&bed->node);
	mutex_lock(&bed->hub.lock);
	scatter_mail_flush_locked(&bed->hub);
	KUNIT_EXPECT_EQ(test, bed->sent, 2U);
	KUNIT_EXPECT_EQ(test, bed->connection.nr_sent, 2U);
	scatter_say_forget_locked(&bed->connection);
	mutex_unlock(&bed->hub.lock);
	drain_workqueue(bed->hub.works);
	KUNIT_EXPECT_EQ(test, bed->delivered, 1U);
	KUNIT_EXPECT_FALSE(test, list_empty(&bed->node.outbox));
	scatter_mail_drop(&bed->node);

	/* Without mail, nothing is left to do. */
	mutex_lock(&bed->hub.lock);
	scatter_mail_flush_locked(&bed->hub);
	mutex_unlock(&bed->hub.lock);
	destroy_workqueue(bed->hub.works);
	KUNIT_EXPECT_EQ(test, bed->delivered, 1U);
}

/* Mail counts until it is sent first, or dropped. */
static void mail_counts_until_it_is_sent(struct kunit *test)
{
	struct mail_bed *bed = kunit_kzalloc(test, sizeof(*bed), GFP_KERNEL);
	struct scatter_mailer *mailer = scatter_mailer_create();
	static const struct scatter_raw_credit raw;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, bed);
	KUNIT_ASSERT_NOT_NULL(test, mailer);
	prepare(bed);
	scatter_credits_start(&bed->session.credits, 101, 101);
	bed->quiet = true;
	for (i = 0; i < 1124; i++) {
		KUNIT_EXPECT_EQ(test, scatter_mailer_is_full(mailer), i >= 1024);
		scatter_mail_post(&bed->node, mailer, PEER, &raw, sizeof(raw));
	}
	mutex_lock(&bed->hub.lock);
	scatter_mail_flush_locked(&bed->hub);
	KUNIT_EXPECT_EQ(test, bed->sent, 100U);
	KUNIT_EXPECT_EQ(test, atomic_read(&mailer->nr), 1024);
	KUNIT_EXPECT_TRUE(test, scatter_mailer_is_full(mailer));
	KUNIT_EXPECT_EQ(test, scatter_mailer_wait(mailer, 1), -ETIMEDOUT);
	scatter_say_forget_locked(&bed->connection);
	mutex_unlock(&bed->hub.lock);
	KUNIT_EXPECT_EQ(test, atomic_read(&mailer->nr), 0);
	KUNIT_EXPECT_TRUE(test, scatter_mailer_is_low(mailer));
	KUNIT_EXPECT_EQ(test, scatter_mailer_wait(mailer, 1), 0);
	scatter_mailer_put(mailer);
}

/* While a call waits, new ones wait behind it until the mailer has little mail. */
static void new_calls_do_not_overtake(struct kunit *test)
{
	struct scatter_mailer *mailer = scatter_mailer_create();
	DEFINE_WAIT(wait);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, mailer);
	for (i = 0; i < 513; i++)
		scatter_mailer_posted(mailer);
	KUNIT_EXPECT_FALSE(test, scatter_mailer_is_full(mailer));
	add_wait_queue(&mailer->wait, &wait);
	KUNIT_EXPECT_TRUE(test, scatter_mailer_is_full(mailer));
	scatter_mailer_sent(mailer);
	KUNIT_EXPECT_FALSE(test, scatter_mailer_is_full(mailer));
	remove_wait_queue(&mailer->wait, &wait);
	for (i = 0; i < 512; i++)
		scatter_mailer_sent(mailer);
	scatter_mailer_put(mailer);
}

/* Whoever joins again at the same node finds the mailer while a message is left. */
static void mailers_of_joins_stay_with_their_mail(struct kunit *test)
{
	struct scatter_mailer *first, *other;
	int node;

	first = scatter_mailer_find(&node, PEER);
	KUNIT_ASSERT_NOT_NULL(test, first);
	scatter_mailer_posted(first);
	scatter_mailer_put(first);
	other = scatter_mailer_find(&node, PEER);
	KUNIT_EXPECT_PTR_EQ(test, other, first);
	scatter_mailer_put(other);
	other = scatter_mailer_find(&node, PEER + 1);
	KUNIT_EXPECT_PTR_NE(test, other, first);
	scatter_mailer_put(other);
	scatter_mailer_sent(first);
}

static struct kunit_case mail_cases[] = {
	KUNIT_CASE(mail_has_room_for_any_message),
	KUNIT_CASE(mail_that_is_posted_meanwhile_waits),
	KUNIT_CASE(mail_counts_until_it_is_sent),
	KUNIT_CASE(new_calls_do_not_overtake),
	KUNIT_CASE(mailers_of_joins_stay_with_their_mail),
	{}
};

static struct kunit_suite mail_suite = {
	.name = "scatter_mail",
	.test_cases = mail_cases,
};

kunit_test_suite(mail_suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: mail of any length. The allocator warns if a request that must not fail is too large.
 */
#include <kunit/test.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "../node/connection.h"
#include "../node/mail.h"
#include "../node/node.h"
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
		scatter_mail_post(node, i + 1, data, lengths[i]);
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

static struct kunit_case mail_cases[] = {
	KUNIT_CASE(mail_has_room_for_any_message),
	{}
};

static struct kunit_suite mail_suite = {
	.name = "scatter_mail",
	.test_cases = mail_cases,
};

kunit_test_suite(mail_suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the messages of groups on several nodes as bytes, and the registrars of names, as
 * compiled into the kernel. wire_kunit.c tries each field and length of these messages, too.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "../wire/build.h"
#include "../wire/rendezvous.h"
#include "../wire/wide_build.h"
#include "../wire/wide_parse.h"

/* Byte by byte, as a node that is not ours would write it. */
static void wide_is_little_endian(struct kunit *test)
{
	static const u8 bytes[] = {
		13, 0, 80, 0,  4, 3, 2, 1,  8, 7, 6, 5,  0, 4, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
		0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,
		0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21,  1, 0, 0, 0,  0, 0, 0, 0,
		0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31,
		0x48, 0x47, 0x46, 0x45, 0x44, 0x43, 0x42, 0x41,
		0x58, 0x57, 0x56, 0x55, 0x54, 0x53, 0x52, 0x51,  0xfd, 3, 0, 0,  3, 0, 0, 0,
	};
	static const struct scatter_wide_run run = {
		.node = 0x3132333435363738,
		.incarnation = 0x4142434445464748,
		.token = 0x5152535455565758,
		.first = 1021,
		.count = 3,
	};
	struct scatter_wide_places *places;
	struct scatter_raw_places *raw;

	places = kunit_kzalloc(test, sizeof(*places), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, places);
	raw = kunit_kzalloc(test, sizeof(bytes), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, raw);
	places->id[0] = 0x1112131415161718;
	places->id[1] = 0x2122232425262728;
	places->count = 1;
	places->runs[0] = run;
	KUNIT_EXPECT_EQ(test, scatter_wide_build_places(raw, 0x01020304, places),
			(u32)sizeof(bytes));
	scatter_build_stamp(&raw->header, 0x05060708, 1024);
	KUNIT_EXPECT_EQ(test, memcmp(raw, bytes, sizeof(bytes)), 0);
	memset(places, 0, sizeof(*places));
	KUNIT_ASSERT_EQ(test, (int)scatter_wide_parse_places(bytes, sizeof(bytes), places), 0);
	KUNIT_EXPECT_EQ(test, places->id[0], 0x1112131415161718ULL);
	KUNIT_EXPECT_EQ(test, places->id[1], 0x2122232425262728ULL);
	KUNIT_EXPECT_EQ(test, places->count, 1U);
	KUNIT_EXPECT_EQ(test, memcmp(&places->runs[0], &run, sizeof(run)), 0);
}

/* The weights that user space comes to. */
static void rendezvous_weighs_alike(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, scatter_rendezvous_weight(1, 0, "a"), 0x91e00cd7a0c0b99cULL);
	KUNIT_EXPECT_EQ(test, scatter_rendezvous_weight(1, 1000, "job"), 0xe2b84239d2652e42ULL);
	KUNIT_EXPECT_EQ(test, scatter_rendezvous_weight(0x0123456789abcdef, 0xfffffffe,
							"a name with spaces"),
			0x270b36bfca329b9dULL);
}

static struct kunit_case wide_cases[] = {
	KUNIT_CASE(wide_is_little_endian),
	KUNIT_CASE(rendezvous_weighs_alike),
	{}
};

static struct kunit_suite wide_suite = {
	.name = "scatter_wide",
	.test_cases = wide_cases,
};

kunit_test_suite(wide_suite);

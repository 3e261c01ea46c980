// SPDX-License-Identifier: GPL-2.0
/*
 * The messages of groups on several nodes. All are about a group that there is not, and of a peer
 * that has said nothing before.
 */
#include <stdio.h>
#include <string.h>

#include "wire/wide_build.h"
#include "wire/wide_parse.h"

#include "forge_wide.h"

#define TOKEN	77

static const u64 id[2] = { 0x1111, 0x2222 };

static int make_join(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_join what = {
		.token = TOKEN, .cluster = 1, .mode = 0600, .size = 2,
		.rank = SCATTER_WIDE_RANK_ANY, .name = "forged",
	};

	(void)self;
	scatter_wide_build_join((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_join);
}

static int make_seated(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_seated what = {
		.token = TOKEN, .id = { id[0], id[1] }, .rank = 1, .mode = 0600,
	};

	(void)self;
	scatter_wide_build_seated((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_seated);
}

static int make_unseat(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_unseat what = { .token = TOKEN };

	(void)self;
	scatter_wide_build_unseat((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_unseat);
}

static int make_formed(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_formed what = {
		.id = { id[0], id[1] }, .size = 2, .runs = 1, .eager_limit = 4096,
		.gather_limit = 4096, .startup_ns = 1000, .gap_ns = 1000, .window = 16,
	};

	(void)self;
	scatter_wide_build_formed((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_formed);
}

static int make_places(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_places what = {
		.id = { id[0], id[1] }, .count = 1,
		.runs = { { .node = self->own, .incarnation = 5, .token = TOKEN, .count = 2 } },
	};

	return scatter_wide_build_places(message, sequence, &what);
}

static int make_attach(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_attach what = {
		.id = { id[0], id[1] }, .token = TOKEN, .what = SCATTER_WIDE_ATTACH,
	};

	(void)self;
	scatter_wide_build_attach((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_attach);
}

static int make_fact(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_fact what = {
		.id = { id[0], id[1] }, .kind = SCATTER_WIDE_DIED, .rank = 1,
	};

	(void)self;
	scatter_wide_build_fact((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_fact);
}

static int make_edge(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_edge what = {
		.id = { id[0], id[1] }, .way = SCATTER_WIDE_UP,
	};

	(void)self;
	scatter_wide_build_edge((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_edge);
}

static const struct {
	const char *name;
	int (*make)(const struct forge_self *self, uint8_t *message, uint32_t sequence);
} makers[] = {
	{ "join", make_join }, { "seated", make_seated }, { "unseat", make_unseat },
	{ "formed", make_formed }, { "places", make_places }, { "attach", make_attach },
	{ "fact", make_fact }, { "edge", make_edge },
};

int forge_wide(const struct forge_self *self, const char *name, uint8_t *message,
	       uint32_t sequence)
{
	unsigned int i;

	for (i = 0; i < sizeof(makers) / sizeof(*makers); i++)
		if (!strcmp(makers[i].name, name))
			return makers[i].make(self, message, sequence);
	return -1;
}

static const char *seated_name(const uint8_t *message, size_t bytes)
{
	static const char * const answers[] = {
		"fine", "exists", "denied", "differs", "full", "taken", "none", "changed",
		"refused", "no-memory", "no-room", "invalid",
	};
	static char text[32];
	struct scatter_wide_seated what;

	if (scatter_wide_parse_seated(message, bytes, &what))
		return "seated:malformed";
	snprintf(text, sizeof(text), "seated:%s", answers[what.answer]);
	return text;
}

static const char *attach_name(const uint8_t *message, size_t bytes)
{
	struct scatter_wide_attach what;

	if (scatter_wide_parse_attach(message, bytes, &what))
		return "attach:malformed";
	if (what.what == SCATTER_WIDE_ATTACH)
		return "attach";
	return what.what == SCATTER_WIDE_NEVER ? "never" : "attached";
}

static const char *fact_name(const uint8_t *message, size_t bytes)
{
	static const char * const kinds[] = {
		"", "fact:died", "fact:left", "fact:revoked", "fact:mismatch", "fact:stopped",
		"fact:gone", "fact:ended",
	};
	struct scatter_wide_fact what;

	return scatter_wide_parse_fact(message, bytes, &what) ? "fact:malformed" :
								kinds[what.kind];
}

const char *forge_wide_name(uint32_t type, const uint8_t *message, size_t bytes)
{
	struct scatter_wide_unseat unseat;

	switch (type) {
	case SCATTER_WIRE_JOIN:
		return "join";
	case SCATTER_WIRE_SEATED:
		return seated_name(message, bytes);
	case SCATTER_WIRE_UNSEAT:
		if (scatter_wide_parse_unseat(message, bytes, &unseat))
			return "unseat:malformed";
		return unseat.done ? "unseated" : "unseat";
	case SCATTER_WIRE_FORMED:
		return "formed";
	case SCATTER_WIRE_PLACES:
		return "places";
	case SCATTER_WIRE_ATTACH:
		return attach_name(message, bytes);
	case SCATTER_WIRE_FACT:
		return fact_name(message, bytes);
	case SCATTER_WIRE_EDGE:
		return "edge";
	default:
		return NULL;
	}
}

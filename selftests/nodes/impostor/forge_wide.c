// SPDX-License-Identifier: GPL-2.0
/*
 * The messages of groups on several nodes: about a group that there is not, and of a peer that has
 * said nothing before; or, as a registrar's, of those that have joined and where they are.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/wide_build.h"
#include "wire/wide_council.h"
#include "wire/wide_parse.h"

#include "forge_wide.h"
#include "../../kselftest/common.h"
#include "talk.h"

#define TOKEN	77
/* Each byte of payload. */
#define PAYLOAD	0x5a

/* Of the group, an id that no run before has used. */
#define ID(self)	{ 0x1111, (self)->incarnation }

/* What a maker is told behind "=", or NULL; numbers with "," between them. */
static const char *told;

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

/* The answer to the JOIN that was heard. */
static int make_seated(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct talk *talk = talk_with(self->peer);
	const struct scatter_wide_seated what = {
		.token = talk->token ? talk->token : TOKEN, .id = ID(self),
		.rank = talk->token ? talk->rank : 1, .mode = 0600,
	};

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
	const unsigned int members = told ? strtoul(told, NULL, 0) : 0;
	const struct scatter_wide_formed what = {
		.id = ID(self), .size = members ? members : 2,
		.runs = members ? members : 1, .eager_limit = 4096,
		.gather_limit = 4096, .startup_ns = 1000, .gap_ns = 1000, .window = 16,
	};

	scatter_wide_build_formed((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_formed);
}

static int make_places(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	struct scatter_wide_places what = {
		.id = ID(self), .count = 1,
		.runs = { { .node = self->own, .incarnation = 5, .token = TOKEN, .count = 2 } },
	};
	const char *next = told;
	unsigned int i;

	for (i = 0; next && i < SCATTER_WIDE_RUNS_MAX; i++) {
		const struct talk *talk = talk_with(strtoull(next, NULL, 0));

		what.count = i + 1;
		what.runs[i] = (struct scatter_wide_run){
			.node = talk->peer, .incarnation = talk->incarnation,
			.token = talk->token, .first = i, .count = 1,
		};
		next = strchr(next, ',');
		next = next ? next + 1 : NULL;
	}
	return scatter_wide_build_places(message, sequence, &what);
}

static int make_attach(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_attach what = {
		.id = ID(self), .token = TOKEN, .what = SCATTER_WIDE_ATTACH,
	};

	scatter_wide_build_attach((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_attach);
}

static int make_fact(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_fact what = {
		.id = ID(self), .kind = SCATTER_WIDE_DIED, .rank = 1,
	};

	scatter_wide_build_fact((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_fact);
}

static int make_edge(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_edge what = {
		.id = ID(self), .way = SCATTER_WIDE_UP,
	};

	scatter_wide_build_edge((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_edge);
}

/* Bytes of payload: 8, or as many as told. */
static uint32_t payload_told(void)
{
	const unsigned long bytes = told ? strtoul(told, NULL, 0) : 8;

	return bytes < SCATTER_WIDE_PAYLOAD_MAX ? bytes : SCATTER_WIDE_PAYLOAD_MAX;
}

/* Block 0 of a scatter, from rank 1 of a group of two. */
static int make_bundle(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const uint32_t bytes = payload_told();
	const struct scatter_wide_bundle what = {
		.id = ID(self), .block = bytes, .asked = 1, .op = SCATTER_WIDE_SCATTER,
		.root = 1, .blocks = 2, .algorithm = 1, .count = 1, .total = bytes,
		.payload = bytes,
	};

	scatter_wide_build_bundle((void *)message, sequence, &what);
	memset(message + sizeof(struct scatter_raw_bundle), PAYLOAD, bytes);
	return sizeof(struct scatter_raw_bundle) + bytes;
}

static int make_pull(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_pull what = { .id = ID(self), .bytes = 8 };

	scatter_wide_build_pull((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_pull);
}

/*
 * The answer to the PULL that was heard last: "pulled,OFFSET,BYTES" grants these bytes of what the
 * PULL asks for, "pulled" all. The memory has what a member sends in its first call.
 */
static int make_pulled(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	struct talk *talk = talk_with(self->peer);
	struct scatter_wide_grant what = {
		.id = { talk->pull.id[0], talk->pull.id[1] }, .number = talk->pull.number,
		.offset = talk->pull.offset, .rank = talk->pull.rank, .bytes = talk->pull.bytes,
		.token = ++talk->granted,
	};
	uint8_t *memory = line_lend(talk->line, &what.key);
	char *next = strchr(told, ',');

	if (next) {
		what.offset += strtoul(next + 1, &next, 0);
		what.bytes = strtoul(next + 1, NULL, 0);
	}
	if (!memory || what.offset + what.bytes > LINE_LENT_BYTES)
		return -1;
	pattern_fill(memory, LINE_LENT_BYTES, 0, what.rank);
	what.address = (uintptr_t)memory + what.offset;
	scatter_wide_build_grant((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_grant);
}

/* There is no such memory, and no such key. */
static int make_grant(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_grant what = {
		.id = ID(self), .bytes = 8, .token = 1, .address = 4096, .key = 1,
	};

	if (told && !strncmp(told, "pulled", strlen("pulled")))
		return make_pulled(self, message, sequence);
	scatter_wide_build_grant((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_grant);
}

static int make_got(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_got what = { .token = 1 };

	(void)self;
	scatter_wide_build_got((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_got);
}

static int make_data(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const uint32_t bytes = payload_told();
	const struct scatter_wide_data what = {
		.id = ID(self), .flags = bytes ? 0 : SCATTER_WIDE_VOID, .payload = bytes,
	};

	scatter_wide_build_data((void *)message, sequence, &what);
	memset(message + sizeof(struct scatter_raw_data), PAYLOAD, bytes);
	return sizeof(struct scatter_raw_data) + bytes;
}

static int make_done(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_done what = { .id = ID(self) };

	scatter_wide_build_done((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_done);
}

/* To the length of a block, of which a LANE was heard, the peer adds so much. */
static int make_longer(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	struct scatter_wide_lane what = talk_with(self->peer)->lane;
	const uint64_t more = htole64(strtoul(told + strlen("more,"), NULL, 0));

	what.payload = sizeof(more);
	scatter_wide_build_lane((void *)message, sequence, &what);
	memcpy(message + sizeof(struct scatter_raw_lane), &more, sizeof(more));
	return sizeof(struct scatter_raw_lane) + sizeof(more);
}

/* The first cell of block 0, from rank 1 of a group of two. */
static int make_lane(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const uint32_t bytes = payload_told();
	const struct scatter_wide_lane what = {
		.head = {
			.id = ID(self), .block = bytes, .asked = 1, .op = SCATTER_WIDE_SCATTER,
			.root = 1, .blocks = 2,
		},
		.payload = bytes,
	};

	if (told && !strncmp(told, "more,", strlen("more,")))
		return make_longer(self, message, sequence);
	scatter_wide_build_lane((void *)message, sequence, &what);
	memset(message + sizeof(struct scatter_raw_lane), PAYLOAD, bytes);
	return sizeof(struct scatter_raw_lane) + bytes;
}

/*
 * What rank 1, the only one of node 1, contributes to operation 0; told: of another type. If a
 * contribution was heard, it is about the same call.
 */
static int make_council(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct talk *talk = talk_with(self->peer);
	const uint64_t id[] = ID(self);
	const struct scatter_decree decree = {
		.terms = talk->terms ? talk->terms : 1, .called.words[0] = 1 << 1,
		.culprit = SCATTER_DECREE_NOBODY,
	};
	const struct scatter_facts facts = { { { 0 } }, { { 0 } } };
	const struct scatter_set fences = { { 0 } };
	const struct scatter_council_message what = {
		.type = told ? strtoul(told, NULL, 0) : SCATTER_COUNCIL_ARRIVED,
		.key = { .turn = 1, .kind = SCATTER_COUNCIL_OPERATION },
		.fences = &fences, .facts = &facts, .decree = &decree,
	};

	scatter_wide_build_council(message, sequence, id, &what);
	return scatter_wide_build_council_bytes(&what);
}

/* Rank 1 waits in a scatter from itself. */
static int make_wait(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_wait what = {
		.id = ID(self), .asked = 1, .block = 8, .root = 1, .rank = 1,
	};

	scatter_wide_build_wait((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_wait);
}

/* Rank 1 has not called. */
static int make_missing(const struct forge_self *self, uint8_t *message, uint32_t sequence)
{
	const struct scatter_wide_missing what = { .id = ID(self), .ranks = { 2 } };

	scatter_wide_build_missing((void *)message, sequence, &what);
	return sizeof(struct scatter_raw_missing);
}

void forge_wide_id(const struct forge_self *self, uint8_t id[16])
{
	const uint64_t words[] = ID(self);
	const uint64_t raw[] = { htole64(words[0]), htole64(words[1]) };

	memcpy(id, raw, sizeof(raw));
}

static const struct {
	const char *name;
	int (*make)(const struct forge_self *self, uint8_t *message, uint32_t sequence);
} makers[] = {
	{ "join", make_join }, { "seated", make_seated }, { "unseat", make_unseat },
	{ "formed", make_formed }, { "places", make_places }, { "attach", make_attach },
	{ "fact", make_fact }, { "edge", make_edge }, { "bundle", make_bundle },
	{ "pull", make_pull }, { "data", make_data }, { "done", make_done },
	{ "grant", make_grant }, { "got", make_got }, { "lane", make_lane },
	{ "council", make_council }, { "waits", make_wait }, { "missing", make_missing },
};

int forge_wide(const struct forge_self *self, const char *name, uint8_t *message,
	       uint32_t sequence)
{
	const size_t length = strcspn(name, "=");
	unsigned int i;

	told = name[length] ? name + length + 1 : NULL;
	for (i = 0; i < sizeof(makers) / sizeof(*makers); i++)
		if (strlen(makers[i].name) == length && !memcmp(makers[i].name, name, length))
			return makers[i].make(self, message, sequence);
	return -1;
}

static const char *join_name(const struct forge_self *self, const uint8_t *message, size_t bytes)
{
	struct talk *talk = talk_with(self->peer);
	struct scatter_wide_join what;

	if (scatter_wide_parse_join(message, bytes, &what))
		return "join:malformed";
	talk->token = what.token;
	talk->rank = what.rank;
	return "join";
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
		"fact:gone", "fact:ended", "fact:failed",
	};
	struct scatter_wide_fact what;

	return scatter_wide_parse_fact(message, bytes, &what) ? "fact:malformed" :
								kinds[what.kind];
}

static const char *pull_name(const struct forge_self *self, const void *message, uint32_t bytes)
{
	struct talk *talk = talk_with(self->peer);

	if (scatter_wide_parse_pull(message, bytes, &talk->pull))
		return "pull:malformed";
	talk->asked += talk->pull.bytes;
	return "pull";
}

static const char *bundle_name(const uint8_t *message, size_t bytes)
{
	static const char * const flags[] = {
		"bundle", "bundle:listed", "bundle:plain", "bundle:listed-plain",
		[SCATTER_WIDE_LISTED | SCATTER_WIDE_PLAIN | SCATTER_WIDE_COUNTS] = "counts",
	};
	struct scatter_wide_bundle what;

	return scatter_wide_parse_bundle(message, bytes, &what) ? "bundle:malformed" :
								  flags[what.flags];
}

static const char *data_name(const uint8_t *message, size_t bytes)
{
	struct scatter_wide_data what;

	if (scatter_wide_parse_data(message, bytes, &what))
		return "data:malformed";
	return what.flags & SCATTER_WIDE_VOID ? "data:void" : "data";
}

static const char *council_name(const struct forge_self *self, const uint8_t *message, size_t bytes)
{
	static struct scatter_wide_council what;

	if (scatter_wide_parse_council(message, bytes, &what))
		return "council:malformed";
	if (what.message.type == SCATTER_COUNCIL_ARRIVED)
		talk_with(self->peer)->terms = what.decree.terms;
	return "council";
}

const char *forge_wide_name(const struct forge_self *self, uint32_t type, const uint8_t *message,
			    size_t bytes)
{
	struct scatter_wide_unseat unseat;

	switch (type) {
	case SCATTER_WIRE_JOIN:
		return join_name(self, message, bytes);
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
	case SCATTER_WIRE_BUNDLE:
		return bundle_name(message, bytes);
	case SCATTER_WIRE_PULL:
		return pull_name(self, message, bytes);
	case SCATTER_WIRE_DATA:
		return data_name(message, bytes);
	case SCATTER_WIRE_DONE:
		return "done";
	case SCATTER_WIRE_GRANT:
		return scatter_wide_parse_grant(message, bytes, &talk_with(self->peer)->grant) ?
		       "grant:malformed" : "grant";
	case SCATTER_WIRE_GOT:
		return "got";
	case SCATTER_WIRE_LANE:
		return scatter_wide_parse_lane(message, bytes, &talk_with(self->peer)->lane) ?
		       "lane:malformed" : "lane";
	case SCATTER_WIRE_COUNCIL:
		return council_name(self, message, bytes);
	case SCATTER_WIRE_WAIT:
		return "waits";
	case SCATTER_WIRE_MISSING:
		return "missing";
	default:
		return NULL;
	}
}

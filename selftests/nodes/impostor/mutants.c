// SPDX-License-Identifier: GPL-2.0
/*
 * Half of the messages are about what the group does, and half are random in all fields, but for
 * what makes the node look further: the sequence number, the group, a low operation number, and
 * what tells of the nodes and of the JOIN that was heard.
 */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "tests/council_messages.h"
#include "tests/messages.h"
#include "wire/wide_raw.h"
#include "wire/wide_raw_council.h"

#include "mutants.h"
#include "talk.h"

#define SEQUENCE	offsetof(struct scatter_raw_header, sequence)
#define ACKNOWLEDGED	offsetof(struct scatter_raw_header, acknowledged)
#define CREDITS		offsetof(struct scatter_raw_header, credits)
/* The same in all that have one, but for SEATED and COUNCIL. */
#define ID		offsetof(struct scatter_raw_edge, id)
#define NUMBER		offsetof(struct scatter_raw_edge, number)
#define JOIN_CLUSTER	offsetof(struct scatter_raw_join, cluster)
#define JOIN_OWNER	offsetof(struct scatter_raw_join, owner)
#define SEATED_TOKEN	offsetof(struct scatter_raw_seated, token)
#define SEATED_ID	offsetof(struct scatter_raw_seated, id)
#define COUNCIL_VIEW	offsetof(struct scatter_raw_council, view)
#define COUNCIL_BALLOT	offsetof(struct scatter_raw_council, ballot)
#define COUNCIL_NUMBER	offsetof(struct scatter_raw_council, number)
#define COUNCIL_TURN	offsetof(struct scatter_raw_council, turn)
#define COUNCIL_TYPE	offsetof(struct scatter_raw_council, type)

/* The node may say twice as much before it needs credits. */
#define MANY		8U
/* Half seconds: longer than a keep-alive of mutants_test. */
#define PATIENCE	6U
/* Bytes that are printed of each message. */
#define NOTED		160U
/* Different things that are heard. */
#define HEARD		32U
#define ALL		SCATTER_MESSAGES_ALL
#define BLOCK		(((uint64_t)1 << 53) - 1)

/* Bytes of the shortest COUNCIL with a choice: a decree, and a PROMISE with one. */
#define DECREE		632U
#define PROMISE		1016U
/* Where a decree is in each of them. */
#define IN_DECREE	80U
#define IN_PROMISE	464U

/*
 * A field that the unit tests do not list, since not all messages of the type have the field.
 * @bytes: of the shortest COUNCIL that has it; 0: it is in another type.
 */
struct further {
	struct messages_field field;
	uint32_t bytes;
};

static const struct further further[] = {
	/* Nonces, tags and proofs. */
	{ { 1, 80, 8, 0, ALL }, 0 }, { { 1, 112, 8, 0, ALL }, 0 }, { { 1, 120, 8, 0, ALL }, 0 },
	{ { 2, 72, 8, 0, ALL }, 0 }, { { 2, 104, 8, 0, ALL }, 0 }, { { 3, 24, 8, 0, ALL }, 0 },
	/* Lengths that a BUNDLE or a LANE may begin with. */
	{ { 17, 144, 8, 0, BLOCK }, 0 }, { { 17, 152, 8, 0, BLOCK }, 0 },
	{ { 23, 104, 8, 0, BLOCK }, 0 },
	/* Fences and facts. */
	{ { 24, 88, 8, 0, ALL }, PROMISE }, { { 24, 208, 8, 0, ALL }, PROMISE },
	{ { 24, 336, 8, 0, ALL }, PROMISE },
};

/* The fields of a decree, and of a choice behind it, by where they are in it. */
static const struct messages_field of_decree[] = {
	{ 24, 0, 8, 0, ALL }, { 24, 8, 8, 0, ALL }, { 24, 16, 4, 0, 7 }, { 24, 20, 4, 0, 4095 },
	{ 24, 24, 4, 0, 1023 }, { 24, 28, 4, 0, 0 }, { 24, 32, 8, 0, ALL },
	{ 24, 160, 8, 0, ALL }, { 24, 288, 8, 0, ALL }, { 24, 416, 8, 0, ALL },
	{ 24, 544, 4, 0, ALL }, { 24, 548, 4, 0, ALL },
};

#define FURTHER		(sizeof(further) / sizeof(*further))
#define OF_DECREE	(sizeof(of_decree) / sizeof(*of_decree))
#define FIELDS		(SCATTER_MESSAGES_FIELDS + FURTHER + 2 * OF_DECREE)
/* From field to field, through all of them: no divisor of their number. */
#define STRIDE		89U

static_assert(FIELDS % STRIDE && STRIDE % 2);

/* For how many half seconds the node has said nothing. */
static unsigned int idle;

/* By type, what forge() calls it. */
static const char * const words[SCATTER_MESSAGES_TYPES + 1] = {
	NULL, "hello", "welcome", "proof", "refuse", "credit", "bye", "ping", "pong", "join",
	"seated", "unseat", "formed", "places", "attach", "fact", "edge", "bundle", "pull", "data",
	"done", "grant", "got", "lane", "council", "waits", "missing",
};

/* A ballot is not beyond the view, and only a COUNCIL about an operation has its number. */
static void suit_council(uint8_t *m)
{
	uint64_t ballot = get(m, COUNCIL_BALLOT, 8);

	put(m, COUNCIL_VIEW, 8, scatter_messages_any(3));
	if (ballot && ballot != ALL)
		put(m, COUNCIL_BALLOT, 8, 1 + scatter_messages_any(get(m, COUNCIL_VIEW, 8) + 1));
	if (get(m, COUNCIL_TURN, 4))
		put(m, COUNCIL_NUMBER, 8, scatter_messages_any(3));
}

/* Makes the message fit the group, and what was heard, as far as its type says anything of it. */
static void suit(const struct talk *talk, uint8_t type, uint8_t *m,
		 const struct mutants_group *group)
{
	bool numbered = type >= SCATTER_WIRE_EDGE && type != SCATTER_WIRE_GOT;

	if (type == SCATTER_WIRE_JOIN) {
		memcpy(m + JOIN_CLUSTER, group->cluster, MUTANTS_CLUSTER_BYTES);
		put(m, JOIN_OWNER, 4, 0);
	} else if (type == SCATTER_WIRE_SEATED) {
		memcpy(m + SEATED_ID, group->id, MUTANTS_ID_BYTES);
		if (talk->token)
			put(m, SEATED_TOKEN, 8, talk->token);
	} else if (type >= SCATTER_WIRE_FORMED && type != SCATTER_WIRE_GOT) {
		memcpy(m + ID, group->id, MUTANTS_ID_BYTES);
	}
	if (type == SCATTER_WIRE_COUNCIL)
		suit_council(m);
	else if (numbered)
		put(m, NUMBER, 8, scatter_messages_any(3));
}

static void spoil(uint8_t *m, const struct messages_field *field)
{
	uint64_t span = field->high - field->low, value;

	switch (scatter_messages_any(6)) {
	case 0:
		value = field->low;
		break;
	case 1:
		value = field->high;
		break;
	case 2:
		value = field->low - 1;
		break;
	case 3:
		value = field->high + 1;
		break;
	case 4:
		value = scatter_messages_any(4);
		break;
	default:
		value = field->low + scatter_messages_any(span + 1 ? span + 1 : span);
	}
	put(m, field->offset, field->width, value);
}

/* For who wants to know what a node did not bear. */
static void note(unsigned int number, const uint8_t *message, uint32_t bytes)
{
	uint32_t i;

	fprintf(stderr, "message %u, %u bytes: ", number, bytes);
	for (i = 0; i < bytes && i < NOTED; i++)
		fprintf(stderr, "%02x", message[i]);
	fprintf(stderr, "\n");
}

/* Makes a COUNCIL that has a field; it has so many bytes at least. */
static uint32_t lengthen(uint8_t *m, uint32_t bytes)
{
	do {
		uint32_t choices = (uint32_t)scatter_messages_any(4);

		scatter_messages_make(SCATTER_WIRE_COUNCIL, m, NULL);
		memset(m + IN_DECREE, 0, bytes + 8 * choices - IN_DECREE);
		scatter_council_messages_suit(m, bytes + 8 * choices);
		put(m, offsetof(struct scatter_raw_header, length), 2, bytes + 8 * choices);
	} while ((bytes == PROMISE) != (get(m, COUNCIL_TYPE, 4) == SCATTER_COUNCIL_PROMISE));
	return (uint32_t)get(m, offsetof(struct scatter_raw_header, length), 2);
}

/* What a node says that has a group of its own with the node that has joined. */
static const char *word_of(const struct talk *talk, uint8_t type)
{
	static char text[32];

	if (talk->token && type == SCATTER_WIRE_FORMED)
		return "formed=1";
	if (!talk->token || type != SCATTER_WIRE_PLACES)
		return words[type];
	snprintf(text, sizeof(text), "places=%llu", (unsigned long long)talk->peer);
	return text;
}

/* Field @i of all. */
static struct further field_of(unsigned int i)
{
	struct further found = { .bytes = 0 };
	bool promise;

	if (i < SCATTER_MESSAGES_FIELDS) {
		found.field = scatter_messages_fields[i];
		return found;
	}
	i -= SCATTER_MESSAGES_FIELDS;
	if (i < FURTHER)
		return further[i];
	i -= FURTHER;
	promise = i >= OF_DECREE;
	found.field = of_decree[i % OF_DECREE];
	found.field.offset += promise ? IN_PROMISE : IN_DECREE;
	found.bytes = promise ? PROMISE : DECREE;
	return found;
}

uint32_t mutants_make(struct forge_self *self, unsigned int number, uint8_t *m,
		      const struct mutants_group *group)
{
	const struct further what = field_of(number * STRIDE % FIELDS);
	const struct messages_field *field = &what.field;
	uint8_t type = field->type ? field->type :
			(uint8_t)(1 + scatter_messages_any(SCATTER_MESSAGES_TYPES));
	struct talk *talk = talk_with(self->peer);
	int bytes;

	if (scatter_messages_any(2) && !what.bytes) {
		bytes = forge(self, word_of(talk, type), m);
	} else {
		bytes = what.bytes ? (int)lengthen(m, what.bytes) :
			(int)scatter_messages_make(type, m, (const uint8_t *)&talk->hello);
		if (type >= SCATTER_WIRE_CREDIT) {
			put(m, ACKNOWLEDGED, 4, talk->received);
			put(m, CREDITS, 2, 0);
		}
		if (type >= SCATTER_WIRE_PING)
			put(m, SEQUENCE, 4, ++talk->sequence);
	}
	if (scatter_messages_any(8))
		suit(talk, type, m, group);
	spoil(m, field);
	note(number, m, (uint32_t)bytes);
	return (uint32_t)bytes;
}

/*
 * Says a message of that name, with a credit for each message that was heard since the last one,
 * and a receipt, without which nobody may give credits.
 */
static bool say(struct forge_self *self, const char *name)
{
	struct talk *talk = talk_with(self->peer);
	uint8_t message[LINE_BYTES];
	int bytes = forge(self, name, message);

	put(message, ACKNOWLEDGED, 4, talk->received);
	put(message, CREDITS, 2, talk->heard);
	talk->heard = 0;
	return line_send(talk->line, message, bytes);
}

/* The end of a line is not always told on rxe. A node that is up says something before long. */
static bool is_patient(void)
{
	return ++idle < PATIENCE;
}

/* What was heard, and how often. */
static struct {
	char name[32];
	unsigned int count;
} heard[HEARD];

void mutants_heard(const char *name)
{
	unsigned int i;

	for (i = 0; i < HEARD - 1 && heard[i].count && strcmp(heard[i].name, name) != 0; i++)
		;
	snprintf(heard[i].name, sizeof(heard[i].name), "%s", name);
	heard[i].count++;
}

void mutants_print(unsigned int said)
{
	unsigned int i;

	printf("mutants:%u/%zu ", said, FIELDS);
	for (i = 0; i < HEARD && heard[i].count; i++)
		printf("%s=%u ", heard[i].name, heard[i].count);
	fflush(stdout);
}

void mutants_seed(unsigned int first)
{
	unsigned int i;

	/* Another start makes other numbers. */
	for (i = 0; i < first; i++)
		scatter_messages_any(2);
}

bool mutants_give(struct forge_self *self)
{
	return say(self, "credit");
}

const char *mutants_ask(struct forge_self *self)
{
	struct talk *talk = talk_with(self->peer);
	uint8_t message[LINE_BYTES];
	const char *name;
	int bytes;

	idle = 0;
	if (!say(self, "ping"))
		return "end";
	do {
		bytes = line_receive(talk->line, message, is_patient);
		if (bytes < 0)
			return idle < PATIENCE ? "end" : "silence";
		name = forge_name(self, message, bytes);
		if (talk->heard > MANY && !say(self, "credit"))
			return "end";
	} while (strcmp(name, "pong") && strncmp(name, "bye", 3));
	return name;
}

unsigned int mutants_say(struct forge_self *self, unsigned int first, unsigned int count,
			 const struct mutants_group *group)
{
	struct line *line = talk_with(self->peer)->line;
	uint8_t message[LINE_BYTES];
	const char *name = "pong";
	unsigned int said;

	for (said = 0; said < count && !strcmp(name, "pong"); said++) {
		uint32_t bytes = mutants_make(self, first + said, message, group);

		if (!line_send(line, message, bytes))
			break;
		name = mutants_ask(self);
		mutants_heard(name);
	}
	return said;
}

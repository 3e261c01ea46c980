// SPDX-License-Identifier: GPL-2.0
/*
 * Half of the messages are about what the group does, and half are random in all fields, but for
 * what makes the node look further: the sequence number, the group, and a low operation number.
 */
#include <stdio.h>
#include <string.h>

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
#define SEATED_ID	offsetof(struct scatter_raw_seated, id)
#define COUNCIL_VIEW	offsetof(struct scatter_raw_council, view)
#define COUNCIL_NUMBER	offsetof(struct scatter_raw_council, number)

/* The node may say twice as much before it needs credits. */
#define MANY		8U
/* Half seconds: longer than a keep-alive of mutants_test. */
#define PATIENCE	20U
/* Bytes that are printed of each message. */
#define NOTED		160U
/* From field to field, through all of them: no divisor of their number. */
#define STRIDE		89U

static_assert(SCATTER_MESSAGES_FIELDS % STRIDE && STRIDE % 2);

/* For how many half seconds the node has said nothing. */
static unsigned int idle;

/* By type, what forge() calls it. */
static const char * const words[SCATTER_MESSAGES_TYPES + 1] = {
	NULL, "hello", "welcome", "proof", "refuse", "credit", "bye", "ping", "pong", "join",
	"seated", "unseat", "formed", "places", "attach", "fact", "edge", "bundle", "pull", "data",
	"done", "grant", "got", "lane", "council", "waits", "missing",
};

/* Makes the message fit the group, as far as its type says anything of it. */
static void suit(uint8_t type, uint8_t *m, const uint8_t *id)
{
	bool numbered = type >= SCATTER_WIRE_EDGE && type != SCATTER_WIRE_GOT;
	bool council = type == SCATTER_WIRE_COUNCIL;

	if (type == SCATTER_WIRE_SEATED)
		memcpy(m + SEATED_ID, id, MUTANTS_ID_BYTES);
	else if (type >= SCATTER_WIRE_FORMED && type != SCATTER_WIRE_GOT)
		memcpy(m + ID, id, MUTANTS_ID_BYTES);
	if (numbered)
		put(m, council ? COUNCIL_NUMBER : NUMBER, 8, scatter_messages_any(3));
	if (council)
		put(m, COUNCIL_VIEW, 8, scatter_messages_any(3));
}

static void spoil(uint8_t *m, const struct messages_field *field)
{
	uint64_t span = field->high - field->low, value;

	switch (scatter_messages_any(7)) {
	case 0:
		return;
	case 1:
		value = field->low;
		break;
	case 2:
		value = field->high;
		break;
	case 3:
		value = field->low - 1;
		break;
	case 4:
		value = field->high + 1;
		break;
	case 5:
		value = scatter_messages_any(4);
		break;
	default:
		value = field->low + scatter_messages_any(span + 1 ? span + 1 : span);
	}
	put(m, field->offset, field->width, value);
}

static uint32_t make(struct forge_self *self, const struct messages_field *field, uint8_t *m,
		     const uint8_t *id)
{
	uint8_t type = field->type ? field->type :
			(uint8_t)(1 + scatter_messages_any(SCATTER_MESSAGES_TYPES));
	struct talk *talk = talk_with(self->peer);
	int bytes;

	if (scatter_messages_any(2)) {
		bytes = forge(self, words[type], m);
	} else {
		bytes = (int)scatter_messages_make(type, m, (const uint8_t *)&talk->hello);
		if (type >= SCATTER_WIRE_CREDIT) {
			put(m, ACKNOWLEDGED, 4, talk->received);
			put(m, CREDITS, 2, 0);
		}
		if (type >= SCATTER_WIRE_PING)
			put(m, SEQUENCE, 4, ++talk->sequence);
	}
	if (scatter_messages_any(8))
		suit(type, m, id);
	spoil(m, field);
	return (uint32_t)bytes;
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

/* Says a message of that name, with a credit for each message that was heard since the last one. */
static bool say(struct forge_self *self, const char *name)
{
	struct talk *talk = talk_with(self->peer);
	uint8_t message[LINE_BYTES];
	int bytes = forge(self, name, message);

	put(message, CREDITS, 2, talk->heard);
	talk->heard = 0;
	return line_send(talk->line, message, bytes);
}

/* The end of a line is not always told on rxe. A node that is up says something before long. */
static bool is_patient(void)
{
	return ++idle < PATIENCE;
}

static bool listens(struct forge_self *self)
{
	struct talk *talk = talk_with(self->peer);
	uint8_t message[LINE_BYTES];
	const char *name;
	int bytes;

	idle = 0;
	if (!say(self, "ping"))
		return false;
	do {
		bytes = line_receive(talk->line, message, is_patient);
		if (bytes < 0)
			return false;
		name = forge_name(self, message, bytes);
		if (talk->heard > MANY && !say(self, "credit"))
			return false;
	} while (strcmp(name, "pong") && strncmp(name, "bye", 3));
	return !strcmp(name, "pong");
}

unsigned int mutants_say(struct forge_self *self, unsigned int first, unsigned int count,
			 const uint8_t id[MUTANTS_ID_BYTES])
{
	struct line *line = talk_with(self->peer)->line;
	uint8_t message[LINE_BYTES];
	unsigned int i, said = 0;

	/* Another start makes other numbers. */
	for (i = 0; i < first; i++)
		scatter_messages_any(2);
	for (i = first; said < count; i++) {
		const struct messages_field *field =
			&scatter_messages_fields[i * STRIDE % SCATTER_MESSAGES_FIELDS];
		uint32_t bytes = make(self, field, message, id);

		note(i, message, bytes);
		if (!line_send(line, message, bytes))
			break;
		said++;
		if (!listens(self))
			break;
	}
	return said;
}

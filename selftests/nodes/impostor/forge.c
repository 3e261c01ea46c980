// SPDX-License-Identifier: GPL-2.0
/*
 * The conversation of one line: the proofs are made of HELLO and WELCOME as they crossed the line.
 */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "wire/build.h"
#include "wire/parse.h"
#include "wire/transcript.h"

#include "forge.h"
#include "forge_wide.h"
#include "talk.h"

/* So many messages are heard before the node has to be given credits. */
#define BUFFERS	16

static const char * const reasons[] = {
	"fine", "version", "stranger", "address", "key", "proof", "message", "busy",
	"shutdown", "held", "self", "timeout", "line", "admin", "device",
};

static void random_bytes(void *to, size_t bytes)
{
	if (getrandom(to, bytes, 0) != (ssize_t)bytes)
		memset(to, 1, bytes);
}

static void prove(const struct forge_self *self, enum scatter_transcript_role role, u8 *proof)
{
	const struct talk *talk = talk_with(self->peer);
	u8 text[SCATTER_TRANSCRIPT_BYTES];

	scatter_transcript_write(text, role, &talk->hello, &talk->welcome);
	hmac(self->key, text, sizeof(text), proof);
}

/* Who has talked to the node before goes on where they were. */
static int make_hello(const struct forge_self *self, void *message)
{
	const struct talk *talk = talk_with(self->peer);
	struct scatter_wire_hello what = {
		.version_min = SCATTER_WIRE_VERSION_MIN,
		.version_max = SCATTER_WIRE_VERSION_MAX,
		.buffers = BUFFERS,
		.from = self->own,
		.to = self->peer,
		.incarnation = self->incarnation,
		.expected = talk->incarnation,
		.received = talk->received,
	};
	u8 tag[HMAC_BYTES];

	random_bytes(what.nonce, sizeof(what.nonce));
	hmac(self->key, SCATTER_TRANSCRIPT_TAG, strlen(SCATTER_TRANSCRIPT_TAG), tag);
	memcpy(what.key_tag[0], tag, sizeof(what.key_tag[0]));
	scatter_build_hello(message, &what);
	return sizeof(struct scatter_raw_hello);
}

/* The answer to the HELLO that was heard. */
static int make_welcome(const struct forge_self *self, void *message)
{
	struct scatter_wire_welcome what = {
		.version = SCATTER_WIRE_VERSION_MAX,
		.buffers = BUFFERS,
		.from = self->own,
		.to = self->peer,
		.incarnation = self->incarnation,
	};
	struct scatter_raw_welcome *welcome = &talk_with(self->peer)->welcome;

	random_bytes(what.nonce, sizeof(what.nonce));
	scatter_build_welcome(welcome, &what);
	prove(self, SCATTER_TRANSCRIPT_RESPONDER, welcome->proof);
	memcpy(message, welcome, sizeof(*welcome));
	return sizeof(*welcome);
}

static int make_proof(const struct forge_self *self, void *message)
{
	struct talk *talk = talk_with(self->peer);
	struct scatter_wire_proof what;

	prove(self, SCATTER_TRANSCRIPT_INITIATOR, what.proof);
	scatter_build_proof(&talk->proof, &what);
	memcpy(message, &talk->proof, sizeof(talk->proof));
	return sizeof(talk->proof);
}

/* The node's own proof, as the node's WELCOME has it. */
static int make_proof_back(const struct forge_self *self, void *message)
{
	struct scatter_wire_proof what;

	memcpy(what.proof, talk_with(self->peer)->welcome.proof, sizeof(what.proof));
	scatter_build_proof(message, &what);
	return sizeof(struct scatter_raw_proof);
}

/* The last one of an earlier line, for one who has recorded that line and has no key. */
static int make_hello_again(const struct forge_self *self, void *message)
{
	memcpy(message, &talk_with(self->peer)->hello, sizeof(struct scatter_raw_hello));
	return sizeof(struct scatter_raw_hello);
}

/* Likewise. */
static int make_welcome_again(const struct forge_self *self, void *message)
{
	memcpy(message, &talk_with(self->peer)->welcome, sizeof(struct scatter_raw_welcome));
	return sizeof(struct scatter_raw_welcome);
}

/* Likewise. */
static int make_proof_again(const struct forge_self *self, void *message)
{
	memcpy(message, &talk_with(self->peer)->proof, sizeof(struct scatter_raw_proof));
	return sizeof(struct scatter_raw_proof);
}

static int make_refuse(const struct forge_self *self, void *message)
{
	const struct scatter_wire_refuse what = {
		.reason = SCATTER_WIRE_BUSY, .from = self->own,
	};

	scatter_build_refuse(message, &what);
	return sizeof(struct scatter_raw_refuse);
}

static int make_credit(const struct forge_self *self, void *message)
{
	(void)self;
	scatter_build_credit(message);
	return sizeof(struct scatter_raw_credit);
}

static int make_bye(const struct forge_self *self, void *message)
{
	const struct scatter_wire_bye what = { .reason = SCATTER_WIRE_SHUTDOWN };

	(void)self;
	scatter_build_bye(message, &what);
	return sizeof(struct scatter_raw_bye);
}

static int make_ping(const struct forge_self *self, void *message)
{
	const struct scatter_wire_ping what = { .token = 1 };

	scatter_build_ping(message, ++talk_with(self->peer)->sequence, &what);
	return sizeof(struct scatter_raw_ping);
}

/* Memory that this program lets nobody read. */
static int make_read(const struct forge_self *self, void *message)
{
	const struct scatter_wire_ping what = {
		.token = 2, .address = 0x1000, .key = 0x1234, .bytes = 4096, .digest = 5,
	};

	scatter_build_ping(message, ++talk_with(self->peer)->sequence, &what);
	return sizeof(struct scatter_raw_ping);
}

static int make_pong(const struct forge_self *self, void *message)
{
	const struct scatter_wire_pong what = { .token = 3 };

	scatter_build_pong(message, ++talk_with(self->peer)->sequence, &what);
	return sizeof(struct scatter_raw_pong);
}

static int make_junk(const struct forge_self *self, void *message)
{
	(void)self;
	random_bytes(message, 256);
	return 128;
}

static const struct {
	const char *name;
	int (*make)(const struct forge_self *self, void *message);
} makers[] = {
	{ "hello", make_hello }, { "welcome", make_welcome }, { "proof", make_proof },
	{ "refuse", make_refuse }, { "credit", make_credit }, { "bye", make_bye },
	{ "ping", make_ping }, { "read", make_read }, { "pong", make_pong },
	{ "junk", make_junk }, { "proof=back", make_proof_back },
	{ "hello=again", make_hello_again }, { "welcome=again", make_welcome_again },
	{ "proof=again", make_proof_again },
};

static void be_incarnate(struct forge_self *self)
{
	if (!self->incarnation)
		random_bytes(&self->incarnation, sizeof(self->incarnation));
}

void forge_id(struct forge_self *self, uint8_t id[16])
{
	be_incarnate(self);
	forge_wide_id(self, id);
}

int forge(struct forge_self *self, const char *name, uint8_t *message)
{
	unsigned int i;

	be_incarnate(self);
	for (i = 0; i < sizeof(makers) / sizeof(*makers); i++)
		if (!strcmp(makers[i].name, name))
			return makers[i].make(self, message);
	return forge_wide(self, name, message, ++talk_with(self->peer)->sequence);
}

void forge_sent(const struct forge_self *self, const uint8_t *message, size_t bytes)
{
	struct scatter_raw_hello *hello = &talk_with(self->peer)->hello;

	if (bytes == sizeof(*hello) && message[0] == SCATTER_WIRE_HELLO)
		memcpy(hello, message, bytes);
}

/* "welcome", or what is wrong with it. */
static const char *judge_welcome(const struct forge_self *self, const uint8_t *message, u32 bytes)
{
	struct scatter_wire_welcome what;
	struct talk *talk = talk_with(self->peer);
	struct scatter_wire_hello asked;
	u8 proof[HMAC_BYTES];

	if (scatter_parse_hello(&talk->hello, sizeof(talk->hello), &asked) ||
	    scatter_parse_welcome(message, bytes, &asked, &what))
		return "welcome:malformed";
	memcpy(&talk->welcome, message, bytes);
	talk->incarnation = what.incarnation;
	/* If the node has forgotten the other one, numbers begin anew. */
	talk->sequence = what.expected == self->incarnation ? what.received : 0;
	prove(self, SCATTER_TRANSCRIPT_RESPONDER, proof);
	return memcmp(proof, what.proof, sizeof(proof)) ? "welcome:unproven" : "welcome";
}

static const char *with_reason(const char *name, unsigned int reason)
{
	static char text[32];

	snprintf(text, sizeof(text), "%s:%s", name,
		 reason < sizeof(reasons) / sizeof(*reasons) ? reasons[reason] : "unknown");
	return text;
}

const char *forge_name(const struct forge_self *self, const uint8_t *message, size_t bytes)
{
	struct scatter_wire_header header;
	struct scatter_wire_refuse refuse;
	struct scatter_wire_bye bye;
	const char *wide;

	if (scatter_parse_header(message, bytes, &header))
		return "malformed";
	if (header.type >= SCATTER_WIRE_CREDIT)
		talk_with(self->peer)->heard++;
	if (header.sequence)
		talk_with(self->peer)->received = header.sequence;
	switch (header.type) {
	case SCATTER_WIRE_HELLO:
		memcpy(&talk_with(self->peer)->hello, message, sizeof(struct scatter_raw_hello));
		return "hello";
	case SCATTER_WIRE_WELCOME:
		return judge_welcome(self, message, bytes);
	case SCATTER_WIRE_PROOF:
		return "proof";
	case SCATTER_WIRE_REFUSE:
		return scatter_parse_refuse(message, bytes, &refuse) ?
		       "refuse:malformed" : with_reason("refuse", refuse.reason);
	case SCATTER_WIRE_BYE:
		return scatter_parse_bye(message, bytes, &bye) ?
		       "bye:malformed" : with_reason("bye", bye.reason);
	case SCATTER_WIRE_PING:
		return "ping";
	case SCATTER_WIRE_PONG:
		return "pong";
	default:
		wide = forge_wide_name(self, header.type, message, bytes);
		return wide ? wide : "credit";
	}
}

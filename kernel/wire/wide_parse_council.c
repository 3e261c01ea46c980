// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing COUNCIL: see wide_parse.c. As the runs of PLACES, the parts are too long for the stack:
 * the parser copies them to where the caller wants them, and checks them there.
 */
#include "wire/parse.h"
#include "wire/wide_check.h"
#include "wire/wide_raw_council.h"

#define FLAGS	(SCATTER_DECREE_HURRY | SCATTER_DECREE_ABANDONED | SCATTER_DECREE_LISTED)

static_assert(SCATTER_SET_MAX == SCATTER_WIDE_SIZE_MAX);

/**
 * struct parts - what has not been read of a message
 * @at: the next part, at any address
 * @bytes: bytes from there on
 */
struct parts {
	const u8 *at;
	u32 bytes;
};

/* The next part, of @size bytes; NULL if there is less. */
static const u8 *next_part(struct parts *parts, u32 size)
{
	const u8 *part = parts->at;

	if (parts->bytes < size)
		return NULL;
	parts->at += size;
	parts->bytes -= size;
	return part;
}

static void take_set(const u8 *at, struct scatter_set *set)
{
	__le64 raw;
	u32 i;

	for (i = 0; i < SCATTER_SET_WORDS; i++) {
		memcpy(&raw, at + i * sizeof(raw), sizeof(raw));
		set->words[i] = le64_to_cpu(raw);
	}
}

static void take_facts(const u8 *at, struct scatter_facts *facts)
{
	take_set(at + offsetof(struct scatter_raw_facts, dead), &facts->dead);
	take_set(at + offsetof(struct scatter_raw_facts, left), &facts->left);
}

/* Head. ------------------------------------------------------------------------------ */

/* Whether the fields of the key are those of a key, or are 0. */
static bool key_is_sound(const struct scatter_council_message *message)
{
	const struct scatter_council_key *key = &message->key;

	if (!scatter_wide_council_has_key(message->type, message->ballot))
		return !key->number && !key->turn && !key->kind;
	return key->number < SCATTER_WIDE_NUMBER_END && key->turn &&
	       key->kind < SCATTER_COUNCIL_KINDS;
}

/* Only PROMISE tells of a motion, and of a ballot, which is of the view or of an earlier one. */
static bool ballot_is_sound(const struct scatter_council_message *message)
{
	if (message->type != SCATTER_COUNCIL_PROMISE)
		return !message->motion && !message->ballot;
	return message->motion < SCATTER_COUNCIL_MOTIONS &&
	       (message->ballot <= message->view + 1 ||
		message->ballot == SCATTER_COUNCIL_VERDICT);
}

static bool head_is_sound(const u64 *id, const struct scatter_council_message *message)
{
	return scatter_wide_is_id(id) && message->type >= SCATTER_COUNCIL_ARRIVED &&
	       message->type <= SCATTER_COUNCIL_BEHIND && message->view < SCATTER_COUNCIL_END &&
	       ballot_is_sound(message) && key_is_sound(message);
}

static bool take_head(const void *data, u32 bytes, struct scatter_wide_council *council)
{
	struct scatter_council_message message;
	struct scatter_raw_council raw;
	u64 id[2];

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_COUNCIL, &raw, sizeof(raw)))
		return false;
	id[0] = le64_to_cpu(raw.id[0]);
	id[1] = le64_to_cpu(raw.id[1]);
	message = (struct scatter_council_message){
		.type = le32_to_cpu(raw.type),
		.motion = le32_to_cpu(raw.motion),
		.view = le64_to_cpu(raw.view),
		.ballot = le64_to_cpu(raw.ballot),
		.key.number = le64_to_cpu(raw.number),
		.key.turn = le32_to_cpu(raw.turn),
		.key.kind = le32_to_cpu(raw.kind),
	};
	if (!head_is_sound(id, &message))
		return false;
	memcpy(council->id, id, sizeof(id));
	council->message = message;
	return true;
}

/* Decree. ---------------------------------------------------------------------------- */

static bool decree_is_sound(const struct scatter_decree *decree, u32 kind)
{
	if (decree->terms && scatter_set_is_empty(&decree->called))
		return false;
	if (decree->flags & ~FLAGS || decree->error > SCATTER_WIDE_ERROR_MAX)
		return false;
	if (decree->culprit != SCATTER_DECREE_NOBODY &&
	    (!decree->error || decree->culprit >= SCATTER_WIDE_SIZE_MAX))
		return false;
	return !(decree->flags & SCATTER_DECREE_LISTED) ||
	       (kind == SCATTER_COUNCIL_OPERATION &&
		scatter_set_count(&decree->called) <= SCATTER_WIDE_CHOICES_MAX);
}

/* The choices of the ranks that have called; those of others stay as they are. */
static bool take_choices(struct parts *parts, struct scatter_wide_council *council)
{
	struct scatter_raw_choice raw;
	const u8 *at;
	u32 rank;

	council->decree.choices = council->choices;
	for (rank = 0; rank < SCATTER_SET_MAX; rank++) {
		if (!scatter_set_has(&council->decree.called, rank))
			continue;
		at = next_part(parts, sizeof(raw));
		if (!at)
			return false;
		memcpy(&raw, at, sizeof(raw));
		council->choices[rank] = (struct scatter_choice){
			.color = le32_to_cpu(raw.color),
			.key = le32_to_cpu(raw.key),
		};
	}
	return true;
}

static bool take_decree(struct parts *parts, struct scatter_wide_council *council)
{
	const u8 *at = next_part(parts, sizeof(struct scatter_raw_decree));
	const u32 head = offsetof(struct scatter_raw_decree, called);
	struct scatter_decree *decree = &council->decree;
	struct {
		__le64 terms, bits;
		__le32 flags, error, culprit, reserved;
	} raw;

	static_assert(sizeof(raw) == offsetof(struct scatter_raw_decree, called));
	if (!at)
		return false;
	memcpy(&raw, at, head);
	decree->terms = le64_to_cpu(raw.terms);
	decree->bits = le64_to_cpu(raw.bits);
	decree->flags = le32_to_cpu(raw.flags);
	decree->error = le32_to_cpu(raw.error);
	decree->culprit = le32_to_cpu(raw.culprit);
	decree->choices = NULL;
	take_set(at + offsetof(struct scatter_raw_decree, called), &decree->called);
	take_set(at + offsetof(struct scatter_raw_decree, known), &decree->known);
	take_facts(at + offsetof(struct scatter_raw_decree, facts), &decree->facts);
	council->message.decree = decree;
	if (raw.reserved || !decree_is_sound(decree, council->message.key.kind))
		return false;
	return !(decree->flags & SCATTER_DECREE_LISTED) || take_choices(parts, council);
}

static bool take_fences(struct parts *parts, struct scatter_wide_council *council)
{
	const u8 *at = next_part(parts, sizeof(struct scatter_raw_set));

	if (!at)
		return false;
	take_set(at, &council->fences);
	council->message.fences = &council->fences;
	return true;
}

static bool take_gone(struct parts *parts, struct scatter_wide_council *council)
{
	const u8 *at = next_part(parts, sizeof(struct scatter_raw_facts));

	if (!at)
		return false;
	take_facts(at, &council->facts);
	council->message.facts = &council->facts;
	return true;
}

/**
 * scatter_wide_parse_council() - parse COUNCIL
 * @data: the message
 * @bytes: length of the message in bytes
 * @council: (out) filled if the message is fine; overwritten if it is not
 *
 * The caller checks with scatter_wide_parse_council_fits() whether the group has the nodes and the
 * ranks.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_council(const void *data, u32 bytes,
						    struct scatter_wide_council *council)
{
	struct scatter_council_message *message = &council->message;
	struct parts parts;

	if (!take_head(data, bytes, council))
		return SCATTER_WIRE_BAD_MESSAGE;
	parts = (struct parts){
		.at = (const u8 *)data + sizeof(struct scatter_raw_council),
		.bytes = bytes - sizeof(struct scatter_raw_council),
	};
	if (scatter_wide_council_has_fences(message->type) && !take_fences(&parts, council))
		return SCATTER_WIRE_BAD_MESSAGE;
	if (scatter_wide_council_has_facts(message->type) && !take_gone(&parts, council))
		return SCATTER_WIRE_BAD_MESSAGE;
	if (scatter_wide_council_has_decree(message->type, message->ballot) &&
	    !take_decree(&parts, council))
		return SCATTER_WIRE_BAD_MESSAGE;
	return parts.bytes ? SCATTER_WIRE_BAD_MESSAGE : SCATTER_WIRE_FINE;
}

static bool facts_fit(const struct scatter_facts *facts, u32 ranks)
{
	return scatter_set_is_below(&facts->dead, ranks) &&
	       scatter_set_is_below(&facts->left, ranks);
}

static bool decree_fits(const struct scatter_decree *decree, u32 ranks)
{
	if (decree->culprit != SCATTER_DECREE_NOBODY && decree->culprit >= ranks)
		return false;
	return scatter_set_is_below(&decree->called, ranks) && facts_fit(&decree->facts, ranks);
}

/**
 * scatter_wide_parse_council_fits() - whether a COUNCIL speaks of what its group has
 * @council: the message, which scatter_wide_parse_council() has parsed
 * @nodes: nodes of the group as it was formed
 * @ranks: ranks of the group
 *
 * Context: any.
 * Return: false: the group has no such node or rank. The sender has broken the protocol.
 */
bool scatter_wide_parse_council_fits(const struct scatter_wide_council *council, u32 nodes,
				     u32 ranks)
{
	const struct scatter_council_message *message = &council->message;

	if (message->fences && !scatter_set_is_below(message->fences, nodes))
		return false;
	if (message->facts && !facts_fit(message->facts, ranks))
		return false;
	return !message->decree || decree_fits(message->decree, ranks);
}

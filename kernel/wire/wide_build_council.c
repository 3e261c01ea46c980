// SPDX-License-Identifier: GPL-2.0
/*
 * Building COUNCIL: see wide_build.c. The parts go one behind the other.
 */
#include "wire/build.h"
#include "wire/wide_raw_council.h"

static void put_set(struct scatter_raw_set *raw, const struct scatter_set *set)
{
	u32 i;

	for (i = 0; i < SCATTER_SET_WORDS; i++)
		raw->words[i] = cpu_to_le64(set->words[i]);
}

static void put_facts(struct scatter_raw_facts *raw, const struct scatter_facts *facts)
{
	put_set(&raw->dead, &facts->dead);
	put_set(&raw->left, &facts->left);
}

static void put_choices(struct scatter_raw_choice *raw, const struct scatter_decree *decree)
{
	u32 rank;

	for (rank = 0; rank < SCATTER_SET_MAX; rank++)
		if (scatter_set_has(&decree->called, rank))
			*raw++ = (struct scatter_raw_choice){
				.color = cpu_to_le32(decree->choices[rank].color),
				.key = cpu_to_le32(decree->choices[rank].key),
			};
}

static void put_decree(struct scatter_raw_decree *raw, const struct scatter_decree *decree)
{
	raw->terms = cpu_to_le64(decree->terms);
	raw->bits = cpu_to_le64(decree->bits);
	raw->flags = cpu_to_le32(decree->flags);
	raw->error = cpu_to_le32(decree->error);
	raw->culprit = cpu_to_le32(decree->culprit);
	raw->reserved = 0;
	put_set(&raw->called, &decree->called);
	put_set(&raw->known, &decree->known);
	put_facts(&raw->facts, &decree->facts);
	if (decree->flags & SCATTER_DECREE_LISTED)
		put_choices((struct scatter_raw_choice *)(raw + 1), decree);
}

/* Bytes of a decree and its choices; 0: too many choices, or they are not there. */
static u32 decree_bytes(const struct scatter_decree *decree)
{
	u32 count;

	if (!(decree->flags & SCATTER_DECREE_LISTED))
		return sizeof(struct scatter_raw_decree);
	count = scatter_set_count(&decree->called);
	if (!decree->choices || count > SCATTER_WIDE_CHOICES_MAX)
		return 0;
	return sizeof(struct scatter_raw_decree) + count * sizeof(struct scatter_raw_choice);
}

/**
 * scatter_wide_build_council_bytes() - the length of a COUNCIL
 * @message: what to say
 *
 * Context: any.
 * Return: bytes; 0: no COUNCIL can say that: a decree has choices of more than
 * %SCATTER_WIDE_CHOICES_MAX ranks, or is LISTED and has none
 */
u32 scatter_wide_build_council_bytes(const struct scatter_council_message *message)
{
	u32 part, bytes = sizeof(struct scatter_raw_council);

	if (scatter_wide_council_has_fences(message->type))
		bytes += sizeof(struct scatter_raw_set);
	if (scatter_wide_council_has_facts(message->type))
		bytes += sizeof(struct scatter_raw_facts);
	if (scatter_wide_council_has_decree(message->type, message->ballot)) {
		part = decree_bytes(message->decree);
		bytes = part ? bytes + part : 0;
	}
	return bytes;
}

/* Without a key the fields of one are 0. */
static void put_head(struct scatter_raw_council *raw, u32 bytes, u32 sequence, const u64 *id,
		     const struct scatter_council_message *message)
{
	const struct scatter_council_key none = { 0 }, *key = &none;

	if (scatter_wide_council_has_key(message->type, message->ballot))
		key = &message->key;
	*raw = (struct scatter_raw_council){
		.header = scatter_build_header(SCATTER_WIRE_COUNCIL, (u16)bytes, sequence),
		.id = { cpu_to_le64(id[0]), cpu_to_le64(id[1]) },
		.view = cpu_to_le64(message->view),
		.ballot = cpu_to_le64(message->ballot),
		.number = cpu_to_le64(key->number),
		.turn = cpu_to_le32(key->turn),
		.kind = cpu_to_le32(key->kind),
		.type = cpu_to_le32(message->type),
		.motion = cpu_to_le32(message->motion),
	};
}

/**
 * scatter_wide_build_council() - build COUNCIL
 * @raw: (out) the message, as long as scatter_wide_build_council_bytes() says, which is not 0;
 *	aligned to 8 bytes
 * @sequence: the message's number, from scatter_sequence_send()
 * @id: of the group
 * @message: what to say
 *
 * Context: any.
 */
void scatter_wide_build_council(void *raw, u32 sequence, const u64 *id,
				const struct scatter_council_message *message)
{
	struct scatter_raw_council *head = raw;
	u8 *part = (u8 *)(head + 1);

	put_head(head, scatter_wide_build_council_bytes(message), sequence, id, message);
	if (scatter_wide_council_has_fences(message->type)) {
		put_set((struct scatter_raw_set *)part, message->fences);
		part += sizeof(struct scatter_raw_set);
	}
	if (scatter_wide_council_has_facts(message->type)) {
		put_facts((struct scatter_raw_facts *)part, message->facts);
		part += sizeof(struct scatter_raw_facts);
	}
	if (scatter_wide_council_has_decree(message->type, message->ballot))
		put_decree((struct scatter_raw_decree *)part, message->decree);
}

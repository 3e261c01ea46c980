// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing GRANT, which allows a READ: see wide_parse.c.
 */
#include "wire/parse.h"
#include "wire/wide_check.h"
#include "wire/wide_parse.h"
#include "wire/wide_raw.h"

static bool grant_is_sound(const struct scatter_wide_grant *grant)
{
	if (!scatter_wide_is_operation(grant->id, grant->number) ||
	    grant->offset > SCATTER_WIDE_BLOCK_MAX || grant->rank >= SCATTER_WIDE_SIZE_MAX)
		return false;
	if (!grant->bytes || grant->bytes > SCATTER_WIDE_PULL_MAX)
		return false;
	/* The last address may be the last one that there is. */
	return grant->token && grant->key && grant->address + (grant->bytes - 1) >= grant->address;
}

/**
 * scatter_wide_parse_grant() - parse GRANT
 * @data: the message
 * @bytes: length of the message in bytes
 * @grant: (out) filled if the message is fine
 *
 * The caller knows which token comes next, and which PULL this answers.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_grant(const void *data, u32 bytes,
						  struct scatter_wide_grant *grant)
{
	struct scatter_wide_grant host;
	struct scatter_raw_grant raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_GRANT, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_grant){
		.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.number = le64_to_cpu(raw.number),
		.offset = le64_to_cpu(raw.offset),
		.rank = le32_to_cpu(raw.rank),
		.bytes = le32_to_cpu(raw.bytes),
		.token = le64_to_cpu(raw.token),
		.address = le64_to_cpu(raw.address),
		.key = le32_to_cpu(raw.key),
	};
	if (raw.reserved || !grant_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*grant = host;
	return SCATTER_WIRE_FINE;
}

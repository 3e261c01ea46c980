// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing MISSING: see wide_parse.c.
 */
#include "wire/parse.h"
#include "wire/wide_check.h"
#include "wire/wide_parse.h"
#include "wire/wide_raw.h"

/**
 * scatter_wide_parse_missing() - parse MISSING
 * @data: the message
 * @bytes: length of the message in bytes
 * @missing: (out) filled if the message is fine
 *
 * The caller knows how many members the group has, and of which ranks the sender may speak.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_missing(const void *data, u32 bytes,
						    struct scatter_wide_missing *missing)
{
	struct scatter_wide_missing host;
	struct scatter_raw_missing raw;
	u32 i;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_MISSING, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_missing){
		.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.number = le64_to_cpu(raw.number),
	};
	if (!scatter_wide_is_operation(host.id, host.number))
		return SCATTER_WIRE_BAD_MESSAGE;
	for (i = 0; i < SCATTER_WIDE_MASK_WORDS; i++)
		host.ranks[i] = le64_to_cpu(raw.ranks[i]);
	*missing = host;
	return SCATTER_WIRE_FINE;
}

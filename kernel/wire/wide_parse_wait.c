// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing WAIT: see wide_parse.c.
 */
#include "wire/parse.h"
#include "wire/wide_check.h"
#include "wire/wide_parse.h"
#include "wire/wide_raw.h"

static bool wait_is_sound(const struct scatter_wide_wait *wait)
{
	if (!scatter_wide_is_operation(wait->id, wait->number) || !wait->asked)
		return false;
	if (wait->rank >= SCATTER_WIDE_SIZE_MAX)
		return false;
	if (wait->root == SCATTER_WIDE_ROOT_ANY)
		return !wait->block;
	return wait->root < SCATTER_WIDE_SIZE_MAX && wait->block <= SCATTER_WIDE_BLOCK_MAX;
}

/**
 * scatter_wide_parse_wait() - parse WAIT
 * @data: the message
 * @bytes: length of the message in bytes
 * @wait: (out) filled if the message is fine
 *
 * The caller knows how many members the group has, and of which ranks the sender may speak.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_wait(const void *data, u32 bytes,
						 struct scatter_wide_wait *wait)
{
	struct scatter_wide_wait host;
	struct scatter_raw_wait raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_WAIT, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_wait){
		.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.number = le64_to_cpu(raw.number),
		.asked = le64_to_cpu(raw.asked),
		.block = le64_to_cpu(raw.block),
		.root = le32_to_cpu(raw.root),
		.rank = le32_to_cpu(raw.rank),
	};
	if (!wait_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*wait = host;
	return SCATTER_WIRE_FINE;
}

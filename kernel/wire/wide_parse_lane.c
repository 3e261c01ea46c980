// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing LANE: see wide_parse.c.
 */
#include "wire/parse.h"
#include "wire/wide_check.h"
#include "wire/wide_parse.h"
#include "wire/wide_raw.h"

static bool is_vector(const struct scatter_wide_bundle *head)
{
	return head->op == SCATTER_WIDE_SCATTERV || head->op == SCATTER_WIDE_GATHERV;
}

/* Whether there can be such an operation. */
static bool head_is_sound(const struct scatter_wide_bundle *head)
{
	if (!scatter_wide_is_operation(head->id, head->number) || !head->asked)
		return false;
	if (head->root >= SCATTER_WIDE_SIZE_MAX || head->blocks > SCATTER_WIDE_SIZE_MAX ||
	    head->first > SCATTER_WIDE_SIZE_MAX - head->blocks)
		return false;
	if (is_vector(head))
		return !head->block;
	return (head->op == SCATTER_WIDE_SCATTER || head->op == SCATTER_WIDE_GATHER) &&
	       head->block <= SCATTER_WIDE_BLOCK_MAX;
}

/* Whether the cell is the one that a block of a known length has there. */
static bool cell_fits(const struct scatter_wide_lane *lane)
{
	u64 rest = lane->head.block - lane->offset;

	if (lane->offset > lane->head.block || (!rest && lane->offset))
		return false;
	return lane->payload == (rest < SCATTER_WIDE_CELL_MAX ? rest : SCATTER_WIDE_CELL_MAX);
}

static bool cell_is_sound(const struct scatter_wide_lane *lane)
{
	if (lane->cell >= SCATTER_WIDE_CELL_END ||
	    lane->rank - lane->head.first >= lane->head.blocks)
		return false;
	if (lane->flags == SCATTER_WIDE_LENGTH)
		return is_vector(&lane->head) && !lane->offset &&
		       lane->payload == SCATTER_WIDE_LENGTH_BYTES;
	if (lane->flags & ~SCATTER_WIDE_UNREADABLE || lane->offset % SCATTER_WIDE_CELL_MAX)
		return false;
	if (!is_vector(&lane->head))
		return cell_fits(lane);
	return lane->offset <= SCATTER_WIDE_BLOCK_MAX && lane->payload;
}

/**
 * scatter_wide_parse_lane() - parse LANE
 * @data: the message; its payload begins after struct scatter_raw_lane
 * @bytes: length of the message in bytes
 * @lane: (out) filled if the message is fine
 *
 * The caller checks whether the ranks are of the group, whether the schedule is possible, and
 * whether the cell is the one that comes next.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_lane(const void *data, u32 bytes,
						 struct scatter_wide_lane *lane)
{
	struct scatter_wide_lane host;
	struct scatter_raw_lane raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_LANE, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_lane){
		.head.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.head.number = le64_to_cpu(raw.number),
		.head.block = le64_to_cpu(raw.block),
		.head.asked = le64_to_cpu(raw.asked),
		.head.op = le32_to_cpu(raw.op),
		.head.root = le32_to_cpu(raw.root),
		.head.first = le32_to_cpu(raw.first),
		.head.blocks = le32_to_cpu(raw.blocks),
		.head.algorithm = SCATTER_WIDE_OR_BROADCAST,
		.cell = le64_to_cpu(raw.cell),
		.offset = le64_to_cpu(raw.offset),
		.flags = le32_to_cpu(raw.flags),
		.rank = le32_to_cpu(raw.rank),
		.payload = bytes - sizeof(raw),
	};
	if (!head_is_sound(&host.head) || !cell_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*lane = host;
	return SCATTER_WIRE_FINE;
}

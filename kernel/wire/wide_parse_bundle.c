// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing BUNDLE, which has more fields than the other messages: see wide_parse.c.
 */
#include "wire/parse.h"
#include "wire/wide_check.h"
#include "wire/wide_parse.h"
#include "wire/wide_raw.h"

#define FLAGS		(SCATTER_WIDE_LISTED | SCATTER_WIDE_PLAIN | SCATTER_WIDE_COUNTS)

/* Whether each block has a length: all the same, or one of its own in the stream. */
static bool form_is_sound(const struct scatter_wide_bundle *bundle)
{
	switch (bundle->op) {
	case SCATTER_WIDE_SCATTER:
	case SCATTER_WIDE_GATHER:
		return bundle->block <= SCATTER_WIDE_BLOCK_MAX &&
		       !(bundle->flags & SCATTER_WIDE_COUNTS);
	case SCATTER_WIDE_SCATTERV:
	case SCATTER_WIDE_GATHERV:
		if (bundle->flags & SCATTER_WIDE_COUNTS &&
		    (bundle->flags != FLAGS || bundle->count != bundle->blocks))
			return false;
		return !bundle->block && bundle->flags & SCATTER_WIDE_LISTED;
	default:
		return false;
	}
}

static bool ranks_are_sound(const struct scatter_wide_bundle *bundle)
{
	if (bundle->root >= SCATTER_WIDE_SIZE_MAX || bundle->blocks > SCATTER_WIDE_SIZE_MAX ||
	    bundle->first > SCATTER_WIDE_SIZE_MAX - bundle->blocks)
		return false;
	return bundle->count && bundle->count <= bundle->blocks;
}

/* Neither the sum nor the difference wraps. */
static bool stream_is_sound(const struct scatter_wide_bundle *bundle)
{
	u32 listed = 0;

	if (bundle->flags & SCATTER_WIDE_LISTED)
		listed = bundle->count * SCATTER_WIDE_LENGTH_BYTES;
	if (bundle->total < listed || bundle->total > SCATTER_WIDE_STREAM_MAX)
		return false;
	if (bundle->flags & SCATTER_WIDE_PLAIN && bundle->total != listed)
		return false;
	if (bundle->offset > bundle->total || bundle->payload > bundle->total - bundle->offset)
		return false;
	return bundle->payload || !bundle->total;
}

static bool bundle_is_sound(const struct scatter_wide_bundle *bundle)
{
	if (!scatter_wide_is_operation(bundle->id, bundle->number) || !bundle->asked)
		return false;
	if (bundle->flags & ~FLAGS || !form_is_sound(bundle) || !ranks_are_sound(bundle))
		return false;
	if (!bundle->algorithm || bundle->algorithm > SCATTER_WIDE_ALGORITHM_MAX ||
	    bundle->tree >= SCATTER_WIDE_TREES_MAX)
		return false;
	return scatter_wide_is_extents(bundle->dims, bundle->extent) && stream_is_sound(bundle);
}

/**
 * scatter_wide_parse_bundle() - parse BUNDLE
 * @data: the message; its payload begins after struct scatter_raw_bundle
 * @bytes: length of the message in bytes
 * @bundle: (out) filled if the message is fine
 *
 * The caller checks whether the ranks are of the group, whether the schedule is possible, and, when
 * it has the lengths, whether the blocks fill the stream.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_wide_parse_bundle(const void *data, u32 bytes,
						   struct scatter_wide_bundle *bundle)
{
	struct scatter_wide_bundle host;
	struct scatter_raw_bundle raw;
	u32 i;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_BUNDLE, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wide_bundle){
		.id = { le64_to_cpu(raw.id[0]), le64_to_cpu(raw.id[1]) },
		.number = le64_to_cpu(raw.number),
		.block = le64_to_cpu(raw.block),
		.asked = le64_to_cpu(raw.asked),
		.op = le32_to_cpu(raw.op),
		.flags = le32_to_cpu(raw.flags),
		.root = le32_to_cpu(raw.root),
		.first = le32_to_cpu(raw.first),
		.blocks = le32_to_cpu(raw.blocks),
		.algorithm = le32_to_cpu(raw.algorithm),
		.ports = le32_to_cpu(raw.ports),
		.dims = le32_to_cpu(raw.dims),
		.count = le32_to_cpu(raw.count),
		.total = le32_to_cpu(raw.total),
		.offset = le32_to_cpu(raw.offset),
		.tree = le32_to_cpu(raw.tree),
		.payload = bytes - sizeof(raw),
	};
	for (i = 0; i < SCATTER_WIDE_DIMS; i++)
		host.extent[i] = le32_to_cpu(raw.extent[i]);
	if (!bundle_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*bundle = host;
	return SCATTER_WIRE_FINE;
}

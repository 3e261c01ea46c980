// SPDX-License-Identifier: GPL-2.0
/*
 * Building the messages of groups on several nodes.
 *
 * Each builder sets every byte of a message, from fields in the ranges that wide.h tells. For a
 * message with payload, the builder sets every byte of the head, and the caller appends the
 * payload.
 */
#include "wire/build.h"
#include "wire/wide_build.h"

/**
 * scatter_wide_build_join() - build JOIN
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @join: what to say
 *
 * Context: any.
 */
void scatter_wide_build_join(struct scatter_raw_join *raw, u32 sequence,
			     const struct scatter_wide_join *join)
{
	u32 i;

	*raw = (struct scatter_raw_join){
		.header = scatter_build_header(SCATTER_WIRE_JOIN, sizeof(*raw), sequence),
		.token = cpu_to_le64(join->token),
		.cluster = cpu_to_le64(join->cluster),
		.owner = cpu_to_le32(join->owner),
		.uid = cpu_to_le32(join->uid),
		.gid = cpu_to_le32(join->gid),
		.flags = cpu_to_le32(join->flags),
		.mode = cpu_to_le32(join->mode),
		.size = cpu_to_le32(join->size),
		.sides = { cpu_to_le32(join->sides[0]), cpu_to_le32(join->sides[1]) },
		.side = cpu_to_le32(join->side),
		.rank = cpu_to_le32(join->rank),
		.algorithm = cpu_to_le32(join->algorithm),
		.ports = cpu_to_le32(join->ports),
		.dims = cpu_to_le32(join->dims),
	};
	for (i = 0; i < SCATTER_WIDE_DIMS; i++)
		raw->extent[i] = cpu_to_le32(join->extent[i]);
	memcpy(raw->name, join->name, sizeof(raw->name));
}

/**
 * scatter_wide_build_seated() - build SEATED
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @seated: what to say
 *
 * Context: any.
 */
void scatter_wide_build_seated(struct scatter_raw_seated *raw, u32 sequence,
			       const struct scatter_wide_seated *seated)
{
	*raw = (struct scatter_raw_seated){
		.header = scatter_build_header(SCATTER_WIRE_SEATED, sizeof(*raw), sequence),
		.token = cpu_to_le64(seated->token),
		.id = { cpu_to_le64(seated->id[0]), cpu_to_le64(seated->id[1]) },
		.answer = cpu_to_le32(seated->answer),
		.rank = cpu_to_le32(seated->rank),
		.uid = cpu_to_le32(seated->uid),
		.gid = cpu_to_le32(seated->gid),
		.mode = cpu_to_le32(seated->mode),
	};
}

/**
 * scatter_wide_build_unseat() - build UNSEAT
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @unseat: what to say
 *
 * Context: any.
 */
void scatter_wide_build_unseat(struct scatter_raw_unseat *raw, u32 sequence,
			       const struct scatter_wide_unseat *unseat)
{
	*raw = (struct scatter_raw_unseat){
		.header = scatter_build_header(SCATTER_WIRE_UNSEAT, sizeof(*raw), sequence),
		.token = cpu_to_le64(unseat->token),
		.done = cpu_to_le32(unseat->done),
	};
}

/**
 * scatter_wide_build_formed() - build FORMED
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @formed: what to say
 *
 * Context: any.
 */
void scatter_wide_build_formed(struct scatter_raw_formed *raw, u32 sequence,
			       const struct scatter_wide_formed *formed)
{
	*raw = (struct scatter_raw_formed){
		.header = scatter_build_header(SCATTER_WIRE_FORMED, sizeof(*raw), sequence),
		.id = { cpu_to_le64(formed->id[0]), cpu_to_le64(formed->id[1]) },
		.size = cpu_to_le32(formed->size),
		.runs = cpu_to_le32(formed->runs),
		.eager_limit = cpu_to_le32(formed->eager_limit),
		.gather_limit = cpu_to_le32(formed->gather_limit),
		.startup_ns = cpu_to_le32(formed->startup_ns),
		.gap_ns = cpu_to_le32(formed->gap_ns),
		.window = cpu_to_le32(formed->window),
	};
}

/**
 * scatter_wide_build_places() - build PLACES
 * @raw: (out) the message, aligned to 8 bytes, which has room for scatter_wide_places_bytes()
 * @sequence: the message's number, from scatter_sequence_send()
 * @places: what to say
 *
 * Context: any.
 * Return: the message's length in bytes
 */
u32 scatter_wide_build_places(void *raw, u32 sequence, const struct scatter_wide_places *places)
{
	u32 i, bytes = scatter_wide_places_bytes(places->count);
	struct scatter_raw_places *message = raw;

	*message = (struct scatter_raw_places){
		.header = scatter_build_header(SCATTER_WIRE_PLACES, bytes, sequence),
		.id = { cpu_to_le64(places->id[0]), cpu_to_le64(places->id[1]) },
		.count = cpu_to_le32(places->count),
	};
	for (i = 0; i < places->count; i++)
		message->runs[i] = (struct scatter_raw_run){
			.node = cpu_to_le64(places->runs[i].node),
			.incarnation = cpu_to_le64(places->runs[i].incarnation),
			.token = cpu_to_le64(places->runs[i].token),
			.first = cpu_to_le32(places->runs[i].first),
			.count = cpu_to_le32(places->runs[i].count),
		};
	return bytes;
}

/**
 * scatter_wide_build_attach() - build ATTACH
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @attach: what to say
 *
 * Context: any.
 */
void scatter_wide_build_attach(struct scatter_raw_attach *raw, u32 sequence,
			       const struct scatter_wide_attach *attach)
{
	*raw = (struct scatter_raw_attach){
		.header = scatter_build_header(SCATTER_WIRE_ATTACH, sizeof(*raw), sequence),
		.id = { cpu_to_le64(attach->id[0]), cpu_to_le64(attach->id[1]) },
		.token = cpu_to_le64(attach->token),
		.what = cpu_to_le32(attach->what),
	};
}

/**
 * scatter_wide_build_fact() - build FACT
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @fact: what to say
 *
 * Context: any.
 */
void scatter_wide_build_fact(struct scatter_raw_fact *raw, u32 sequence,
			     const struct scatter_wide_fact *fact)
{
	*raw = (struct scatter_raw_fact){
		.header = scatter_build_header(SCATTER_WIRE_FACT, sizeof(*raw), sequence),
		.id = { cpu_to_le64(fact->id[0]), cpu_to_le64(fact->id[1]) },
		.kind = cpu_to_le32(fact->kind),
		.rank = cpu_to_le32(fact->rank),
		.number = cpu_to_le64(fact->number),
		.node = cpu_to_le64(fact->node),
	};
}

/**
 * scatter_wide_build_edge() - build EDGE
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @edge: what to say
 *
 * Context: any.
 */
void scatter_wide_build_edge(struct scatter_raw_edge *raw, u32 sequence,
			     const struct scatter_wide_edge *edge)
{
	*raw = (struct scatter_raw_edge){
		.header = scatter_build_header(SCATTER_WIRE_EDGE, sizeof(*raw), sequence),
		.id = { cpu_to_le64(edge->id[0]), cpu_to_le64(edge->id[1]) },
		.number = cpu_to_le64(edge->number),
		.way = cpu_to_le32(edge->way),
	};
}

/**
 * scatter_wide_build_bundle() - build the head of a BUNDLE
 * @raw: (out) the head
 * @sequence: the message's number, from scatter_sequence_send()
 * @bundle: what to say
 *
 * Context: any.
 */
void scatter_wide_build_bundle(struct scatter_raw_bundle *raw, u32 sequence,
			       const struct scatter_wide_bundle *bundle)
{
	u32 i, bytes = sizeof(*raw) + bundle->payload;

	*raw = (struct scatter_raw_bundle){
		.header = scatter_build_header(SCATTER_WIRE_BUNDLE, bytes, sequence),
		.id = { cpu_to_le64(bundle->id[0]), cpu_to_le64(bundle->id[1]) },
		.number = cpu_to_le64(bundle->number),
		.block = cpu_to_le64(bundle->block),
		.asked = cpu_to_le64(bundle->asked),
		.op = cpu_to_le32(bundle->op),
		.flags = cpu_to_le32(bundle->flags),
		.root = cpu_to_le32(bundle->root),
		.first = cpu_to_le32(bundle->first),
		.blocks = cpu_to_le32(bundle->blocks),
		.algorithm = cpu_to_le32(bundle->algorithm),
		.ports = cpu_to_le32(bundle->ports),
		.dims = cpu_to_le32(bundle->dims),
		.count = cpu_to_le32(bundle->count),
		.total = cpu_to_le32(bundle->total),
		.offset = cpu_to_le32(bundle->offset),
		.tree = cpu_to_le32(bundle->tree),
	};
	for (i = 0; i < SCATTER_WIDE_DIMS; i++)
		raw->extent[i] = cpu_to_le32(bundle->extent[i]);
}

/**
 * scatter_wide_build_pull() - build PULL
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @pull: what to say
 *
 * Context: any.
 */
void scatter_wide_build_pull(struct scatter_raw_pull *raw, u32 sequence,
			     const struct scatter_wide_pull *pull)
{
	*raw = (struct scatter_raw_pull){
		.header = scatter_build_header(SCATTER_WIRE_PULL, sizeof(*raw), sequence),
		.id = { cpu_to_le64(pull->id[0]), cpu_to_le64(pull->id[1]) },
		.number = cpu_to_le64(pull->number),
		.offset = cpu_to_le64(pull->offset),
		.rank = cpu_to_le32(pull->rank),
		.bytes = cpu_to_le32(pull->bytes),
	};
}

/**
 * scatter_wide_build_data() - build the head of a DATA
 * @raw: (out) the head
 * @sequence: the message's number, from scatter_sequence_send()
 * @data: what to say
 *
 * Context: any.
 */
void scatter_wide_build_data(struct scatter_raw_data *raw, u32 sequence,
			     const struct scatter_wide_data *data)
{
	u32 bytes = sizeof(*raw) + data->payload;

	*raw = (struct scatter_raw_data){
		.header = scatter_build_header(SCATTER_WIRE_DATA, bytes, sequence),
		.id = { cpu_to_le64(data->id[0]), cpu_to_le64(data->id[1]) },
		.number = cpu_to_le64(data->number),
		.offset = cpu_to_le64(data->offset),
		.rank = cpu_to_le32(data->rank),
		.flags = cpu_to_le32(data->flags),
	};
}

/**
 * scatter_wide_build_done() - build DONE
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @done: what to say
 *
 * Context: any.
 */
void scatter_wide_build_done(struct scatter_raw_done *raw, u32 sequence,
			     const struct scatter_wide_done *done)
{
	*raw = (struct scatter_raw_done){
		.header = scatter_build_header(SCATTER_WIRE_DONE, sizeof(*raw), sequence),
		.id = { cpu_to_le64(done->id[0]), cpu_to_le64(done->id[1]) },
		.number = cpu_to_le64(done->number),
	};
}

/**
 * scatter_wide_build_grant() - build GRANT, but for what scatter_wide_build_key() sets
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @grant: what to say
 *
 * Context: any.
 */
void scatter_wide_build_grant(struct scatter_raw_grant *raw, u32 sequence,
			      const struct scatter_wide_grant *grant)
{
	*raw = (struct scatter_raw_grant){
		.header = scatter_build_header(SCATTER_WIRE_GRANT, sizeof(*raw), sequence),
		.id = { cpu_to_le64(grant->id[0]), cpu_to_le64(grant->id[1]) },
		.number = cpu_to_le64(grant->number),
		.offset = cpu_to_le64(grant->offset),
		.rank = cpu_to_le32(grant->rank),
		.bytes = cpu_to_le32(grant->bytes),
		.token = cpu_to_le64(grant->token),
	};
	scatter_wide_build_key(raw, grant->address, grant->key);
}

/**
 * scatter_wide_build_key() - put into a GRANT what depends on the line
 * @raw: the message
 * @address: for the READ
 * @key: for the READ
 *
 * Context: any.
 */
void scatter_wide_build_key(struct scatter_raw_grant *raw, u64 address, u32 key)
{
	raw->address = cpu_to_le64(address);
	raw->key = cpu_to_le32(key);
}

/**
 * scatter_wide_build_token() - put into a GRANT what tells it apart from others
 * @raw: the message
 * @token: 1 and up
 *
 * Context: any.
 */
void scatter_wide_build_token(struct scatter_raw_grant *raw, u64 token)
{
	raw->token = cpu_to_le64(token);
}

/**
 * scatter_wide_build_got() - build GOT
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @got: what to say
 *
 * Context: any.
 */
void scatter_wide_build_got(struct scatter_raw_got *raw, u32 sequence,
			    const struct scatter_wide_got *got)
{
	*raw = (struct scatter_raw_got){
		.header = scatter_build_header(SCATTER_WIRE_GOT, sizeof(*raw), sequence),
		.token = cpu_to_le64(got->token),
	};
}

/**
 * scatter_wide_build_lane() - build the head of a LANE
 * @raw: (out) the head
 * @sequence: the message's number, from scatter_sequence_send()
 * @lane: what to say
 *
 * Context: any.
 */
void scatter_wide_build_lane(struct scatter_raw_lane *raw, u32 sequence,
			     const struct scatter_wide_lane *lane)
{
	const struct scatter_wide_bundle *head = &lane->head;
	u32 bytes = sizeof(*raw) + lane->payload;

	*raw = (struct scatter_raw_lane){
		.header = scatter_build_header(SCATTER_WIRE_LANE, bytes, sequence),
		.id = { cpu_to_le64(head->id[0]), cpu_to_le64(head->id[1]) },
		.number = cpu_to_le64(head->number),
		.block = cpu_to_le64(head->block),
		.asked = cpu_to_le64(head->asked),
		.cell = cpu_to_le64(lane->cell),
		.offset = cpu_to_le64(lane->offset),
		.op = cpu_to_le32(head->op),
		.flags = cpu_to_le32(lane->flags),
		.root = cpu_to_le32(head->root),
		.first = cpu_to_le32(head->first),
		.blocks = cpu_to_le32(head->blocks),
		.rank = cpu_to_le32(lane->rank),
	};
}

/**
 * scatter_wide_build_wait() - build WAIT
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @wait: what to say
 *
 * Context: any.
 */
void scatter_wide_build_wait(struct scatter_raw_wait *raw, u32 sequence,
			     const struct scatter_wide_wait *wait)
{
	*raw = (struct scatter_raw_wait){
		.header = scatter_build_header(SCATTER_WIRE_WAIT, sizeof(*raw), sequence),
		.id = { cpu_to_le64(wait->id[0]), cpu_to_le64(wait->id[1]) },
		.number = cpu_to_le64(wait->number),
		.asked = cpu_to_le64(wait->asked),
		.block = cpu_to_le64(wait->block),
		.root = cpu_to_le32(wait->root),
		.rank = cpu_to_le32(wait->rank),
	};
}

/**
 * scatter_wide_build_missing() - build MISSING
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @missing: what to say
 *
 * Context: any.
 */
void scatter_wide_build_missing(struct scatter_raw_missing *raw, u32 sequence,
				const struct scatter_wide_missing *missing)
{
	u32 i;

	*raw = (struct scatter_raw_missing){
		.header = scatter_build_header(SCATTER_WIRE_MISSING, sizeof(*raw), sequence),
		.id = { cpu_to_le64(missing->id[0]), cpu_to_le64(missing->id[1]) },
		.number = cpu_to_le64(missing->number),
	};
	for (i = 0; i < SCATTER_WIDE_MASK_WORDS; i++)
		raw->ranks[i] = cpu_to_le64(missing->ranks[i]);
}

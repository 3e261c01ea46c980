// SPDX-License-Identifier: GPL-2.0
/*
 * Building the messages to other nodes.
 *
 * Each builder sets every byte of a message, from fields in the ranges that wire.h tells.
 * scatter_build_stamp() sets the fields that change between two transmissions of the same message.
 */
#include "wire/build.h"

/**
 * scatter_build_header() - build a header that scatter_build_stamp() has not stamped yet
 * @type: type of the message
 * @length: length of the whole message in bytes
 * @sequence: the message's number, from scatter_sequence_send(); 0 if the message is not sequenced
 *
 * Context: any.
 * Return: the header
 */
struct scatter_raw_header scatter_build_header(enum scatter_wire_type type, u16 length,
					       u32 sequence)
{
	return (struct scatter_raw_header){
		.type = type,
		.length = cpu_to_le16(length),
		.sequence = cpu_to_le32(sequence),
	};
}

/**
 * scatter_build_hello() - build HELLO
 * @raw: (out) the message
 * @hello: what to say
 *
 * Context: any.
 */
void scatter_build_hello(struct scatter_raw_hello *raw, const struct scatter_wire_hello *hello)
{
	*raw = (struct scatter_raw_hello){
		.header = scatter_build_header(SCATTER_WIRE_HELLO, sizeof(*raw), 0),
		.magic = cpu_to_le32(SCATTER_WIRE_MAGIC),
		.version_min = cpu_to_le16(hello->version_min),
		.version_max = cpu_to_le16(hello->version_max),
		.features = cpu_to_le32(hello->features),
		.buffers = cpu_to_le16(hello->buffers),
		.from = cpu_to_le64(hello->from),
		.to = cpu_to_le64(hello->to),
		.incarnation = cpu_to_le64(hello->incarnation),
		.expected = cpu_to_le64(hello->expected),
		.received = cpu_to_le32(hello->received),
	};
	memcpy(raw->nonce, hello->nonce, sizeof(raw->nonce));
	memcpy(raw->key_tag, hello->key_tag, sizeof(raw->key_tag));
}

/**
 * scatter_build_welcome() - build WELCOME
 * @raw: (out) the message
 * @welcome: what to say
 *
 * The proof is made from the rest of the message, so the prover builds the message twice.
 *
 * Context: any.
 */
void scatter_build_welcome(struct scatter_raw_welcome *raw,
			   const struct scatter_wire_welcome *welcome)
{
	*raw = (struct scatter_raw_welcome){
		.header = scatter_build_header(SCATTER_WIRE_WELCOME, sizeof(*raw), 0),
		.version = cpu_to_le16(welcome->version),
		.buffers = cpu_to_le16(welcome->buffers),
		.features = cpu_to_le32(welcome->features),
		.from = cpu_to_le64(welcome->from),
		.to = cpu_to_le64(welcome->to),
		.incarnation = cpu_to_le64(welcome->incarnation),
		.expected = cpu_to_le64(welcome->expected),
		.received = cpu_to_le32(welcome->received),
		.key = cpu_to_le32(welcome->key),
	};
	memcpy(raw->nonce, welcome->nonce, sizeof(raw->nonce));
	memcpy(raw->proof, welcome->proof, sizeof(raw->proof));
}

/**
 * scatter_build_proof() - build PROOF
 * @raw: (out) the message
 * @proof: what to say
 *
 * Context: any.
 */
void scatter_build_proof(struct scatter_raw_proof *raw, const struct scatter_wire_proof *proof)
{
	raw->header = scatter_build_header(SCATTER_WIRE_PROOF, sizeof(*raw), 0);
	memcpy(raw->proof, proof->proof, sizeof(raw->proof));
}

/**
 * scatter_build_refuse() - build REFUSE
 * @raw: (out) the message
 * @refuse: what to say
 *
 * Context: any.
 */
void scatter_build_refuse(struct scatter_raw_refuse *raw,
			  const struct scatter_wire_refuse *refuse)
{
	*raw = (struct scatter_raw_refuse){
		.header = scatter_build_header(SCATTER_WIRE_REFUSE, sizeof(*raw), 0),
		.reason = cpu_to_le16(refuse->reason),
		.from = cpu_to_le64(refuse->from),
	};
}

/**
 * scatter_build_credit() - build CREDIT
 * @raw: (out) the message
 *
 * Context: any.
 */
void scatter_build_credit(struct scatter_raw_credit *raw)
{
	raw->header = scatter_build_header(SCATTER_WIRE_CREDIT, sizeof(*raw), 0);
}

/**
 * scatter_build_bye() - build BYE
 * @raw: (out) the message
 * @bye: what to say
 *
 * Context: any.
 */
void scatter_build_bye(struct scatter_raw_bye *raw, const struct scatter_wire_bye *bye)
{
	*raw = (struct scatter_raw_bye){
		.header = scatter_build_header(SCATTER_WIRE_BYE, sizeof(*raw), 0),
		.reason = cpu_to_le16(bye->reason),
	};
}

/**
 * scatter_build_ping() - build PING
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @ping: what to say
 *
 * Context: any.
 */
void scatter_build_ping(struct scatter_raw_ping *raw, u32 sequence,
			const struct scatter_wire_ping *ping)
{
	*raw = (struct scatter_raw_ping){
		.header = scatter_build_header(SCATTER_WIRE_PING, sizeof(*raw), sequence),
		.token = cpu_to_le64(ping->token),
		.address = cpu_to_le64(ping->address),
		.key = cpu_to_le32(ping->key),
		.bytes = cpu_to_le32(ping->bytes),
		.digest = cpu_to_le64(ping->digest),
	};
}

/**
 * scatter_build_pong() - build PONG
 * @raw: (out) the message
 * @sequence: the message's number, from scatter_sequence_send()
 * @pong: what to say
 *
 * Context: any.
 */
void scatter_build_pong(struct scatter_raw_pong *raw, u32 sequence,
			const struct scatter_wire_pong *pong)
{
	*raw = (struct scatter_raw_pong){
		.header = scatter_build_header(SCATTER_WIRE_PONG, sizeof(*raw), sequence),
		.token = cpu_to_le64(pong->token),
		.bytes = cpu_to_le32(pong->bytes),
		.key = cpu_to_le32(pong->key),
		.digest = cpu_to_le64(pong->digest),
	};
}

/**
 * scatter_build_number() - give a new number to a message that no peer has seen
 * @raw: header of a sequenced message
 * @sequence: the number
 *
 * Context: any.
 */
void scatter_build_number(struct scatter_raw_header *raw, u32 sequence)
{
	raw->sequence = cpu_to_le32(sequence);
}

/**
 * scatter_build_stamp() - set the fields of a message that are about the other direction
 * @raw: header of a CREDIT, BYE or sequenced message that is sent now, perhaps again
 * @acknowledged: scatter_sequence.received of the peer's numbers
 * @credits: from scatter_credits_give()
 *
 * Context: any.
 */
void scatter_build_stamp(struct scatter_raw_header *raw, u32 acknowledged, u16 credits)
{
	raw->acknowledged = cpu_to_le32(acknowledged);
	raw->credits = cpu_to_le16(credits);
}

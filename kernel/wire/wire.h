/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The messages between nodes, in host order: parsers fill these structs, builders read them. raw.h
 * has the same messages as bytes.
 *
 * Pure code, like all of kernel/wire: no allocation, no global state, no kernel service. A parser
 * checks every field and reads no byte beyond what it was given. A struct that a parser has filled
 * may be used without another check, but for what only the caller knows: who the peer is.
 */
#ifndef _SCATTER_WIRE_H
#define _SCATTER_WIRE_H

#include "wire/types.h"

/* The first field of HELLO: "SCTR". */
#define SCATTER_WIRE_MAGIC		0x52544353
/* Versions that this code speaks. */
#define SCATTER_WIRE_VERSION_MIN	1
#define SCATTER_WIRE_VERSION_MAX	1
/* Features that this code has, a bit for each. */
#define SCATTER_WIRE_FEATURES		0
/* Most bytes of a message, its header included. */
#define SCATTER_WIRE_BYTES_MAX		8192
/* Receive buffers of a connection for which credits are given. */
#define SCATTER_WIRE_BUFFERS_MIN	4
#define SCATTER_WIRE_BUFFERS_MAX	1024
/* Extra receive buffers, for a responder's HELLO and PROOF, which take no credit. */
#define SCATTER_WIRE_BUFFERS_SPARE	2
/* Grants that a node may have given another one, and that have not ended. */
#define SCATTER_WIRE_GRANTS_MAX		16
/* Most bytes that a PING lets its receiver read. */
#define SCATTER_WIRE_READ_MAX		65536

#define SCATTER_WIRE_NONCE_BYTES	32
#define SCATTER_WIRE_PROOF_BYTES	32
/* Keys that a node accepts at a time, and the bytes of a key's tag. */
#define SCATTER_WIRE_KEYS		2
#define SCATTER_WIRE_TAG_BYTES		8

/**
 * enum scatter_wire_type - the types of messages
 * @SCATTER_WIRE_HELLO: the initiator's first message: its id and what it offers
 * @SCATTER_WIRE_WELCOME: the responder's answer, with its proof
 * @SCATTER_WIRE_PROOF: the initiator's proof
 * @SCATTER_WIRE_REFUSE: tells why there will be no connection, instead of the next of these three
 * @SCATTER_WIRE_CREDIT: a header alone: keep-alive, what was received, and credits. The responder's
 *	first CREDIT tells that it accepted the proof.
 * @SCATTER_WIRE_BYE: an orderly end
 * @SCATTER_WIRE_PING: sequenced; asks for a PONG, after a READ if it grants a buffer
 * @SCATTER_WIRE_PONG: sequenced; answers a PING
 * @SCATTER_WIRE_JOIN: sequenced, as all types below, which wide.h has: a process wants a seat
 * @SCATTER_WIRE_SEATED: the registrar's answer to a JOIN
 * @SCATTER_WIRE_UNSEAT: a joiner gives up, or its seat is free
 * @SCATTER_WIRE_FORMED: the group is complete
 * @SCATTER_WIRE_PLACES: where the group's ranks are; longer with each run
 * @SCATTER_WIRE_ATTACH: two nodes of a group meet
 * @SCATTER_WIRE_FACT: an event that the nodes of a group have to know
 * @SCATTER_WIRE_EDGE: an operation goes on along an edge between nodes
 * @SCATTER_WIRE_BUNDLE: blocks cross an edge between nodes, or are announced; payload follows
 * @SCATTER_WIRE_PULL: asks for a part of a block
 * @SCATTER_WIRE_DATA: answers a PULL; payload follows
 * @SCATTER_WIRE_DONE: a node and all nodes behind it are through with an operation
 * @SCATTER_WIRE_GRANT: answers a PULL: the receiver may READ the part
 * @SCATTER_WIRE_GOT: ends GRANTs: the receiver has read all parts up to one
 * @SCATTER_WIRE_LANE: what a node has combined of a cell of an OR-broadcast; payload follows
 * @SCATTER_WIRE_COUNCIL: from council to council of a group, see wide_council.h; parts follow
 * @SCATTER_WIRE_WAIT: members wait in an operation: tells what they have called
 * @SCATTER_WIRE_MISSING: answers a WAIT: ranks that have not called the operation
 */
enum scatter_wire_type {
	SCATTER_WIRE_HELLO = 1,
	SCATTER_WIRE_WELCOME = 2,
	SCATTER_WIRE_PROOF = 3,
	SCATTER_WIRE_REFUSE = 4,
	SCATTER_WIRE_CREDIT = 5,
	SCATTER_WIRE_BYE = 6,
	SCATTER_WIRE_PING = 7,
	SCATTER_WIRE_PONG = 8,
	SCATTER_WIRE_JOIN = 9,
	SCATTER_WIRE_SEATED = 10,
	SCATTER_WIRE_UNSEAT = 11,
	SCATTER_WIRE_FORMED = 12,
	SCATTER_WIRE_PLACES = 13,
	SCATTER_WIRE_ATTACH = 14,
	SCATTER_WIRE_FACT = 15,
	SCATTER_WIRE_EDGE = 16,
	SCATTER_WIRE_BUNDLE = 17,
	SCATTER_WIRE_PULL = 18,
	SCATTER_WIRE_DATA = 19,
	SCATTER_WIRE_DONE = 20,
	SCATTER_WIRE_GRANT = 21,
	SCATTER_WIRE_GOT = 22,
	SCATTER_WIRE_LANE = 23,
	SCATTER_WIRE_COUNCIL = 24,
	SCATTER_WIRE_WAIT = 25,
	SCATTER_WIRE_MISSING = 26,
};

/**
 * enum scatter_wire_reason - why a message was refused, or a connection has ended
 * @SCATTER_WIRE_FINE: neither; always 0, never in a message
 * @SCATTER_WIRE_BAD_VERSION: no common version
 * @SCATTER_WIRE_STRANGER: the initiator's id is no peer's here
 * @SCATTER_WIRE_BAD_ADDRESS: an id that does not belong to the address: the initiator's id, or the
 *	id by which the initiator calls the responder
 * @SCATTER_WIRE_BAD_KEY: no common key
 * @SCATTER_WIRE_BAD_PROOF: the proof is not made with the common key
 * @SCATTER_WIRE_BAD_MESSAGE: malformed, or not allowed in this state
 * @SCATTER_WIRE_BUSY: the other one of two simultaneous connections goes on, or too many
 *	connections are half-open
 * @SCATTER_WIRE_SHUTDOWN: the node goes away
 * @SCATTER_WIRE_ON_HOLD: the peer is kept off for a while after a breach of the protocol
 * @SCATTER_WIRE_SELF: the initiator's id is the responder's own
 * @SCATTER_WIRE_TIMEOUT: nothing was heard for too long
 * @SCATTER_WIRE_BAD_LINE: the wire failed
 * @SCATTER_WIRE_ADMIN: the administrator removed or changed the peer
 * @SCATTER_WIRE_DEVICE: the device or the address is gone
 */
enum scatter_wire_reason {
	SCATTER_WIRE_FINE = 0,
	SCATTER_WIRE_BAD_VERSION = 1,
	SCATTER_WIRE_STRANGER = 2,
	SCATTER_WIRE_BAD_ADDRESS = 3,
	SCATTER_WIRE_BAD_KEY = 4,
	SCATTER_WIRE_BAD_PROOF = 5,
	SCATTER_WIRE_BAD_MESSAGE = 6,
	SCATTER_WIRE_BUSY = 7,
	SCATTER_WIRE_SHUTDOWN = 8,
	SCATTER_WIRE_ON_HOLD = 9,
	SCATTER_WIRE_SELF = 10,
	SCATTER_WIRE_TIMEOUT = 11,
	SCATTER_WIRE_BAD_LINE = 12,
	SCATTER_WIRE_ADMIN = 13,
	SCATTER_WIRE_DEVICE = 14,
};

/**
 * struct scatter_wire_header - what every message begins with
 * @type: enum scatter_wire_type
 * @bytes: length of the whole message
 * @sequence: number of a sequenced message, PING or any type after it, from 1; 0 in others
 * @acknowledged: the highest sequence number that the sender has received with all numbers before;
 *	0: none, and in HELLO, WELCOME, PROOF and REFUSE
 * @credits: receive buffers that the sender gives with the message, 0 to %SCATTER_WIRE_BUFFERS_MAX;
 *	0 in HELLO, WELCOME, PROOF and REFUSE
 */
struct scatter_wire_header {
	enum scatter_wire_type type;
	u32 bytes;
	u32 sequence;
	u32 acknowledged;
	u16 credits;
};

/**
 * struct scatter_wire_hello - HELLO
 * @version_min: lowest version that the initiator speaks, 1 and up
 * @version_max: highest version
 * @features: bits that the initiator offers; unknown bits are ignored
 * @buffers: receive buffers that the responder may fill at first,
 *	%SCATTER_WIRE_BUFFERS_MIN to %SCATTER_WIRE_BUFFERS_MAX
 * @from: id of the initiator, not 0
 * @to: id of the node that the initiator wants, not 0 and not @from
 * @incarnation: the initiator's incarnation, not 0
 * @expected: incarnation of @to that the initiator knew last; 0: none
 * @received: highest sequence number that the initiator has received from @expected; 0: none
 * @nonce: random, not all 0
 * @key_tag: which keys the initiator has, best first; all 0: no second key
 */
struct scatter_wire_hello {
	u16 version_min;
	u16 version_max;
	u32 features;
	u16 buffers;
	u64 from;
	u64 to;
	u64 incarnation;
	u64 expected;
	u32 received;
	u8 nonce[SCATTER_WIRE_NONCE_BYTES];
	u8 key_tag[SCATTER_WIRE_KEYS][SCATTER_WIRE_TAG_BYTES];
};

/**
 * struct scatter_wire_welcome - WELCOME
 * @version: the version to speak, out of HELLO's range
 * @buffers: receive buffers that the initiator may fill at first,
 *	%SCATTER_WIRE_BUFFERS_MIN to %SCATTER_WIRE_BUFFERS_MAX
 * @features: bits in use from now on, out of the bits that HELLO offers
 * @from: id of the responder, HELLO's @to
 * @to: id of the initiator, HELLO's @from
 * @incarnation: the responder's incarnation, not 0
 * @expected: incarnation of @to that the responder knew last; 0: none
 * @received: highest sequence number that the responder has received from @expected; 0: none
 * @key: which of HELLO's tags belongs to the key in use, from 0
 * @nonce: random, not all 0 and not HELLO's
 * @proof: the responder's proof, see transcript.h
 */
struct scatter_wire_welcome {
	u16 version;
	u16 buffers;
	u32 features;
	u64 from;
	u64 to;
	u64 incarnation;
	u64 expected;
	u32 received;
	u32 key;
	u8 nonce[SCATTER_WIRE_NONCE_BYTES];
	u8 proof[SCATTER_WIRE_PROOF_BYTES];
};

/**
 * struct scatter_wire_proof - PROOF
 * @proof: the initiator's proof, see transcript.h
 */
struct scatter_wire_proof {
	u8 proof[SCATTER_WIRE_PROOF_BYTES];
};

/**
 * struct scatter_wire_refuse - REFUSE
 * @reason: why, not %SCATTER_WIRE_FINE
 * @from: id of the sender, not 0
 */
struct scatter_wire_refuse {
	enum scatter_wire_reason reason;
	u64 from;
};

/**
 * struct scatter_wire_bye - BYE
 * @reason: why, not %SCATTER_WIRE_FINE
 */
struct scatter_wire_bye {
	enum scatter_wire_reason reason;
};

/**
 * struct scatter_wire_ping - PING
 * @token: tells the sender's PINGs apart, not 0; PONG returns it
 * @address: address of the granted buffer for a READ; 0 without a buffer. The buffer does not wrap.
 * @key: key of the granted buffer, not 0; 0 without a buffer
 * @bytes: length of the granted buffer, 0 to %SCATTER_WIRE_READ_MAX; 0: none is granted
 * @digest: digest of the buffer's bytes, see digest.h; 0 without a buffer
 */
struct scatter_wire_ping {
	u64 token;
	u64 address;
	u32 key;
	u32 bytes;
	u64 digest;
};

/**
 * struct scatter_wire_pong - PONG
 * @token: the PING's token
 * @bytes: how many bytes were read, 0 to %SCATTER_WIRE_READ_MAX; 0: no buffer was granted, or the
 *	READ failed
 * @key: the PING's key, which the sender of PONG does not use any more; 0 if nothing was granted
 * @digest: digest of the bytes that were read, see digest.h; 0 if none were
 */
struct scatter_wire_pong {
	u64 token;
	u32 bytes;
	u32 key;
	u64 digest;
};

/* The version to speak with the sender of a HELLO that has been parsed. */
static inline u16 scatter_wire_version(const struct scatter_wire_hello *hello)
{
	return hello->version_max < SCATTER_WIRE_VERSION_MAX ? hello->version_max :
		SCATTER_WIRE_VERSION_MAX;
}

#endif /* _SCATTER_WIRE_H */

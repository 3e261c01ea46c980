/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The messages between nodes as bytes: little-endian, each field aligned to its own size,
 * no gaps.
 */
#ifndef _SCATTER_RAW_H
#define _SCATTER_RAW_H

#include "wire/wire.h"

/**
 * struct scatter_raw_header - what every message begins with
 * @type: enum scatter_wire_type
 * @flags: 0
 * @length: bytes of the whole message, this header included; each type but PLACES, BUNDLE, DATA and
 *	LANE has a fixed length
 * @sequence: 1 and up in PING and all types after it, one more in each message, and 1 again after
 *	2^32 - 1; 0 in the other types, which are not sequenced
 * @acknowledged: the highest sequence number that the sender has received with all numbers before;
 *	0: none. Only the newest counts. 0 in HELLO, WELCOME, PROOF and REFUSE.
 * @credits: receive buffers that the sender gives to the receiver with this message, 0 to
 *	1024; 0 in HELLO, WELCOME, PROOF and REFUSE
 * @reserved: 0
 * @group: 0
 */
struct scatter_raw_header {
	u8 type;
	u8 flags;
	__le16 length;
	__le32 sequence;
	__le32 acknowledged;
	__le16 credits;
	__le16 reserved;
	__le64 group;
};

static_assert(sizeof(struct scatter_raw_header) == 24);
static_assert(offsetof(struct scatter_raw_header, length) == 2);
static_assert(offsetof(struct scatter_raw_header, sequence) == 4);
static_assert(offsetof(struct scatter_raw_header, acknowledged) == 8);
static_assert(offsetof(struct scatter_raw_header, credits) == 12);
static_assert(offsetof(struct scatter_raw_header, reserved) == 14);
static_assert(offsetof(struct scatter_raw_header, group) == 16);

/**
 * struct scatter_raw_hello - HELLO, from the initiator; the same in all versions
 * @header: type 1, length 128
 * @magic: 0x52544353, the bytes "SCTR"
 * @version_min: lowest version that the initiator speaks, 1 and up
 * @version_max: highest version, @version_min and up
 * @features: bits that the initiator offers; a responder takes the bits that it knows
 * @channel: 0; reserved to tell several connections between the two nodes apart
 * @buffers: receive buffers that the responder may fill before it is given credits, 4 to 1024
 * @from: id of the initiator, not 0
 * @to: id of the responder, not 0, not @from
 * @incarnation: the initiator's incarnation, random, not 0
 * @expected: incarnation of the responder that the initiator knew last; 0: none
 * @received: highest sequence number that the initiator has received from that incarnation; 0:
 *	none, and if @expected is 0
 * @reserved: 0
 * @nonce: random, new in each HELLO, not all 0
 * @key_tag: for each key of the initiator, best first, the first 8 bytes of HMAC-SHA256(key,
 *	"scatter key tag"). All 0: no key. There is a first key, and the second key differs.
 */
struct scatter_raw_hello {
	struct scatter_raw_header header;
	__le32 magic;
	__le16 version_min;
	__le16 version_max;
	__le32 features;
	__le16 channel;
	__le16 buffers;
	__le64 from;
	__le64 to;
	__le64 incarnation;
	__le64 expected;
	__le32 received;
	__le32 reserved;
	u8 nonce[SCATTER_WIRE_NONCE_BYTES];
	u8 key_tag[SCATTER_WIRE_KEYS][SCATTER_WIRE_TAG_BYTES];
};

static_assert(sizeof(struct scatter_raw_hello) == 128);
static_assert(offsetof(struct scatter_raw_hello, magic) == 24);
static_assert(offsetof(struct scatter_raw_hello, version_min) == 28);
static_assert(offsetof(struct scatter_raw_hello, version_max) == 30);
static_assert(offsetof(struct scatter_raw_hello, features) == 32);
static_assert(offsetof(struct scatter_raw_hello, channel) == 36);
static_assert(offsetof(struct scatter_raw_hello, buffers) == 38);
static_assert(offsetof(struct scatter_raw_hello, from) == 40);
static_assert(offsetof(struct scatter_raw_hello, to) == 48);
static_assert(offsetof(struct scatter_raw_hello, incarnation) == 56);
static_assert(offsetof(struct scatter_raw_hello, expected) == 64);
static_assert(offsetof(struct scatter_raw_hello, received) == 72);
static_assert(offsetof(struct scatter_raw_hello, reserved) == 76);
static_assert(offsetof(struct scatter_raw_hello, nonce) == 80);
static_assert(offsetof(struct scatter_raw_hello, key_tag) == 112);

/**
 * struct scatter_raw_welcome - WELCOME, the responder's answer to HELLO
 * @header: type 2, length 136
 * @version: the highest version that both speak
 * @buffers: receive buffers that the initiator may fill before it is given credits, 4 to 1024
 * @features: bits in use from now on, each of them offered by HELLO
 * @from: id of the responder, HELLO's @to
 * @to: id of the initiator, HELLO's @from
 * @incarnation: the responder's incarnation, random, not 0
 * @expected: incarnation of the initiator that the responder knew last; 0: none
 * @received: highest sequence number that the responder has received from that incarnation; 0:
 *	none, and always if @expected is 0
 * @key: which of HELLO's tags belongs to the key in use, 0 or 1
 * @nonce: random, new in each WELCOME, not all 0, not HELLO's
 * @proof: HMAC-SHA256(key, "scatter responder" || HELLO || WELCOME before this field)
 */
struct scatter_raw_welcome {
	struct scatter_raw_header header;
	__le16 version;
	__le16 buffers;
	__le32 features;
	__le64 from;
	__le64 to;
	__le64 incarnation;
	__le64 expected;
	__le32 received;
	__le32 key;
	u8 nonce[SCATTER_WIRE_NONCE_BYTES];
	u8 proof[SCATTER_WIRE_PROOF_BYTES];
};

static_assert(sizeof(struct scatter_raw_welcome) == 136);
static_assert(offsetof(struct scatter_raw_welcome, version) == 24);
static_assert(offsetof(struct scatter_raw_welcome, buffers) == 26);
static_assert(offsetof(struct scatter_raw_welcome, features) == 28);
static_assert(offsetof(struct scatter_raw_welcome, from) == 32);
static_assert(offsetof(struct scatter_raw_welcome, to) == 40);
static_assert(offsetof(struct scatter_raw_welcome, incarnation) == 48);
static_assert(offsetof(struct scatter_raw_welcome, expected) == 56);
static_assert(offsetof(struct scatter_raw_welcome, received) == 64);
static_assert(offsetof(struct scatter_raw_welcome, key) == 68);
static_assert(offsetof(struct scatter_raw_welcome, nonce) == 72);
static_assert(offsetof(struct scatter_raw_welcome, proof) == 104);

/**
 * struct scatter_raw_proof - PROOF, the initiator's answer to WELCOME
 * @header: type 3, length 56
 * @proof: HMAC-SHA256(key, "scatter initiator" || HELLO || WELCOME before its proof)
 */
struct scatter_raw_proof {
	struct scatter_raw_header header;
	u8 proof[SCATTER_WIRE_PROOF_BYTES];
};

static_assert(sizeof(struct scatter_raw_proof) == 56);
static_assert(offsetof(struct scatter_raw_proof, proof) == 24);

/**
 * struct scatter_raw_refuse - REFUSE, instead of the sender's next message until both have
 * proven who they are; the same in all versions
 * @header: type 4, length 40
 * @reason: enum scatter_wire_reason, not 0
 * @reserved: 0
 * @reserved2: 0
 * @from: id of the sender, not 0
 */
struct scatter_raw_refuse {
	struct scatter_raw_header header;
	__le16 reason;
	__le16 reserved;
	__le32 reserved2;
	__le64 from;
};

static_assert(sizeof(struct scatter_raw_refuse) == 40);
static_assert(offsetof(struct scatter_raw_refuse, reason) == 24);
static_assert(offsetof(struct scatter_raw_refuse, reserved) == 26);
static_assert(offsetof(struct scatter_raw_refuse, reserved2) == 28);
static_assert(offsetof(struct scatter_raw_refuse, from) == 32);

/**
 * struct scatter_raw_credit - CREDIT
 * @header: type 5, length 24; the whole message
 */
struct scatter_raw_credit {
	struct scatter_raw_header header;
};

static_assert(sizeof(struct scatter_raw_credit) == 24);

/**
 * struct scatter_raw_bye - BYE, the sender's last message
 * @header: type 6, length 32
 * @reason: enum scatter_wire_reason, not 0
 * @reserved: 0
 * @reserved2: 0
 */
struct scatter_raw_bye {
	struct scatter_raw_header header;
	__le16 reason;
	__le16 reserved;
	__le32 reserved2;
};

static_assert(sizeof(struct scatter_raw_bye) == 32);
static_assert(offsetof(struct scatter_raw_bye, reason) == 24);
static_assert(offsetof(struct scatter_raw_bye, reserved) == 26);
static_assert(offsetof(struct scatter_raw_bye, reserved2) == 28);

/**
 * struct scatter_raw_ping - PING
 * @header: type 7, length 56, sequenced
 * @token: tells the sender's PINGs apart, not 0
 * @address: address of a buffer that the receiver may READ until it answers; 0 without a buffer.
 *	The buffer does not reach beyond 2^64.
 * @key: rkey of the buffer, not 0; 0 without a buffer
 * @bytes: length of the buffer, at most 65536; 0: none is granted
 * @digest: FNV-1a, 64 bits, of the bytes in the buffer; 0 without a buffer
 */
struct scatter_raw_ping {
	struct scatter_raw_header header;
	__le64 token;
	__le64 address;
	__le32 key;
	__le32 bytes;
	__le64 digest;
};

static_assert(sizeof(struct scatter_raw_ping) == 56);
static_assert(offsetof(struct scatter_raw_ping, token) == 24);
static_assert(offsetof(struct scatter_raw_ping, address) == 32);
static_assert(offsetof(struct scatter_raw_ping, key) == 40);
static_assert(offsetof(struct scatter_raw_ping, bytes) == 44);
static_assert(offsetof(struct scatter_raw_ping, digest) == 48);

/**
 * struct scatter_raw_pong - PONG, the answer to a PING
 * @header: type 8, length 48, sequenced
 * @token: the PING's token
 * @bytes: how many bytes were read, at most 65536; 0: nothing was granted, or the READ failed
 * @key: the PING's key, whose grant has ended; 0: nothing was granted, so @bytes is 0, too
 * @digest: FNV-1a, 64 bits, of the bytes that were read; 0 if none were
 */
struct scatter_raw_pong {
	struct scatter_raw_header header;
	__le64 token;
	__le32 bytes;
	__le32 key;
	__le64 digest;
};

static_assert(sizeof(struct scatter_raw_pong) == 48);
static_assert(offsetof(struct scatter_raw_pong, token) == 24);
static_assert(offsetof(struct scatter_raw_pong, bytes) == 32);
static_assert(offsetof(struct scatter_raw_pong, key) == 36);
static_assert(offsetof(struct scatter_raw_pong, digest) == 40);

#endif /* _SCATTER_RAW_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing the messages of other nodes, each of which may be hostile.
 *
 * A parser first copies the message, so the sender cannot change a field between its check
 * and its use, and checks the copy in host order. Only a well-formed message fills a struct.
 */
#include "wire/parse.h"
#include "wire/wide_raw.h"
#include "wire/wide_raw_council.h"

/* Bytes of a message of @type, without runs, parts and payload; 0: no such type. */
static u32 length_of(u8 type)
{
	switch (type) {
	case SCATTER_WIRE_HELLO:
		return sizeof(struct scatter_raw_hello);
	case SCATTER_WIRE_WELCOME:
		return sizeof(struct scatter_raw_welcome);
	case SCATTER_WIRE_PROOF:
		return sizeof(struct scatter_raw_proof);
	case SCATTER_WIRE_REFUSE:
		return sizeof(struct scatter_raw_refuse);
	case SCATTER_WIRE_CREDIT:
		return sizeof(struct scatter_raw_credit);
	case SCATTER_WIRE_BYE:
		return sizeof(struct scatter_raw_bye);
	case SCATTER_WIRE_PING:
		return sizeof(struct scatter_raw_ping);
	case SCATTER_WIRE_PONG:
		return sizeof(struct scatter_raw_pong);
	case SCATTER_WIRE_JOIN:
		return sizeof(struct scatter_raw_join);
	case SCATTER_WIRE_SEATED:
		return sizeof(struct scatter_raw_seated);
	case SCATTER_WIRE_UNSEAT:
		return sizeof(struct scatter_raw_unseat);
	case SCATTER_WIRE_FORMED:
		return sizeof(struct scatter_raw_formed);
	case SCATTER_WIRE_PLACES:
		return sizeof(struct scatter_raw_places);
	case SCATTER_WIRE_ATTACH:
		return sizeof(struct scatter_raw_attach);
	case SCATTER_WIRE_FACT:
		return sizeof(struct scatter_raw_fact);
	case SCATTER_WIRE_EDGE:
		return sizeof(struct scatter_raw_edge);
	case SCATTER_WIRE_BUNDLE:
		return sizeof(struct scatter_raw_bundle);
	case SCATTER_WIRE_PULL:
		return sizeof(struct scatter_raw_pull);
	case SCATTER_WIRE_DATA:
		return sizeof(struct scatter_raw_data);
	case SCATTER_WIRE_DONE:
		return sizeof(struct scatter_raw_done);
	case SCATTER_WIRE_GRANT:
		return sizeof(struct scatter_raw_grant);
	case SCATTER_WIRE_GOT:
		return sizeof(struct scatter_raw_got);
	case SCATTER_WIRE_LANE:
		return sizeof(struct scatter_raw_lane);
	case SCATTER_WIRE_COUNCIL:
		return sizeof(struct scatter_raw_council);
	case SCATTER_WIRE_WAIT:
		return sizeof(struct scatter_raw_wait);
	case SCATTER_WIRE_MISSING:
		return sizeof(struct scatter_raw_missing);
	default:
		return 0;
	}
}

/* Whether @bytes is the length of one or more whole runs. */
static bool is_runs(u32 bytes)
{
	return bytes && bytes % sizeof(struct scatter_raw_run) == 0 &&
	       bytes / sizeof(struct scatter_raw_run) <= SCATTER_WIDE_RUNS_MAX;
}

/* Whether @bytes may be the length of the parts of COUNCIL, which its parser knows. */
static bool is_parts(u32 bytes)
{
	return bytes % 8 == 0 && bytes <= SCATTER_RAW_COUNCIL_PARTS;
}

/* Whether a message of @type, with at least a header, can be @bytes long. */
static bool length_fits(u8 type, u32 bytes)
{
	u32 length = length_of(type);

	if (type == SCATTER_WIRE_PLACES)
		return bytes >= length && is_runs(bytes - length);
	if (type == SCATTER_WIRE_BUNDLE || type == SCATTER_WIRE_DATA)
		return bytes >= length && bytes - length <= SCATTER_WIDE_PAYLOAD_MAX;
	if (type == SCATTER_WIRE_LANE)
		return bytes >= length && bytes - length <= SCATTER_WIDE_CELL_MAX;
	if (type == SCATTER_WIRE_COUNCIL)
		return bytes >= length && is_parts(bytes - length);
	return bytes == length;
}

static bool is_sequenced(u8 type)
{
	return type >= SCATTER_WIRE_PING;
}

/* Whether a type belongs to the handshake, which has no acknowledgements and no credits. */
static bool is_handshake(u8 type)
{
	return type <= SCATTER_WIRE_REFUSE;
}

static bool is_zero(const u8 *data, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i++)
		if (data[i])
			return false;
	return true;
}

static bool is_buffers(u16 buffers)
{
	return buffers >= SCATTER_WIRE_BUFFERS_MIN && buffers <= SCATTER_WIRE_BUFFERS_MAX;
}

static bool is_reason(u16 reason)
{
	return reason > SCATTER_WIRE_FINE && reason <= SCATTER_WIRE_DEVICE;
}

static bool header_is_sound(const struct scatter_raw_header *raw, u32 bytes)
{
	u16 credits = le16_to_cpu(raw->credits);

	if (!length_fits(raw->type, bytes) || le16_to_cpu(raw->length) != bytes)
		return false;
	if (raw->flags || raw->reserved || raw->group)
		return false;
	if (is_sequenced(raw->type) != !!raw->sequence)
		return false;
	if (is_handshake(raw->type) && (raw->acknowledged || credits))
		return false;
	return credits <= SCATTER_WIRE_BUFFERS_MAX;
}

/**
 * scatter_parse_header() - check a message's header, and its length
 * @data: the message
 * @bytes: length of the message, 0 and up; no more bytes may be read
 * @header: (out) filled if the message is fine
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_parse_header(const void *data, u32 bytes,
					      struct scatter_wire_header *header)
{
	struct scatter_raw_header raw;

	if (bytes < sizeof(raw))
		return SCATTER_WIRE_BAD_MESSAGE;
	memcpy(&raw, data, sizeof(raw));
	if (!header_is_sound(&raw, bytes))
		return SCATTER_WIRE_BAD_MESSAGE;
	*header = (struct scatter_wire_header){
		.type = raw.type,
		.bytes = bytes,
		.sequence = le32_to_cpu(raw.sequence),
		.acknowledged = le32_to_cpu(raw.acknowledged),
		.credits = le16_to_cpu(raw.credits),
	};
	return SCATTER_WIRE_FINE;
}

/**
 * scatter_parse_take() - copy a message of one type, and check its header
 * @data: the message
 * @bytes: length of the message in bytes
 * @type: the type
 * @raw: (out) overwritten even if the message is malformed
 * @size: bytes of a message of @type, without the runs of PLACES, the parts of COUNCIL and payload,
 *	which are not copied
 *
 * Context: any.
 * Return: whether the message is of @type, and its header is well-formed and says @bytes
 */
bool scatter_parse_take(const void *data, u32 bytes, enum scatter_wire_type type, void *raw,
			u32 size)
{
	struct scatter_wire_header header;

	if (bytes < size)
		return false;
	memcpy(raw, data, size);
	return !scatter_parse_header(raw, bytes, &header) && header.type == type;
}

/* Check the fields of HELLO about both nodes, and what the initiator has received. */
static enum scatter_wire_reason check_names(const struct scatter_wire_hello *hello)
{
	if (!hello->from || !hello->to || !hello->incarnation)
		return SCATTER_WIRE_BAD_MESSAGE;
	if (hello->received && !hello->expected)
		return SCATTER_WIRE_BAD_MESSAGE;
	if (hello->from == hello->to)
		return SCATTER_WIRE_SELF;
	return SCATTER_WIRE_FINE;
}

static enum scatter_wire_reason check_hello(const struct scatter_wire_hello *hello)
{
	if (!hello->version_min || hello->version_min > hello->version_max)
		return SCATTER_WIRE_BAD_MESSAGE;
	if (hello->version_min > SCATTER_WIRE_VERSION_MAX ||
	    hello->version_max < SCATTER_WIRE_VERSION_MIN)
		return SCATTER_WIRE_BAD_VERSION;
	if (!is_buffers(hello->buffers))
		return SCATTER_WIRE_BAD_MESSAGE;
	if (is_zero(hello->nonce, sizeof(hello->nonce)))
		return SCATTER_WIRE_BAD_MESSAGE;
	if (is_zero(hello->key_tag[0], sizeof(hello->key_tag[0])) ||
	    !memcmp(hello->key_tag[0], hello->key_tag[1], sizeof(hello->key_tag[0])))
		return SCATTER_WIRE_BAD_MESSAGE;
	return check_names(hello);
}

/**
 * scatter_parse_hello() - parse HELLO
 * @data: the message
 * @bytes: length of the message in bytes
 * @hello: (out) filled if the message is fine
 *
 * The caller checks whether it knows @from at this address, is @to, and has a key.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE, %SCATTER_WIRE_BAD_MESSAGE, %SCATTER_WIRE_BAD_VERSION or
 * %SCATTER_WIRE_SELF
 */
enum scatter_wire_reason scatter_parse_hello(const void *data, u32 bytes,
					     struct scatter_wire_hello *hello)
{
	enum scatter_wire_reason reason;
	struct scatter_wire_hello host;
	struct scatter_raw_hello raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_HELLO, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	if (le32_to_cpu(raw.magic) != SCATTER_WIRE_MAGIC || raw.channel || raw.reserved)
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wire_hello){
		.version_min = le16_to_cpu(raw.version_min),
		.version_max = le16_to_cpu(raw.version_max),
		.features = le32_to_cpu(raw.features),
		.buffers = le16_to_cpu(raw.buffers),
		.from = le64_to_cpu(raw.from),
		.to = le64_to_cpu(raw.to),
		.incarnation = le64_to_cpu(raw.incarnation),
		.expected = le64_to_cpu(raw.expected),
		.received = le32_to_cpu(raw.received),
	};
	memcpy(host.nonce, raw.nonce, sizeof(host.nonce));
	memcpy(host.key_tag, raw.key_tag, sizeof(host.key_tag));
	reason = check_hello(&host);
	if (!reason)
		*hello = host;
	return reason;
}

/* Whether WELCOME chooses from what the initiator offered, and is between the same nodes. */
static bool welcome_fits(const struct scatter_wire_welcome *welcome,
			 const struct scatter_wire_hello *hello)
{
	if (welcome->version < hello->version_min || welcome->version > hello->version_max)
		return false;
	if (welcome->features & ~hello->features)
		return false;
	if (welcome->from != hello->to || welcome->to != hello->from)
		return false;
	if (welcome->key >= SCATTER_WIRE_KEYS ||
	    is_zero(hello->key_tag[welcome->key], SCATTER_WIRE_TAG_BYTES))
		return false;
	return memcmp(welcome->nonce, hello->nonce, sizeof(welcome->nonce));
}

/**
 * scatter_parse_welcome() - parse WELCOME
 * @data: the message
 * @bytes: length of the message in bytes
 * @hello: the HELLO that WELCOME answers
 * @welcome: (out) filled if the message is fine
 *
 * The caller checks the proof.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_parse_welcome(const void *data, u32 bytes,
					       const struct scatter_wire_hello *hello,
					       struct scatter_wire_welcome *welcome)
{
	struct scatter_wire_welcome host;
	struct scatter_raw_welcome raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_WELCOME, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wire_welcome){
		.version = le16_to_cpu(raw.version),
		.buffers = le16_to_cpu(raw.buffers),
		.features = le32_to_cpu(raw.features),
		.from = le64_to_cpu(raw.from),
		.to = le64_to_cpu(raw.to),
		.incarnation = le64_to_cpu(raw.incarnation),
		.expected = le64_to_cpu(raw.expected),
		.received = le32_to_cpu(raw.received),
		.key = le32_to_cpu(raw.key),
	};
	memcpy(host.nonce, raw.nonce, sizeof(host.nonce));
	memcpy(host.proof, raw.proof, sizeof(host.proof));
	if (!is_buffers(host.buffers) || !host.incarnation ||
	    (host.received && !host.expected) || is_zero(host.nonce, sizeof(host.nonce)) ||
	    !welcome_fits(&host, hello))
		return SCATTER_WIRE_BAD_MESSAGE;
	*welcome = host;
	return SCATTER_WIRE_FINE;
}

/**
 * scatter_parse_proof() - parse PROOF
 * @data: the message
 * @bytes: length of the message in bytes
 * @proof: (out) filled if the message is fine; the caller checks the proof
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_parse_proof(const void *data, u32 bytes,
					     struct scatter_wire_proof *proof)
{
	struct scatter_raw_proof raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_PROOF, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	memcpy(proof->proof, raw.proof, sizeof(proof->proof));
	return SCATTER_WIRE_FINE;
}

/**
 * scatter_parse_refuse() - parse REFUSE
 * @data: the message
 * @bytes: length of the message in bytes
 * @refuse: (out) filled if the message is fine
 *
 * Nothing proves that the peer has sent REFUSE, so REFUSE must only delay a connection.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_parse_refuse(const void *data, u32 bytes,
					      struct scatter_wire_refuse *refuse)
{
	struct scatter_raw_refuse raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_REFUSE, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	if (raw.reserved || raw.reserved2 || !raw.from || !is_reason(le16_to_cpu(raw.reason)))
		return SCATTER_WIRE_BAD_MESSAGE;
	refuse->reason = le16_to_cpu(raw.reason);
	refuse->from = le64_to_cpu(raw.from);
	return SCATTER_WIRE_FINE;
}

/**
 * scatter_parse_bye() - parse BYE
 * @data: the message
 * @bytes: length of the message in bytes
 * @bye: (out) filled if the message is fine
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_parse_bye(const void *data, u32 bytes,
					   struct scatter_wire_bye *bye)
{
	struct scatter_raw_bye raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_BYE, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	if (raw.reserved || raw.reserved2 || !is_reason(le16_to_cpu(raw.reason)))
		return SCATTER_WIRE_BAD_MESSAGE;
	bye->reason = le16_to_cpu(raw.reason);
	return SCATTER_WIRE_FINE;
}

static bool ping_is_sound(const struct scatter_wire_ping *ping)
{
	if (!ping->token || ping->bytes > SCATTER_WIRE_READ_MAX)
		return false;
	if (!ping->bytes)
		return !ping->address && !ping->key && !ping->digest;
	return ping->key && ping->address <= ~(u64)0 - (ping->bytes - 1);
}

/**
 * scatter_parse_ping() - parse PING
 * @data: the message
 * @bytes: length of the message in bytes
 * @ping: (out) filled if the message is fine
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_parse_ping(const void *data, u32 bytes,
					    struct scatter_wire_ping *ping)
{
	struct scatter_wire_ping host;
	struct scatter_raw_ping raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_PING, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wire_ping){
		.token = le64_to_cpu(raw.token),
		.address = le64_to_cpu(raw.address),
		.key = le32_to_cpu(raw.key),
		.bytes = le32_to_cpu(raw.bytes),
		.digest = le64_to_cpu(raw.digest),
	};
	if (!ping_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*ping = host;
	return SCATTER_WIRE_FINE;
}

static bool pong_is_sound(const struct scatter_wire_pong *pong)
{
	if (!pong->token || pong->bytes > SCATTER_WIRE_READ_MAX)
		return false;
	return pong->bytes ? pong->key : !pong->digest;
}

/**
 * scatter_parse_pong() - parse PONG
 * @data: the message
 * @bytes: length of the message in bytes
 * @pong: (out) filled if the message is fine
 *
 * The caller checks that the PONG answers a PING, and what that PING granted.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE or %SCATTER_WIRE_BAD_MESSAGE
 */
enum scatter_wire_reason scatter_parse_pong(const void *data, u32 bytes,
					    struct scatter_wire_pong *pong)
{
	struct scatter_wire_pong host;
	struct scatter_raw_pong raw;

	if (!scatter_parse_take(data, bytes, SCATTER_WIRE_PONG, &raw, sizeof(raw)))
		return SCATTER_WIRE_BAD_MESSAGE;
	host = (struct scatter_wire_pong){
		.token = le64_to_cpu(raw.token),
		.bytes = le32_to_cpu(raw.bytes),
		.key = le32_to_cpu(raw.key),
		.digest = le64_to_cpu(raw.digest),
	};
	if (!pong_is_sound(&host))
		return SCATTER_WIRE_BAD_MESSAGE;
	*pong = host;
	return SCATTER_WIRE_FINE;
}

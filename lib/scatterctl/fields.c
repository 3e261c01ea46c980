// SPDX-License-Identifier: GPL-2.0
/*
 * The fields of records: their names, and where the values are in messages.
 */
#include <string.h>

#include "netlink.h"

static const char *const state_names[] = {
	"down", "connecting", "proving", "up", "closing", "waiting", "held", NULL
};

static const char *const reason_names[] = {
	"none", "version", "stranger", "address", "key", "proof", "message", "busy", "shutdown",
	"held", "self", "timeout", "line", "admin", "device", NULL
};

static const char *const uids_names[] = { "refuse", "same", "squash", NULL };
static const char *const flag_names[] = { "keep", NULL };
static const char *const group_state_names[] = { "forming", "active", "broken", NULL };
static const char *const presence_names[] = { "present", "missing", "dead", "left", NULL };

static const char *const event_names[] = {
	"?", "peer-up", "peer-down", "join", "leave", "death", "broken", NULL
};

static const char *const algorithm_names[] = {
	"auto", "linear", "hypercube", "mesh", "torus", "knomial", "rotated", "balanced",
	"irregular", "or-broadcast", NULL
};

#define COUNTER(name, nest, which) \
	{ name, FIELD_NUMBER, nest, SCATTER_A_COUNTERS_##which, NULL, false }

static const struct field node_list[] = {
	{ "id", FIELD_NUMBER, SCATTER_A_NODE_ID, 0, NULL, true },
	{ "addresses", FIELD_ADDRESSES, SCATTER_A_NODE_ADDRESSES, 0, NULL, true },
	{ "incarnation", FIELD_HEX, SCATTER_A_NODE_INCARNATION, 0, NULL, true },
	{ "cluster", FIELD_HEX, SCATTER_A_NODE_CLUSTER, 0, NULL, true },
	{ "wire", FIELD_TEXT, SCATTER_A_NODE_WIRE, 0, NULL, true },
	{ "netns", FIELD_NUMBER, SCATTER_A_NODE_NETNS_INODE, 0, NULL, true },
	{ }
};

static const struct field peer_list[] = {
	{ "id", FIELD_NUMBER, SCATTER_A_PEER_ID, 0, NULL, true },
	{ "state", FIELD_WORD, SCATTER_A_PEER_STATE, 0, state_names, true },
	{ "reason", FIELD_WORD, SCATTER_A_PEER_REASON, 0, reason_names, true },
	{ "since_ns", FIELD_NUMBER, SCATTER_A_PEER_SINCE_NS, 0, NULL, false },
	{ "addresses", FIELD_ADDRESSES, SCATTER_A_PEER_ADDRESSES, 0, NULL, true },
	{ "uids", FIELD_WORD, SCATTER_A_PEER_UIDS, 0, uids_names, true },
	{ "uid", FIELD_NUMBER, SCATTER_A_PEER_UID, 0, NULL, true },
	{ "flags", FIELD_BITS, SCATTER_A_PEER_FLAGS, 0, flag_names, true },
	{ "incarnation", FIELD_HEX, SCATTER_A_PEER_INCARNATION, 0, NULL, false },
	COUNTER("connects", SCATTER_A_PEER_COUNTERS, CONNECTS),
	COUNTER("refusals", SCATTER_A_PEER_COUNTERS, REFUSALS),
	COUNTER("sent", SCATTER_A_PEER_COUNTERS, SENT),
	COUNTER("received", SCATTER_A_PEER_COUNTERS, RECEIVED),
	COUNTER("bytes_sent", SCATTER_A_PEER_COUNTERS, BYTES_SENT),
	COUNTER("bytes_received", SCATTER_A_PEER_COUNTERS, BYTES_RECEIVED),
	COUNTER("resent", SCATTER_A_PEER_COUNTERS, RESENT),
	COUNTER("keepalives", SCATTER_A_PEER_COUNTERS, KEEPALIVES),
	COUNTER("bad", SCATTER_A_PEER_COUNTERS, BAD),
	{ "refused", FIELD_WORD, SCATTER_A_PEER_REFUSED, 0, reason_names, false },
	COUNTER("bundles_sent", SCATTER_A_PEER_COUNTERS, BUNDLES),
	COUNTER("bundle_bytes_sent", SCATTER_A_PEER_COUNTERS, BUNDLE_BYTES),
	COUNTER("waits_sent", SCATTER_A_PEER_COUNTERS, WAITS),
	COUNTER("forward_copied", SCATTER_A_PEER_COUNTERS, FORWARD_COPIED),
	{ }
};

static const struct field tune_list[] = {
	{ "keepalive_ms", FIELD_NUMBER, SCATTER_A_TUNE_KEEPALIVE_MS, 0, NULL, true },
	{ "hold_ms", FIELD_NUMBER, SCATTER_A_TUNE_HOLD_MS, 0, NULL, true },
	{ "backoff_ms", FIELD_NUMBER, SCATTER_A_TUNE_BACKOFF_MS, 0, NULL, true },
	{ "buffers", FIELD_NUMBER, SCATTER_A_TUNE_BUFFERS, 0, NULL, true },
	{ "half_open", FIELD_NUMBER, SCATTER_A_TUNE_HALF_OPEN, 0, NULL, true },
	{ "timeout_ms", FIELD_NUMBER, SCATTER_A_TUNE_TIMEOUT_MS, 0, NULL, true },
	{ "segment_bytes", FIELD_NUMBER, SCATTER_A_TUNE_SEGMENT_BYTES, 0, NULL, true },
	{ }
};

static const struct field stats_list[] = {
	{ "peers", FIELD_NUMBER, SCATTER_A_STATS_PEERS, 0, NULL, true },
	{ "up", FIELD_NUMBER, SCATTER_A_STATS_UP, 0, NULL, true },
	COUNTER("connects", SCATTER_A_STATS_COUNTERS, CONNECTS),
	COUNTER("refusals", SCATTER_A_STATS_COUNTERS, REFUSALS),
	COUNTER("sent", SCATTER_A_STATS_COUNTERS, SENT),
	COUNTER("received", SCATTER_A_STATS_COUNTERS, RECEIVED),
	COUNTER("bytes_sent", SCATTER_A_STATS_COUNTERS, BYTES_SENT),
	COUNTER("bytes_received", SCATTER_A_STATS_COUNTERS, BYTES_RECEIVED),
	COUNTER("resent", SCATTER_A_STATS_COUNTERS, RESENT),
	COUNTER("keepalives", SCATTER_A_STATS_COUNTERS, KEEPALIVES),
	COUNTER("bad", SCATTER_A_STATS_COUNTERS, BAD),
	COUNTER("bundles_sent", SCATTER_A_STATS_COUNTERS, BUNDLES),
	COUNTER("bundle_bytes_sent", SCATTER_A_STATS_COUNTERS, BUNDLE_BYTES),
	COUNTER("waits_sent", SCATTER_A_STATS_COUNTERS, WAITS),
	COUNTER("forward_copied", SCATTER_A_STATS_COUNTERS, FORWARD_COPIED),
	{ }
};

static const struct field object_list[] = {
	{ "object", FIELD_TEXT, SCATTER_A_OBJECT_NAME, 0, NULL, true },
	{ "created", FIELD_NUMBER, SCATTER_A_OBJECT_CREATED, 0, NULL, true },
	{ "destroyed", FIELD_NUMBER, SCATTER_A_OBJECT_DESTROYED, 0, NULL, true },
	{ }
};

static const struct field group_list[] = {
	{ "name", FIELD_TEXT, SCATTER_A_GROUP_NAME, 0, NULL, true },
	{ "uid", FIELD_NUMBER, SCATTER_A_GROUP_UID, 0, NULL, true },
	{ "gid", FIELD_NUMBER, SCATTER_A_GROUP_GID, 0, NULL, false },
	{ "mode", FIELD_MODE, SCATTER_A_GROUP_MODE, 0, NULL, true },
	{ "state", FIELD_WORD, SCATTER_A_GROUP_STATE, 0, group_state_names, true },
	{ "size", FIELD_NUMBER, SCATTER_A_GROUP_SIZE, 0, NULL, true },
	{ "joined", FIELD_NUMBER, SCATTER_A_GROUP_JOINED, 0, NULL, true },
	{ "dead", FIELD_NUMBER, SCATTER_A_GROUP_DEAD, 0, NULL, true },
	{ "left", FIELD_NUMBER, SCATTER_A_GROUP_LEFT, 0, NULL, true },
	{ "error", FIELD_ERROR, SCATTER_A_GROUP_ERROR, 0, NULL, true },
	{ "culprit", FIELD_NUMBER, SCATTER_A_GROUP_CULPRIT, 0, NULL, true },
	{ "side_size", FIELD_NUMBER, SCATTER_A_GROUP_SIDE_SIZE, 0, NULL, false },
	{ "algorithm", FIELD_WORD, SCATTER_A_GROUP_ALGORITHM, 0, algorithm_names, false },
	{ "group", FIELD_ID, SCATTER_A_GROUP_ID, 0, NULL, true },
	{ "registrar", FIELD_NUMBER, SCATTER_A_GROUP_REGISTRAR, 0, NULL, false },
	{ "nodes", FIELD_NUMBER, SCATTER_A_GROUP_NODES, 0, NULL, true },
	{ "kept_bytes", FIELD_NUMBER, SCATTER_A_GROUP_KEPT_BYTES, 0, NULL, false },
	{ "held_bytes", FIELD_NUMBER, SCATTER_A_GROUP_HELD_BYTES, 0, NULL, false },
	{ }
};

static const struct field member_list[] = {
	{ "rank", FIELD_NUMBER, SCATTER_A_MEMBER_RANK, 0, NULL, true },
	{ "presence", FIELD_WORD, SCATTER_A_MEMBER_PRESENCE, 0, presence_names, true },
	{ "uid", FIELD_NUMBER, SCATTER_A_MEMBER_UID, 0, NULL, true },
	{ "gid", FIELD_NUMBER, SCATTER_A_MEMBER_GID, 0, NULL, true },
	{ "pid", FIELD_NUMBER, SCATTER_A_MEMBER_PID, 0, NULL, true },
	{ "next", FIELD_NUMBER, SCATTER_A_MEMBER_NEXT, 0, NULL, true },
	{ "ring_bytes", FIELD_NUMBER, SCATTER_A_MEMBER_RING_BYTES, 0, NULL, true },
	{ "node", FIELD_NUMBER, SCATTER_A_MEMBER_NODE, 0, NULL, true },
	{ }
};

static const struct field event_list[] = {
	{ "event", FIELD_WORD, SCATTER_A_EVENT_KIND, 0, event_names, true },
	{ "time_ns", FIELD_NUMBER, SCATTER_A_EVENT_TIME_NS, 0, NULL, true },
	{ "peer", FIELD_NUMBER, SCATTER_A_EVENT_PEER, 0, NULL, true },
	{ "reason", FIELD_WORD, SCATTER_A_EVENT_REASON, 0, reason_names, true },
	{ "name", FIELD_TEXT, SCATTER_A_EVENT_NAME, 0, NULL, true },
	{ "uid", FIELD_NUMBER, SCATTER_A_EVENT_UID, 0, NULL, true },
	{ "rank", FIELD_NUMBER, SCATTER_A_EVENT_RANK, 0, NULL, true },
	{ "node", FIELD_NUMBER, SCATTER_A_EVENT_NODE, 0, NULL, true },
	{ "error", FIELD_ERROR, SCATTER_A_EVENT_ERROR, 0, NULL, true },
	{ "group", FIELD_ID, SCATTER_A_EVENT_GROUP, 0, NULL, true },
	{ }
};

static const struct field ping_list[] = {
	{ "peer", FIELD_NUMBER, SCATTER_A_PING_PEER, 0, NULL, true },
	{ "bytes", FIELD_NUMBER, SCATTER_A_PING_BYTES, 0, NULL, true },
	{ "rtt_ns", FIELD_NUMBER, SCATTER_A_PING_RTT_NS, 0, NULL, true },
	{ "read_ns", FIELD_NUMBER, SCATTER_A_PING_READ_NS, 0, NULL, true },
	{ }
};

const struct fields node_fields = { SCATTER_CMD_NODE_GET, node_list, 0, NULL };
const struct fields peer_fields = { SCATTER_CMD_PEER_GET, peer_list, 0, NULL };
const struct fields tune_fields = { SCATTER_CMD_TUNE_GET, tune_list, 0, NULL };
const struct fields object_fields = { 0, object_list, 0, NULL };
const struct fields stats_fields = {
	SCATTER_CMD_STATS_GET, stats_list, SCATTER_A_STATS_OBJECT, &object_fields
};

const struct fields group_fields = { SCATTER_CMD_GROUP_GET, group_list, 0, NULL };
const struct fields member_fields = { SCATTER_CMD_MEMBER_GET, member_list, 0, NULL };
const struct fields event_fields = { SCATTER_CMD_EVENT, event_list, 0, NULL };
const struct fields ping_fields = { SCATTER_CMD_PEER_PING, ping_list, 0, NULL };

/**
 * record_value() - the value of a field by name
 * @record: of which record
 * @name: a field that it has
 */
const struct value *record_value(const struct record *record, const char *name)
{
	const struct field *field = record->fields->list;

	while (strcmp(field->name, name))
		field++;
	return &record->values[field - record->fields->list];
}

/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Generic netlink family "scatter": nodes, their peers, and what they carry.
 * Documentation/netlink/specs/scatter.yaml describes the family for tools.
 */
#ifndef _UAPI_LINUX_SCATTER_NETLINK_H
#define _UAPI_LINUX_SCATTER_NETLINK_H

/**
 * DOC: netlink overview
 *
 * A *node* is a network namespace with an id. Each network namespace has at most one node, and
 * every command concerns the namespace of the socket. A *peer* is another node as the
 * administrator of this node has configured it. All ids are chosen by the administrator: 64 bits,
 * not 0, unique in the cluster.
 *
 * Each command has one set of attributes, all at the top level of the message:
 *
 * =================== =====================================================================
 * command             attributes, request and answer
 * =================== =====================================================================
 * NODE_GET            NODE. Request: nothing. Answer: the node
 * NODE_SET (admin)    NODE. Request: all of a new node, or what changes
 * NODE_DEL (admin)    NODE. Request: nothing
 * PEER_GET            PEER. Request: ID. Answer: that peer. Dump: all peers, by id
 * PEER_ADD (admin)    PEER. Request: all of a new peer
 * PEER_SET (admin)    PEER. Request: ID, and what changes
 * PEER_DEL (admin)    PEER. Request: ID
 * PEER_PING (admin)   PING. Request: PEER, BYTES. Answer: RTT_NS, READ_NS
 * PEER_FENCE (admin)  PEER. Request: ID
 * TUNE_GET            TUNE. Request: nothing. Answer: all values
 * TUNE_SET (admin)    TUNE. Request: the values that change
 * STATS_GET           STATS. Request: nothing. Answer: sums
 * GROUP_GET           GROUP. Dump only: the groups that the caller may see
 * MEMBER_GET          MEMBER. Dump only. Request: GROUP. Answer: the members of that group
 * EVENT (admin)       EVENT. The kernel sends it to the multicast group "events"
 * =================== =====================================================================
 *
 * *admin* is CAP_NET_ADMIN in the user namespace that owns the network namespace, for commands
 * and for joining the multicast group. Validation is strict: unknown attributes, trailing bytes
 * and values out of range are refused, and the extended acknowledgment names the attribute.
 *
 * A caller sees a group if the group has a name in this network namespace and the process that
 * opened the socket could join: as the group's owner, by the read and the write bit of the mode,
 * or by CAP_IPC_OWNER in the user namespace that owns the network namespace.
 *
 * A dump that saw a change between two of its messages has NLM_F_DUMP_INTR.
 *
 * ============= ===================================================================
 * errno         meaning
 * ============= ===================================================================
 * EPERM         the caller lacks the right
 * EINVAL        an attribute is missing, unknown, malformed or not allowed here
 * ERANGE        a value is out of its range
 * ENOENT        there is no such peer, or no group that the caller may see; or the
 *               namespace has no node
 * EEXIST        PEER_ADD: there is such a peer; NODE_SET: the node has another id
 * EADDRINUSE    an address is this node's or another peer's already
 * ENOSPC        the node has 4096 peers
 * EOPNOTSUPP    an address family other than IPv4 and IPv6; PEER_PING: there is no wire
 * EBADF         NETNS_FD is no network namespace
 * EBUSY         NODE_SET: the wire's namespace cannot change while the node exists;
 *               PEER_PING: the peer does a READ for another PING already;
 *               PEER_FENCE: the peer is up
 * EHOSTUNREACH  PEER_PING: the peer is not connected or goes, or the node stops
 * ETIMEDOUT     PEER_PING: no answer within TUNE's TIMEOUT_MS, or within 5 s
 * ECONNRESET    PEER_PING: the connection was lost before the READ
 * EINTR         PEER_PING: a signal has killed the caller
 * EIO           PEER_PING: the peer has read other bytes than there were
 * ENOBUFS       PEER_PING: too many messages wait for the peer
 * ENOMEM        no kernel memory
 * ============= ===================================================================
 */

#define SCATTER_FAMILY_NAME	"scatter"
#define SCATTER_FAMILY_VERSION	1
#define SCATTER_MCGRP_EVENTS	"events"

/** SCATTER_NODE_KEY_BYTES - length of a cluster key in bytes */
#define SCATTER_NODE_KEY_BYTES		32
/** SCATTER_NODE_ADDRESSES_MAX - most addresses of a node or of a peer */
#define SCATTER_NODE_ADDRESSES_MAX	4
/** SCATTER_NODE_PORT - the port that an address with the port 0 gets */
#define SCATTER_NODE_PORT		7471
/** SCATTER_NODE_PEERS_MAX - most peers of a node */
#define SCATTER_NODE_PEERS_MAX		4096
/** SCATTER_PING_BYTES_MAX - longest READ of a PEER_PING in bytes */
#define SCATTER_PING_BYTES_MAX		65536

/**
 * enum scatter_netlink_command - commands of the family
 * @SCATTER_CMD_NODE_GET: tell the node; ENOENT if there is none
 * @SCATTER_CMD_NODE_SET: make the node, which needs ID, KEY and ADDRESSES; or change the node: ID,
 *	if given, must be the node's, and attributes that are not given stay. The incarnation stays
 * @SCATTER_CMD_NODE_DEL: end all connections, delete the peers and the node, and reset the tuning
 * @SCATTER_CMD_PEER_GET: tell one peer, or all
 * @SCATTER_CMD_PEER_ADD: add a peer
 * @SCATTER_CMD_PEER_SET: change a peer; ADDRESSES replaces all addresses
 * @SCATTER_CMD_PEER_DEL: end the connection and delete the peer
 * @SCATTER_CMD_PEER_PING: measure a round trip, and a READ
 * @SCATTER_CMD_TUNE_GET: tell how connections of this node behave
 * @SCATTER_CMD_TUNE_SET: change how connections of this node behave
 * @SCATTER_CMD_STATS_GET: tell sums over the node's peers, and in the initial network namespace
 *	the objects of the module
 * @SCATTER_CMD_GROUP_GET: tell the groups that the caller may see
 * @SCATTER_CMD_MEMBER_GET: tell the members of one group
 * @SCATTER_CMD_EVENT: something happened; see enum scatter_event_kind
 * @SCATTER_CMD_PEER_FENCE: the peer is down for good, and the nodes that are left of its groups
 *	may decide without it; see scatterctl(8) for what must be true before. EBUSY if the
 *	connection is up and no group here has members of an earlier incarnation of the peer
 */
enum scatter_netlink_command {
	SCATTER_CMD_NODE_GET = 1,
	SCATTER_CMD_NODE_SET,
	SCATTER_CMD_NODE_DEL,
	SCATTER_CMD_PEER_GET,
	SCATTER_CMD_PEER_ADD,
	SCATTER_CMD_PEER_SET,
	SCATTER_CMD_PEER_DEL,
	SCATTER_CMD_PEER_PING,
	SCATTER_CMD_TUNE_GET,
	SCATTER_CMD_TUNE_SET,
	SCATTER_CMD_STATS_GET,
	SCATTER_CMD_GROUP_GET,
	SCATTER_CMD_MEMBER_GET,
	SCATTER_CMD_EVENT,
	SCATTER_CMD_PEER_FENCE,
};

#define SCATTER_CMD_MAX	SCATTER_CMD_PEER_FENCE

/**
 * enum scatter_addresses_attribute - inside of an ADDRESSES nest
 * @SCATTER_A_ADDRESSES_ADDRESS: struct sockaddr_in or struct sockaddr_in6, whole; once for each
 *	address. Neither any, multicast nor broadcast. A link-local IPv6 address needs its scope id,
 *	all others have none
 */
enum scatter_addresses_attribute {
	SCATTER_A_ADDRESSES_ADDRESS = 1,
};

#define SCATTER_A_ADDRESSES_MAX	SCATTER_A_ADDRESSES_ADDRESS

/**
 * enum scatter_node_attribute - attributes of a node
 * @SCATTER_A_NODE_PAD: for alignment
 * @SCATTER_A_NODE_ID: u64, not 0
 * @SCATTER_A_NODE_INCARNATION: u64, random, made with the node; never set
 * @SCATTER_A_NODE_ADDRESSES: nest of enum scatter_addresses_attribute, 1 to 4 addresses at which
 *	the node listens
 * @SCATTER_A_NODE_KEY: 32 bytes that all nodes of the cluster have; set, never told
 * @SCATTER_A_NODE_KEY2: 32 bytes, a second key that is accepted, too, while the cluster's key
 *	changes; set, never told; 0 bytes, or the same as KEY: there is none any more
 * @SCATTER_A_NODE_CLUSTER: u64, digest of the ids of the node and all its peers: FNV-1a over each
 *	id's 8 bytes, little-endian, in ascending order; never set
 * @SCATTER_A_NODE_WIRE: string, the wire that carries connections, such as "rdma"; never set;
 *	absent: no wire is loaded, or its network namespace belongs to another user namespace than
 *	the initial one
 * @SCATTER_A_NODE_NETNS_FD: u32, descriptor of the network namespace in which the wire lives and
 *	for which the caller needs the same right; not given: the node's own. Set only with a
 *	new node, never told. A wire holds its namespace until the node is deleted
 * @SCATTER_A_NODE_NETNS_INODE: u32, the inode of the wire's network namespace; never set; absent:
 *	the wire is in the node's own namespace
 */
enum scatter_node_attribute {
	SCATTER_A_NODE_PAD = 1,
	SCATTER_A_NODE_ID,
	SCATTER_A_NODE_INCARNATION,
	SCATTER_A_NODE_ADDRESSES,
	SCATTER_A_NODE_KEY,
	SCATTER_A_NODE_KEY2,
	SCATTER_A_NODE_CLUSTER,
	SCATTER_A_NODE_WIRE,
	SCATTER_A_NODE_NETNS_FD,
	SCATTER_A_NODE_NETNS_INODE,
};

#define SCATTER_A_NODE_MAX	SCATTER_A_NODE_NETNS_INODE

/**
 * enum scatter_peer_state - how far the connection to a peer is
 * @SCATTER_PEER_DOWN: there is none, and nobody wants one
 * @SCATTER_PEER_CONNECTING: the wire is being set up
 * @SCATTER_PEER_PROVING: both sides prove that they have the key
 * @SCATTER_PEER_UP: the connection carries messages
 * @SCATTER_PEER_CLOSING: the connection is being taken down
 * @SCATTER_PEER_WAITING: the node tries again after the back-off
 * @SCATTER_PEER_HELD: the peer misbehaved; the node ignores it for a while
 */
enum scatter_peer_state {
	SCATTER_PEER_DOWN = 0,
	SCATTER_PEER_CONNECTING = 1,
	SCATTER_PEER_PROVING = 2,
	SCATTER_PEER_UP = 3,
	SCATTER_PEER_CLOSING = 4,
	SCATTER_PEER_WAITING = 5,
	SCATTER_PEER_HELD = 6,
};

/**
 * enum scatter_reason - why a connection ended or was refused; numbers as on the wire
 * @SCATTER_REASON_NONE: the connection is up, or there has not been any
 * @SCATTER_REASON_VERSION: no common version of the protocol
 * @SCATTER_REASON_STRANGER: no peer has this id
 * @SCATTER_REASON_ADDRESS: the peer does not have this address
 * @SCATTER_REASON_KEY: no common key
 * @SCATTER_REASON_PROOF: the proof was wrong
 * @SCATTER_REASON_MESSAGE: a message was malformed, or came in a wrong state
 * @SCATTER_REASON_BUSY: another connection won, or too many were half-open
 * @SCATTER_REASON_SHUTDOWN: the node or its module goes
 * @SCATTER_REASON_HELD: the node is being ignored for a while
 * @SCATTER_REASON_SELF: the peer has this node's id
 * @SCATTER_REASON_TIMEOUT: nothing came for the time of a keep-alive
 * @SCATTER_REASON_LINE: the wire failed
 * @SCATTER_REASON_ADMIN: the peer or the node was deleted
 * @SCATTER_REASON_DEVICE: the device or the address is gone
 */
enum scatter_reason {
	SCATTER_REASON_NONE = 0,
	SCATTER_REASON_VERSION = 1,
	SCATTER_REASON_STRANGER = 2,
	SCATTER_REASON_ADDRESS = 3,
	SCATTER_REASON_KEY = 4,
	SCATTER_REASON_PROOF = 5,
	SCATTER_REASON_MESSAGE = 6,
	SCATTER_REASON_BUSY = 7,
	SCATTER_REASON_SHUTDOWN = 8,
	SCATTER_REASON_HELD = 9,
	SCATTER_REASON_SELF = 10,
	SCATTER_REASON_TIMEOUT = 11,
	SCATTER_REASON_LINE = 12,
	SCATTER_REASON_ADMIN = 13,
	SCATTER_REASON_DEVICE = 14,
};

/**
 * enum scatter_uids - whether this node believes a peer's user IDs
 * @SCATTER_UIDS_REFUSE: no: no user of that peer joins a group here; the default
 * @SCATTER_UIDS_SAME: yes: a user has the same number on both nodes
 * @SCATTER_UIDS_SQUASH: all users of that peer are one user here
 */
enum scatter_uids {
	SCATTER_UIDS_REFUSE = 0,
	SCATTER_UIDS_SAME = 1,
	SCATTER_UIDS_SQUASH = 2,
};

/**
 * enum scatter_peer_flags - flags of a peer
 * @SCATTER_PEER_KEEP: keep the connection up, though nobody uses it
 */
enum scatter_peer_flags {
	SCATTER_PEER_KEEP = 1 << 0,
};

/**
 * enum scatter_peer_attribute - attributes of a peer
 * @SCATTER_A_PEER_PAD: for alignment
 * @SCATTER_A_PEER_ID: u64, not 0, not the node's own
 * @SCATTER_A_PEER_ADDRESSES: nest of enum scatter_addresses_attribute, 1 to 4 addresses. PEER_ADD
 *	needs the attribute. No other peer, nor the node itself, may have an address of these with
 *	the same port
 * @SCATTER_A_PEER_UIDS: u32, enum scatter_uids
 * @SCATTER_A_PEER_UID: u32, the user for %SCATTER_UIDS_SQUASH, which needs it, in the user
 *	namespace of the caller
 * @SCATTER_A_PEER_FLAGS: u32, enum scatter_peer_flags
 * @SCATTER_A_PEER_STATE: u32, enum scatter_peer_state. STATE and all attributes below are never set
 * @SCATTER_A_PEER_REASON: u32, enum scatter_reason: why the last connection ended, or was refused
 * @SCATTER_A_PEER_INCARNATION: u64, the peer's when the connection was up last; absent: never up
 * @SCATTER_A_PEER_SINCE_NS: u64, for how many nanoseconds the state has lasted
 * @SCATTER_A_PEER_COUNTERS: nest of enum scatter_peer_counter
 * @SCATTER_A_PEER_REFUSED: u32, enum scatter_reason: why this node or the peer last refused an
 *	attempt. The reason stays when a connection comes up; NONE: no attempt was ever refused
 */
enum scatter_peer_attribute {
	SCATTER_A_PEER_PAD = 1,
	SCATTER_A_PEER_ID,
	SCATTER_A_PEER_ADDRESSES,
	SCATTER_A_PEER_UIDS,
	SCATTER_A_PEER_UID,
	SCATTER_A_PEER_FLAGS,
	SCATTER_A_PEER_STATE,
	SCATTER_A_PEER_REASON,
	SCATTER_A_PEER_INCARNATION,
	SCATTER_A_PEER_SINCE_NS,
	SCATTER_A_PEER_COUNTERS,
	SCATTER_A_PEER_REFUSED,
};

#define SCATTER_A_PEER_MAX	SCATTER_A_PEER_REFUSED

/**
 * enum scatter_peer_counter - inside of a COUNTERS nest; each is u64 and counts from PEER_ADD on
 * @SCATTER_A_COUNTERS_PAD: for alignment
 * @SCATTER_A_COUNTERS_CONNECTS: connections that came up
 * @SCATTER_A_COUNTERS_REFUSALS: attempts that this node or the peer refused. An attempt that ended
 *	before the other side had given its id counts for the peer that has the other side's address
 * @SCATTER_A_COUNTERS_SENT: messages sent, each once
 * @SCATTER_A_COUNTERS_RECEIVED: messages received
 * @SCATTER_A_COUNTERS_BYTES_SENT: bytes of the messages sent
 * @SCATTER_A_COUNTERS_BYTES_RECEIVED: bytes of the messages received
 * @SCATTER_A_COUNTERS_RESENT: messages sent again after a reconnect
 * @SCATTER_A_COUNTERS_KEEPALIVES: messages sent only to show that the node lives
 * @SCATTER_A_COUNTERS_BAD: messages that were malformed or came in a wrong state
 * @SCATTER_A_COUNTERS_BUNDLES: bundles of scatters and gathers that this node has sent to the peer:
 *	the startups between the two nodes in this direction
 * @SCATTER_A_COUNTERS_BUNDLE_BYTES: bytes of the blocks that this node has sent to the peer, each
 *	once, in bundles or because the peer asked for them; also blocks that the node passed on
 * @SCATTER_A_COUNTERS_WAITS: messages sent because a member of a group waited for long in an
 *	operation: questions why, and answers. None while operations go on
 * @SCATTER_A_COUNTERS_FORWARD_COPIED: bytes of blocks of other nodes that a CPU of this node has
 *	copied to pass them on to the peer: of blocks, or their pieces, of less than 4 KiB. Nothing
 *	of an OR-broadcast, in which nodes combine blocks
 */
enum scatter_peer_counter {
	SCATTER_A_COUNTERS_PAD = 1,
	SCATTER_A_COUNTERS_CONNECTS,
	SCATTER_A_COUNTERS_REFUSALS,
	SCATTER_A_COUNTERS_SENT,
	SCATTER_A_COUNTERS_RECEIVED,
	SCATTER_A_COUNTERS_BYTES_SENT,
	SCATTER_A_COUNTERS_BYTES_RECEIVED,
	SCATTER_A_COUNTERS_RESENT,
	SCATTER_A_COUNTERS_KEEPALIVES,
	SCATTER_A_COUNTERS_BAD,
	SCATTER_A_COUNTERS_BUNDLES,
	SCATTER_A_COUNTERS_BUNDLE_BYTES,
	SCATTER_A_COUNTERS_WAITS,
	SCATTER_A_COUNTERS_FORWARD_COPIED,
};

#define SCATTER_A_COUNTERS_MAX	SCATTER_A_COUNTERS_FORWARD_COPIED

/**
 * enum scatter_tune_attribute - how connections behave; each is u32
 * @SCATTER_A_TUNE_KEEPALIVE_MS: a peer that sends nothing for this long is lost, in ms; 100 to
 *	600000, default 5000
 * @SCATTER_A_TUNE_HOLD_MS: how long a misbehaving peer is ignored, in ms; 0 to 3600000, default
 *	30000
 * @SCATTER_A_TUNE_BACKOFF_MS: longest pause between two attempts to connect, in ms; 100 to
 *	600000, default 5000
 * @SCATTER_A_TUNE_BUFFERS: receive buffers of a connection; 4 to 1024, default 64. For connections
 *	from now on
 * @SCATTER_A_TUNE_HALF_OPEN: most incoming connections without a proof, of which one address has
 *	at most 4; 1 to 1024, default 16
 * @SCATTER_A_TUNE_TIMEOUT_MS: how long a connection may take to come up, in ms; 100 to 60000,
 *	default 5000
 * @SCATTER_A_TUNE_SEGMENT_BYTES: most bytes of one RDMA READ: what is longer is read from a peer
 *	in several, one after the other; 4096 to 262144, default 262144
 */
enum scatter_tune_attribute {
	SCATTER_A_TUNE_KEEPALIVE_MS = 1,
	SCATTER_A_TUNE_HOLD_MS,
	SCATTER_A_TUNE_BACKOFF_MS,
	SCATTER_A_TUNE_BUFFERS,
	SCATTER_A_TUNE_HALF_OPEN,
	SCATTER_A_TUNE_TIMEOUT_MS,
	SCATTER_A_TUNE_SEGMENT_BYTES,
};

#define SCATTER_A_TUNE_MAX	SCATTER_A_TUNE_SEGMENT_BYTES

/**
 * enum scatter_ping_attribute - attributes of PEER_PING
 * @SCATTER_A_PING_PAD: for alignment
 * @SCATTER_A_PING_PEER: u64, a peer's id
 * @SCATTER_A_PING_BYTES: u32, 0 to 65536: the peer reads so many bytes from this node; 0: none
 * @SCATTER_A_PING_RTT_NS: u64, how many nanoseconds the round trip took, without the READ; answer
 *	only
 * @SCATTER_A_PING_READ_NS: u64, how many nanoseconds the READ took; answer only
 */
enum scatter_ping_attribute {
	SCATTER_A_PING_PAD = 1,
	SCATTER_A_PING_PEER,
	SCATTER_A_PING_BYTES,
	SCATTER_A_PING_RTT_NS,
	SCATTER_A_PING_READ_NS,
};

#define SCATTER_A_PING_MAX	SCATTER_A_PING_READ_NS

/**
 * enum scatter_stats_attribute - attributes of STATS_GET
 * @SCATTER_A_STATS_PEERS: u32, how many peers the node has
 * @SCATTER_A_STATS_UP: u32, how many of them are %SCATTER_PEER_UP
 * @SCATTER_A_STATS_COUNTERS: nest of enum scatter_peer_counter, sums over the peers
 * @SCATTER_A_STATS_OBJECT: nest of enum scatter_object_attribute, once for each kind; of the
 *	whole machine, so in the initial network namespace only
 */
enum scatter_stats_attribute {
	SCATTER_A_STATS_PEERS = 1,
	SCATTER_A_STATS_UP,
	SCATTER_A_STATS_COUNTERS,
	SCATTER_A_STATS_OBJECT,
};

#define SCATTER_A_STATS_MAX	SCATTER_A_STATS_OBJECT

/**
 * enum scatter_object_attribute - a kind of objects of the module
 * @SCATTER_A_OBJECT_PAD: for alignment
 * @SCATTER_A_OBJECT_NAME: string
 * @SCATTER_A_OBJECT_CREATED: u64, how many there have been since the module was loaded
 * @SCATTER_A_OBJECT_DESTROYED: u64, how many of them are gone
 */
enum scatter_object_attribute {
	SCATTER_A_OBJECT_PAD = 1,
	SCATTER_A_OBJECT_NAME,
	SCATTER_A_OBJECT_CREATED,
	SCATTER_A_OBJECT_DESTROYED,
};

#define SCATTER_A_OBJECT_MAX	SCATTER_A_OBJECT_DESTROYED

/**
 * enum scatter_group_attribute - attributes of a group, of which struct scatter_status tells more
 * @SCATTER_A_GROUP_PAD: for alignment
 * @SCATTER_A_GROUP_ID: 16 bytes, as of struct scatter_status
 * @SCATTER_A_GROUP_NAME: string
 * @SCATTER_A_GROUP_UID: u32, the owner, in the user namespace of the caller
 * @SCATTER_A_GROUP_GID: u32, the group's group ID, in the user namespace of the caller
 * @SCATTER_A_GROUP_MODE: u32, permission bits
 * @SCATTER_A_GROUP_STATE: u32, enum scatter_state
 * @SCATTER_A_GROUP_SIZE: u32, how many members the group has when complete
 * @SCATTER_A_GROUP_JOINED: u32, how many have joined so far; while a group whose name all nodes
 *	know forms, only members of this node count
 * @SCATTER_A_GROUP_DEAD: u32, how many have died
 * @SCATTER_A_GROUP_LEFT: u32, how many have left
 * @SCATTER_A_GROUP_ERROR: u32, the errno that broke the group; absent: the group is not broken
 * @SCATTER_A_GROUP_CULPRIT: u32, the rank that broke the group; absent: the group is not broken
 * @SCATTER_A_GROUP_SIDE_SIZE: u32, members of the first side; absent: there are no sides
 * @SCATTER_A_GROUP_ALGORITHM: u32, of the group's schedule, enum scatter_algorithm
 * @SCATTER_A_GROUP_REGISTRAR: u64, id of the node that keeps the group's name, which all nodes
 *	know; absent: only this node knows the name
 * @SCATTER_A_GROUP_NODES: u32, how many nodes the group has members on, 1 if all are here; absent:
 *	only this node knows the name, or the group has not formed
 * @SCATTER_A_GROUP_KEPT_BYTES: u64, the most bytes of blocks that this node has kept at a time for
 *	another node to READ, its own members' and those it passes on; absent: as of NODES
 * @SCATTER_A_GROUP_HELD_BYTES: u64, how much memory this node holds for messages with blocks that
 *	have come from other nodes; absent: as of NODES
 */
enum scatter_group_attribute {
	SCATTER_A_GROUP_PAD = 1,
	SCATTER_A_GROUP_ID,
	SCATTER_A_GROUP_NAME,
	SCATTER_A_GROUP_UID,
	SCATTER_A_GROUP_GID,
	SCATTER_A_GROUP_MODE,
	SCATTER_A_GROUP_STATE,
	SCATTER_A_GROUP_SIZE,
	SCATTER_A_GROUP_JOINED,
	SCATTER_A_GROUP_DEAD,
	SCATTER_A_GROUP_LEFT,
	SCATTER_A_GROUP_ERROR,
	SCATTER_A_GROUP_CULPRIT,
	SCATTER_A_GROUP_SIDE_SIZE,
	SCATTER_A_GROUP_ALGORITHM,
	SCATTER_A_GROUP_REGISTRAR,
	SCATTER_A_GROUP_NODES,
	SCATTER_A_GROUP_KEPT_BYTES,
	SCATTER_A_GROUP_HELD_BYTES,
};

#define SCATTER_A_GROUP_MAX	SCATTER_A_GROUP_HELD_BYTES

/**
 * enum scatter_member_presence - where a rank of a group is
 * @SCATTER_PRESENCE_PRESENT: the rank has a member
 * @SCATTER_PRESENCE_MISSING: no process has joined as this rank; or one has joined on another node,
 *	and the group has not formed
 * @SCATTER_PRESENCE_DEAD: the member died
 * @SCATTER_PRESENCE_LEFT: the member left
 */
enum scatter_member_presence {
	SCATTER_PRESENCE_PRESENT = 0,
	SCATTER_PRESENCE_MISSING = 1,
	SCATTER_PRESENCE_DEAD = 2,
	SCATTER_PRESENCE_LEFT = 3,
};

/**
 * enum scatter_member_attribute - attributes of a member
 * @SCATTER_A_MEMBER_PAD: for alignment
 * @SCATTER_A_MEMBER_GROUP: 16 bytes, the group's id; in the request
 * @SCATTER_A_MEMBER_RANK: u32, in the group
 * @SCATTER_A_MEMBER_PRESENCE: u32, enum scatter_member_presence; nothing follows if missing, and
 *	NODE alone if the member is on another node, or went before the group formed
 * @SCATTER_A_MEMBER_UID: u32, as of struct scatter_credential
 * @SCATTER_A_MEMBER_GID: u32, as of struct scatter_credential
 * @SCATTER_A_MEMBER_PID: u32, as of struct scatter_credential; absent: the caller's PID namespace
 *	does not see the process
 * @SCATTER_A_MEMBER_NEXT: u64, number of the operation that the member is in or calls next
 * @SCATTER_A_MEMBER_RING_BYTES: u32, size of the member's ring in bytes
 * @SCATTER_A_MEMBER_NODE: u64, id of the member's node; absent: only this node knows the group's
 *	name
 */
enum scatter_member_attribute {
	SCATTER_A_MEMBER_PAD = 1,
	SCATTER_A_MEMBER_GROUP,
	SCATTER_A_MEMBER_RANK,
	SCATTER_A_MEMBER_PRESENCE,
	SCATTER_A_MEMBER_UID,
	SCATTER_A_MEMBER_GID,
	SCATTER_A_MEMBER_PID,
	SCATTER_A_MEMBER_NEXT,
	SCATTER_A_MEMBER_RING_BYTES,
	SCATTER_A_MEMBER_NODE,
};

#define SCATTER_A_MEMBER_MAX	SCATTER_A_MEMBER_NODE

/**
 * enum scatter_event_kind - what happened
 * @SCATTER_EVENT_PEER_UP: a connection came up; PEER
 * @SCATTER_EVENT_PEER_DOWN: a connection that was up ended; PEER, REASON
 * @SCATTER_EVENT_JOIN: a member joined a named group on this node; GROUP, NAME, UID, RANK
 * @SCATTER_EVENT_LEAVE: a member left, here or on another node; likewise, and NODE
 * @SCATTER_EVENT_DEATH: a member died; likewise
 * @SCATTER_EVENT_BROKEN: a group broke; GROUP, NAME, UID, ERROR, and RANK, the culprit
 */
enum scatter_event_kind {
	SCATTER_EVENT_PEER_UP = 1,
	SCATTER_EVENT_PEER_DOWN = 2,
	SCATTER_EVENT_JOIN = 3,
	SCATTER_EVENT_LEAVE = 4,
	SCATTER_EVENT_DEATH = 5,
	SCATTER_EVENT_BROKEN = 6,
};

/**
 * enum scatter_event_attribute - attributes of an event
 * @SCATTER_A_EVENT_PAD: for alignment
 * @SCATTER_A_EVENT_KIND: u32, enum scatter_event_kind
 * @SCATTER_A_EVENT_TIME_NS: u64, CLOCK_REALTIME in nanoseconds
 * @SCATTER_A_EVENT_PEER: u64, a peer's id
 * @SCATTER_A_EVENT_REASON: u32, enum scatter_reason
 * @SCATTER_A_EVENT_GROUP: 16 bytes, a group's id
 * @SCATTER_A_EVENT_NAME: string, the group's name
 * @SCATTER_A_EVENT_UID: u32, the group's owner, in the user namespace that owns the network
 *	namespace
 * @SCATTER_A_EVENT_RANK: u32, a rank of the group
 * @SCATTER_A_EVENT_ERROR: u32, an errno
 * @SCATTER_A_EVENT_NODE: u64, id of the node of that rank; absent: only this node knows the group's
 *	name, or the group has not formed
 */
enum scatter_event_attribute {
	SCATTER_A_EVENT_PAD = 1,
	SCATTER_A_EVENT_KIND,
	SCATTER_A_EVENT_TIME_NS,
	SCATTER_A_EVENT_PEER,
	SCATTER_A_EVENT_REASON,
	SCATTER_A_EVENT_GROUP,
	SCATTER_A_EVENT_NAME,
	SCATTER_A_EVENT_UID,
	SCATTER_A_EVENT_RANK,
	SCATTER_A_EVENT_ERROR,
	SCATTER_A_EVENT_NODE,
};

#define SCATTER_A_EVENT_MAX	SCATTER_A_EVENT_NODE

#endif /* _UAPI_LINUX_SCATTER_NETLINK_H */

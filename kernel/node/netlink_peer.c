// SPDX-License-Identifier: GPL-2.0
/*
 * Commands about the peers of a node.
 */
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/user_namespace.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "compat.h"
#include "node/borrow.h"
#include "node/client.h"
#include "node/hub.h"
#include "node/mail.h"
#include "node/netlink.h"
#include "node/netlink_peer.h"
#include "node/node.h"
#include "node/peer.h"
#include "node/ping.h"

/* How far a dump of peers has come. */
struct scatter_progress {
	u64 id;
};

static const struct nla_policy id_policy[] = {
	[SCATTER_A_PEER_ID] = NLA_POLICY_MIN(NLA_U64, 1),
};

static const struct nla_policy peer_policy[] = {
	[SCATTER_A_PEER_ID] = NLA_POLICY_MIN(NLA_U64, 1),
	[SCATTER_A_PEER_ADDRESSES] = NLA_POLICY_NESTED(scatter_netlink_addresses_policy),
	[SCATTER_A_PEER_UIDS] = NLA_POLICY_MAX(NLA_U32, SCATTER_UIDS_SQUASH),
	[SCATTER_A_PEER_UID] = { .type = NLA_U32 },
	[SCATTER_A_PEER_FLAGS] = NLA_POLICY_MASK(NLA_U32, SCATTER_PEER_KEEP),
};

static const struct nla_policy ping_policy[] = {
	[SCATTER_A_PING_PEER] = NLA_POLICY_MIN(NLA_U64, 1),
	[SCATTER_A_PING_BYTES] = { .type = NLA_U32 },
};

static int put_terms(struct sk_buff *skb, const struct scatter_peer_terms *terms)
{
	if (scatter_netlink_put_addresses(skb, SCATTER_A_PEER_ADDRESSES, terms->addresses,
					  terms->nr_addresses) ||
	    nla_put_u32(skb, SCATTER_A_PEER_UIDS, terms->uids) ||
	    nla_put_u32(skb, SCATTER_A_PEER_FLAGS, terms->flags))
		return -EMSGSIZE;
	if (terms->uids != SCATTER_UIDS_SQUASH)
		return 0;
	return nla_put_u32(skb, SCATTER_A_PEER_UID,
			   from_kuid_munged(current_user_ns(), terms->uid));
}

static int put_link(struct sk_buff *skb, struct scatter_peer *peer)
{
	struct scatter_peer_link link;

	scatter_peer_link(peer, &link);
	if (nla_put_u32(skb, SCATTER_A_PEER_STATE, link.state) ||
	    nla_put_u32(skb, SCATTER_A_PEER_REASON, link.reason) ||
	    nla_put_u32(skb, SCATTER_A_PEER_REFUSED, link.refused) ||
	    nla_put_u64_64bit(skb, SCATTER_A_PEER_SINCE_NS,
			      ktime_to_ns(ktime_sub(ktime_get(), link.since)),
			      SCATTER_A_PEER_PAD))
		return -EMSGSIZE;
	if (!link.incarnation)
		return 0;
	return nla_put_u64_64bit(skb, SCATTER_A_PEER_INCARNATION, link.incarnation,
				 SCATTER_A_PEER_PAD);
}

/**
 * struct view - what PEER_GET tells
 * @peer: the peer, referenced
 * @terms: a copy of its terms
 */
struct view {
	struct scatter_peer *peer;
	struct scatter_peer_terms terms;
};

/* Fill in a peer's attributes. */
static int fill_peer(struct sk_buff *skb, const void *what)
{
	u64 counters[SCATTER_A_COUNTERS_MAX + 1] = {};
	const struct view *view = what;
	struct scatter_peer *peer = view->peer;

	scatter_peer_sum(peer, counters);
	return nla_put_u64_64bit(skb, SCATTER_A_PEER_ID, peer->id, SCATTER_A_PEER_PAD) ?:
	       put_terms(skb, &view->terms) ?:
	       put_link(skb, peer) ?:
	       scatter_netlink_put_counters(skb, SCATTER_A_PEER_COUNTERS, counters);
}

/* Find the peer that a command names, and get a reference: 0, -EINVAL or -ENOENT. */
static int find(struct scatter_node *node, struct genl_info *info, int type,
		struct scatter_peer **peer)
{
	if (GENL_REQ_ATTR_CHECK(info, type)) {
		GENL_SET_ERR_MSG(info, "the peer's ID is missing");
		return -EINVAL;
	}
	*peer = scatter_peer_find(node, nla_get_u64(info->attrs[type]));
	if (*peer)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[type], "ID: there is no such peer");
	return -ENOENT;
}

/* Likewise, without a reference: while the node's lock is held, the peer stays. */
static int find_locked(struct scatter_node *node, struct genl_info *info, int type,
		       struct scatter_peer **peer)
{
	int error = find(node, info, type, peer);

	lockdep_assert_held(&node->lock);
	if (!error)
		scatter_peer_put(*peer);
	return error;
}

static int do_peer_get(struct sk_buff *skb, struct genl_info *info)
{
	struct scatter_node *node = scatter_node_of(genl_info_net(info));
	struct view view;
	int error;

	error = find(node, info, SCATTER_A_PEER_ID, &view.peer);
	if (error)
		return error;
	error = -ENOENT;
	if (scatter_peer_terms(view.peer, &view.terms))
		error = scatter_netlink_reply(info, SCATTER_CMD_PEER_GET, fill_peer, &view);
	scatter_peer_put(view.peer);
	return error;
}

/* Dump peers in the order of their ids: a peer that exists during the whole dump is told once. */
static int dump_peers(struct sk_buff *skb, struct netlink_callback *callback)
{
	struct scatter_progress *progress = (struct scatter_progress *)callback->ctx;
	struct scatter_node *node = scatter_node_of(sock_net(skb->sk));
	struct view view;
	int error = 0;

	static_assert(sizeof(*progress) <= sizeof(callback->ctx));
	while (!error && (view.peer = scatter_peer_next(node, progress->id))) {
		/* A message tells that it is the first one after a change. */
		callback->seq = READ_ONCE(node->generation);
		if (scatter_peer_terms(view.peer, &view.terms))
			error = scatter_netlink_dump(skb, callback, SCATTER_CMD_PEER_GET,
						     fill_peer, &view);
		if (!error)
			progress->id = view.peer->id;
		scatter_peer_put(view.peer);
	}
	return scatter_netlink_dumped(skb, error);
}

static int start_peers(struct netlink_callback *callback)
{
	struct nlattr *id = scatter_compat_dump_attributes(callback)[SCATTER_A_PEER_ID];

	if (!id)
		return 0;
	NL_SET_ERR_MSG_ATTR(callback->extack, id, "ID: a dump tells all peers");
	return -EINVAL;
}

static bool is_own(const struct scatter_node *node, const union scatter_address *address)
{
	unsigned int i;

	for (i = 0; i < node->nr_addresses; i++)
		if (scatter_address_equal(&node->addresses[i], address))
			return true;
	return false;
}

/* Read the request's addresses. @peer may have them already; no other peer may. */
static int read_addresses_locked(struct scatter_node *node, struct genl_info *info,
				 const struct scatter_peer *peer, struct scatter_peer_terms *terms)
{
	const struct nlattr *nest = info->attrs[SCATTER_A_PEER_ADDRESSES];
	unsigned int i;
	int error;

	if (!nest)
		return 0;
	/* Clear all bytes, since memcmp() compares all bytes of addresses. */
	memset(terms->addresses, 0, sizeof(terms->addresses));
	error = scatter_netlink_read_addresses(nest, terms->addresses, &terms->nr_addresses,
					       info->extack);
	for (i = 0; !error && i < terms->nr_addresses; i++) {
		const union scatter_address *address = &terms->addresses[i];

		if (!is_own(node, address) && !scatter_peer_conflicts_locked(node, peer, address))
			continue;
		NL_SET_ERR_MSG_ATTR(info->extack, nest,
				    "ADDRESSES: the node, or another peer, has one of them");
		error = -EADDRINUSE;
	}
	return error;
}

static int read_uids(struct genl_info *info, struct scatter_peer_terms *terms)
{
	const struct nlattr *uids = info->attrs[SCATTER_A_PEER_UIDS];
	const struct nlattr *uid = info->attrs[SCATTER_A_PEER_UID];

	if (uids)
		terms->uids = nla_get_u32(uids);
	if (uid && terms->uids != SCATTER_UIDS_SQUASH) {
		NL_SET_ERR_MSG_ATTR(info->extack, uid, "UID: only if UIDS is SQUASH");
		return -EINVAL;
	}
	if (uid)
		terms->uid = make_kuid(current_user_ns(), nla_get_u32(uid));
	if (terms->uids != SCATTER_UIDS_SQUASH) {
		terms->uid = INVALID_UID;
	} else if (!uid_valid(terms->uid)) {
		NL_SET_ERR_MSG_ATTR(info->extack, uid ?: uids, "UID: missing, or no such user");
		return -EINVAL;
	}
	return 0;
}

/* Change @terms as the request says. @peer: as of read_addresses_locked(). */
static int read_terms_locked(struct scatter_node *node, struct genl_info *info,
			     const struct scatter_peer *peer, struct scatter_peer_terms *terms)
{
	const struct nlattr *flags = info->attrs[SCATTER_A_PEER_FLAGS];
	int error;

	error = read_addresses_locked(node, info, peer, terms) ?: read_uids(info, terms);
	if (!error && flags)
		terms->flags = nla_get_u32(flags);
	return error;
}

static int add_locked(struct scatter_node *node, struct genl_info *info)
{
	struct scatter_peer_terms terms = { .uid = INVALID_UID };
	struct scatter_peer *peer;
	u64 id;
	int error;

	if (!scatter_node_exists_locked(node)) {
		GENL_SET_ERR_MSG(info, "this network namespace has no node");
		return -ENOENT;
	}
	if (GENL_REQ_ATTR_CHECK(info, SCATTER_A_PEER_ID) ||
	    GENL_REQ_ATTR_CHECK(info, SCATTER_A_PEER_ADDRESSES)) {
		GENL_SET_ERR_MSG(info, "a new peer needs ID and ADDRESSES");
		return -EINVAL;
	}
	id = nla_get_u64(info->attrs[SCATTER_A_PEER_ID]);
	if (id == node->self.id) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[SCATTER_A_PEER_ID],
				    "ID: the node itself has this one");
		return -EINVAL;
	}
	peer = scatter_peer_next_locked(node, id - 1);
	if (peer && peer->id == id) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[SCATTER_A_PEER_ID],
				    "ID: there is such a peer already");
		return -EEXIST;
	}
	error = read_terms_locked(node, info, NULL, &terms) ?:
		scatter_peer_add_locked(node, id, &terms);
	if (!error && node->hub) {
		peer = scatter_peer_next_locked(node, id - 1);
		error = scatter_hub_add(node->hub, peer);
		if (error) {
			scatter_peer_delete_locked(peer);
			scatter_peer_digest_locked(node);
		}
	}
	if (error == -ENOSPC)
		GENL_SET_ERR_MSG(info, "the node has 4096 peers already");
	return error;
}

static int do_peer_add(struct sk_buff *skb, struct genl_info *info)
{
	struct scatter_node *node = scatter_node_of(genl_info_net(info));
	int error;

	mutex_lock(&node->lock);
	error = add_locked(node, info);
	mutex_unlock(&node->lock);
	return error;
}

static bool are_same(const struct scatter_peer_terms *a, const struct scatter_peer_terms *b)
{
	return a->nr_addresses == b->nr_addresses &&
	       !memcmp(a->addresses, b->addresses, a->nr_addresses * sizeof(*a->addresses)) &&
	       a->uids == b->uids && uid_eq(a->uid, b->uid) && a->flags == b->flags;
}

static int do_peer_set(struct sk_buff *skb, struct genl_info *info)
{
	struct scatter_node *node = scatter_node_of(genl_info_net(info));
	struct scatter_peer_terms terms;
	struct scatter_peer *peer;
	int error;

	mutex_lock(&node->lock);
	error = find_locked(node, info, SCATTER_A_PEER_ID, &peer);
	if (!error) {
		terms = peer->terms;
		error = read_terms_locked(node, info, peer, &terms);
	}
	/* A request that changes nothing does not end a hold, either. */
	if (!error && !are_same(&terms, &peer->terms)) {
		scatter_peer_set_locked(peer, &terms);
		if (node->hub)
			scatter_hub_reset(node->hub, peer);
	}
	mutex_unlock(&node->lock);
	return error;
}

static int do_peer_del(struct sk_buff *skb, struct genl_info *info)
{
	struct scatter_node *node = scatter_node_of(genl_info_net(info));
	struct scatter_peer *peer;
	int error;

	mutex_lock(&node->lock);
	error = find_locked(node, info, SCATTER_A_PEER_ID, &peer);
	if (!error) {
		if (node->hub)
			scatter_hub_remove(node->hub, peer);
		scatter_peer_delete_locked(peer);
		scatter_peer_digest_locked(node);
	}
	mutex_unlock(&node->lock);
	return error;
}

static int do_peer_fence(struct sk_buff *skb, struct genl_info *info)
{
	struct scatter_node *node = scatter_node_of(genl_info_net(info));
	struct scatter_peer *peer;
	int error;

	mutex_lock(&node->lock);
	error = find_locked(node, info, SCATTER_A_PEER_ID, &peer);
	if (!error && node->hub) {
		error = scatter_hub_fence(node->hub, peer);
	} else if (!error) {
		scatter_client_fence(node, peer->id);
		scatter_mail_drop(node);
	}
	mutex_unlock(&node->lock);
	if (error == -EBUSY)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[SCATTER_A_PEER_ID],
				    "ID: the peer is up");
	return error;
}

static int check_ping(struct genl_info *info)
{
	const struct nlattr *bytes = info->attrs[SCATTER_A_PING_BYTES];

	if (!bytes || nla_get_u32(bytes) <= SCATTER_PING_BYTES_MAX)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, bytes, "BYTES: more than 65536");
	return -ERANGE;
}

/*
 * A running command keeps families from coming and going, and a task that tries to add one blocks
 * all of netlink. So a PING may not take longer.
 */
#define LONGEST_PING_MS	5000U

/**
 * struct echo - what a PING has measured
 * @id: the peer
 * @bytes: how many bytes the peer reads
 * @rtt_ns: how long a message takes there and back
 * @read_ns: how much longer a PING with the READ took
 */
struct echo {
	u64 id;
	u32 bytes;
	u64 rtt_ns;
	u64 read_ns;
};

static int fill_echo(struct sk_buff *skb, const void *what)
{
	const struct echo *echo = what;

	if (nla_put_u64_64bit(skb, SCATTER_A_PING_PEER, echo->id, SCATTER_A_PING_PAD) ||
	    nla_put_u32(skb, SCATTER_A_PING_BYTES, echo->bytes) ||
	    nla_put_u64_64bit(skb, SCATTER_A_PING_RTT_NS, echo->rtt_ns, SCATTER_A_PING_PAD) ||
	    nla_put_u64_64bit(skb, SCATTER_A_PING_READ_NS, echo->read_ns, SCATTER_A_PING_PAD))
		return -EMSGSIZE;
	return 0;
}

static int ping(struct scatter_hub *hub, struct echo *echo, u32 timeout_ms)
{
	const unsigned long until = jiffies + msecs_to_jiffies(min(timeout_ms, LONGEST_PING_MS));
	u64 both_ns;
	int error;

	/* The first PING may have to make the connection. */
	error = scatter_ping(hub, echo->id, 0, until, &echo->rtt_ns) ?:
		scatter_ping(hub, echo->id, 0, until, &echo->rtt_ns);
	if (error || !echo->bytes)
		return error;
	error = scatter_ping(hub, echo->id, echo->bytes, until, &both_ns);
	if (!error)
		echo->read_ns = both_ns > echo->rtt_ns ? both_ns - echo->rtt_ns : 0;
	return error;
}

static int do_peer_ping(struct sk_buff *skb, struct genl_info *info)
{
	struct scatter_node *node = scatter_node_of(genl_info_net(info));
	const struct nlattr *bytes = info->attrs[SCATTER_A_PING_BYTES];
	struct scatter_hub *hub;
	struct scatter_peer *peer;
	struct echo echo = { };
	int error;

	error = check_ping(info);
	if (error)
		return error;
	if (bytes)
		echo.bytes = nla_get_u32(bytes);
	error = find(node, info, SCATTER_A_PING_PEER, &peer);
	if (error)
		return error;
	echo.id = peer->id;
	scatter_peer_put(peer);
	hub = scatter_borrow_begin(node);
	if (!hub) {
		GENL_SET_ERR_MSG(info, "there is no wire");
		return -EOPNOTSUPP;
	}
	error = ping(hub, &echo, scatter_node_tune(node, SCATTER_A_TUNE_TIMEOUT_MS));
	scatter_borrow_end(hub);
	return error ?: scatter_netlink_reply(info, SCATTER_CMD_PEER_PING, fill_echo, &echo);
}

static const struct genl_ops peer_ops[] __initconst = {
	{
		.cmd = SCATTER_CMD_PEER_GET,
		.doit = do_peer_get,
		.start = start_peers,
		.dumpit = dump_peers,
		.policy = id_policy,
		.maxattr = ARRAY_SIZE(id_policy) - 1,
	},
	{
		.cmd = SCATTER_CMD_PEER_ADD,
		.doit = do_peer_add,
		.flags = GENL_UNS_ADMIN_PERM,
		.policy = peer_policy,
		.maxattr = ARRAY_SIZE(peer_policy) - 1,
	},
	{
		.cmd = SCATTER_CMD_PEER_SET,
		.doit = do_peer_set,
		.flags = GENL_UNS_ADMIN_PERM,
		.policy = peer_policy,
		.maxattr = ARRAY_SIZE(peer_policy) - 1,
	},
	{
		.cmd = SCATTER_CMD_PEER_DEL,
		.doit = do_peer_del,
		.flags = GENL_UNS_ADMIN_PERM,
		.policy = id_policy,
		.maxattr = ARRAY_SIZE(id_policy) - 1,
	},
	{
		.cmd = SCATTER_CMD_PEER_PING,
		.doit = do_peer_ping,
		.flags = GENL_UNS_ADMIN_PERM,
		.policy = ping_policy,
		.maxattr = ARRAY_SIZE(ping_policy) - 1,
	},
	{
		.cmd = SCATTER_CMD_PEER_FENCE,
		.doit = do_peer_fence,
		.flags = GENL_UNS_ADMIN_PERM,
		.policy = id_policy,
		.maxattr = ARRAY_SIZE(id_policy) - 1,
	},
};

/**
 * scatter_netlink_peer_add() - add the commands about peers to the family
 *
 * Context: before scatter_netlink_register().
 */
void __init scatter_netlink_peer_add(void)
{
	scatter_netlink_add(peer_ops, ARRAY_SIZE(peer_ops));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Commands about the node itself: NODE and TUNE.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include "node/hub.h"
#include "node/client.h"
#include "node/mail.h"
#include "node/netlink.h"
#include "node/netlink_node.h"
#include "node/node.h"
#include "node/peer.h"
#include "node/wire.h"

/**
 * struct scatter_wish - what NODE_SET asks for
 * @id: the node's id; 0: not given
 * @nr_addresses: how many addresses; 0: not given
 * @addresses: the addresses, checked
 * @key: the key, in the request; NULL: not given
 * @key2: the second key, in the request; NULL with @key2_given: the node gets no second key
 * @key2_given: whether the request says anything of a second key
 * @wire_net: referenced; NULL: not given
 */
struct scatter_wish {
	u64 id;
	unsigned int nr_addresses;
	union scatter_address addresses[SCATTER_NODE_ADDRESSES_MAX];
	const u8 *key;
	const u8 *key2;
	bool key2_given;
	struct net *wire_net;
};

static const struct nla_policy node_policy[] = {
	[SCATTER_A_NODE_ID] = NLA_POLICY_MIN(NLA_U64, 1),
	[SCATTER_A_NODE_ADDRESSES] = NLA_POLICY_NESTED(scatter_netlink_addresses_policy),
	[SCATTER_A_NODE_KEY] = NLA_POLICY_EXACT_LEN(SCATTER_NODE_KEY_BYTES),
	[SCATTER_A_NODE_KEY2] = {
		.type = NLA_BINARY,
		.len = SCATTER_NODE_KEY_BYTES,
	},
	[SCATTER_A_NODE_NETNS_FD] = { .type = NLA_U32 },
};

static struct netlink_range_validation milliseconds = { .min = 100, .max = 600000 };
static struct netlink_range_validation hold_milliseconds = { .min = 0, .max = 3600000 };
static struct netlink_range_validation timeout_milliseconds = { .min = 100, .max = 60000 };
static struct netlink_range_validation segment_bytes = { .min = 4096, .max = 262144 };

static const struct nla_policy tune_policy[] = {
	[SCATTER_A_TUNE_KEEPALIVE_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &milliseconds),
	[SCATTER_A_TUNE_HOLD_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &hold_milliseconds),
	[SCATTER_A_TUNE_BACKOFF_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &milliseconds),
	[SCATTER_A_TUNE_BUFFERS] = NLA_POLICY_RANGE(NLA_U32, 4, 1024),
	[SCATTER_A_TUNE_HALF_OPEN] = NLA_POLICY_RANGE(NLA_U32, 1, 1024),
	[SCATTER_A_TUNE_TIMEOUT_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &timeout_milliseconds),
	[SCATTER_A_TUNE_SEGMENT_BYTES] = NLA_POLICY_FULL_RANGE(NLA_U32, &segment_bytes),
};

/**
 * struct view - what NODE_GET tells
 * @id: the node's id; 0: there is no node
 * @incarnation: the node's incarnation
 * @cluster: the digest of the ids of all nodes
 * @nr_addresses: how many addresses
 * @addresses: where the node listens
 * @wire: name of the wire; empty: none
 * @inode: the namespace in which the wire lives; 0: the node's own
 */
struct view {
	u64 id;
	u64 incarnation;
	u64 cluster;
	unsigned int nr_addresses;
	union scatter_address addresses[SCATTER_NODE_ADDRESSES_MAX];
	char wire[16];
	u32 inode;
};

static void look(struct scatter_node *node, struct view *view)
{
	spin_lock(&node->look);
	view->id = node->self.id;
	view->incarnation = node->self.incarnation;
	view->cluster = node->cluster;
	view->nr_addresses = node->nr_addresses;
	memcpy(view->addresses, node->addresses, sizeof(view->addresses));
	if (node->wire)
		strscpy(view->wire, node->wire->name, sizeof(view->wire));
	if (node->wire_net && node->wire_net != node->net)
		view->inode = node->wire_net->ns.inum;
	spin_unlock(&node->look);
}

/* Fill in a node's attributes, except its keys. */
static int fill_node(struct sk_buff *skb, const void *what)
{
	const struct view *view = what;

	if (nla_put_u64_64bit(skb, SCATTER_A_NODE_ID, view->id, SCATTER_A_NODE_PAD) ||
	    nla_put_u64_64bit(skb, SCATTER_A_NODE_INCARNATION, view->incarnation,
			      SCATTER_A_NODE_PAD) ||
	    scatter_netlink_put_addresses(skb, SCATTER_A_NODE_ADDRESSES, view->addresses,
					  view->nr_addresses) ||
	    nla_put_u64_64bit(skb, SCATTER_A_NODE_CLUSTER, view->cluster, SCATTER_A_NODE_PAD) ||
	    (*view->wire && nla_put_string(skb, SCATTER_A_NODE_WIRE, view->wire)) ||
	    (view->inode && nla_put_u32(skb, SCATTER_A_NODE_NETNS_INODE, view->inode)))
		return -EMSGSIZE;
	return 0;
}

static int no_node(struct genl_info *info)
{
	GENL_SET_ERR_MSG(info, "this network namespace has no node");
	return -ENOENT;
}

static int do_node_get(struct sk_buff *skb, struct genl_info *info)
{
	struct view view = {};

	look(scatter_node_of(genl_info_net(info)), &view);
	if (!view.id)
		return no_node(info);
	return scatter_netlink_reply(info, SCATTER_CMD_NODE_GET, fill_node, &view);
}

static int read_keys(struct genl_info *info, struct scatter_wish *wish)
{
	const struct nlattr *key = info->attrs[SCATTER_A_NODE_KEY];
	const struct nlattr *key2 = info->attrs[SCATTER_A_NODE_KEY2];

	if (key)
		wish->key = nla_data(key);
	if (!key2)
		return 0;
	wish->key2_given = true;
	if (nla_len(key2) && nla_len(key2) != SCATTER_NODE_KEY_BYTES) {
		NL_SET_ERR_MSG_ATTR(info->extack, key2, "KEY2: neither 32 bytes nor none");
		return -EINVAL;
	}
	if (nla_len(key2))
		wish->key2 = nla_data(key2);
	return 0;
}

/* Read the namespace of the wire. The caller needs the right to administrate it, too. */
static int read_net(struct sk_buff *skb, struct genl_info *info, struct scatter_wish *wish)
{
	const struct nlattr *fd = info->attrs[SCATTER_A_NODE_NETNS_FD];
	struct net *net;

	if (!fd)
		return 0;
	net = get_net_ns_by_fd(nla_get_u32(fd));
	if (IS_ERR(net)) {
		NL_SET_ERR_MSG_ATTR(info->extack, fd, "NETNS_FD: not a network namespace");
		return PTR_ERR(net) == -EINVAL ? -EBADF : PTR_ERR(net);
	}
	if (!netlink_ns_capable(skb, net->user_ns, CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG_ATTR(info->extack, fd, "NETNS_FD: no CAP_NET_ADMIN there");
		put_net(net);
		return -EPERM;
	}
	wish->wire_net = net;
	return 0;
}

static int read_wish(struct sk_buff *skb, struct genl_info *info, struct scatter_wish *wish)
{
	struct nlattr **attrs = info->attrs;
	int error = 0;

	if (attrs[SCATTER_A_NODE_ID])
		wish->id = nla_get_u64(attrs[SCATTER_A_NODE_ID]);
	if (attrs[SCATTER_A_NODE_ADDRESSES])
		error = scatter_netlink_read_addresses(attrs[SCATTER_A_NODE_ADDRESSES],
						       wish->addresses, &wish->nr_addresses,
						       info->extack);
	return error ?: read_keys(info, wish) ?: read_net(skb, info, wish);
}

static int check_addresses_locked(struct scatter_node *node, struct genl_info *info,
				  const struct scatter_wish *wish)
{
	unsigned int i;

	for (i = 0; i < wish->nr_addresses; i++) {
		if (!scatter_peer_conflicts_locked(node, NULL, &wish->addresses[i]))
			continue;
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[SCATTER_A_NODE_ADDRESSES],
				    "ADDRESSES: a peer has one of them");
		return -EADDRINUSE;
	}
	return 0;
}

/* Whether the node can have what the request asks for. */
static int check_wish_locked(struct scatter_node *node, struct genl_info *info,
			     const struct scatter_wish *wish)
{
	if (!scatter_node_exists_locked(node)) {
		if (!GENL_REQ_ATTR_CHECK(info, SCATTER_A_NODE_ID) &&
		    !GENL_REQ_ATTR_CHECK(info, SCATTER_A_NODE_ADDRESSES) &&
		    !GENL_REQ_ATTR_CHECK(info, SCATTER_A_NODE_KEY))
			return 0;
		GENL_SET_ERR_MSG(info, "a new node needs ID, ADDRESSES and KEY");
		return -EINVAL;
	}
	if (wish->id && wish->id != node->self.id) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[SCATTER_A_NODE_ID],
				    "ID: the node has another one; delete the node first");
		return -EEXIST;
	}
	if (wish->wire_net && wish->wire_net != node->wire_net) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[SCATTER_A_NODE_NETNS_FD],
				    "NETNS_FD: the wire is elsewhere; delete the node first");
		return -EBUSY;
	}
	return check_addresses_locked(node, info, wish);
}

/*
 * Change the node. Connections end only if the addresses change. Attempts to connect that were
 * refused for a key begin anew.
 */
static void grant_locked(struct scatter_node *node, const struct scatter_wish *wish)
{
	bool same = wish->nr_addresses == node->nr_addresses &&
		    !memcmp(wish->addresses, node->addresses,
			    wish->nr_addresses * sizeof(*wish->addresses));
	bool fresh = !scatter_node_exists_locked(node), changed = false;

	if (fresh)
		scatter_node_make_locked(node, wish->id, wish->wire_net ?: node->net);
	if (wish->key)
		changed = scatter_node_set_key_locked(node, wish->key);
	if (wish->key2_given)
		changed |= scatter_node_set_key2_locked(node, wish->key2);
	if (wish->nr_addresses && !same) {
		scatter_wire_detach_locked(node);
		scatter_node_set_addresses_locked(node, wish->addresses, wish->nr_addresses);
		scatter_wire_attach_locked(node);
	} else if (node->hub && changed) {
		scatter_hub_reset(node->hub, NULL);
	}
	if (fresh)
		scatter_peer_digest_locked(node);
}

/* Clear a key in the memory of the request. */
static void forget_key(struct nlattr *key)
{
	if (key)
		memzero_explicit(nla_data(key), nla_len(key));
}

static int do_node_set(struct sk_buff *skb, struct genl_info *info)
{
	struct scatter_node *node = scatter_node_of(genl_info_net(info));
	struct scatter_wish wish = {};
	int error;

	error = read_wish(skb, info, &wish);
	if (!error) {
		mutex_lock(&node->lock);
		error = check_wish_locked(node, info, &wish);
		if (!error)
			grant_locked(node, &wish);
		mutex_unlock(&node->lock);
	}
	if (wish.wire_net)
		put_net(wish.wire_net);
	forget_key(info->attrs[SCATTER_A_NODE_KEY]);
	forget_key(info->attrs[SCATTER_A_NODE_KEY2]);
	return error;
}

/* End the node, if the namespace is one, and its peers. */
static void delete_locked(struct scatter_node *node)
{
	struct scatter_peer *peer;

	/* First, so that this node decides nothing when it loses its peers one after the other. */
	if (scatter_node_exists_locked(node)) {
		scatter_node_end_locked(node);
		scatter_client_lost(node, scatter_node_id(node));
	}
	scatter_wire_detach_locked(node);
	while ((peer = scatter_peer_next_locked(node, 0)))
		scatter_peer_delete_locked(peer);
	/*
	 * The client acts on the losses. A group whose lock is taken does so later: the mail that
	 * the group posts then is dropped, or is of an incarnation that peers ignore.
	 */
	scatter_client_wait(node);
	scatter_mail_drop(node);
	scatter_node_clear_locked(node);
}

static int do_node_del(struct sk_buff *skb, struct genl_info *info)
{
	struct scatter_node *node = scatter_node_of(genl_info_net(info));
	int error = 0;

	mutex_lock(&node->lock);
	if (scatter_node_exists_locked(node))
		delete_locked(node);
	else
		error = no_node(info);
	mutex_unlock(&node->lock);
	return error;
}

static int fill_tune(struct sk_buff *skb, const void *what)
{
	int i;

	for (i = 1; i <= SCATTER_A_TUNE_MAX; i++)
		if (nla_put_u32(skb, i, scatter_node_tune(what, i)))
			return -EMSGSIZE;
	return 0;
}

static int do_tune_get(struct sk_buff *skb, struct genl_info *info)
{
	return scatter_netlink_reply(info, SCATTER_CMD_TUNE_GET, fill_tune,
				     scatter_node_of(genl_info_net(info)));
}

static int do_tune_set(struct sk_buff *skb, struct genl_info *info)
{
	struct scatter_node *node = scatter_node_of(genl_info_net(info));
	int i;

	mutex_lock(&node->lock);
	for (i = 1; i <= SCATTER_A_TUNE_MAX; i++)
		if (info->attrs[i])
			scatter_node_set_tune_locked(node, i, nla_get_u32(info->attrs[i]));
	if (node->hub)
		scatter_hub_tuned(node->hub);
	mutex_unlock(&node->lock);
	return 0;
}

static const struct genl_ops node_ops[] __initconst = {
	{
		.cmd = SCATTER_CMD_NODE_GET,
		.doit = do_node_get,
	},
	{
		.cmd = SCATTER_CMD_NODE_SET,
		.doit = do_node_set,
		.flags = GENL_UNS_ADMIN_PERM,
		.policy = node_policy,
		.maxattr = ARRAY_SIZE(node_policy) - 1,
	},
	{
		.cmd = SCATTER_CMD_NODE_DEL,
		.doit = do_node_del,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = SCATTER_CMD_TUNE_GET,
		.doit = do_tune_get,
	},
	{
		.cmd = SCATTER_CMD_TUNE_SET,
		.doit = do_tune_set,
		.flags = GENL_UNS_ADMIN_PERM,
		.policy = tune_policy,
		.maxattr = ARRAY_SIZE(tune_policy) - 1,
	},
};

/* Act on the end of a namespace: of the node's own, or of that of the node's wire. */
static void end_locked(struct scatter_node *node, struct net *net)
{
	if (node->net == net) {
		delete_locked(node);
	} else {
		scatter_wire_detach_locked(node);
		spin_lock(&node->look);
		WRITE_ONCE(node->wire_net, NULL);
		spin_unlock(&node->look);
	}
}

/**
 * scatter_netlink_node_register() - begin to keep nodes, and add the commands
 *
 * Context: may sleep; before scatter_netlink_register().
 * Return: 0 or -errno.
 */
int __init scatter_netlink_node_register(void)
{
	scatter_netlink_add(node_ops, ARRAY_SIZE(node_ops));
	return scatter_node_register(end_locked);
}

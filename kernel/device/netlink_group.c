// SPDX-License-Identifier: GPL-2.0
/*
 * Commands about groups: GROUP and MEMBER, both dumps.
 *
 * Whether a caller may see a group depends on the process that opened the socket, not on the
 * process that happens to read from the socket.
 *
 * A dump goes on when the caller reads, which may be never. So a dump that is under way holds no
 * group: the group's members, rings and charges would stay.
 */
#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/string.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "compat.h"
#include "device/netlink_group.h"
#include "group/group.h"
#include "group/identity.h"
#include "group/member.h"
#include "group/name.h"
#include "group/portal.h"
#include "memory/segment.h"
#include "node/netlink.h"
#include "node/node.h"

/**
 * struct scatter_viewer - the caller that asks for groups
 * @cred: credentials of the process that opened the socket, referenced
 * @all: the viewer may see every group of the namespace
 */
struct scatter_viewer {
	const struct cred *cred;
	bool all;
};

/**
 * struct scatter_groups_dump - a GROUP_GET that is under way
 * @viewer: the caller
 * @cursor: how far the dump has come
 */
struct scatter_groups_dump {
	struct scatter_viewer viewer;
	u64 cursor;
};

/**
 * struct scatter_seat - what MEMBER_GET tells of a member
 * @presence: enum scatter_member_presence
 * @node: id of the member's node; 0: only this node knows the group's name, or there is no member
 * @here: the member is on this node, so the fields below are known
 * @identity: the process that joined; referenced, if the member is here
 * @next: number of the operation that the member is in or calls next
 * @ring_bytes: size of the member's ring
 */
struct scatter_seat {
	enum scatter_member_presence presence;
	u64 node;
	bool here;
	struct scatter_identity identity;
	u64 next;
	u32 ring_bytes;
};

/**
 * struct scatter_seats - a group's members when MEMBER_GET came
 * @id: the group's id
 * @nr: number of members of the complete group
 * @seats: by rank
 */
struct scatter_seats {
	u64 id[2];
	u32 nr;
	struct scatter_seat seats[];
};

/**
 * struct scatter_members_dump - a MEMBER_GET that is under way
 * @all: what the dump tells
 * @rank: how far the dump has come
 */
struct scatter_members_dump {
	struct scatter_seats *all;
	u32 rank;
};

static const struct nla_policy member_policy[] = {
	[SCATTER_A_MEMBER_GROUP] = NLA_POLICY_EXACT_LEN(sizeof_field(struct scatter_group, id)),
};

static int view(struct scatter_viewer *viewer, struct netlink_callback *callback)
{
	const struct socket *socket = NETLINK_CB(callback->skb).sk->sk_socket;

	if (!socket || !socket->file)
		return -EPERM;
	viewer->cred = get_cred(socket->file->f_cred);
	viewer->all = netlink_ns_capable(callback->skb, sock_net(callback->skb->sk)->user_ns,
					 CAP_IPC_OWNER);
	return 0;
}

static void unview(struct scatter_viewer *viewer)
{
	put_cred(viewer->cred);
}

/* Whether a viewer may see a group: whether JOIN would let the viewer in. */
static bool may_see(const struct scatter_viewer *viewer, const struct scatter_group *group)
{
	umode_t mode = group->mode;
	const struct cred *own;

	if (viewer->all || uid_eq(viewer->cred->fsuid, group->uid))
		return true;
	own = override_creds(viewer->cred);
	if (in_group_p(group->gid))
		mode >>= 3;
	revert_creds(own);
	return (mode & 06) == 06;
}

/* The most bytes that this node has kept at a time for another node to READ. */
static u64 kept_bytes(const struct scatter_portal *portal)
{
	u64 most = 0;
	u32 i;

	for (i = 0; i < portal->nr_nodes; i++)
		most = max_t(u64, most, atomic64_read(&portal->nodes[i].meter->peak));
	return most;
}

/* How much memory messages with blocks take that other nodes have sent, and that are still here. */
static u64 held_bytes(const struct scatter_portal *portal)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < portal->nr_nodes; i++)
		sum += READ_ONCE(portal->nodes[i].kept.bytes);
	return sum;
}

static int put_nodes_locked(struct sk_buff *skb, const struct scatter_group *group)
{
	const struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&group->lock);
	if (!portal)
		return 0;
	if (nla_put_u64_64bit(skb, SCATTER_A_GROUP_REGISTRAR, portal->registrar,
			      SCATTER_A_GROUP_PAD))
		return -EMSGSIZE;
	if (!group->formed)
		return 0;
	if (nla_put_u32(skb, SCATTER_A_GROUP_NODES, portal->nr_nodes) ||
	    nla_put_u64_64bit(skb, SCATTER_A_GROUP_HELD_BYTES, held_bytes(portal),
			      SCATTER_A_GROUP_PAD))
		return -EMSGSIZE;
	return nla_put_u64_64bit(skb, SCATTER_A_GROUP_KEPT_BYTES, kept_bytes(portal),
				 SCATTER_A_GROUP_PAD);
}

static int put_state_locked(struct sk_buff *skb, const struct scatter_group *group)
{
	lockdep_assert_held(&group->lock);
	if (nla_put_u32(skb, SCATTER_A_GROUP_STATE, group->state) ||
	    nla_put_u32(skb, SCATTER_A_GROUP_JOINED, group->joined) ||
	    nla_put_u32(skb, SCATTER_A_GROUP_DEAD, bitmap_weight(group->dead, group->size)) ||
	    nla_put_u32(skb, SCATTER_A_GROUP_LEFT, bitmap_weight(group->left, group->size)))
		return -EMSGSIZE;
	if (!group->error)
		return 0;
	if (nla_put_u32(skb, SCATTER_A_GROUP_ERROR, -group->error) ||
	    nla_put_u32(skb, SCATTER_A_GROUP_CULPRIT, group->culprit))
		return -EMSGSIZE;
	return 0;
}

static int put_terms(struct sk_buff *skb, const struct scatter_group *group)
{
	struct user_namespace *user_ns = current_user_ns();

	if (nla_put(skb, SCATTER_A_GROUP_ID, sizeof(group->id), group->id) ||
	    nla_put_string(skb, SCATTER_A_GROUP_NAME, group->name) ||
	    nla_put_u32(skb, SCATTER_A_GROUP_UID, from_kuid_munged(user_ns, group->uid)) ||
	    nla_put_u32(skb, SCATTER_A_GROUP_GID, from_kgid_munged(user_ns, group->gid)) ||
	    nla_put_u32(skb, SCATTER_A_GROUP_MODE, group->mode) ||
	    nla_put_u32(skb, SCATTER_A_GROUP_SIZE, group->size) ||
	    nla_put_u32(skb, SCATTER_A_GROUP_ALGORITHM, group->schedule.algorithm))
		return -EMSGSIZE;
	return group->sides[0] ? nla_put_u32(skb, SCATTER_A_GROUP_SIDE_SIZE, group->sides[0]) : 0;
}

static int fill_group(struct sk_buff *skb, const void *what)
{
	struct scatter_group *group = (struct scatter_group *)what;
	int error;

	error = put_terms(skb, group);
	if (error)
		return error;
	spin_lock(&group->lock);
	error = put_state_locked(skb, group) ?: put_nodes_locked(skb, group);
	spin_unlock(&group->lock);
	return error;
}

static int start_groups(struct netlink_callback *callback)
{
	struct scatter_groups_dump *dump = (struct scatter_groups_dump *)callback->ctx;

	static_assert(sizeof(*dump) <= sizeof(callback->ctx));
	memset(dump, 0, sizeof(*dump));
	return view(&dump->viewer, callback);
}

/* The next group that the viewer may see, referenced; NULL: there are no more groups. */
static struct scatter_group *next_visible(const struct net *net,
					  const struct scatter_viewer *viewer, u64 *cursor)
{
	struct scatter_group *group;

	while ((group = scatter_name_next(net, cursor))) {
		if (may_see(viewer, group))
			return group;
		scatter_group_put(group);
		cond_resched();
	}
	return NULL;
}

static int dump_groups(struct sk_buff *skb, struct netlink_callback *callback)
{
	struct scatter_groups_dump *dump = (struct scatter_groups_dump *)callback->ctx;
	const struct net *net = sock_net(skb->sk);
	struct scatter_group *group;
	u64 next = dump->cursor;
	int error = 0;

	callback->seq = scatter_name_changes(net);
	/* Visit a group for which there was no room again, if it is still there. */
	while (!error && (group = next_visible(net, &dump->viewer, &next))) {
		error = scatter_netlink_dump(skb, callback, SCATTER_CMD_GROUP_GET, fill_group,
					     group);
		scatter_group_put(group);
		if (!error)
			dump->cursor = next;
	}
	return scatter_netlink_dumped(skb, error);
}

static int end_groups(struct netlink_callback *callback)
{
	struct scatter_groups_dump *dump = (struct scatter_groups_dump *)callback->ctx;

	unview(&dump->viewer);
	return 0;
}

static int put_identity(struct sk_buff *skb, const struct scatter_identity *identity)
{
	struct user_namespace *user_ns = current_user_ns();
	pid_t pid = pid_nr_ns(identity->pid, task_active_pid_ns(current));

	if (nla_put_u32(skb, SCATTER_A_MEMBER_UID, from_kuid_munged(user_ns, identity->uid)) ||
	    nla_put_u32(skb, SCATTER_A_MEMBER_GID, from_kgid_munged(user_ns, identity->gid)))
		return -EMSGSIZE;
	return pid ? nla_put_u32(skb, SCATTER_A_MEMBER_PID, pid) : 0;
}

static int fill_member(struct sk_buff *skb, const void *what)
{
	const struct scatter_members_dump *dump = what;
	const struct scatter_seat *seat = &dump->all->seats[dump->rank];

	if (nla_put(skb, SCATTER_A_MEMBER_GROUP, sizeof(dump->all->id), dump->all->id) ||
	    nla_put_u32(skb, SCATTER_A_MEMBER_RANK, dump->rank) ||
	    nla_put_u32(skb, SCATTER_A_MEMBER_PRESENCE, seat->presence))
		return -EMSGSIZE;
	if (seat->node && nla_put_u64_64bit(skb, SCATTER_A_MEMBER_NODE, seat->node,
					    SCATTER_A_MEMBER_PAD))
		return -EMSGSIZE;
	if (!seat->here)
		return 0;
	if (put_identity(skb, &seat->identity) ||
	    nla_put_u64_64bit(skb, SCATTER_A_MEMBER_NEXT, seat->next, SCATTER_A_MEMBER_PAD) ||
	    nla_put_u32(skb, SCATTER_A_MEMBER_RING_BYTES, seat->ring_bytes))
		return -EMSGSIZE;
	return 0;
}

static enum scatter_member_presence presence_locked(const struct scatter_group *group, u32 rank)
{
	lockdep_assert_held(&group->lock);
	if (test_bit(rank, group->dead))
		return SCATTER_PRESENCE_DEAD;
	if (test_bit(rank, group->left))
		return SCATTER_PRESENCE_LEFT;
	return group->formed || (!group->vain && group->members[rank]) ?
		       SCATTER_PRESENCE_PRESENT : SCATTER_PRESENCE_MISSING;
}

/* @own: this node's id, which a member has before the group has formed; 0: no portal. */
static void look_locked(struct scatter_group *group, u32 rank, u64 own, struct scatter_seat *seat)
{
	const struct scatter_portal *portal = group->portal;
	const struct scatter_member *member = group->vain ? NULL : group->members[rank];

	lockdep_assert_held(&group->lock);
	seat->presence = presence_locked(group, rank);
	if (portal && group->formed)
		seat->node = portal->nodes[portal->where[rank]].id;
	else if (member)
		seat->node = own;
	if (!member)
		return;
	seat->here = true;
	scatter_identity_copy(&seat->identity, &member->identity);
	seat->next = member->next;
	seat->ring_bytes = member->ring.size;
}

/* Look at all members of a group at once. NULL: no memory. */
static struct scatter_seats *look(struct scatter_group *group)
{
	struct scatter_seats *all = kvzalloc(struct_size(all, seats, group->size),
					     GFP_KERNEL_ACCOUNT);
	u64 own = group->portal ? scatter_node_id(group->portal->node) : 0;
	u32 rank;

	if (!all)
		return NULL;
	static_assert(sizeof(all->id) == sizeof(group->id));
	memcpy(all->id, group->id, sizeof(all->id));
	all->nr = group->size;
	spin_lock(&group->lock);
	for (rank = 0; rank < all->nr; rank++)
		look_locked(group, rank, own, &all->seats[rank]);
	spin_unlock(&group->lock);
	return all;
}

/* The group of an id, referenced; NULL: the viewer may see no such group, or is being killed. */
static struct scatter_group *find(const struct net *net, const struct scatter_viewer *viewer,
				  const struct nlattr *id)
{
	struct scatter_group *group;
	u64 cursor = 0;

	while (!fatal_signal_pending(current) && (group = next_visible(net, viewer, &cursor))) {
		if (!memcmp(group->id, nla_data(id), sizeof(group->id)))
			return group;
		scatter_group_put(group);
		cond_resched();
	}
	return NULL;
}

static int start_members(struct netlink_callback *callback)
{
	struct nlattr *id = scatter_compat_dump_attributes(callback)[SCATTER_A_MEMBER_GROUP];
	struct scatter_members_dump *dump = (struct scatter_members_dump *)callback->ctx;
	struct scatter_viewer viewer;
	struct scatter_group *group;
	int error;

	static_assert(sizeof(*dump) <= sizeof(callback->ctx));
	memset(dump, 0, sizeof(*dump));
	if (!id) {
		NL_SET_ERR_MSG(callback->extack, "GROUP: missing");
		return -EINVAL;
	}
	error = view(&viewer, callback);
	if (error)
		return error;
	group = find(sock_net(callback->skb->sk), &viewer, id);
	unview(&viewer);
	if (group) {
		dump->all = look(group);
		scatter_group_put(group);
		return dump->all ? 0 : -ENOMEM;
	}
	NL_SET_ERR_MSG_ATTR(callback->extack, id, "GROUP: there is none that you may see");
	return -ENOENT;
}

static int dump_members(struct sk_buff *skb, struct netlink_callback *callback)
{
	struct scatter_members_dump *dump = (struct scatter_members_dump *)callback->ctx;
	int error = 0;

	while (dump->rank < dump->all->nr) {
		error = scatter_netlink_dump(skb, callback, SCATTER_CMD_MEMBER_GET, fill_member,
					     dump);
		if (error)
			break;
		dump->rank++;
	}
	return scatter_netlink_dumped(skb, error);
}

static int end_members(struct netlink_callback *callback)
{
	struct scatter_members_dump *dump = (struct scatter_members_dump *)callback->ctx;

	u32 rank;

	for (rank = 0; rank < dump->all->nr; rank++)
		scatter_identity_release(&dump->all->seats[rank].identity);
	kvfree(dump->all);
	return 0;
}

static const struct genl_ops group_ops[] __initconst = {
	{
		.cmd = SCATTER_CMD_GROUP_GET,
		.start = start_groups,
		.dumpit = dump_groups,
		.done = end_groups,
	},
	{
		.cmd = SCATTER_CMD_MEMBER_GET,
		.start = start_members,
		.dumpit = dump_members,
		.done = end_members,
		.policy = member_policy,
		.maxattr = ARRAY_SIZE(member_policy) - 1,
	},
};

/**
 * scatter_netlink_group_add() - add the commands about groups to the family
 *
 * Context: before scatter_netlink_register().
 */
void __init scatter_netlink_group_add(void)
{
	scatter_netlink_add(group_ops, ARRAY_SIZE(group_ops));
}

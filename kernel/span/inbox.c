// SPDX-License-Identifier: GPL-2.0
/*
 * The inbox: handle messages of other nodes about groups, and the loss of a node.
 *
 * Messages come in events of the wire, under the hub's lock; but an ATTACH that had to wait is
 * handled under scatter_portal.moving of an older group. Mail that is posted here is sent when the
 * event is over. The handlers wait for no lock that the task of a member may hold: what is for
 * a group that has formed goes through span/deliver.c. Peers have proven who they are. This node
 * believes a peer about the peer's own members, and about its users as far as the administrator
 * admits them.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/scatter.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "group/backlog.h"
#include "group/group.h"
#include "group/portal.h"
#include "group/sides.h"
#include "group/spec.h"
#include "node/client.h"
#include "node/mail.h"
#include "node/node.h"
#include "node/peer.h"
#include "node/say.h"
#include "span/attach.h"
#include "span/deliver.h"
#include "span/edge.h"
#include "span/form.h"
#include "span/inbox.h"
#include "span/registrar.h"
#include "span/span.h"
#include "span/ticket.h"
#include "span/verdict.h"
#include "wire/wide_build.h"
#include "wire/wide_parse.h"

/* More than any index of a node. */
#define SCATTER_INBOX_NOBODY	U32_MAX

/* Make the checks of JOIN that the parser cannot make. */
static bool is_possible(const struct scatter_join *join)
{
	if (join->schedule.algorithm >= BITS_PER_LONG ||
	    !(SCATTER_ALGORITHMS & BIT(join->schedule.algorithm)))
		return false;
	if (!scatter_sides_ok(join))
		return false;
	if (join->rank != SCATTER_RANK_ANY && (u32)join->rank >= scatter_sides_seats(join))
		return false;
	return scatter_sides_possible(&join->schedule, join->members, join->sides);
}

static void read_join(const struct scatter_wide_join *wide, struct scatter_join *join)
{
	*join = (struct scatter_join){
		.flags = wide->flags & SCATTER_WIDE_EXCL ? SCATTER_JOIN_EXCL : 0,
		.members = wide->size,
		.rank = wide->rank == SCATTER_WIDE_RANK_ANY ? SCATTER_RANK_ANY : (s32)wide->rank,
		.mode = wide->mode,
		.sides = { wide->sides[0], wide->sides[1] },
		.side = wide->side,
		.schedule = {
			.algorithm = wide->algorithm,
			.ports = wide->ports,
			.dims = wide->dims,
		},
	};
	memcpy(join->schedule.extent, wide->extent, sizeof(join->schedule.extent));
	memcpy(join->name, wide->name, sizeof(join->name));
}

/* Translate a peer's user to a user of this node; false: the user is not admitted. */
static bool admit(struct scatter_node *node, u64 from, const struct scatter_wide_join *wide,
		  struct scatter_claimant *claimant)
{
	struct scatter_peer *peer = scatter_peer_find(node, from);
	struct scatter_peer_terms terms;
	bool there;

	if (!peer)
		return false;
	there = scatter_peer_terms(peer, &terms);
	scatter_peer_put(peer);
	if (!there || terms.uids == SCATTER_UIDS_REFUSE)
		return false;
	*claimant = (struct scatter_claimant){
		.node = from,
		.token = wide->token,
		.owner = make_kuid(&init_user_ns, wide->owner),
		.uid = make_kuid(&init_user_ns, wide->uid),
		.gid = make_kgid(&init_user_ns, wide->gid),
		.capable = wide->flags & SCATTER_WIDE_CAPABLE,
	};
	if (terms.uids == SCATTER_UIDS_SQUASH) {
		claimant->uid = terms.uid;
		claimant->gid = INVALID_GID;
		claimant->capable = false;
	}
	return uid_valid(claimant->owner) && uid_valid(claimant->uid);
}

static bool join(struct scatter_node *node, u64 from, const void *data, u32 bytes)
{
	struct scatter_wide_seated answer;
	struct scatter_claimant claimant;
	struct scatter_raw_seated raw;
	struct scatter_wide_join wide;
	struct scatter_join terms;
	u64 id, cluster;

	if (scatter_wide_parse_join(data, bytes, &wide))
		return false;
	answer = (struct scatter_wide_seated){ .token = wide.token };
	read_join(&wide, &terms);
	scatter_node_info(node->net, &id, &cluster);
	if (wide.cluster != cluster)
		answer.answer = SCATTER_WIDE_CHANGED;
	else if (!admit(node, from, &wide, &claimant))
		answer.answer = SCATTER_WIDE_REFUSED;
	else if (!is_possible(&terms))
		answer.answer = SCATTER_WIDE_INVALID;
	else
		scatter_registrar_claim(node, &claimant, &terms, &answer);
	scatter_wide_build_seated(&raw, 0, &answer);
	scatter_mail_post(node, NULL, from, &raw, sizeof(raw));
	if (answer.answer == SCATTER_WIDE_FINE)
		scatter_registrar_settle(node, answer.id);
	return true;
}

static bool seated(struct scatter_node *node, u64 from, const void *data, u32 bytes)
{
	struct scatter_wide_seated wide;

	if (scatter_wide_parse_seated(data, bytes, &wide))
		return false;
	scatter_ticket_seated(node, from, &wide);
	return true;
}

static void say_unseated(struct scatter_node *node, void *message)
{
	scatter_mail_post_prepared(node, message);
}

static bool unseat(struct scatter_node *node, u64 from, const void *data, u32 bytes)
{
	struct scatter_message *message;
	struct scatter_wide_unseat wide;
	struct scatter_raw_unseat raw;

	if (scatter_wide_parse_unseat(data, bytes, &wide))
		return false;
	if (wide.done) {
		scatter_ticket_unseated(node, from, wide.token);
		return true;
	}
	wide.done = true;
	scatter_wide_build_unseat(&raw, 0, &wide);
	message = scatter_mail_prepare(from, &raw, sizeof(raw));
	if (!scatter_registrar_unseat(node, from, wide.token, say_unseated, message))
		scatter_say_free(message);
	return true;
}

static bool formed(struct scatter_node *node, u64 from, const void *data, u32 bytes)
{
	struct scatter_wide_formed wide;

	if (scatter_wide_parse_formed(data, bytes, &wide))
		return false;
	scatter_form_begin(node, from, &wide);
	return true;
}

static bool places(struct scatter_node *node, u64 from, const void *data, u32 bytes)
{
	struct scatter_wide_places *wide = kmalloc(sizeof(*wide), GFP_KERNEL | __GFP_NOFAIL);
	struct scatter_wide_fact ended = { .kind = SCATTER_WIDE_ENDED };
	struct scatter_raw_fact raw;
	struct scatter_group *group;
	bool fine, formed;

	fine = !scatter_wide_parse_places(data, bytes, wide);
	if (fine) {
		group = scatter_portal_find(node, wide->id);
		formed = group && scatter_deliver_formed(group);
		if (!scatter_form_places(node, from, wide)) {
			memcpy(ended.id, wide->id, sizeof(ended.id));
			scatter_wide_build_fact(&raw, 0, &ended);
			scatter_mail_post(node, NULL, from, &raw, sizeof(raw));
		}
		if (group) {
			scatter_span_settle_quietly(group, formed ? SCATTER_EDGE_NONE :
								    SCATTER_EDGE_ALL);
			scatter_group_put(group);
		}
	}
	kfree(wide);
	return fine;
}

/*
 * Answer a node that asks whether this node is in a group. If the group has not formed here, it may
 * be about to. Returns the sender's index if the group has formed: then the group answers.
 */
static u32 asked(struct scatter_node *node, const struct scatter_client_sender *from,
		 const struct scatter_wide_attach *wide, struct scatter_group *group)
{
	u32 i = SCATTER_INBOX_NOBODY;

	/* A JOIN that waits goes before a group whose members here have given up. */
	if ((!group || !scatter_deliver_formed(group)) &&
	    scatter_ticket_defer(node, wide->token, from->id, wide->id))
		return i;
	if (group && !scatter_deliver_formed(group) && !scatter_attach_defer(group, from->id))
		return i;
	if (group && scatter_deliver_formed(group))
		i = scatter_portal_index(group->portal, from->id);
	if (i < SCATTER_INBOX_NOBODY && i < group->portal->nr_nodes)
		return i;
	scatter_attach_bury(node, wide->id);
	scatter_attach_say(node, from->id, wide->id, 0, SCATTER_WIDE_NEVER);
	return SCATTER_INBOX_NOBODY;
}

/**
 * struct scatter_inbox_attach - an ATTACH about a group that is not here yet, in a backlog
 * @item: in the backlog of a group of which that one may be made
 * @cursor: of scatter_portal_next(): that group
 * @bytes: length of the message
 * @data: the message
 */
struct scatter_inbox_attach {
	struct scatter_backlog_item item;
	u64 cursor;
	u32 bytes;
	u8 data[];
};

static bool attach_after(struct scatter_node *node, const struct scatter_client_sender *from,
			 const void *data, u32 bytes, u64 cursor);

static bool run_attach(struct scatter_group *group, struct scatter_backlog_item *item)
{
	struct scatter_inbox_attach *late = container_of(item, struct scatter_inbox_attach, item);
	bool fine = true, losing;

	/* The sender's loss is behind this item. A group made meanwhile has not heard of it. */
	spin_lock(&group->lock);
	losing = group->portal->nodes[item->from].losing;
	spin_unlock(&group->lock);
	if (!losing)
		fine = attach_after(group->portal->node, &item->sender, late->data, late->bytes,
				    late->cursor);
	kfree(late);
	return fine;
}

/* Whether an ATTACH may be about a group that is made of this one, and the verdict may be late. */
static bool may_make(struct scatter_group *group, const struct scatter_client_sender *from,
		     u64 token, u32 *index)
{
	const struct scatter_portal *portal = group->portal;

	if (!scatter_deliver_formed(group))
		return false;
	*index = scatter_portal_index(portal, from->id);
	return *index < portal->nr_nodes && scatter_backlog_has(portal, *index) &&
	       portal->nodes[*index].incarnation == from->incarnation &&
	       portal->nodes[portal->self].token == token;
}

/*
 * Leave an ATTACH about a group that is not here until the verdict that makes the group has been
 * handled. Its sender has sent that verdict before, to an older group, which may have a backlog.
 * New groups have the older group's tokens. The ATTACH goes behind what is in that backlog, then
 * into the next one, and so on. False: no group after @cursor may be the older one.
 */
static bool leave_attach(struct scatter_node *node, const struct scatter_client_sender *from,
			 const void *data, u32 bytes, u64 token, u64 cursor)
{
	struct scatter_inbox_attach *late;
	struct scatter_group *group;
	bool left = false;
	u32 i;

	while (!left && scatter_backlog_are_busy() &&
	       (group = scatter_portal_next(node, &cursor))) {
		if (may_make(group, from, token, &i)) {
			late = kmalloc(struct_size(late, data, bytes), GFP_KERNEL | __GFP_NOFAIL);
			late->item = (struct scatter_backlog_item){
				.from = i,
				.bytes = struct_size(late, data, bytes),
				.sender = *from,
				.run = run_attach,
			};
			late->cursor = cursor;
			late->bytes = bytes;
			memcpy(late->data, data, bytes);
			left = scatter_backlog_add(group->portal, &late->item);
			if (!left)
				kfree(late);
		}
		scatter_group_put(group);
		cond_resched();
	}
	return left;
}

/* Handle an ATTACH, or an answer. The group is not made of one up to @cursor. */
static bool attach_after(struct scatter_node *node, const struct scatter_client_sender *from,
			 const void *data, u32 bytes, u64 cursor)
{
	u32 i = SCATTER_INBOX_NOBODY;
	struct scatter_wide_attach wide;
	struct scatter_group *group;

	if (scatter_wide_parse_attach(data, bytes, &wide))
		return false;
	group = scatter_portal_find(node, wide.id);
	if (!group && wide.what == SCATTER_WIDE_ATTACH) {
		if (leave_attach(node, from, data, bytes, wide.token, cursor) ||
		    scatter_verdict_defer(node, from->id, wide.id))
			return true;
		group = scatter_portal_find(node, wide.id);
	}
	if (wide.what == SCATTER_WIDE_ATTACH)
		i = asked(node, from, &wide, group);
	else if (group && scatter_deliver_formed(group))
		i = scatter_portal_index(group->portal, from->id);
	if (i < SCATTER_INBOX_NOBODY && i < group->portal->nr_nodes)
		scatter_deliver_attach(group, i, from, data, bytes);
	else if (group)
		scatter_span_settle_quietly(group, scatter_deliver_formed(group) ?
						   SCATTER_EDGE_NONE : SCATTER_EDGE_ALL);
	if (group)
		scatter_group_put(group);
	return true;
}

static bool attach(struct scatter_node *node, const struct scatter_client_sender *from,
		   const void *data, u32 bytes)
{
	return attach_after(node, from, data, bytes, 0);
}

/* A FACT that the group has ended is for the registrar of its name, others are for the group. */
static bool fact(struct scatter_node *node, const struct scatter_client_sender *from,
		 struct page *page, const void *data, u32 bytes)
{
	struct scatter_wide_fact wide;

	if (scatter_wide_parse_fact(data, bytes, &wide))
		return false;
	if (wide.kind != SCATTER_WIDE_ENDED)
		return scatter_deliver_message(node, from, SCATTER_WIRE_FACT, page, data, bytes);
	scatter_registrar_ended(node, from->id, wide.id);
	return true;
}

static bool received(struct scatter_node *node, const struct scatter_client_sender *from, u32 type,
		     struct page *page, const void *data, u32 bytes)
{
	switch (type) {
	case SCATTER_WIRE_JOIN:
		return join(node, from->id, data, bytes);
	case SCATTER_WIRE_SEATED:
		return seated(node, from->id, data, bytes);
	case SCATTER_WIRE_UNSEAT:
		return unseat(node, from->id, data, bytes);
	case SCATTER_WIRE_FORMED:
		return formed(node, from->id, data, bytes);
	case SCATTER_WIRE_PLACES:
		return places(node, from->id, data, bytes);
	case SCATTER_WIRE_ATTACH:
		return attach(node, from, data, bytes);
	case SCATTER_WIRE_FACT:
		return fact(node, from, page, data, bytes);
	case SCATTER_WIRE_COUNCIL:
		return scatter_deliver_council(node, from, data, bytes);
	default:
		return scatter_deliver_message(node, from, type, page, data, bytes);
	}
}

/* Whether a node of a group is lost, and not only an earlier incarnation of the node. */
static bool has_lost(const struct scatter_portal *portal, u32 node, u64 anew)
{
	return node < portal->nr_nodes && (!anew || portal->nodes[node].incarnation != anew);
}

static void lose_all(struct scatter_node *node, u64 id, u64 anew)
{
	struct scatter_group *group;
	u64 cursor = 0;
	u32 i;

	while ((group = scatter_portal_next(node, &cursor))) {
		i = SCATTER_INBOX_NOBODY;
		if (scatter_deliver_formed(group))
			i = scatter_portal_index(group->portal, id);
		else if (group->portal->registrar == id)
			scatter_form_never(group, -EHOSTUNREACH);
		if (has_lost(group->portal, i, anew))
			scatter_deliver_loss(group, i, false);
		else
			scatter_span_settle_quietly(group, SCATTER_EDGE_NONE);
		scatter_group_put(group);
		cond_resched();
	}
}

static void lost(struct scatter_node *node, u64 id, u64 anew)
{
	scatter_ticket_lost(node, id, anew);
	scatter_registrar_lost(node, id);
	lose_all(node, id, anew);
	/* Of groups that the verdict of an older group has made meanwhile. */
	lose_all(node, id, anew);
}

static u32 fence_all(struct scatter_node *node, u64 id, u64 anew)
{
	struct scatter_group *group;
	u32 groups = 0, i;
	u64 cursor = 0;

	while ((group = scatter_portal_next(node, &cursor))) {
		if (scatter_deliver_formed(group)) {
			i = scatter_portal_index(group->portal, id);
			if (has_lost(group->portal, i, anew)) {
				scatter_deliver_loss(group, i, true);
				groups++;
			}
		}
		scatter_span_settle_quietly(group, SCATTER_EDGE_ALL);
		scatter_group_put(group);
		cond_resched();
	}
	return groups;
}

/* A group that is made of an older one meanwhile may be too late for both fences: look again. */
static u32 fenced(struct scatter_node *node, u64 id, u64 anew)
{
	u32 groups = fence_all(node, id, anew);

	return max(groups, fence_all(node, id, anew));
}

const struct scatter_client scatter_inbox_client = {
	.received = received,
	.fetched = scatter_deliver_fetched,
	.lost = lost,
	.fenced = fenced,
	.wait = scatter_backlog_wait,
};

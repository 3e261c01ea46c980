// SPDX-License-Identifier: GPL-2.0
/*
 * The inbox: handle messages of other nodes about groups, and the loss of a node.
 *
 * Messages come in events of the wire, under the hub's lock. Mail that is posted here is sent when
 * the event is over. Peers have proven who they are. This node believes a peer about the peer's own
 * members, and about its users as far as the administrator admits them.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/scatter.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

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
#include "span/convene.h"
#include "span/edge.h"
#include "span/fact.h"
#include "span/fence.h"
#include "span/form.h"
#include "span/inbox.h"
#include "span/inquiry.h"
#include "span/registrar.h"
#include "span/span.h"
#include "span/ticket.h"
#include "span/verdict.h"
#include "wire/wide_build.h"
#include "wire/wide_council.h"
#include "wire/wide_parse.h"

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
	scatter_mail_post(node, from, &raw, sizeof(raw));
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

static bool has_formed(struct scatter_group *group)
{
	bool formed;

	spin_lock(&group->lock);
	formed = group->formed && group->spans;
	spin_unlock(&group->lock);
	return formed;
}

/* Do what has become due after a message. */
static bool settle(struct scatter_group *group, u64 number, bool fine)
{
	scatter_span_settle_quietly(group, number);
	scatter_group_put(group);
	return fine;
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
		formed = group && has_formed(group);
		if (!scatter_form_places(node, from, wide)) {
			memcpy(ended.id, wide->id, sizeof(ended.id));
			scatter_wide_build_fact(&raw, 0, &ended);
			scatter_mail_post(node, from, &raw, sizeof(raw));
		}
		if (group)
			settle(group, formed ? SCATTER_EDGE_NONE : SCATTER_EDGE_ALL, fine);
	}
	kfree(wide);
	return fine;
}

/* Likewise, if it is the incarnation that is in the group. */
static u32 sender_of(const struct scatter_portal *portal, const struct scatter_client_sender *from)
{
	u32 i = scatter_portal_index(portal, from->id);

	if (i < portal->nr_nodes && portal->nodes[i].incarnation != from->incarnation)
		return portal->nr_nodes;
	return i;
}

static enum scatter_portal_tie tie_of(struct scatter_group *group, u32 node)
{
	enum scatter_portal_tie tie;

	spin_lock(&group->lock);
	tie = group->portal->nodes[node].tie;
	spin_unlock(&group->lock);
	return tie;
}

/* Note that a node is in the group, too, and send the messages that have waited for that. */
static void tie(struct scatter_group *group, u32 node, bool answer)
{
	struct scatter_portal *portal = group->portal;
	u64 id = portal->nodes[node].id;
	bool first = tie_of(group, node) != SCATTER_PORTAL_TIED;

	if (!scatter_attach_tie(group, node)) {
		scatter_attach_say(portal->node, id, group->id, 0, SCATTER_WIDE_NEVER);
		return;
	}
	if (answer)
		scatter_attach_say(portal->node, id, group->id, 0, SCATTER_WIDE_ATTACHED);
	if (first && scatter_fact_replays(portal, node))
		scatter_fact_replay(group, node);
}

/*
 * Answer a node that asks whether this node is in a group. If the group is not here, it may be
 * about to come.
 */
static void asked(struct scatter_node *node, const struct scatter_client_sender *from,
		  const struct scatter_wide_attach *wide, struct scatter_group *group)
{
	u32 i;

	/* A JOIN that waits goes before a group whose members here have given up. */
	if ((!group || !has_formed(group)) &&
	    scatter_ticket_defer(node, wide->token, from->id, wide->id))
		return;
	if (group && !has_formed(group) && !scatter_attach_defer(group, from->id))
		return;
	if (group && has_formed(group)) {
		i = sender_of(group->portal, from);
		/* A node that this node has asked needs no answer: the question answers it. */
		if (i < group->portal->nr_nodes) {
			tie(group, i, tie_of(group, i) != SCATTER_PORTAL_ASKED);
			return;
		}
	}
	scatter_attach_bury(node, wide->id);
	scatter_attach_say(node, from->id, wide->id, 0, SCATTER_WIDE_NEVER);
}

static bool attach(struct scatter_node *node, const struct scatter_client_sender *from,
		   const void *data, u32 bytes)
{
	u64 number = SCATTER_EDGE_ALL;
	struct scatter_wide_attach wide;
	struct scatter_group *group;
	enum scatter_portal_tie before = SCATTER_PORTAL_APART;
	bool formed;
	u32 i = 0;

	if (scatter_wide_parse_attach(data, bytes, &wide))
		return false;
	group = scatter_portal_find(node, wide.id);
	if (!group && wide.what == SCATTER_WIDE_ATTACH) {
		if (scatter_verdict_defer(node, from->id, wide.id))
			return true;
		group = scatter_portal_find(node, wide.id);
	}
	formed = group && has_formed(group);
	if (formed)
		i = scatter_portal_index(group->portal, from->id);
	formed = formed && i < group->portal->nr_nodes;
	if (formed)
		before = tie_of(group, i);
	if (wide.what == SCATTER_WIDE_ATTACH) {
		asked(node, from, &wide, group);
	} else if (formed) {
		/* Another incarnation is not in the group. */
		if (wide.what != SCATTER_WIDE_ATTACHED)
			scatter_fact_lost(group, i);
		else if (sender_of(group->portal, from) < group->portal->nr_nodes)
			tie(group, i, false);
	}
	/* A node may say the same again and again. */
	if (formed && tie_of(group, i) == before)
		number = SCATTER_EDGE_NONE;
	if (group)
		settle(group, number, true);
	return true;
}

/*
 * The group that a message names, if formed here, and the sender's index. A node that has been made
 * anew is not the one that is in the group, though processes there may live on.
 */
static struct scatter_group *group_of(struct scatter_node *node,
				      const struct scatter_client_sender *from, const u64 *id,
				      u32 *index)
{
	struct scatter_group *group = scatter_portal_find(node, id);

	if (group && !has_formed(group)) {
		scatter_group_put(group);
		return NULL;
	}
	if (!group)
		return NULL;
	*index = scatter_portal_index(group->portal, from->id);
	if (*index == sender_of(group->portal, from))
		return group;
	scatter_group_put(group);
	return NULL;
}

static bool fact(struct scatter_node *node, const struct scatter_client_sender *from,
		 const void *data, u32 bytes)
{
	struct scatter_wide_fact wide;
	struct scatter_group *group;
	bool fine, news = false;
	u64 number;
	u32 i;

	if (scatter_wide_parse_fact(data, bytes, &wide))
		return false;
	if (wide.kind == SCATTER_WIDE_ENDED) {
		scatter_registrar_ended(node, from->id, wide.id);
		return true;
	}
	group = group_of(node, from, wide.id, &i);
	if (!group)
		return true;
	fine = i < group->portal->nr_nodes && scatter_fact_receive(group, i, &wide, &news);
	number = wide.kind == SCATTER_WIDE_FAILED ? wide.number : SCATTER_EDGE_ALL;
	return settle(group, news ? number : SCATTER_EDGE_NONE, fine);
}

/*
 * A message about an operation. The message names the group @id and operation @number; its payload
 * begins after @payload bytes.
 */
struct scatter_inbox_message {
	const u64 *id;
	u64 number;
	u32 payload;
	union {
		struct scatter_wide_edge edge;
		struct scatter_wide_bundle bundle;
		struct scatter_wide_pull pull;
		struct scatter_wide_data data;
		struct scatter_wide_done done;
		struct scatter_wide_lane lane;
		struct scatter_wide_wait wait;
		struct scatter_wide_missing missing;
	};
};

static bool parse(u32 type, const void *data, u32 bytes, struct scatter_inbox_message *message)
{
	struct scatter_inbox_message *m = message;

	switch (type) {
	case SCATTER_WIRE_EDGE:
		m->id = m->edge.id;
		if (scatter_wide_parse_edge(data, bytes, &m->edge))
			return false;
		m->number = m->edge.number;
		return true;
	case SCATTER_WIRE_BUNDLE:
		m->id = m->bundle.id;
		if (scatter_wide_parse_bundle(data, bytes, &m->bundle))
			return false;
		m->number = m->bundle.number;
		m->payload = m->bundle.payload;
		return true;
	case SCATTER_WIRE_PULL:
		m->id = m->pull.id;
		if (scatter_wide_parse_pull(data, bytes, &m->pull))
			return false;
		m->number = m->pull.number;
		return true;
	case SCATTER_WIRE_DATA:
		m->id = m->data.id;
		if (scatter_wide_parse_data(data, bytes, &m->data))
			return false;
		m->number = m->data.number;
		m->payload = m->data.payload;
		return true;
	case SCATTER_WIRE_DONE:
		m->id = m->done.id;
		if (scatter_wide_parse_done(data, bytes, &m->done))
			return false;
		m->number = m->done.number;
		return true;
	case SCATTER_WIRE_LANE:
		m->id = m->lane.head.id;
		if (scatter_wide_parse_lane(data, bytes, &m->lane))
			return false;
		m->number = m->lane.head.number;
		m->payload = m->lane.payload;
		return true;
	case SCATTER_WIRE_WAIT:
		m->id = m->wait.id;
		if (scatter_wide_parse_wait(data, bytes, &m->wait))
			return false;
		m->number = m->wait.number;
		return true;
	case SCATTER_WIRE_MISSING:
		m->id = m->missing.id;
		if (scatter_wide_parse_missing(data, bytes, &m->missing))
			return false;
		m->number = m->missing.number;
		return true;
	default:
		return false;
	}
}

/* Handle a message about an operation; the payload begins after @bytes bytes of @page. */
static bool handle(struct scatter_group *group, u32 index, u32 type,
		   const struct scatter_inbox_message *message, struct page *page, u32 bytes)
{
	switch (type) {
	case SCATTER_WIRE_EDGE:
		return scatter_edge_receive(group, index, &message->edge);
	case SCATTER_WIRE_BUNDLE:
		return scatter_edge_bundle(group, index, &message->bundle, page, bytes);
	case SCATTER_WIRE_PULL:
		return scatter_edge_pull(group, index, &message->pull);
	case SCATTER_WIRE_DATA:
		return scatter_edge_data(group, index, &message->data, page, bytes);
	case SCATTER_WIRE_DONE:
		return scatter_edge_done(group, index, &message->done);
	case SCATTER_WIRE_WAIT:
		return scatter_inquiry_wait(group, index, &message->wait);
	case SCATTER_WIRE_MISSING:
		return scatter_inquiry_missing(group, index, &message->missing);
	default:
		return scatter_edge_lane(group, index, &message->lane, page, bytes);
	}
}

static bool about_operation(struct scatter_node *node, const struct scatter_client_sender *from,
			    u32 type, struct page *page, const void *data, u32 bytes)
{
	struct scatter_inbox_message message = {};
	struct scatter_group *group;
	bool fine;
	u32 i;

	if (!parse(type, data, bytes, &message))
		return false;
	group = group_of(node, from, message.id, &i);
	if (!group)
		return true;
	fine = i < group->portal->nr_nodes &&
	       handle(group, i, type, &message, page, bytes - message.payload);
	return settle(group, message.number, fine);
}

static bool fetched(struct scatter_node *node, const struct scatter_client_sender *from,
		    const struct scatter_wide_grant *grant, struct scatter_segment *segment)
{
	struct scatter_group *group;
	bool fine;
	u32 i;

	group = group_of(node, from, grant->id, &i);
	if (!group)
		return true;
	fine = i < group->portal->nr_nodes && scatter_edge_fetched(group, i, grant, segment);
	return settle(group, grant->number, fine);
}

static bool council(struct scatter_node *node, const struct scatter_client_sender *from,
		    const void *data, u32 bytes)
{
	struct scatter_wide_council *wide = kvmalloc(sizeof(*wide), GFP_KERNEL | __GFP_NOFAIL);
	struct scatter_group *group = NULL;
	bool fine, ends;
	u32 i;

	fine = !scatter_wide_parse_council(data, bytes, wide);
	if (fine)
		group = group_of(node, from, wide->id, &i);
	if (group) {
		fine = i < group->portal->nr_nodes &&
		       scatter_wide_parse_council_fits(wide, group->portal->nr_nodes, group->size);
		ends = fine && scatter_convene_receive(group, i, &wide->message);
		settle(group, ends ? SCATTER_EDGE_ALL : SCATTER_EDGE_NONE, fine);
	}
	kvfree(wide);
	return fine;
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
		return fact(node, from, data, bytes);
	case SCATTER_WIRE_COUNCIL:
		return council(node, from, data, bytes);
	default:
		return about_operation(node, from, type, page, data, bytes);
	}
}

/* Whether a node of a group is lost, and not only an earlier incarnation of the node. */
static bool has_lost(const struct scatter_portal *portal, u32 node, u64 anew)
{
	return node < portal->nr_nodes && (!anew || portal->nodes[node].incarnation != anew);
}

static void lost(struct scatter_node *node, u64 id, u64 anew)
{
	struct scatter_group *group;
	u64 cursor = 0, number;
	u32 i;

	scatter_ticket_lost(node, id, anew);
	scatter_registrar_lost(node, id);
	while ((group = scatter_portal_next(node, &cursor))) {
		number = SCATTER_EDGE_NONE;
		if (has_formed(group)) {
			i = scatter_portal_index(group->portal, id);
			if (has_lost(group->portal, i, anew)) {
				/* Mail for a peer that was deleted says so again. */
				if (tie_of(group, i) != SCATTER_PORTAL_GONE)
					number = SCATTER_EDGE_ALL;
				scatter_fact_lost(group, i);
			}
		} else if (group->portal->registrar == id) {
			scatter_form_never(group, -EHOSTUNREACH);
		}
		scatter_span_settle_quietly(group, number);
		scatter_group_put(group);
		cond_resched();
	}
}

static u32 fence_all(struct scatter_node *node, u64 id, u64 anew)
{
	struct scatter_group *group;
	u32 groups = 0, i;
	u64 cursor = 0;

	while ((group = scatter_portal_next(node, &cursor))) {
		if (has_formed(group)) {
			i = scatter_portal_index(group->portal, id);
			if (has_lost(group->portal, i, anew)) {
				scatter_fence(group, i);
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
	.fetched = fetched,
	.lost = lost,
	.fenced = fenced,
};

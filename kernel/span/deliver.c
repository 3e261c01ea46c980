// SPDX-License-Identifier: GPL-2.0
/*
 * Delivery: hand what comes from other nodes to a group that has formed.
 *
 * A message is handled under the group's scatter_portal.moving, at once if the mutex is free. Else
 * a copy of the message goes into the group's backlog, see group/backlog.c, and a work item handles
 * it later in the same way. If the message then turns out to break the protocol, the sender's
 * connection ends as if the message had been handled at once. The connection may be down already;
 * the message does not come again, so the group also loses the sender at once.
 */
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "group/backlog.h"
#include "group/group.h"
#include "group/portal.h"
#include "memory/segment.h"
#include "node/client.h"
#include "span/attach.h"
#include "span/convene.h"
#include "span/deliver.h"
#include "span/edge.h"
#include "span/fact.h"
#include "span/fence.h"
#include "span/inquiry.h"
#include "span/replay.h"
#include "span/span.h"
#include "wire/raw.h"
#include "wire/wide_council.h"
#include "wire/wide_parse.h"

/**
 * scatter_deliver_formed() - whether a group has formed, and spans nodes
 * @group: referenced
 *
 * Context: any; takes the group's lock.
 */
bool scatter_deliver_formed(struct scatter_group *group)
{
	bool formed;

	spin_lock(&group->lock);
	formed = group->formed && group->spans;
	spin_unlock(&group->lock);
	return formed;
}

/*
 * The group that a message names, if formed here, and the sender's index; the number of nodes: the
 * sender is not in the group. A node that has been made anew is not the one that is in the group,
 * though processes there may live on.
 */
static struct scatter_group *group_of(struct scatter_node *node,
				      const struct scatter_client_sender *from, const u64 *id,
				      u32 *index)
{
	struct scatter_group *group = scatter_portal_find(node, id);
	const struct scatter_portal *portal;
	u32 i;

	if (!group)
		return NULL;
	if (scatter_deliver_formed(group)) {
		portal = group->portal;
		i = scatter_portal_index(portal, from->id);
		*index = i;
		if (i == portal->nr_nodes || portal->nodes[i].incarnation == from->incarnation)
			return group;
	}
	scatter_group_put(group);
	return NULL;
}

/* Handling --------------------------------------------------------------------------- */

/*
 * A message about an operation, or a FACT, which is about all. The message names the group @id and
 * operation @number; its payload begins after @payload bytes.
 */
struct scatter_deliver_parsed {
	const u64 *id;
	u64 number;
	u32 payload;
	union {
		struct scatter_wide_fact fact;
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

static bool parse(u32 type, const void *data, u32 bytes, struct scatter_deliver_parsed *parsed)
{
	struct scatter_deliver_parsed *p = parsed;

	switch (type) {
	case SCATTER_WIRE_FACT:
		p->id = p->fact.id;
		if (scatter_wide_parse_fact(data, bytes, &p->fact))
			return false;
		p->number = p->fact.kind == SCATTER_WIDE_FAILED ? p->fact.number : SCATTER_EDGE_ALL;
		return true;
	case SCATTER_WIRE_EDGE:
		p->id = p->edge.id;
		if (scatter_wide_parse_edge(data, bytes, &p->edge))
			return false;
		p->number = p->edge.number;
		return true;
	case SCATTER_WIRE_BUNDLE:
		p->id = p->bundle.id;
		if (scatter_wide_parse_bundle(data, bytes, &p->bundle))
			return false;
		p->number = p->bundle.number;
		p->payload = p->bundle.payload;
		return true;
	case SCATTER_WIRE_PULL:
		p->id = p->pull.id;
		if (scatter_wide_parse_pull(data, bytes, &p->pull))
			return false;
		p->number = p->pull.number;
		return true;
	case SCATTER_WIRE_DATA:
		p->id = p->data.id;
		if (scatter_wide_parse_data(data, bytes, &p->data))
			return false;
		p->number = p->data.number;
		p->payload = p->data.payload;
		return true;
	case SCATTER_WIRE_DONE:
		p->id = p->done.id;
		if (scatter_wide_parse_done(data, bytes, &p->done))
			return false;
		p->number = p->done.number;
		return true;
	case SCATTER_WIRE_LANE:
		p->id = p->lane.head.id;
		if (scatter_wide_parse_lane(data, bytes, &p->lane))
			return false;
		p->number = p->lane.head.number;
		p->payload = p->lane.payload;
		return true;
	case SCATTER_WIRE_WAIT:
		p->id = p->wait.id;
		if (scatter_wide_parse_wait(data, bytes, &p->wait))
			return false;
		p->number = p->wait.number;
		return true;
	case SCATTER_WIRE_MISSING:
		p->id = p->missing.id;
		if (scatter_wide_parse_missing(data, bytes, &p->missing))
			return false;
		p->number = p->missing.number;
		return true;
	default:
		return false;
	}
}

/*
 * Handle a parsed message; its payload begins after @offset bytes of @page. @news: cleared if
 * nothing can have become due.
 */
static bool handle(struct scatter_group *group, u32 index, u32 type,
		   const struct scatter_deliver_parsed *parsed, struct page *page, u32 offset,
		   bool *news)
{
	switch (type) {
	case SCATTER_WIRE_FACT:
		return scatter_fact_receive(group, index, &parsed->fact, news);
	case SCATTER_WIRE_EDGE:
		return scatter_edge_receive(group, index, &parsed->edge);
	case SCATTER_WIRE_BUNDLE:
		return scatter_edge_bundle(group, index, &parsed->bundle, page, offset, news);
	case SCATTER_WIRE_PULL:
		return scatter_edge_pull(group, index, &parsed->pull);
	case SCATTER_WIRE_DATA:
		return scatter_edge_data(group, index, &parsed->data, page, offset);
	case SCATTER_WIRE_DONE:
		return scatter_edge_done(group, index, &parsed->done);
	case SCATTER_WIRE_WAIT:
		return scatter_inquiry_wait(group, index, &parsed->wait);
	case SCATTER_WIRE_MISSING:
		return scatter_inquiry_missing(group, index, &parsed->missing);
	default:
		return scatter_edge_lane(group, index, &parsed->lane, page, offset);
	}
}

/* Handle a message, and do what has become due. */
static bool perform(struct scatter_group *group, u32 index, u32 type,
		    const struct scatter_deliver_parsed *parsed, struct page *page, u32 bytes)
{
	bool fine, news = true;

	lockdep_assert_held(&group->portal->moving);
	fine = handle(group, index, type, parsed, page, bytes - parsed->payload, &news);
	if (news || READ_ONCE(group->portal->convenes))
		scatter_span_move(group, news ? parsed->number : SCATTER_EDGE_NONE);
	return fine;
}

static bool perform_council(struct scatter_group *group, u32 index,
			    const struct scatter_wide_council *wide)
{
	bool fine = scatter_wide_parse_council_fits(wide, group->portal->nr_nodes, group->size);
	bool ends;

	lockdep_assert_held(&group->portal->moving);
	ends = fine && scatter_convene_receive(group, index, &wide->message);
	scatter_span_move(group, ends ? SCATTER_EDGE_ALL : SCATTER_EDGE_NONE);
	return fine;
}

/* Note that a node is in the group, too, and send the messages that have waited for that. */
static void tie(struct scatter_group *group, u32 node, bool answer)
{
	struct scatter_portal *portal = group->portal;
	u64 id = portal->nodes[node].id;
	bool first = scatter_portal_tie_of(group, node) != SCATTER_PORTAL_TIED;

	if (!scatter_attach_tie(group, node)) {
		scatter_attach_say(portal->node, id, group->id, 0, SCATTER_WIDE_NEVER);
		return;
	}
	if (answer)
		scatter_attach_say(portal->node, id, group->id, 0, SCATTER_WIDE_ATTACHED);
	if (first && scatter_replay_is_due(portal, node))
		scatter_replay(group, node);
}

/* Another incarnation of a node is not in the group. */
static void perform_attach(struct scatter_group *group, u32 index,
			   const struct scatter_client_sender *from, u32 what)
{
	struct scatter_portal *portal = group->portal;
	bool same = portal->nodes[index].incarnation == from->incarnation;
	enum scatter_portal_tie before = scatter_portal_tie_of(group, index);
	bool news;

	lockdep_assert_held(&portal->moving);
	if (what == SCATTER_WIDE_ATTACH && same) {
		/* A node that this node has asked needs no answer: the question answers it. */
		tie(group, index, before != SCATTER_PORTAL_ASKED);
	} else if (what == SCATTER_WIDE_ATTACH) {
		scatter_attach_bury(portal->node, group->id);
		scatter_attach_say(portal->node, from->id, group->id, 0, SCATTER_WIDE_NEVER);
	} else if (what != SCATTER_WIDE_ATTACHED) {
		scatter_fact_lost(group, index);
	} else if (same) {
		tie(group, index, false);
	}
	/* A node may say the same again and again. A tie that is older may still need a push. */
	news = scatter_portal_tie_of(group, index) != before || READ_ONCE(portal->convenes);
	scatter_span_move(group, news ? SCATTER_EDGE_ALL : SCATTER_EDGE_NONE);
}

/* Leaving it to the backlog ------------------------------------------------------------ */

/* Leave something to be done; if the node has sent too much, take the node for lost instead. */
static bool leave(struct scatter_group *group, struct scatter_backlog_item *item)
{
	struct scatter_portal_node *node = &group->portal->nodes[item->from];
	u32 index = item->from;

	if (scatter_backlog_add(group->portal, item))
		return true;
	if (!node->overrun) {
		WRITE_ONCE(node->overrun, true);
		scatter_deliver_loss(group, index, false);
	}
	return false;
}

/* The group cannot go on with a node that has broken the protocol. */
static void breach(struct scatter_group *group, u32 index)
{
	lockdep_assert_held(&group->portal->moving);
	scatter_fact_lost(group, index);
	scatter_span_move(group, SCATTER_EDGE_ALL);
}

/* Messages with payload that are so short are copied: their pages would be mostly empty. */
#define SCATTER_DELIVER_SHORT	(PAGE_SIZE / 2)

/**
 * struct scatter_deliver_message - a message in a backlog
 * @item: in the backlog
 * @type: enum scatter_wire_type
 * @page: the page in which the message lies, referenced; NULL: it lies in @data
 * @payload: the message has payload, and is handled in a page
 * @bytes: length of the message
 * @data: the message, unless it has a long payload
 */
struct scatter_deliver_message {
	struct scatter_backlog_item item;
	u32 type;
	struct page *page;
	bool payload;
	u32 bytes;
	u8 data[];
};

static void message_free(struct scatter_deliver_message *message)
{
	if (message->page)
		put_page(message->page);
	kvfree(message);
}

/* Put a message with a short payload back into a page. */
static void unpack(struct scatter_deliver_message *message)
{
	if (!message->payload || message->page)
		return;
	message->page = alloc_page(GFP_KERNEL | __GFP_NOFAIL);
	memcpy(page_address(message->page), message->data, message->bytes);
}

/* Handle a message that was left. It has been parsed before, but nothing has been kept of that. */
static bool handle_late(struct scatter_group *group, struct scatter_deliver_message *message)
{
	struct scatter_deliver_parsed parsed = {};
	struct scatter_wide_council *council;
	struct scatter_wide_attach attach;
	const void *data;
	bool fine;

	unpack(message);
	data = message->page ? page_address(message->page) : message->data;
	if (message->type == SCATTER_WIRE_ATTACH) {
		if (scatter_wide_parse_attach(data, message->bytes, &attach))
			return false;
		perform_attach(group, message->item.from, &message->item.sender, attach.what);
		return true;
	}
	if (message->type == SCATTER_WIRE_COUNCIL) {
		council = kvmalloc(sizeof(*council), GFP_KERNEL | __GFP_NOFAIL);
		fine = !scatter_wide_parse_council(data, message->bytes, council) &&
		       perform_council(group, message->item.from, council);
		kvfree(council);
		return fine;
	}
	return parse(message->type, data, message->bytes, &parsed) &&
	       perform(group, message->item.from, message->type, &parsed, message->page,
		       message->bytes);
}

static bool is_overrun(const struct scatter_group *group, u32 index)
{
	return READ_ONCE(group->portal->nodes[index].overrun);
}

static bool run_message(struct scatter_group *group, struct scatter_backlog_item *item)
{
	struct scatter_deliver_message *message = container_of(item, struct scatter_deliver_message,
							       item);
	bool fine = handle_late(group, message);

	if (!fine)
		breach(group, item->from);
	message_free(message);
	return fine;
}

/* @payload: the message has bytes that the group may keep in their page. */
static void leave_message(struct scatter_group *group, u32 index,
			  const struct scatter_client_sender *from, u32 type, struct page *page,
			  const void *data, u32 bytes, bool payload)
{
	bool keeps = payload && bytes > SCATTER_DELIVER_SHORT;
	struct scatter_deliver_message *message;
	u32 copied = keeps ? 0 : bytes;

	message = kvmalloc(struct_size(message, data, copied), GFP_KERNEL | __GFP_NOFAIL);
	message->item = (struct scatter_backlog_item){
		.from = index,
		.bytes = struct_size(message, data, copied) + (keeps ? page_size(page) : 0),
		.sender = *from,
		.run = run_message,
	};
	message->type = type;
	message->page = keeps ? page : NULL;
	message->payload = payload;
	message->bytes = bytes;
	memcpy(message->data, data, copied);
	if (keeps)
		get_page(page);
	if (!leave(group, &message->item))
		message_free(message);
}

/**
 * scatter_deliver_message() - hand a FACT, or a message about an operation, to its group
 * @node: this node
 * @from: the sender
 * @type: enum scatter_wire_type
 * @page: the page at whose start the message lies
 * @data: the message
 * @bytes: the message's length
 *
 * Context: may sleep, but waits for no other task; no locks but a hub's.
 * Return: false if the message is malformed.
 */
bool scatter_deliver_message(struct scatter_node *node, const struct scatter_client_sender *from,
			     u32 type, struct page *page, const void *data, u32 bytes)
{
	struct scatter_deliver_parsed parsed = {};
	struct scatter_group *group;
	bool fine = true;
	u32 i;

	if (!parse(type, data, bytes, &parsed))
		return false;
	group = group_of(node, from, parsed.id, &i);
	if (!group)
		return true;
	if (i == group->portal->nr_nodes) {
		fine = false;
	} else if (is_overrun(group, i)) {
		fine = true;
	} else if (scatter_backlog_trylock(group->portal)) {
		fine = perform(group, i, type, &parsed, page, bytes);
		scatter_backlog_unlock(group->portal);
	} else {
		leave_message(group, i, from, type, page, data, bytes, parsed.payload);
	}
	scatter_group_put(group);
	return fine;
}

/**
 * scatter_deliver_council() - hand a COUNCIL message to its group
 * @node: this node
 * @from: the sender
 * @data: the message
 * @bytes: the message's length
 *
 * Context: may sleep, but waits for no other task; no locks but a hub's.
 * Return: false if the message is malformed.
 */
bool scatter_deliver_council(struct scatter_node *node, const struct scatter_client_sender *from,
			     const void *data, u32 bytes)
{
	struct scatter_wide_council *wide = kvmalloc(sizeof(*wide), GFP_KERNEL | __GFP_NOFAIL);
	struct scatter_group *group = NULL;
	bool fine;
	u32 i;

	fine = !scatter_wide_parse_council(data, bytes, wide);
	if (fine)
		group = group_of(node, from, wide->id, &i);
	if (group && i == group->portal->nr_nodes) {
		fine = false;
	} else if (group && scatter_backlog_trylock(group->portal)) {
		if (!is_overrun(group, i))
			fine = perform_council(group, i, wide);
		scatter_backlog_unlock(group->portal);
	} else if (group && !is_overrun(group, i)) {
		leave_message(group, i, from, SCATTER_WIRE_COUNCIL, NULL, data, bytes, false);
	}
	if (group)
		scatter_group_put(group);
	kvfree(wide);
	return fine;
}

/**
 * scatter_deliver_attach() - hand an ATTACH, or an answer to one, to its group
 * @group: formed, and spans nodes; referenced
 * @index: the sender's index, as any incarnation
 * @from: the sender
 * @data: the message, which has been parsed
 * @bytes: the message's length
 *
 * Context: may sleep, but waits for no other task; no locks but a hub's.
 */
void scatter_deliver_attach(struct scatter_group *group, u32 index,
			    const struct scatter_client_sender *from, const void *data, u32 bytes)
{
	struct scatter_wide_attach wide;

	if (scatter_wide_parse_attach(data, bytes, &wide))
		return;
	if (is_overrun(group, index)) {
		if (wide.what == SCATTER_WIDE_ATTACH)
			scatter_attach_say(group->portal->node, from->id, group->id, 0,
					   SCATTER_WIDE_NEVER);
		return;
	}
	if (!scatter_backlog_trylock(group->portal)) {
		leave_message(group, index, from, SCATTER_WIRE_ATTACH, NULL, data, bytes, false);
		return;
	}
	perform_attach(group, index, from, wide.what);
	scatter_backlog_unlock(group->portal);
}

/**
 * struct scatter_deliver_segment - a segment in a backlog that this node has read
 * @item: in the backlog
 * @grant: the GRANT
 * @segment: the bytes, referenced
 */
struct scatter_deliver_segment {
	struct scatter_backlog_item item;
	struct scatter_wide_grant grant;
	struct scatter_segment *segment;
};

static bool perform_fetched(struct scatter_group *group, u32 index,
			    const struct scatter_wide_grant *grant,
			    struct scatter_segment *segment)
{
	bool fine = scatter_edge_fetched(group, index, grant, segment);

	scatter_span_move(group, grant->number);
	return fine;
}

static bool run_segment(struct scatter_group *group, struct scatter_backlog_item *item)
{
	struct scatter_deliver_segment *late = container_of(item, struct scatter_deliver_segment,
							    item);
	bool fine = perform_fetched(group, item->from, &late->grant, late->segment);

	if (!fine)
		breach(group, item->from);
	scatter_segment_put(late->segment);
	kfree(late);
	return fine;
}

static void leave_segment(struct scatter_group *group, u32 index,
			  const struct scatter_client_sender *from,
			  const struct scatter_wide_grant *grant, struct scatter_segment *segment)
{
	struct scatter_deliver_segment *late = kmalloc(sizeof(*late), GFP_KERNEL | __GFP_NOFAIL);

	*late = (struct scatter_deliver_segment){
		.item.from = index,
		.item.bytes = sizeof(*late) + sizeof(*segment) + segment->bytes,
		.item.sender = *from,
		.item.run = run_segment,
		.grant = *grant,
		.segment = segment,
	};
	scatter_segment_get(segment);
	if (leave(group, &late->item))
		return;
	scatter_segment_put(segment);
	kfree(late);
}

/**
 * scatter_deliver_fetched() - hand a segment that this node has read to its group
 * @node: this node
 * @from: the node that has granted the segment
 * @grant: the GRANT
 * @segment: the bytes
 *
 * Context: may sleep, but waits for no other task; no locks but a hub's.
 * Return: false if the peer may not grant these bytes.
 */
bool scatter_deliver_fetched(struct scatter_node *node, const struct scatter_client_sender *from,
			     const struct scatter_wide_grant *grant,
			     struct scatter_segment *segment)
{
	struct scatter_group *group;
	bool fine = true;
	u32 i;

	group = group_of(node, from, grant->id, &i);
	if (!group)
		return true;
	if (i == group->portal->nr_nodes) {
		fine = false;
	} else if (is_overrun(group, i)) {
		fine = true;
	} else if (scatter_backlog_trylock(group->portal)) {
		fine = perform_fetched(group, i, grant, segment);
		scatter_backlog_unlock(group->portal);
	} else {
		leave_segment(group, i, from, grant, segment);
	}
	scatter_group_put(group);
	return fine;
}

/**
 * struct scatter_deliver_loss - the loss of a node in a backlog
 * @item: in the backlog
 * @index: the node's index
 */
struct scatter_deliver_loss {
	struct scatter_backlog_item item;
	u32 index;
};

static bool run_loss(struct scatter_group *group, struct scatter_backlog_item *item)
{
	struct scatter_deliver_loss *loss = container_of(item, struct scatter_deliver_loss, item);
	struct scatter_portal_node *node = &group->portal->nodes[loss->index];
	bool fenced, fresh;

	spin_lock(&group->lock);
	fenced = node->fencing;
	fresh = node->tie != SCATTER_PORTAL_GONE;
	node->losing = false;
	node->fencing = false;
	spin_unlock(&group->lock);
	if (fenced)
		scatter_fence(group, loss->index);
	else
		scatter_fact_lost(group, loss->index);
	/* Mail for a peer that was deleted says again that the peer is lost. */
	scatter_span_move(group, fenced || fresh ? SCATTER_EDGE_ALL : SCATTER_EDGE_NONE);
	kfree(loss);
	return true;
}

/**
 * scatter_deliver_loss() - tell a group that a node is lost
 * @group: formed, and spans nodes; referenced
 * @index: the node's index
 * @fenced: an administrator says that the node is down for good
 *
 * Context: may sleep, but waits for no other task; no locks but a hub's and the node's.
 */
void scatter_deliver_loss(struct scatter_group *group, u32 index, bool fenced)
{
	struct scatter_portal_node *node = &group->portal->nodes[index];
	struct scatter_deliver_loss *loss;
	bool waits;

	spin_lock(&group->lock);
	waits = node->losing;
	node->losing = true;
	node->fencing |= fenced;
	spin_unlock(&group->lock);
	if (waits)
		return;
	loss = kmalloc(sizeof(*loss), GFP_KERNEL | __GFP_NOFAIL);
	*loss = (struct scatter_deliver_loss){
		.item.from = U32_MAX,
		.item.run = run_loss,
		.index = index,
	};
	scatter_backlog_run(group->portal, &loss->item);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The council: how the nodes of a group decide what must be the same for all of them.
 *
 * In groups on several nodes, the council decides the meetings SHRINK and AGREE, see
 * span/convene.c, and the ends of DUP, SPLIT, UNIFORM and DEADLINE_ALL operations, see
 * span/ballot.c.
 *
 * Pure code: the council neither locks, allocates, sleeps nor looks at a clock. The caller
 * serializes, gives memory, carries messages, and says when time has passed. A message may be lost,
 * be late, come twice or in another order.
 *
 * Keys, motions
 *
 * A *key* names what is to be decided: a kind, a number, and a turn. Nodes use the numbers of a
 * kind in ascending order, with gaps: a node contributes to a key only when it knows the verdict of
 * each earlier key to which it has contributed. The council has a fixed number of *motions*, and
 * each key belongs to one of them. A motion holds one key at a time and only moves forward: it
 * takes the next key when all nodes know the verdict of the last one. If nodes have only
 * contributed to the motion's key, the key gives way to an earlier key, since some nodes may have
 * nothing to contribute to the earlier one. A node that contributes to an earlier key too late has
 * missed that key: the key has no verdict.
 *
 * Views
 *
 * Each key is decided by Paxos among the nodes that the group had when it formed. The ballots of
 * all keys are the *views*, 0 and up. Node (view modulo nodes) is the *home* of a view, and no
 * other node proposes in that view. A node takes part in the highest view that it has heard of.
 *
 * One view, as seen by the home, and the messages:
 *
 *	          PREPARE               quorum of PROMISE
 *	take_over -------> PREPARING --------------------> LEADING      view 0 begins here
 *	                       |                              |
 *	                       `-------> FOLLOWING <----------'
 *	                    a higher view        a higher view
 *
 *	node -> home	ARRIVED		its contribution to a key
 *	home -> all	ACCEPT		the decree that the home proposes for a key
 *	node -> home	ACCEPTED	the node will tell later homes of that decree
 *	home -> all	DECIDED		a quorum has accepted the decree: it is the verdict
 *	node -> home	KNOWN		the node knows the verdict
 *	home -> all	FORGET		all nodes know: the motion holds no key any more
 *	home -> all	PREPARE		a view begins
 *	node -> home	PROMISE		one per motion: what the node accepted last, and its facts
 *	any -> any	BEHIND		there is a higher view
 *
 * The home proposes when each node has contributed that is neither gone nor excused, or at once
 * when a contribution has HURRY. If a promise names a decree, the home proposes the decree with the
 * highest ballot instead, unchanged. A node that knows a verdict answers ARRIVED and ACCEPT with
 * DECIDED, and PREPARE with a PROMISE that names the verdict. Without failures, a node knows the
 * verdict two round trips after the last node has contributed.
 *
 * A node may contribute to a key again, with more: an error, HURRY, or ABANDONED. A node sends
 * ABANDONED when a member withdraws. Only a verdict can answer: an acceptor that was not heard may
 * tell a later home of a decree with the member's contribution. So the contribution has no effect
 * only if the verdict says that the decree has none. After an ABANDONED verdict, the nodes that
 * want to go on contribute to the next turn of the key.
 *
 * Safety: a key has one verdict
 *
 * A *quorum* is a majority of the nodes, or half of them with node 0; two quorums have a node in
 * common. Say that a quorum accepted the verdict D in view u, and that v > u is the first view in
 * which a home proposes another decree. That home has promises of a quorum, hence of a node n that
 * has accepted D. Node n accepted D before it promised v. So the promise of n names D, or a decree
 * of the same key with a ballot between u and v, which is D since v is the first such view: then
 * the home proposes D, against the assumption. Or the motion of n has moved on, and n will never
 * accept anything for the key again. Then every quorum has a node that refuses, and the other
 * decree does not become a verdict.
 *
 * A motion moves on only by order of a home. The home's own motion is free when all nodes know the
 * verdict (FORGET), or when a quorum of promises has shown that there is no verdict. So nodes
 * forget no key for which another node waits, unless all others think that the waiting node is
 * gone: that node is told that it has *missed* the verdict.
 *
 * Safety: nobody rises
 *
 * Each node keeps the gone ranks that it has seen, its *facts*. ARRIVED and PROMISE carry the facts
 * to the home. The home merges them into the decree, and each decree carries them to all nodes. So
 * a verdict has all gone ranks of each verdict that a node knew when it contributed, and of all
 * earlier verdicts of its kind. If two keys of different kinds are decided at the same time, one
 * verdict may miss gone ranks that the other one has: a decree that a later home has to propose
 * unchanged does not learn any more.
 *
 * Fences
 *
 * A *fence* is an administrator's word that a node is down for good. Nodes drop facts and decrees
 * of a fenced node that are on their way. All nodes that are not fenced are a quorum, too, if each
 * of them has promised the view with the same fences as the home has. If the fenced nodes have
 * decided something, one of the promises names the verdict, or no living node knows it and none
 * will: each one has dropped the connections to the same nodes. With different fences, one node
 * might still hear a verdict that another node has ruled out. A later fence needs a later view.
 *
 * Memory
 *
 * The caller gives all memory to scatter_council_init() when the group forms, see
 * scatter_council_bytes(). No message of a peer makes the council need more. A motion whose key is
 * not forgotten takes no other key, and contributions to another key have to wait: that of this
 * node waits in the motion; those of other nodes are dropped and come again. A node without members
 * keeps the memory until its group ends.
 *
 * What the caller does
 *
 * The caller calls scatter_council_remind() after a reconnect and every now and then, which repeats
 * the messages that have had no answer; scatter_council_suspect() when nodes have been silent for a
 * keep-alive; and scatter_council_take_over() at the home after a new fence, so that the fence
 * counts.
 */
#ifndef _SCATTER_COUNCIL_H
#define _SCATTER_COUNCIL_H

#include "council/decree.h"
#include "council/set.h"

/**
 * enum scatter_council_kind - kinds of keys
 * @SCATTER_COUNCIL_MEETING: the meetings of a group, SHRINK and AGREE, by their number
 * @SCATTER_COUNCIL_OPERATION: those operations that end with a verdict, by their number
 * @SCATTER_COUNCIL_KINDS: how many kinds there are
 */
enum scatter_council_kind {
	SCATTER_COUNCIL_MEETING,
	SCATTER_COUNCIL_OPERATION,
	SCATTER_COUNCIL_KINDS,
};

/* Motions of a kind, and of all kinds. */
#define SCATTER_COUNCIL_DEPTH	2
#define SCATTER_COUNCIL_MOTIONS	(SCATTER_COUNCIL_KINDS * SCATTER_COUNCIL_DEPTH)
/* Decrees of a motion. */
#define SCATTER_COUNCIL_DECREES	3

/* PROMISE: the ballot of a verdict. A decree accepted in view v has ballot v + 1. */
#define SCATTER_COUNCIL_VERDICT	(~(u64)0)
/* Views are below this number. */
#define SCATTER_COUNCIL_END	((u64)1 << 56)

/**
 * struct scatter_council_key - what is to be decided
 * @number: orders the keys of a kind
 * @turn: orders the keys of a number, 1 and up; 0: no key
 * @kind: enum scatter_council_kind
 */
struct scatter_council_key {
	u64 number;
	u32 turn;
	u32 kind;
};

/**
 * enum scatter_council_type - messages between the nodes of a council, see above
 * @SCATTER_COUNCIL_ARRIVED: with key and decree
 * @SCATTER_COUNCIL_ACCEPT: with key and decree
 * @SCATTER_COUNCIL_ACCEPTED: with key
 * @SCATTER_COUNCIL_DECIDED: with key and decree
 * @SCATTER_COUNCIL_KNOWN: with key
 * @SCATTER_COUNCIL_FORGET: with key
 * @SCATTER_COUNCIL_PREPARE: with fences
 * @SCATTER_COUNCIL_PROMISE: with motion, fences and facts; and with key, ballot and decree if the
 *	sender has accepted a decree
 * @SCATTER_COUNCIL_BEHIND: nothing but the view
 */
enum scatter_council_type {
	SCATTER_COUNCIL_ARRIVED = 1,
	SCATTER_COUNCIL_ACCEPT = 2,
	SCATTER_COUNCIL_ACCEPTED = 3,
	SCATTER_COUNCIL_DECIDED = 4,
	SCATTER_COUNCIL_KNOWN = 5,
	SCATTER_COUNCIL_FORGET = 6,
	SCATTER_COUNCIL_PREPARE = 7,
	SCATTER_COUNCIL_PROMISE = 8,
	SCATTER_COUNCIL_BEHIND = 9,
};

/**
 * struct scatter_council_message - a message between two nodes of a council
 * @type: tells which of the fields below are used
 * @motion: number of the motion, less than %SCATTER_COUNCIL_MOTIONS
 * @view: the sender's view, less than %SCATTER_COUNCIL_END
 * @ballot: ballot of @decree; 0: neither key nor decree
 * @key: the key that the message is about
 * @fences: nodes that the sender has fenced
 * @facts: gone ranks that the sender knows of
 * @decree: a contribution or a decree
 */
struct scatter_council_message {
	enum scatter_council_type type;
	u32 motion;
	u64 view;
	u64 ballot;
	struct scatter_council_key key;
	const struct scatter_set *fences;
	const struct scatter_facts *facts;
	const struct scatter_decree *decree;
};

/**
 * struct scatter_council_ops - what the council asks of its caller
 * @say: send a message to another node; the message is gone when the function returns. A message
 *	that cannot be sent is lost.
 * @decided: act on a verdict; called once for each key, whether this node has contributed or not
 * @missed: this node has contributed to a key whose verdict it will never get: all other nodes have
 *	forgotten the verdict, since they think that this node is gone; or the key has no verdict,
 *	since a later key has one
 *
 * These functions must not call the council.
 */
struct scatter_council_ops {
	void (*say)(void *context, u32 to, const struct scatter_council_message *message);
	void (*decided)(void *context, const struct scatter_council_key *key,
			const struct scatter_decree *verdict);
	void (*missed)(void *context, const struct scatter_council_key *key);
};

/**
 * struct scatter_motion - the state of one key
 * @key: the key that the motion holds; turn 0: none
 * @last: this key and all before are over; turn 0: none
 * @ballot: 1 + the view in which @accepted was accepted; 0: there is none; or
 *	%SCATTER_COUNCIL_VERDICT
 * @accepted: the decree that this node has accepted for @key last, or the verdict
 * @own_key: the key to which this node has contributed and whose verdict it does not know; turn 0:
 *	none
 * @own: this node's contribution to @own_key
 * @proposed: home: the decree of this view is @accepted
 * @best: home: the highest ballot that a promise names for @key; 0: no promise names any
 * @plan: home: the decree with ballot @best, or else what nodes have contributed in this view
 * @arrived: home: nodes that have contributed in this view
 * @accepts: home: nodes that have accepted in this view
 * @knows: home: nodes that know the verdict
 */
struct scatter_motion {
	struct scatter_council_key key;
	struct scatter_council_key last;
	u64 ballot;
	struct scatter_decree accepted;
	struct scatter_council_key own_key;
	struct scatter_decree own;
	bool proposed;
	u64 best;
	struct scatter_decree plan;
	struct scatter_set arrived;
	struct scatter_set accepts;
	struct scatter_set knows;
};

/**
 * enum scatter_council_role - a node's role in its view
 * @SCATTER_COUNCIL_FOLLOWING: another node is the home
 * @SCATTER_COUNCIL_PREPARING: this node is the home, and has no quorum of promises yet
 * @SCATTER_COUNCIL_LEADING: this node is the home, and has a quorum of promises
 */
enum scatter_council_role {
	SCATTER_COUNCIL_FOLLOWING,
	SCATTER_COUNCIL_PREPARING,
	SCATTER_COUNCIL_LEADING,
};

/**
 * struct scatter_council - a node's part of its group's council
 * @ops: constant; the caller's functions
 * @context: constant; passed to @ops
 * @nodes: constant; number of nodes that the group had when it formed; ids order the nodes
 * @self: constant; number of this node
 * @ranks: constant; number of ranks of the group
 * @view: the highest view that this node has heard of
 * @role: this node's role in @view
 * @led: another home: it has proposed in @view, so it has a quorum of promises
 * @agreed: home: when @view began to be LEADING, all unfenced nodes had promised @view_fences
 * @gone: nodes that are lost; these nodes neither have to contribute nor to know verdicts
 * @excused: nodes without members; these nodes do not have to contribute
 * @fences: nodes that are fenced
 * @view_fences: home: nodes that were fenced when @view began
 * @promised: home: nodes that have promised @view
 * @facts: ranks that are gone
 * @promises: home: for each node, bits of the motions for which it has promised @view
 * @same: home: for each node, bits of the motions for which it has promised @view with @view_fences
 * @motions: the keys
 */
struct scatter_council {
	const struct scatter_council_ops *ops;
	void *context;
	u32 nodes;
	u32 self;
	u32 ranks;
	u64 view;
	enum scatter_council_role role;
	bool led;
	bool agreed;
	struct scatter_set gone;
	struct scatter_set excused;
	struct scatter_set fences;
	struct scatter_set view_fences;
	struct scatter_set promised;
	struct scatter_facts facts;
	u8 *promises;
	u8 *same;
	struct scatter_motion motions[SCATTER_COUNCIL_MOTIONS];
};

size_t scatter_council_bytes(u32 nodes, u32 ranks);
void scatter_council_init(struct scatter_council *council, u32 nodes, u32 self, u32 ranks,
			  void *memory);
bool scatter_council_contribute(struct scatter_council *council,
				const struct scatter_council_key *key,
				const struct scatter_decree *contribution);
void scatter_council_depart(struct scatter_council *council, const struct scatter_facts *facts);
void scatter_council_lose(struct scatter_council *council, u32 node);
void scatter_council_excuse(struct scatter_council *council, u32 node);
void scatter_council_fence(struct scatter_council *council, u32 node);
void scatter_council_take_over(struct scatter_council *council);
void scatter_council_suspect(struct scatter_council *council, const struct scatter_set *silent);
void scatter_council_receive(struct scatter_council *council, u32 from,
			     const struct scatter_council_message *message);
void scatter_council_remind(struct scatter_council *council);
bool scatter_council_is_led(const struct scatter_council *council);

#endif /* _SCATTER_COUNCIL_H */

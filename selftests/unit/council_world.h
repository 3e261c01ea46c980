/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A world for a council: nodes, ranks, and messages on their way. The world does what it is told,
 * and watches that nothing happens that must not. The first such thing is in world.wrong.
 */
#ifndef UNIT_COUNCIL_WORLD_H
#define UNIT_COUNCIL_WORLD_H

#include "council/council.h"

#define NODES_MAX	8
#define RANKS_MAX	(2 * NODES_MAX)
#define KINDS		SCATTER_COUNCIL_KINDS
#define NUMBERS		3	/* keys of a kind, turns not counted */
#define TURNS		3
#define PACKETS		512
#define PROPOSALS	4
#define FLAGS_NOW	(SCATTER_DECREE_HURRY | SCATTER_DECREE_ABANDONED)

/* A decree with room for choices. */
struct content {
	struct scatter_decree decree;
	struct scatter_choice choices[RANKS_MAX];
};

struct packet {
	u32 from, to;
	struct scatter_council_message message;
	struct scatter_set fences;
	struct scatter_facts facts;
	struct content content;
};

/* A node. One that is down is dead; one that was evicted is dead for the others only. */
struct member {
	struct scatter_council council;
	u64 memory[(2 * 3 * 8 * RANKS_MAX + 2 * NODES_MAX) / 8];
	bool dead, down;
	bool known[KINDS][NUMBERS][TURNS];
	u32 number[KINDS], turn[KINDS];	/* of the next verdict to know */
	struct scatter_facts facts;	/* of all verdicts that it knows */
};

/* What is known of a key outside of the council. */
struct matter {
	bool made[NODES_MAX], decided;
	bool replaced;	/* the verdict before is lost */
	u32 nr_proposals;
	struct content contributions[NODES_MAX], verdict;
	struct scatter_facts known[NODES_MAX];	/* when the node contributed */
	struct content proposals[PROPOSALS];	/* that differ */
};

struct world {
	u32 nodes, ranks, nr_packets, sent, parted;
	u64 numbers[KINDS][NUMBERS];
	/* One message of so many is lost; 0: none, and none comes again. ACCEPT and DECIDED. */
	u32 loss, votes_loss;
	bool doubted[NODES_MAX];
	struct scatter_facts gone;	/* ranks that anybody thinks are gone */
	struct member members[NODES_MAX];
	struct packet packets[PACKETS];
	struct matter matters[KINDS][NUMBERS][TURNS];
	const char *wrong;
};

extern struct world world;

u32 any(u32 bound);
void world_seed(u64 seed);
void world_begin(u32 nodes);
struct scatter_set world_ranks(u32 node, bool present);
bool world_waits(u32 node, u32 kind);
bool world_is_through(u32 node);
void world_contribute(u32 node, u32 kind);
void world_amend(u32 node, u32 kind, u32 flags);
void world_lose(u32 node, u32 lost);
void world_crash(u32 node);
void world_fence(u32 node, u32 down);
void world_receive(struct packet *packet);
void world_deliver(u32 number);
void world_drain(void);
void world_deliver_all(enum scatter_council_type type, u32 from, u32 to);

#endif /* UNIT_COUNCIL_WORLD_H */

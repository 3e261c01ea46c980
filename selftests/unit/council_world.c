// SPDX-License-Identifier: GPL-2.0
/*
 * The world of a council: see council_world.h.
 */
#include <string.h>

#include "council_world.h"
#include "wire/wide_council.h"

struct world world;

static u64 random_state;

void world_seed(u64 seed)
{
	random_state = seed * 0x9e3779b97f4a7c15 + 1;
}

static u64 any_bits(void)
{
	u64 z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

u32 any(u32 bound)
{
	return (u32)(any_bits() >> 32) % bound;
}

static void wrong(const char *what)
{
	if (!world.wrong)
		world.wrong = what;
}

/* Sets --------------------------------------------------------------------------- */

static bool is_within(const struct scatter_set *part, const struct scatter_set *whole)
{
	struct scatter_set all = *whole;

	scatter_set_join(&all, part);
	return scatter_set_equals(&all, whole);
}

static bool facts_are_within(const struct scatter_facts *part, const struct scatter_facts *whole)
{
	return is_within(&part->dead, &whole->dead) && is_within(&part->left, &whole->left);
}

/* The ranks of a node, all or those that are not gone. */
struct scatter_set world_ranks(u32 node, bool present)
{
	struct scatter_set set = { 0 };
	u32 rank;

	for (rank = node; rank < world.ranks; rank += world.nodes)
		if (!present || !(scatter_set_has(&world.gone.dead, rank) ||
				  scatter_set_has(&world.gone.left, rank)))
			scatter_set_add(&set, rank);
	return set;
}

static void keep(struct content *content, const struct scatter_decree *decree)
{
	content->decree.choices = content->choices;
	scatter_decree_copy(&content->decree, decree);
}

static bool is_same(const struct scatter_decree *one, const struct scatter_decree *other)
{
	u32 rank;

	if (one->terms != other->terms || one->bits != other->bits ||
	    one->flags != other->flags || one->error != other->error ||
	    one->culprit != other->culprit ||
	    memcmp(&one->called, &other->called, sizeof(one->called)) ||
	    memcmp(&one->known, &other->known, sizeof(one->known)) ||
	    memcmp(&one->facts, &other->facts, sizeof(one->facts)))
		return false;
	for (rank = 0; one->flags & SCATTER_DECREE_LISTED && rank < world.ranks; rank++)
		if (scatter_set_has(&one->called, rank) &&
		    memcmp(&one->choices[rank], &other->choices[rank], sizeof(*one->choices)))
			return false;
	return true;
}

/* What a verdict must be ------------------------------------------------------------ */

static struct matter *find(const struct scatter_council_key *key, u32 *number)
{
	for (*number = 0; *number < NUMBERS; ++*number)
		if (world.numbers[key->kind][*number] == key->number)
			return &world.matters[key->kind][*number][key->turn - 1];
	return NULL;
}

/* Whether the choices of a node's ranks are those that it has contributed. */
static bool choices_are_made(const struct scatter_decree *verdict,
			     const struct scatter_decree *made)
{
	u32 rank;

	for (rank = 0; rank < world.ranks && made->flags & SCATTER_DECREE_LISTED; rank++)
		if (scatter_set_has(&made->called, rank) &&
		    memcmp(&verdict->choices[rank], &made->choices[rank],
			   sizeof(*made->choices)))
			return false;
	return true;
}

/* A verdict is made of contributions, as a whole, and of nothing else. */
static void check_contributions(const struct matter *matter, const struct scatter_decree *verdict)
{
	struct scatter_decree sum;
	bool blamed = false;
	u32 node, missing = 0;

	scatter_decree_init(&sum, NULL);
	for (node = 0; node < world.nodes; node++) {
		const struct scatter_decree *made = &matter->contributions[node].decree;
		struct scatter_set present = world_ranks(node, true);

		if (!matter->made[node] || !is_within(&made->called, &verdict->called)) {
			missing += !world.doubted[node] && !scatter_set_is_empty(&present);
			continue;
		}
		scatter_set_join(&sum.called, &made->called);
		scatter_set_meet(&sum.known, &made->known);
		sum.bits &= made->bits;
		sum.flags |= made->flags;
		blamed |= made->error == verdict->error && made->culprit == verdict->culprit;
		blamed |= verdict->error == SCATTER_DECREE_DISAGREE &&
			  made->terms != verdict->terms;
		if (!facts_are_within(&matter->known[node], &verdict->facts))
			wrong("somebody rises that a node knows to be gone");
		if (!choices_are_made(verdict, made))
			wrong("a choice that nobody has made");
	}
	if (!scatter_set_equals(&sum.called, &verdict->called))
		wrong("a verdict with ranks that have not called");
	if (sum.bits != verdict->bits || !scatter_set_equals(&sum.known, &verdict->known))
		wrong("a verdict without what a node has brought");
	if (verdict->flags & ~sum.flags & ~(u32)SCATTER_DECREE_HURRY)
		wrong("a verdict with a flag of nobody's");
	if (verdict->error && !blamed)
		wrong("an error of nobody's");
	if (missing && !(verdict->flags & FLAGS_NOW))
		wrong("a verdict that has not waited");
	if (!facts_are_within(&verdict->facts, &world.gone))
		wrong("a verdict that buries the living");
}

/*
 * A verdict that only nodes know that are down may go with them, if the node that decides has
 * fenced them all.
 */
static bool is_lost(const struct member *member, const struct matter *matter)
{
	const struct matter *first = &world.matters[0][0][0];
	const struct member *other;
	const bool *known;
	u32 i;

	for (i = 0; i < world.nodes; i++) {
		other = &world.members[i];
		known = &other->known[0][0][0];
		if (other != member && known[matter - first] &&
		    !(other->down && scatter_set_has(&member->council.fences, i)))
			return false;
	}
	return true;
}

/*
 * A rank that is gone in an earlier verdict of the kind is gone. After a verdict that was lost with
 * fenced nodes, another one takes its place, maybe later than those behind it.
 */
static void check_rising(const struct member *member, const struct matter *matter, u32 kind)
{
	const struct matter *other;

	for (other = &world.matters[kind][0][0]; other < matter; other++)
		if (other->decided && !other->replaced && !is_lost(member, other) &&
		    !facts_are_within(&other->verdict.decree.facts, &matter->verdict.decree.facts))
			wrong("somebody rises");
}

/* What the node is to call next, now that it knows a verdict. */
static void advance(struct member *member, u32 kind)
{
	const struct matter *matter;
	u32 *number = &member->number[kind], *turn = &member->turn[kind];

	while (*number < NUMBERS && member->known[kind][*number][*turn - 1]) {
		matter = &world.matters[kind][*number][*turn - 1];
		if (matter->verdict.decree.flags & SCATTER_DECREE_ABANDONED) {
			++*turn;
		} else {
			++*number;
			*turn = 1;
		}
	}
}

static void decided(void *context, const struct scatter_council_key *key,
		    const struct scatter_decree *verdict)
{
	struct member *member = context;
	u32 number;
	struct matter *matter = find(key, &number);
	bool *known;

	if (!matter) {
		wrong("a verdict of no key");
		return;
	}
	known = &member->known[key->kind][number][key->turn - 1];
	if (*known)
		wrong("a verdict twice");
	*known = true;
	scatter_decree_learn(&member->facts, &verdict->facts);
	if (matter->decided && !is_same(&matter->verdict.decree, verdict)) {
		if (!is_lost(member, matter))
			wrong("two verdicts");
		matter->decided = false;
		matter->replaced = true;
	}
	if (!matter->decided) {
		matter->decided = true;
		keep(&matter->verdict, verdict);
		check_contributions(matter, verdict);
		check_rising(member, matter, key->kind);
	}
	advance(member, key->kind);
}

static void missed(void *context, const struct scatter_council_key *key)
{
	struct member *member = context;
	u32 node = (u32)(member - world.members);

	(void)key;
	if (!world.doubted[node])
		wrong("a node has missed a verdict that nobody thought to be gone");
	member->dead = true;
}

/* Messages -------------------------------------------------------------------------- */

static void note_proposal(const struct scatter_council_message *message)
{
	u32 i, number;
	struct matter *matter = find(&message->key, &number);

	for (i = 0; i < matter->nr_proposals; i++)
		if (is_same(&matter->proposals[i].decree, message->decree))
			return;
	if (i == PROPOSALS)
		return;
	keep(&matter->proposals[i], message->decree);
	matter->nr_proposals++;
}

static bool is_dropped(enum scatter_council_type type)
{
	u32 loss = world.loss;

	if (type == SCATTER_COUNCIL_ACCEPT || type == SCATTER_COUNCIL_DECIDED)
		loss = world.votes_loss;
	return loss && !any(loss);
}

/* As the bytes say it that go over the wire. */
static const struct scatter_council_message *
over_the_wire(const struct scatter_council_message *message)
{
	static u64 raw[SCATTER_WIRE_BYTES_MAX / 8];
	static struct scatter_wide_council heard;
	const u64 id[2] = { 1, 2 };

	scatter_wide_build_council(raw, 1, id, message);
	if (!scatter_wide_parse_council(raw, scatter_wide_build_council_bytes(message), &heard) &&
	    scatter_wide_parse_council_fits(&heard, world.nodes, world.ranks))
		return &heard.message;
	wrong("a message that the wire refuses");
	return message;
}

static void say(void *context, u32 to, const struct scatter_council_message *message)
{
	struct packet *packet;

	if (message->type == SCATTER_COUNCIL_ACCEPT)
		note_proposal(message);
	world.sent++;
	if (world.nr_packets == PACKETS) {
		if (!world.loss)
			wrong("more messages than there is room for");
		return;
	}
	if (is_dropped(message->type))
		return;
	message = over_the_wire(message);
	packet = &world.packets[world.nr_packets++];
	packet->from = (u32)((struct member *)context - world.members);
	packet->to = to;
	packet->message = *message;
	if (message->fences)
		packet->fences = *message->fences;
	if (message->facts)
		packet->facts = *message->facts;
	if (message->decree)
		keep(&packet->content, message->decree);
}

static const struct scatter_council_ops ops = {
	.say = say,
	.decided = decided,
	.missed = missed,
};

/* A packet arrives, unless its way is cut. */
void world_receive(struct packet *packet)
{
	struct scatter_council_message *message = &packet->message;
	struct member *member = &world.members[packet->to];

	if (member->dead || (world.parted >> packet->from & 1) != (world.parted >> packet->to & 1))
		return;
	packet->content.decree.choices = packet->content.choices;
	message->decree = message->decree ? &packet->content.decree : NULL;
	message->fences = message->fences ? &packet->fences : NULL;
	message->facts = message->facts ? &packet->facts : NULL;
	scatter_council_receive(&member->council, packet->from, message);
}

/* A packet on its way arrives; if messages are lost, some come again, too. */
void world_deliver(u32 number)
{
	static struct packet packet;

	packet = world.packets[number];
	if (!world.loss || any(10))
		world.packets[number] = world.packets[--world.nr_packets];
	world_receive(&packet);
}

/* All packets arrive, and what comes of them, in any order. */
void world_drain(void)
{
	while (world.nr_packets)
		world_deliver(any(world.nr_packets));
}

/* All packets of a type from one node to another one arrive. */
void world_deliver_all(enum scatter_council_type type, u32 from, u32 to)
{
	u32 i;

	for (i = 0; i < world.nr_packets;)
		if (world.packets[i].message.type == type && world.packets[i].from == from &&
		    world.packets[i].to == to)
			world_deliver(i);
		else
			i++;
}

/* What happens ---------------------------------------------------------------------- */

void world_begin(u32 nodes)
{
	u32 kind, i, turn;

	world.nodes = nodes;
	world.ranks = 2 * nodes;
	world.nr_packets = 0;
	world.sent = 0;
	world.parted = 0;
	world.wrong = NULL;
	world.loss = 0;
	world.votes_loss = 0;
	world.gone = (struct scatter_facts){ 0 };
	for (kind = 0; kind < KINDS; kind++) {
		u64 number = any(4);

		for (i = 0; i < NUMBERS; i++, number += 1 + any(3)) {
			world.numbers[kind][i] = number;
			for (turn = 0; turn < TURNS; turn++) {
				struct matter *matter = &world.matters[kind][i][turn];

				memset(matter->made, 0, sizeof(matter->made));
				matter->decided = false;
				matter->replaced = false;
				matter->nr_proposals = 0;
			}
		}
	}
	for (i = 0; i < nodes; i++) {
		struct member *member = &world.members[i];

		world.doubted[i] = false;
		member->dead = false;
		member->down = false;
		memset(member->known, 0, sizeof(member->known));
		member->facts = (struct scatter_facts){ 0 };
		for (kind = 0; kind < KINDS; kind++) {
			member->number[kind] = 0;
			member->turn[kind] = 1;
		}
		if (scatter_council_bytes(nodes, world.ranks) > sizeof(member->memory))
			wrong("a council needs more memory than it should");
		member->council.ops = &ops;
		member->council.context = member;
		scatter_council_init(&member->council, nodes, i, world.ranks, member->memory);
	}
}

static struct matter *next_matter(u32 node, u32 kind)
{
	const struct member *member = &world.members[node];

	if (member->number[kind] == NUMBERS)
		return NULL;
	return &world.matters[kind][member->number[kind]][member->turn[kind] - 1];
}

/* Whether a node has contributed to something and waits for the verdict. */
bool world_waits(u32 node, u32 kind)
{
	const struct matter *matter = next_matter(node, kind);

	return matter && matter->made[node];
}

bool world_is_through(u32 node)
{
	return !next_matter(node, 0) && !next_matter(node, 1);
}

static void contribute(u32 node, u32 kind, struct scatter_decree *decree)
{
	struct member *member = &world.members[node];
	const struct scatter_council_key key = {
		.kind = kind,
		.number = world.numbers[kind][member->number[kind]],
		.turn = member->turn[kind],
	};

	if (!scatter_council_contribute(&member->council, &key, decree))
		missed(member, &key);
}

/* All members of a node that are not gone have called. */
void world_contribute(u32 node, u32 kind)
{
	struct matter *matter = next_matter(node, kind);
	struct scatter_decree *decree;
	struct content *content;
	u32 i;

	if (!matter || matter->made[node])
		return;
	content = &matter->contributions[node];
	decree = &content->decree;
	scatter_decree_init(decree, content->choices);
	decree->called = world_ranks(node, true);
	if (scatter_set_is_empty(&decree->called))
		return;
	decree->terms = any(40) ? 1 : 2;
	decree->bits = any_bits();
	decree->known.words[0] = any_bits() | any_bits();
	if (kind == SCATTER_COUNCIL_OPERATION) {
		decree->flags = SCATTER_DECREE_LISTED;
		for (i = node; i < world.ranks; i += world.nodes)
			content->choices[i] = (struct scatter_choice){ any(100), any(100) };
	}
	matter->made[node] = true;
	matter->known[node] = world.members[node].facts;
	contribute(node, kind, decree);
}

/* A node that waits has an error, or a member of it gives up. */
void world_amend(u32 node, u32 kind, u32 flags)
{
	struct matter *matter = next_matter(node, kind);
	struct scatter_decree *decree;

	if (!world_waits(node, kind) || (flags & SCATTER_DECREE_ABANDONED &&
					 world.members[node].turn[kind] == TURNS))
		return;
	decree = &matter->contributions[node].decree;
	decree->flags |= flags;
	if (flags & SCATTER_DECREE_HURRY && !decree->error) {
		decree->error = 1 + any(3);
		decree->culprit = any(world.ranks);
	}
	contribute(node, kind, decree);
}

/* A node thinks that another one is lost, and so are its ranks. */
void world_lose(u32 node, u32 lost)
{
	struct scatter_facts facts = { .dead = world_ranks(lost, false) };

	world.doubted[lost] = true;
	scatter_decree_learn(&world.gone, &facts);
	scatter_council_depart(&world.members[node].council, &facts);
	scatter_council_lose(&world.members[node].council, lost);
}

void world_crash(u32 node)
{
	world.members[node].dead = true;
	world.members[node].down = true;
}

/* An administrator tells a node that another one is down, which is true. */
void world_fence(u32 node, u32 down)
{
	world_lose(node, down);
	scatter_council_fence(&world.members[node].council, down);
}

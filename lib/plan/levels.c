// SPDX-License-Identifier: GPL-2.0
/*
 * Making a plan for several nodes.
 *
 * A scatter is made first: the root hands all that is for other nodes to the portal of its
 * node, the schedule between the nodes takes it from portal to portal, and each portal hands
 * the members of its node their blocks. A portal passes blocks on in the round after they have
 * arrived, to other nodes and to its own members at once, since the wire and the memory are
 * two ports. A gather is the same with every message reversed, in time too. A barrier is an
 * empty gather, then an empty scatter.
 */
#include "levels.h"

static u32 portal(const struct plan_levels *levels, u32 place)
{
	return levels->placement->size + place;
}

static u32 root_place(const struct plan_levels *levels)
{
	return levels->spec.root;
}

/* With one node there is no portal; with several, a barrier has no root but that. */
static bool has_portals(const struct plan_levels *levels)
{
	return levels->placement->places > 1;
}

static bool is_root(const struct plan_levels *levels, u32 rank)
{
	return rank == levels->root &&
	       !(levels->barrier && has_portals(levels));
}

/**
 * plan_levels_block() - the length of a rank's block
 * @levels: the plan
 * @rank: the rank
 *
 * Return: bytes
 */
u64 plan_levels_block(const struct plan_levels *levels, u32 rank)
{
	if (levels->barrier)
		return 0;
	return levels->counts ? levels->counts[rank] : levels->block;
}

/**
 * plan_levels_place() - where a vertex is
 * @levels: the plan
 * @vertex: a rank or a portal
 *
 * Return: the place
 */
u32 plan_levels_place(const struct plan_levels *levels, u32 vertex)
{
	u32 size = levels->placement->size;

	return vertex < size ? levels->placement->place[vertex] : vertex - size;
}

/**
 * plan_levels_root() - where all begins, in a gather where it ends
 * @levels: the plan
 *
 * Return: a vertex
 */
u32 plan_levels_root(const struct plan_levels *levels)
{
	if (levels->barrier && has_portals(levels))
		return portal(levels, root_place(levels));
	return levels->root;
}

static struct plan_leg *add_leg(struct plan_levels *levels)
{
	if (levels->legs == levels->room) {
		size_t room = levels->room ? 2 * levels->room : 64;
		void *more = realloc(levels->leg, room * sizeof(*levels->leg));

		if (!more)
			return NULL;
		levels->leg = more;
		levels->room = room;
	}
	return &levels->leg[levels->legs++];
}

/* Between the nodes ---------------------------------------------------------- */

/* Bytes of the blocks of places; of each place all blocks are cut as one. */
static u64 bundle_bytes(const struct plan_levels *levels,
			const struct plan_message *message)
{
	const struct scatter_step step = {
		.piece = message->piece, .pieces = message->pieces,
	};
	u64 bytes = 0;
	size_t i;
	u32 k;

	for (i = 0; i < message->ranges; i++)
		for (k = 0; k < message->range[i].count; k++) {
			u32 place = message->range[i].first + k;

			bytes += scatter_schedule_piece(&step,
							levels->bytes[place]);
		}
	return bytes;
}

static bool is_among(const struct plan_message *message, u32 place)
{
	size_t i;

	for (i = 0; i < message->ranges; i++)
		if (place >= message->range[i].first &&
		    place - message->range[i].first < message->range[i].count)
			return true;
	return false;
}

/*
 * Payload goes along if the sender has it already. In a scatter a node that pulls has not:
 * it announces at once what it will pull, and those behind it pull, too.
 */
static bool is_pulled(const struct plan_levels *levels,
		      const struct plan_message *message, u64 bytes)
{
	bool lacks = levels->spec.op == SCATTER_SCHEDULE_SCATTER &&
		     levels->pulled[message->from];

	return bytes > PLAN_EAGER_MAX || lacks ||
	       !scatter_schedule_contiguous(levels->spec.algorithm);
}

/* Of a message with bytes, or without */
static u32 way_of(u32 way, u64 bytes)
{
	return bytes ? way : PLAN_WAY_EMPTY;
}

/* The root has handed it over in round 1; of a barrier there is nothing to hand over. */
static int add_bundle(const struct plan_message *message, void *context)
{
	struct plan_levels *levels = context;
	u32 before = levels->barrier ? 0 : 1;
	u64 bytes = bundle_bytes(levels, message);
	bool pulls = is_pulled(levels, message, bytes);
	struct plan_leg *leg = add_leg(levels);
	size_t i;

	if (!leg)
		return -1;
	leg->message = *message;
	leg->message.round += before;
	leg->message.from = portal(levels, message->from);
	leg->message.to = portal(levels, message->to);
	leg->message.way = way_of(pulls ? PLAN_WAY_PULL : PLAN_WAY_EAGER, bytes);
	leg->message.bytes = bytes;
	leg->message.between = true;
	leg->message.range = NULL;
	leg->first = levels->ranges.count;
	levels->pulled[message->to] = pulls;
	if (is_among(message, message->to))
		levels->arrival[message->to] = leg->message.round;
	for (i = 0; i < message->ranges; i++)
		if (plan_ranges_add(&levels->ranges, &message->range[i]))
			return -1;
	return 0;
}

/* At a node ------------------------------------------------------------------ */

/**
 * struct local - the linear schedule at a node
 * @levels: the plan
 * @place: the node
 * @portal: it gets or hands on anything
 * @offset: round in which the portal gets it
 * @vertex: by number in the schedule; the first one is the root
 * @vertices: how many
 */
struct local {
	struct plan_levels *levels;
	u32 place;
	bool portal;
	u32 offset;
	u32 *vertex;
	u32 vertices;
};

/* The bundles out of the root's node, that the root packs or lets others read */
static void find_exports(const struct plan_levels *levels,
			 struct plan_message *leg)
{
	u32 from = portal(levels, root_place(levels));
	bool pulled = false;
	size_t i;

	for (i = 0; i < levels->legs; i++) {
		const struct plan_message *other = &levels->leg[i].message;

		if (other->from != from || other->to < levels->placement->size)
			continue;
		leg->bytes += other->bytes;
		if (other->way == PLAN_WAY_PULL)
			pulled = true;
		else
			leg->copied += other->bytes;
	}
	leg->way = PLAN_WAY_EAGER;
	if (pulled)
		leg->way = leg->copied ? PLAN_WAY_MIXED : PLAN_WAY_PULL;
	leg->way = way_of(leg->way, leg->bytes);
}

/* The blocks that leave the root's node: those of all other places */
static int add_export_ranges(struct plan_levels *levels, struct plan_leg *leg)
{
	u32 root = root_place(levels);
	const struct scatter_range below = { .first = 0, .count = root };
	const struct scatter_range above = {
		.first = root + 1, .count = levels->placement->places - root - 1,
	};

	leg->first = levels->ranges.count;
	if (below.count && plan_ranges_add(&levels->ranges, &below))
		return -1;
	if (above.count && plan_ranges_add(&levels->ranges, &above))
		return -1;
	leg->message.ranges = levels->ranges.count - leg->first;
	return 0;
}

static int add_local(const struct plan_message *message, void *context)
{
	const struct local *local = context;
	struct plan_levels *levels = local->levels;
	u32 to = local->vertex[message->to];
	struct plan_message copy = {
		.round = local->offset + message->round,
		.from = local->vertex[message->from],
		.to = to,
		.tree = PLAN_TREES_ALL,
		.pieces = 1,
		.hops = 1,
		.way = PLAN_WAY_COPY,
	};
	struct plan_leg *leg;

	if (to >= levels->placement->size) {
		find_exports(levels, &copy);
	} else {
		copy.bytes = plan_levels_block(levels, to);
		if (copy.from >= levels->placement->size)
			copy.way = levels->pulled[local->place] ?
				PLAN_WAY_PULL : PLAN_WAY_EAGER;
		if (copy.way != PLAN_WAY_PULL)
			copy.copied = copy.bytes;
		copy.way = way_of(copy.way, copy.bytes);
	}
	leg = add_leg(levels);
	if (!leg)
		return -1;
	*leg = (struct plan_leg){ .message = copy };
	return to >= levels->placement->size ? add_export_ranges(levels, leg) : 0;
}

/* No message for no bytes: as the irregular schedule does between the nodes */
static bool gets_none(const struct plan_levels *levels, u32 rank)
{
	return levels->spec.algorithm == SCATTER_SCHEDULE_IRREGULAR &&
	       !plan_levels_block(levels, rank);
}

/*
 * The root, and behind it the portal, since most is behind that; then the other members
 * as ranks follow the root. At other nodes the portal, then the members.
 */
static void seat(struct local *local)
{
	const struct plan_levels *levels = local->levels;
	const struct plan_placement *placement = levels->placement;
	u32 begin = placement->first[local->place], at = 0, i;
	u32 count = plan_placement_count(placement, local->place);

	for (i = 0; i < count; i++)
		if (is_root(levels, placement->rank[begin + i]))
			at = i + 1;
	local->vertices = 0;
	if (at)
		local->vertex[local->vertices++] = levels->root;
	if (local->portal)
		local->vertex[local->vertices++] = portal(levels, local->place);
	for (i = 0; i < count; i++) {
		u32 rank = placement->rank[begin + (at + i) % count];

		if (!is_root(levels, rank) && !gets_none(levels, rank))
			local->vertex[local->vertices++] = rank;
	}
}

static int make_local(struct plan_levels *levels, u32 place, bool portal_used,
		      u32 *vertex)
{
	struct local local = {
		.levels = levels,
		.place = place,
		.portal = portal_used,
		.vertex = vertex,
	};
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_LINEAR,
		.op = SCATTER_SCHEDULE_SCATTER,
	};

	local.offset = levels->arrival[place];
	seat(&local);
	if (!local.vertices)
		return 0;
	spec.size = local.vertices;
	return plan_each_message(&spec, levels->memory, 1, add_local, &local);
}

/* A node that nothing comes to has nothing to hand on. */
static int make_locals(struct plan_levels *levels)
{
	bool crosses = levels->legs;
	u32 *vertex = malloc(((size_t)levels->placement->size + 1) *
			     sizeof(*vertex));
	int error = vertex ? 0 : -1;
	u32 place;

	for (place = 0; place < levels->placement->places && !error; place++) {
		if (place == root_place(levels))
			error = make_local(levels, place, crosses, vertex);
		else if (levels->arrival[place])
			error = make_local(levels, place, true, vertex);
	}
	free(vertex);
	return error;
}

/* All of it ------------------------------------------------------------------ */

static void reverse(struct plan_levels *levels)
{
	size_t i;

	for (i = 0; i < levels->legs; i++) {
		struct plan_message *leg = &levels->leg[i].message;
		u32 to = leg->to;

		leg->to = leg->from;
		leg->from = to;
		leg->round = levels->rounds + 1 - leg->round;
	}
}

/* Behind an empty gather its mirror image. */
static int add_return(struct plan_levels *levels)
{
	size_t legs = levels->legs, i;

	for (i = 0; i < legs; i++) {
		struct plan_leg *leg = add_leg(levels);

		if (!leg)
			return -1;
		*leg = levels->leg[i];
		leg->message.from = levels->leg[i].message.to;
		leg->message.to = levels->leg[i].message.from;
		leg->message.round = 2 * levels->rounds + 1 - leg->message.round;
	}
	levels->rounds *= 2;
	return 0;
}

static int compare_legs(const void *left, const void *right)
{
	const struct plan_message *a = &((const struct plan_leg *)left)->message;
	const struct plan_message *b = &((const struct plan_leg *)right)->message;

	if (a->round != b->round)
		return a->round < b->round ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return (a->tree > b->tree) - (a->tree < b->tree);
}

static int add_all(struct plan_levels *levels)
{
	const struct plan_placement *placement = levels->placement;
	struct scatter_schedule_spec spec = levels->spec;
	int error;
	size_t i;

	for (i = 0; i < placement->size; i++)
		levels->bytes[placement->place[i]] +=
			plan_levels_block(levels, (u32)i);
	spec.op = SCATTER_SCHEDULE_SCATTER;
	error = plan_each_message(&spec, levels->network, 1, add_bundle, levels);
	if (!error)
		error = make_locals(levels);
	if (error)
		return error;
	for (i = 0; i < levels->legs; i++)
		if (levels->leg[i].message.round > levels->rounds)
			levels->rounds = levels->leg[i].message.round;
	if (levels->barrier || levels->spec.op == SCATTER_SCHEDULE_GATHER)
		reverse(levels);
	return levels->barrier ? add_return(levels) : 0;
}

/**
 * plan_levels_make() - make a plan for several nodes
 * @levels: filled in up to @levels->counts; of a barrier, the schedule is that of its
 *	gather. To be given back with plan_levels_close(), after an error too
 *
 * Return: 0, or what plan_error() has words for
 */
int plan_levels_make(struct plan_levels *levels)
{
	size_t places = levels->placement->places;
	int error;

	levels->bytes = calloc(places, sizeof(*levels->bytes));
	levels->arrival = calloc(places, sizeof(*levels->arrival));
	levels->pulled = calloc(places, sizeof(*levels->pulled));
	if (!levels->bytes || !levels->arrival || !levels->pulled)
		return -1;
	error = add_all(levels);
	if (error)
		return error;
	if (levels->legs)
		qsort(levels->leg, levels->legs, sizeof(*levels->leg), compare_legs);
	return 0;
}

/**
 * plan_levels_close() - free a plan
 * @levels: the plan, or one that could not be made
 */
void plan_levels_close(struct plan_levels *levels)
{
	free(levels->bytes);
	free(levels->arrival);
	free(levels->pulled);
	free(levels->leg);
	plan_ranges_close(&levels->ranges);
}

/* The ranks whose blocks a leg carries */
static int collect_ranks(const struct plan_levels *levels,
			 const struct plan_leg *leg, struct plan_ranges *ranks)
{
	size_t i;
	u32 k;

	ranks->count = 0;
	if (levels->barrier)
		return 0;
	if (!leg->message.ranges) {
		u32 from = leg->message.from;
		const struct scatter_range own = {
			.first = from < levels->placement->size &&
				 from != levels->root ? from : leg->message.to,
			.count = 1,
		};

		return plan_ranges_add(ranks, &own);
	}
	for (i = leg->first; i < leg->first + leg->message.ranges; i++)
		for (k = 0; k < levels->ranges.range[i].count; k++)
			if (plan_placement_ranks(levels->placement,
						 levels->ranges.range[i].first + k,
						 ranks))
				return -1;
	plan_ranges_tidy(ranks);
	return 0;
}

/**
 * plan_levels_each() - visit all messages of a plan
 * @levels: the plan
 * @visitor: called for each in the order of rounds, senders and receivers
 * @context: for the visitor
 *
 * Return: 0; -1 if there is not enough memory; or the visitor's answer if that is not 0
 */
int plan_levels_each(const struct plan_levels *levels, plan_visitor *visitor,
		     void *context)
{
	struct plan_ranges ranks = { 0 };
	int answer = 0;
	size_t i, k;

	for (i = 0; i < levels->legs && !answer; i++) {
		const struct plan_leg *leg = &levels->leg[i];
		struct plan_message message = leg->message;

		answer = collect_ranks(levels, leg, &ranks);
		if (answer)
			break;
		message.ranges = ranks.count;
		message.range = ranks.range;
		message.count = 0;
		for (k = 0; k < ranks.count; k++)
			message.count += ranks.range[k].count;
		answer = visitor(&message, context);
	}
	plan_ranges_close(&ranks);
	return answer;
}

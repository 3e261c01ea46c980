// SPDX-License-Identifier: GPL-2.0
/*
 * Meshes and tori of any extents: recursive halving of one dimension after
 * another, the dimension-ordered spanning tree.
 *
 * In the first dimension the root's line shares all blocks out among its vertices. Each of these
 * vertices then does the same with its own blocks in the next dimension, and so on. The lines are
 * disjoint, and so are the segments of a line, so no link has two messages in a round. One line of
 * z vertices needs ceil(log2 z) rounds, wherever the source is (see rda.h), and p - 1 blocks leave
 * the root in all. The volume is optimal, and the rounds exceed ceil(log2 p) by at most one for
 * each dimension but the first.
 *
 * The dimension in which ranks vary slowest comes first: a segment of this dimension is a range of
 * ranks, and all later bundles are ranges within.
 *
 * On a ring, positions count from half-way around behind the source: the line is cut there, so the
 * source is in its middle and no way is longer than half of the ring. A segment may cross the end
 * of the ring; its bundle then is two ranges.
 */
#include "bits.h"
#include "ops.h"
#include "radix.h"
#include "rda.h"

/**
 * struct line - one line of the mesh, and a segment of it
 * @dim: the dimension along which the line runs
 * @extent: vertices
 * @stride: how far apart in rank neighbouring vertices are
 * @shift: coordinate of position 0
 * @round: how many rounds are over
 * @segment: positions
 */
struct line {
	u32 dim;
	u32 extent;
	u32 stride;
	u32 shift;
	u32 round;
	struct scatter_stretch segment;
};

/* Neither sum may leave 32 bits. */
static u32 coordinate_of(const struct line *line, u32 position)
{
	u32 behind = line->extent - line->shift;

	return position < behind ? position + line->shift : position - behind;
}

static u32 position_of(const struct line *line, u32 coordinate)
{
	if (coordinate >= line->shift)
		return coordinate - line->shift;
	return coordinate + (line->extent - line->shift);
}

/* The whole line through the root's coordinate, before its first round */
static void begin_line(const struct scatter_schedule_spec *spec, u32 dim,
		       u32 stride, struct line *line)
{
	u32 extent = spec->extent[dim];
	u32 source = scatter_radix_digit(spec->root, stride, extent);

	line->dim = dim;
	line->extent = extent;
	line->stride = stride;
	line->shift = 0;
	if (spec->algorithm == SCATTER_SCHEDULE_TORUS) {
		u32 middle = (extent - 1) / 2;

		line->shift = source >= middle ? source - middle :
						 source + (extent - middle);
		source = middle;
	}
	line->segment.first = 0;
	line->segment.count = extent;
	line->segment.source = source;
}

static void next_line(const struct scatter_schedule_spec *spec,
		      struct line *line)
{
	line->round += scatter_ceil_log2(line->extent);
	begin_line(spec, line->dim + 1,
		   line->stride / spec->extent[line->dim + 1], line);
}

static bool split_line(const struct scatter_schedule_spec *spec,
		       struct line *line, struct scatter_stretch *given)
{
	if (line->segment.count < 2)
		return false;
	scatter_stretch_split(&line->segment,
			      spec->op != SCATTER_SCHEDULE_BROADCAST, given);
	return true;
}

/*
 * Follow the bundle down @line until @target holds the bundle. Returns the position from which the
 * bundle comes; @round becomes the round of the transfer.
 */
static u32 descend(const struct scatter_schedule_spec *spec, struct line *line,
		   u32 target, u32 *round)
{
	u32 from = line->segment.source;
	struct scatter_stretch given;

	*round = line->round;
	while (line->segment.source != target &&
	       split_line(spec, line, &given)) {
		++*round;
		if (target - given.first >= given.count)
			continue;
		from = line->segment.source;
		line->segment = given;
	}
	return from;
}

/*
 * Find the line in which the rank gets its bundle: the last dimension in which the rank's
 * coordinate is not the root's. The root has its bundle from the first line on. @line becomes the
 * whole line.
 */
static void find_line(const struct scatter_walk *walk,
		      struct line *line)
{
	const struct scatter_schedule_spec *spec = &walk->spec;
	u32 stride = 1, dim = spec->dims, i;

	while (--dim) {
		u32 extent = spec->extent[dim];

		if (scatter_radix_digit(walk->rank, stride, extent) !=
		    scatter_radix_digit(spec->root, stride, extent))
			break;
		stride *= extent;
	}
	line->round = 0;
	for (i = 0; i < dim; i++)
		line->round += scatter_ceil_log2(spec->extent[i]);
	begin_line(spec, dim, stride, line);
}

static u32 own_position(const struct scatter_walk *walk,
			const struct line *line)
{
	return position_of(line, scatter_radix_digit(walk->rank,
						     line->stride,
						     line->extent));
}

/* The rank at @position of the line that @rank is on */
static u32 rank_at(const struct line *line, u32 rank, u32 position)
{
	u32 digit = scatter_radix_digit(rank, line->stride, line->extent);

	return rank - digit * line->stride +
	       coordinate_of(line, position) * line->stride;
}

/* The transfer that brings @segment's source its bundle, the same for both ends. */
static void fill_transfer(const struct scatter_walk *walk,
			  const struct line *line,
			  const struct scatter_stretch *segment, u32 round,
			  struct scatter_step *step)
{
	u32 start = rank_at(line, walk->rank, segment->first);

	step->round = round;
	/* dimensions behind this one count as a whole, from coordinate 0 on */
	step->first = start - start % line->stride;
	step->count = segment->count * line->stride;
}

static bool mesh_parent(const struct scatter_walk *walk,
			struct scatter_step *step)
{
	struct line line;
	u32 from, round;

	if (scatter_is_root(walk))
		return false;
	find_line(walk, &line);
	from = descend(&walk->spec, &line, own_position(walk, &line),
		       &round);
	fill_transfer(walk, &line, &line.segment, round, step);
	step->peer = rank_at(&line, walk->rank, from);
	return true;
}

/*
 * Go through the children up to @limit, of this line and the lines behind; through all children, if
 * there are fewer. Fills @step for the last child unless @step is NULL.
 */
static u32 walk_children(const struct scatter_walk *walk, u32 limit,
			 struct scatter_step *step)
{
	const struct scatter_schedule_spec *spec = &walk->spec;
	struct scatter_stretch given = { 0 };
	u32 children = 0, round;
	struct line line;

	find_line(walk, &line);
	descend(spec, &line, own_position(walk, &line), &round);
	for (;;) {
		while (children < limit && split_line(spec, &line, &given)) {
			children++;
			round++;
		}
		if (children == limit || line.dim + 1 == spec->dims)
			break;
		next_line(spec, &line);
		round = line.round;
	}
	if (step) {
		fill_transfer(walk, &line, &given, round, step);
		step->peer = rank_at(&line, walk->rank, given.source);
	}
	return children;
}

static u32 mesh_children(const struct scatter_walk *walk)
{
	return walk_children(walk, (u32)-1, NULL);
}

static void mesh_child(const struct scatter_walk *walk, u32 index,
		       struct scatter_step *step)
{
	walk_children(walk, index + 1, step);
}

static u32 mesh_rounds(const struct scatter_schedule_spec *spec)
{
	u32 rounds = 0, i;

	for (i = 0; i < spec->dims; i++)
		rounds += scatter_ceil_log2(spec->extent[i]);
	return rounds;
}

static int mesh_check(const struct scatter_schedule_spec *spec)
{
	if (!spec->dims || spec->dims > SCATTER_SCHEDULE_DIMS)
		return SCATTER_SCHEDULE_BAD_DIMS;
	if (scatter_radix_product(spec->extent, spec->dims) != spec->size)
		return SCATTER_SCHEDULE_BAD_EXTENT;
	return SCATTER_SCHEDULE_OK;
}

/*
 * A segment that crosses the end of its ring goes on at the ring's beginning. The ring runs along
 * the one dimension in which both ends of the step differ.
 */
static bool torus_range(const struct scatter_walk *walk,
			const struct scatter_step *step, u32 *cursor,
			struct scatter_range *range)
{
	const struct scatter_schedule_spec *spec = &walk->spec;
	u32 dim = spec->dims - 1, stride = 1, ring, before;

	/* ranks that agree in all dimensions behind are a multiple of the stride apart */
	while (dim && walk->rank / stride % spec->extent[dim] ==
			      step->peer / stride % spec->extent[dim])
		stride *= spec->extent[dim--];
	ring = stride * spec->extent[dim];
	before = ring - step->first % ring;
	if (*cursor > 1 || (*cursor && step->count <= before))
		return false;
	range->first = *cursor ? step->first - step->first % ring : step->first;
	range->count = step->count;
	if (step->count > before)
		range->count = *cursor ? step->count - before : before;
	++*cursor;
	return true;
}

const struct scatter_schedule_ops scatter_mesh_ops = {
	.contiguous = true,
	.broadcasts = true,
	.check = mesh_check,
	.rounds = mesh_rounds,
	.children = mesh_children,
	.parent = mesh_parent,
	.child = mesh_child,
};

const struct scatter_schedule_ops scatter_mesh_torus_ops = {
	.broadcasts = true,
	.check = mesh_check,
	.rounds = mesh_rounds,
	.children = mesh_children,
	.parent = mesh_parent,
	.child = mesh_child,
	.range = torus_range,
};

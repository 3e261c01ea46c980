// SPDX-License-Identifier: GPL-2.0
/*
 * Seeded random calls, each done twice: by MPI_Scatter() and its relatives, and by the messages
 * that the standard says each of these stands for. Both must leave the same bytes, also outside the
 * blocks. The program knows nothing of the shim, which may have taken the place of the MPI
 * library's functions. The library's own functions are no measure: with the same types and counts
 * those of Open MPI 4.1.4 hang on inter-communicators, and those of MPICH 4.0.2 truncate.
 *
 *   compare SEED CASES
 *
 * Prints how many cases there were and how many differed; exit status 1 if any did.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"

#define RANKS_MAX	64
#define COMMS_MAX	8
/* Units of DRAW_UNIT elements that a block has: few, but sometimes many. */
#define UNITS_FEW	6
#define UNITS_MANY	3000

enum { SCATTER, SCATTERV, GATHER, GATHERV, OPS };

/**
 * struct buffer - memory for elements of a type, in two copies
 * @type: of the elements
 * @per: elements of the base in one of them
 * @bytes: of each copy
 * @origin: where element 0 begins in a copy
 * @copy: for the call, and for the messages
 */
struct buffer {
	MPI_Datatype type;
	int per;
	size_t bytes;
	MPI_Aint origin;
	char *copy[2];
};

/**
 * struct scene - one case
 * @op: what is called
 * @comm: where
 * @inter: an inter-communicator
 * @blocks: that the root has
 * @root: argument of this rank
 * @is_root: this rank has all blocks
 * @owns: this rank has one block
 * @own: which
 * @in_place: the root's stays
 * @large: by the functions with large counts
 * @base: what all types are made of
 * @units: of each block
 * @room: more units that the receiver has room for
 * @counts: elements of the root's type in each block
 * @displs: where each block begins
 */
struct scene {
	int op;
	MPI_Comm comm;
	int inter;
	int blocks;
	int root;
	bool is_root;
	bool owns;
	int own;
	bool in_place;
	bool large;
	MPI_Datatype base;
	int units[RANKS_MAX];
	int room;
	int counts[RANKS_MAX];
	int displs[RANKS_MAX];
};

static int world_rank, world_size;
static uint64_t base_seed;

/* Elements from @first to @last, with a margin on both sides, full of bytes that tell the rank. */
static void buffer_make(struct buffer *buffer, int64_t first, int64_t last)
{
	MPI_Aint low, extent, true_low, true_extent, begin, end;
	size_t i;

	MPI_Type_get_extent(buffer->type, &low, &extent);
	MPI_Type_get_true_extent(buffer->type, &true_low, &true_extent);
	begin = first * extent + true_low - 64;
	end = last * extent + true_low + true_extent + 64;
	buffer->origin = -begin;
	buffer->bytes = end - begin;
	buffer->copy[0] = malloc(buffer->bytes);
	buffer->copy[1] = malloc(buffer->bytes);
	for (i = 0; i < buffer->bytes; i++)
		buffer->copy[0][i] = draw(256);
	memcpy(buffer->copy[1], buffer->copy[0], buffer->bytes);
}

static void buffer_free(struct buffer *buffer)
{
	free(buffer->copy[0]);
	free(buffer->copy[1]);
	MPI_Type_free(&buffer->type);
}

static void *at(const struct buffer *buffer, int which)
{
	return buffer->copy[which] ? buffer->copy[which] + buffer->origin : NULL;
}

static bool is_vector(const struct scene *scene)
{
	return scene->op == SCATTERV || scene->op == GATHERV;
}

static bool gathers(const struct scene *scene)
{
	return scene->op == GATHER || scene->op == GATHERV;
}

/* Blocks in any order, with gaps; the first one may be on either side of the buffer's address. */
static void place(struct scene *scene, int per, int64_t *first, int64_t *last)
{
	int order[RANKS_MAX] = { 0 }, where = draw(4) - 2, i, swap, other;

	for (i = 0; i < scene->blocks; i++)
		order[i] = i;
	for (i = 0; i < scene->blocks; i++) {
		other = draw(scene->blocks);
		swap = order[i];
		order[i] = order[other];
		order[other] = swap;
	}
	*first = where;
	for (i = 0; i < scene->blocks; i++) {
		int block = order[i];
		int room = gathers(scene) ? scene->room : 0;

		scene->counts[block] = (scene->units[block] + room) * DRAW_UNIT / per;
		scene->displs[block] = where;
		where += scene->counts[block] + draw(3);
	}
	*last = where;
}

/* Returns where the last block ends. */
static int64_t place_evenly(struct scene *scene, int per)
{
	const int room = gathers(scene) ? scene->room : 0;
	int i;

	for (i = 0; i < scene->blocks; i++) {
		scene->counts[i] = (scene->units[i] + room) * DRAW_UNIT / per;
		scene->displs[i] = i * scene->counts[i];
	}
	return (int64_t)scene->blocks * scene->counts[0];
}

/* All ranks draw the same here. */
static void scene_draw(struct scene *scene, const MPI_Comm *comms, int comm_count, uint64_t seed)
{
	int rank, size, root, side, many, i;

	draw_seed(seed);
	memset(scene, 0, sizeof(*scene));
	scene->op = draw(OPS);
	scene->comm = comms[draw(comm_count)];
	scene->base = draw_base(draw(DRAW_BASES));
	scene->large = draw_one_in(3);
	scene->in_place = draw_one_in(3);
	many = draw_one_in(20) ? UNITS_MANY : UNITS_FEW;
	for (i = 0; i < RANKS_MAX; i++)
		scene->units[i] = is_vector(scene) || !i ? draw(many) : scene->units[0];
	scene->room = draw_one_in(4) ? 1 + draw(3) : 0;
	root = draw(1 << 20);
	side = draw(2);
	if (scene->comm == MPI_COMM_NULL)
		return;
	MPI_Comm_rank(scene->comm, &rank);
	MPI_Comm_size(scene->comm, &size);
	MPI_Comm_test_inter(scene->comm, &scene->inter);
	scene->blocks = size;
	scene->own = rank;
	scene->owns = true;
	if (!scene->inter) {
		/* Open MPI 4.1.4, which serves a rank alone, puts a short block elsewhere. */
		if (size == 1)
			scene->room = 0;
		scene->root = root % size;
		scene->is_root = rank == scene->root;
		scene->in_place = scene->in_place && scene->is_root;
		return;
	}
	/* Even ranks of the world are one side, odd ones the other. */
	scene->in_place = false;
	MPI_Comm_remote_size(scene->comm, &scene->blocks);
	if (world_rank % 2 == side) {
		scene->owns = false;
		scene->is_root = rank == root % size;
		scene->root = scene->is_root ? MPI_ROOT : MPI_PROC_NULL;
	} else {
		scene->root = root % scene->blocks;
	}
}

/* Each rank draws its own types. */
static void scene_lay_out(struct scene *scene, struct buffer *all, struct buffer *own)
{
	int64_t first = 0, last = 0;
	int count;

	all->per = draw_divisor();
	all->type = draw_type(scene->base, all->per);
	own->per = draw_divisor();
	own->type = draw_type(scene->base, own->per);
	all->copy[0] = NULL;
	all->copy[1] = NULL;
	if (is_vector(scene))
		place(scene, all->per, &first, &last);
	else
		last = place_evenly(scene, all->per);
	if (scene->is_root)
		buffer_make(all, first, last);
	count = (scene->units[scene->own] + scene->room) * DRAW_UNIT / own->per;
	buffer_make(own, 0, count);
}

#ifndef OPEN_MPI
static void call_large(const struct scene *scene, void *all, MPI_Count each, MPI_Datatype all_type,
		       void *own, MPI_Count count, MPI_Datatype own_type)
{
	MPI_Count counts[RANKS_MAX];
	MPI_Aint displs[RANKS_MAX];
	int i;

	for (i = 0; i < RANKS_MAX; i++) {
		counts[i] = scene->counts[i];
		displs[i] = scene->displs[i];
	}
	switch (scene->op) {
	case SCATTER:
		MPI_Scatter_c(all, each, all_type, own, count, own_type, scene->root, scene->comm);
		break;
	case SCATTERV:
		MPI_Scatterv_c(all, counts, displs, all_type, own, count, own_type, scene->root,
			       scene->comm);
		break;
	case GATHER:
		MPI_Gather_c(own, count, own_type, all, each, all_type, scene->root, scene->comm);
		break;
	default:
		MPI_Gatherv_c(own, count, own_type, all, counts, displs, all_type, scene->root,
			      scene->comm);
	}
}
#endif

static void call(const struct scene *scene, void *all, int each, MPI_Datatype all_type, void *own,
		 int count, MPI_Datatype own_type)
{
#ifndef OPEN_MPI
	if (scene->large) {
		call_large(scene, all, each, all_type, own, count, own_type);
		return;
	}
#endif
	switch (scene->op) {
	case SCATTER:
		MPI_Scatter(all, each, all_type, own, count, own_type, scene->root, scene->comm);
		break;
	case SCATTERV:
		MPI_Scatterv(all, scene->counts, scene->displs, all_type, own, count, own_type,
			     scene->root, scene->comm);
		break;
	case GATHER:
		MPI_Gather(own, count, own_type, all, each, all_type, scene->root, scene->comm);
		break;
	default:
		MPI_Gatherv(own, count, own_type, all, scene->counts, scene->displs, all_type,
			    scene->root, scene->comm);
	}
}

static int own_count(const struct scene *scene, const struct buffer *own)
{
	const int room = gathers(scene) ? 0 : scene->room;

	return (scene->units[scene->own] + room) * DRAW_UNIT / own->per;
}

/* Arguments that do not matter at a rank are garbage. */
static void by_call(const struct scene *scene, const struct buffer *all, const struct buffer *own)
{
	const bool owns = scene->owns && !scene->in_place;

	call(scene, at(all, 0), scene->is_root ? scene->counts[0] : -7,
	     scene->is_root ? all->type : MPI_DATATYPE_NULL,
	     scene->in_place ? MPI_IN_PLACE : at(own, 0), owns ? own_count(scene, own) : -7,
	     owns ? own->type : MPI_DATATYPE_NULL);
}

/* The root's messages, one for each block. Returns how many. */
static int root_begin(const struct scene *scene, const struct buffer *all, MPI_Request *requests)
{
	MPI_Aint low, extent;
	int i, count = 0;
	char *block;

	MPI_Type_get_extent(all->type, &low, &extent);
	for (i = 0; i < scene->blocks; i++) {
		if (scene->in_place && i == scene->own)
			continue;
		block = (char *)at(all, 1) + scene->displs[i] * extent;
		if (gathers(scene))
			MPI_Irecv(block, scene->counts[i], all->type, i, 7, scene->comm,
				  &requests[count++]);
		else
			MPI_Isend(block, scene->counts[i], all->type, i, 7, scene->comm,
				  &requests[count++]);
	}
	return count;
}

static void by_messages(const struct scene *scene, const struct buffer *all,
			const struct buffer *own)
{
	const int root = scene->inter || !scene->is_root ? scene->root : scene->own;
	MPI_Request requests[RANKS_MAX];
	int count = 0;

	if (scene->is_root)
		count = root_begin(scene, all, requests);
	if (scene->owns && !scene->in_place && gathers(scene))
		MPI_Send(at(own, 1), own_count(scene, own), own->type, root, 7, scene->comm);
	else if (scene->owns && !scene->in_place)
		MPI_Recv(at(own, 1), own_count(scene, own), own->type, root, 7, scene->comm,
			 MPI_STATUS_IGNORE);
	MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static bool same(const struct buffer *buffer)
{
	return !buffer->copy[0] || !memcmp(buffer->copy[0], buffer->copy[1], buffer->bytes);
}

/* A message around the ring that is under way meanwhile, long enough to need its receiver. */
struct message {
	char *send;
	char *recv;
	MPI_Request requests[2];
};

static void message_begin(struct message *message)
{
	const int bytes = draw_one_in(2) ? 100 : 300000;

	message->send = calloc(1, bytes);
	message->recv = calloc(1, bytes);
	message->send[0] = world_rank;
	MPI_Irecv(message->recv, bytes, MPI_BYTE, (world_rank + 1) % world_size, 5, MPI_COMM_WORLD,
		  &message->requests[0]);
	MPI_Isend(message->send, bytes, MPI_BYTE, (world_rank + world_size - 1) % world_size, 5,
		  MPI_COMM_WORLD, &message->requests[1]);
}

static bool message_end(struct message *message)
{
	bool good;

	MPI_Waitall(2, message->requests, MPI_STATUSES_IGNORE);
	good = message->recv[0] == (world_rank + 1) % world_size;
	free(message->send);
	free(message->recv);
	return good;
}

static bool run(struct scene *scene, uint64_t seed)
{
	const bool sends = draw_one_in(6), mixes = draw_one_in(6);
	struct buffer all = { 0 }, own = { 0 };
	MPI_Request request = MPI_REQUEST_NULL;
	struct message message;
	int numbers[RANKS_MAX];
	bool good = true;

	if (sends)
		message_begin(&message);
	if (scene->comm != MPI_COMM_NULL) {
		draw_seed(seed + 1000003 * (world_rank + 1));
		scene_lay_out(scene, &all, &own);
		if (mixes && !scene->inter)
			MPI_Igather(&world_rank, 1, MPI_INT, numbers, 1, MPI_INT, 0, scene->comm,
				    &request);
		by_call(scene, &all, &own);
		by_messages(scene, &all, &own);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		good = same(&all) && same(&own);
		buffer_free(&all);
		buffer_free(&own);
	}
	if (sends)
		good = message_end(&message) && good;
	return good;
}

/*
 * World, a copy, the ranks in reverse, a part, two parts, a ring, and if there are two, both parts
 * towards one another, and merged.
 */
static int comms_make(MPI_Comm *comms)
{
	const int round = 1;
	MPI_Comm half;
	int count = 0;

	comms[count++] = MPI_COMM_WORLD;
	MPI_Comm_dup(MPI_COMM_WORLD, &comms[count++]);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comms[count++]);
	MPI_Comm_split(MPI_COMM_WORLD, world_rank % 3 ? 0 : MPI_UNDEFINED, 0, &comms[count++]);
	MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &half);
	comms[count++] = half;
	MPI_Cart_create(MPI_COMM_WORLD, 1, &world_size, &round, 1, &comms[count++]);
	if (world_size < 2)
		return count;
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !(world_rank % 2), 3, &comms[count++]);
	MPI_Intercomm_merge(comms[count - 1], !(world_rank % 2), &comms[count]);
	return count + 1;
}

int main(int argc, char **argv)
{
	int cases = 100, comm_count, wrong = 0, all_wrong, i;
	struct scene scene;
	MPI_Comm comms[COMMS_MAX];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &world_size);
	if (argc > 2)
		cases = atoi(argv[2]);
	base_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	comm_count = comms_make(comms);
	for (i = 0; i < cases; i++) {
		uint64_t seed = base_seed * 1000000007ULL + i;

		scene_draw(&scene, comms, comm_count, seed);
		if (run(&scene, seed))
			continue;
		printf("# seed %llu case %d: op %d root %d rank %d differs\n",
		       (unsigned long long)base_seed, i, scene.op, scene.root, world_rank);
		wrong++;
	}
	MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!world_rank)
		printf("%d cases, %d differ\n", cases, all_wrong);
	for (i = 1; i < comm_count; i++) {
		if (comms[i] != MPI_COMM_NULL)
			MPI_Comm_free(&comms[i]);
	}
	MPI_Finalize();
	return all_wrong != 0;
}

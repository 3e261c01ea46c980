// SPDX-License-Identifier: GPL-2.0
/*
 * A member that goes on with those that are left, whoever is lost meanwhile: for storm_test.
 *
 *	outlast NAME SIZE RANK NODE MS [PATIENCE]
 *
 * The members of a group make random calls in batches, the same ones all of them: what these are
 * follows from the group's id. A member whose call fails ends its batch, and revokes the group, so
 * that nobody waits for its next calls. After each batch all AGREE whether it has succeeded
 * everywhere. If it has not, they SHRINK, and go on in the new group. When MS have passed for one
 * of them since it joined, all end. Every byte is checked.
 *
 * Calls draw schedules, too, so nodes forward blocks of others. Some schedules depend on the number
 * of nodes. AGREE tells it: each member brings a bit of its NODE, which is less than 32.
 *
 * A call has two minutes, and none may need them. With PATIENCE, in ms, a node may say nothing and
 * not be lost: then each call has so many ms, and may end with ETIMEDOUT. A member repeats AGREE
 * and SHRINK once, and ends if it still does not know the outcome. Each line is
 *
 *	joined RANK
 *	verdict ID WHAT NUMBER OUTCOME...
 *		what AGREE (with the errno, the culprit and the bits), SHRINK (with the new id
 *		and size) or the operation NUMBER with UNIFORM (with the errno and the culprit)
 *		has told; the same words for all members of group ID that are told anything
 *	seat ID RANK	in a new group
 *	call ERRNO	a call has ended with that, which is one of those that it may end with
 *	end		all have ended together
 *	cut		this node is not one of those that go on, or the member has no more patience
 *
 * and anything else is an error: HANG, BAD and WRONG. The end of the process is no LEAVE.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scatter.h>

#include "clock.h"

#define BATCH		6
#define BYTES_MAX	100000
#define PATIENCE_NS	120000000000LL
/* How late the kernel may be: SHRINK and AGREE take three keep-alives more. */
#define LATE_NS		15000000000LL
/* How often a member calls AGREE or SHRINK, if it has not much patience. */
#define TRIES		2

/* Bits of AGREE. */
#define FINE		1ULL
#define GOES_ON		2ULL
/* No member is on that node. */
#define ABSENT(node)	(1ULL << (32 + (node)))
#define ABSENT_ALL	(~0ULL << 32)

static struct scatter_group *group;
static struct scatter_status status;
static uint64_t number, meetings, begun, patience_ns = PATIENCE_NS;
static int tries = 1, node;
/* How many nodes the group's schedules are between, or members on the only node; 0: not known. */
static unsigned int units;
static unsigned char *all, *own;

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x7fb5d329728ea185;
	x ^= x >> 27;
	x *= 0x81dadef4bc2dd44d;
	return x ^ x >> 33;
}

static const char *name_of(int error)
{
	return error ? strerrorname_np(-error) : "0";
}

static void look(void)
{
	if (scatter_status(group, &status)) {
		printf("BAD status\n");
		exit(1);
	}
}

static void verdict(const char *what, uint64_t count)
{
	printf("verdict %016llx%016llx %s %llu ", (unsigned long long)status.id[0],
	       (unsigned long long)status.id[1], what, (unsigned long long)count);
}

/* Options of a call that begins now. */
static struct scatter_opts begin(void)
{
	begun = now_ns();
	return (struct scatter_opts){
		.timeout_ns = (int64_t)patience_ns,
		.culprit = SCATTER_RANK_ANY,
	};
}

/* Whether a call may end with that when others are lost; ends the process if not. */
static void check(const char *what, int error, bool decided)
{
	bool late = now_ns() > begun + patience_ns + LATE_NS;

	if (!late && (!error || error == -ECONNRESET || error == -ESHUTDOWN ||
		      error == -ECANCELED || (tries > 1 && error == -ETIMEDOUT) ||
		      (decided && error == -ENETUNREACH)))
		return;
	printf("%s %s %s\n", late || error == -ETIMEDOUT ? "HANG" : "BAD", what, name_of(error));
	exit(1);
}

/* Whether too few nodes have said what they decide: the same call may still get the outcome. */
static bool is_unknown(int error)
{
	return error == -ENETUNREACH || error == -ETIMEDOUT;
}

static void fill(unsigned char *block, uint64_t seed, int rank, uint64_t bytes)
{
	uint64_t i, word = 0;

	for (i = 0; i < bytes; i++, word >>= 8) {
		if (i % 8 == 0)
			word = mix(seed + rank + (i << 16));
		block[i] = (unsigned char)word;
	}
}

static void expect(const unsigned char *block, uint64_t seed, int rank, uint64_t bytes)
{
	static unsigned char right[BYTES_MAX];

	fill(right, seed, rank, bytes);
	if (!memcmp(right, block, bytes))
		return;
	printf("WRONG byte of rank %d, %llu bytes\n", rank, (unsigned long long)bytes);
	exit(1);
}

/* A schedule that is possible in this group. @varies: the lengths of blocks differ. */
static struct scatter_schedule draw(uint64_t chance, bool varies)
{
	struct scatter_schedule schedule = {
		.algorithm = chance % (SCATTER_ALGORITHM_OR_BROADCAST + 1),
	};

	chance >>= 32;
	switch (schedule.algorithm) {
	case SCATTER_ALGORITHM_KNOMIAL:
		schedule.ports = 1 + chance % 3;
		break;
	case SCATTER_ALGORITHM_MESH:
	case SCATTER_ALGORITHM_TORUS:
		schedule.dims = 1 + (units > 2 && units % 2 == 0 && chance % 2);
		schedule.extent[0] = units / schedule.dims;
		schedule.extent[1] = schedule.dims == 2 ? 2 : 0;
		if (!units)
			schedule = (struct scatter_schedule){};
		break;
	case SCATTER_ALGORITHM_ROTATED:
	case SCATTER_ALGORITHM_BALANCED:
		if (!units || units & (units - 1))
			schedule.algorithm = SCATTER_ALGORITHM_HYPERCUBE;
		break;
	case SCATTER_ALGORITHM_IRREGULAR:
		if (!varies)
			schedule.algorithm = SCATTER_ALGORITHM_HYPERCUBE;
		break;
	default:
		break;
	}
	return schedule;
}

/* How long the blocks are, of up to @bytes, and where they are in @all. */
static void measure(uint64_t seed, uint64_t bytes, bool varies, uint64_t *counts, uint64_t *displs)
{
	uint64_t at = 0;
	int rank;

	for (rank = 0; rank < (int)status.members; rank++) {
		counts[rank] = varies ? mix(seed ^ (uint64_t)rank) % (bytes + 1) : bytes;
		displs[rank] = at;
		at += counts[rank];
	}
}

static int scatter(uint64_t seed, int root, uint64_t bytes, bool varies, struct scatter_opts *opts)
{
	uint64_t counts[status.members], displs[status.members], mine;
	bool is_root = status.rank == root;
	int rank, error;

	measure(seed, bytes, varies, counts, displs);
	mine = counts[status.rank];
	for (rank = 0; is_root && rank < (int)status.members; rank++)
		fill(all + displs[rank], seed, rank, counts[rank]);
	if (varies)
		error = scatter_scatterv_opts(group, all, is_root ? counts : NULL,
					      is_root ? displs : NULL, own, mine, root, opts);
	else
		error = scatter_scatter_opts(group, all, own, bytes, root, opts);
	if (!error)
		expect(own, seed, status.rank, mine);
	return error;
}

static int gather(uint64_t seed, int root, uint64_t bytes, bool varies, struct scatter_opts *opts)
{
	uint64_t counts[status.members], displs[status.members], mine;
	bool is_root = status.rank == root;
	int rank, error;

	measure(seed, bytes, varies, counts, displs);
	mine = counts[status.rank];
	fill(own, seed, status.rank, mine);
	if (varies)
		error = scatter_gatherv_opts(group, own, mine, all, is_root ? counts : NULL,
					     is_root ? displs : NULL, root, opts);
	else
		error = scatter_gather_opts(group, own, all, bytes, root, opts);
	for (rank = 0; !error && is_root && rank < (int)status.members; rank++)
		expect(all + displs[rank], seed, rank, counts[rank]);
	return error;
}

/* The next call of all. */
static int call(void)
{
	struct scatter_opts opts = begin();
	uint64_t chance = mix(status.id[0] ^ mix(status.id[1] + number));
	uint64_t bytes = (chance >> 8) % (1 + (BYTES_MAX >> (chance >> 32) % 17));
	int root = (int)((chance >> 40) % status.members), error;
	bool uniform = chance >> 60 == 0, varies = mix(chance) >> 60 < 5;

	if (uniform)
		opts.flags = SCATTER_COLL_UNIFORM;
	if (chance % 5)
		opts.schedule = draw(mix(chance + 1), varies);
	switch (chance % 5) {
	case 0:
		error = scatter_barrier_opts(group, &opts);
		break;
	case 1:
	case 2:
		error = scatter(chance, root, bytes, varies, &opts);
		break;
	default:
		error = gather(chance, root, bytes, varies, &opts);
		break;
	}
	check("call", error, uniform);
	/* In a group that is broken on this node already, a call begins no operation. */
	if (uniform && !is_unknown(error) && opts.number != SCATTER_NUMBER_NEW) {
		verdict("uniform", number);
		printf("%s %d\n", name_of(error), opts.culprit);
	}
	number++;
	if (error) {
		printf("call %s\n", name_of(error));
		scatter_revoke(group);
	}
	return error;
}

/* What all bring, without FINE if somebody is gone. False: this member does not know. */
static bool agree(uint64_t *bits)
{
	struct scatter_opts opts;
	uint64_t mine = *bits | (ABSENT_ALL & ~ABSENT(node)), nodes;
	int error, i;

	for (error = -ETIMEDOUT, i = 0; is_unknown(error) && i < tries; i++) {
		opts = begin();
		*bits = mine;
		error = scatter_agree(group, bits, &opts);
		check("agree", error, true);
	}
	if (is_unknown(error))
		return false;
	verdict("meeting", meetings++);
	printf("agree %s %d %llx\n", name_of(error), opts.culprit, (unsigned long long)*bits);
	if (error)
		*bits &= ~FINE;
	nodes = ~*bits >> 32;
	units = (nodes & (nodes - 1)) ? __builtin_popcountll(nodes) : status.members;
	return true;
}

/* Whether this member goes on. */
static bool survive(void)
{
	struct scatter_group *rest;
	struct scatter_status next;
	struct scatter_opts opts;
	int error, i;

	for (error = -ETIMEDOUT, i = 0; is_unknown(error) && i < tries; i++) {
		opts = begin();
		error = scatter_shrink(group, &rest, &opts);
		check("shrink", error, true);
	}
	if (error)
		return false;
	if (scatter_status(rest, &next)) {
		printf("BAD status\n");
		exit(1);
	}
	verdict("meeting", meetings);
	printf("shrink %016llx%016llx %u\n", (unsigned long long)next.id[0],
	       (unsigned long long)next.id[1], next.members);
	printf("seat %016llx%016llx %d\n", (unsigned long long)next.id[0],
	       (unsigned long long)next.id[1], next.rank);
	scatter_leave(group);
	group = rest;
	number = 0;
	meetings = 0;
	units = 0;
	look();
	return true;
}

int main(int argc, char **argv)
{
	struct scatter_join_opts opts = { .timeout_ns = PATIENCE_NS };
	uint64_t until, bits;
	bool known;
	int error, i;

	if (argc != 6 && argc != 7)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	opts.size = strtoul(argv[2], NULL, 10);
	opts.rank = atoi(argv[3]);
	node = atoi(argv[4]);
	if (argc == 7) {
		patience_ns = atoi(argv[6]) * NSEC_PER_MSEC;
		tries = TRIES;
	}
	own = malloc(BYTES_MAX);
	all = malloc((size_t)BYTES_MAX * opts.size);
	if (!own || !all)
		return 2;
	error = scatter_join(&group, argv[1], &opts);
	if (error) {
		printf("%s join %s\n", error == -EHOSTUNREACH ? "call" : "BAD", name_of(error));
		return 1;
	}
	look();
	printf("joined %d\n", status.rank);
	until = now_ns() + atoi(argv[5]) * NSEC_PER_MSEC;
	do {
		for (error = 0, i = 0; !error && i < BATCH; i++)
			error = call();
		bits = (error ? 0 : FINE) | (now_ns() < until ? GOES_ON : 0);
		known = agree(&bits);
		if (!known)
			bits = 0;
		/* Unless this node is cut off, others may be in AGREE yet: SHRINK would differ. */
		if ((!known && tries > 1) || (!(bits & FINE) && !survive())) {
			printf("cut\n");
			return 0;
		}
		/* If something has failed, one more batch tells whether all is well now. */
		if (!(bits & FINE))
			bits |= GOES_ON;
	} while (bits & GOES_ON);
	printf("end\n");
	return 0;
}

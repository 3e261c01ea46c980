// SPDX-License-Identifier: GPL-2.0
/*
 * Scatter and gather on communicators of sessions: of one, of several, and beside MPI_COMM_WORLD.
 * There always is one or the other: MPICH 4.0.2 crashes if it begins a second time. With an
 * argument: of one, which ends the MPI library. Prints TAP.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

#define RANKS_MAX	64
#define ROUNDS		3

static int tests, failures;

/* A session, and all processes in a communicator of it. */
struct place {
	MPI_Session session;
	MPI_Comm comm;
};

static void place_make(struct place *place, const char *name)
{
	MPI_Group group;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &place->session);
	MPI_Group_from_session_pset(place->session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &place->comm);
	MPI_Group_free(&group);
}

static void place_end(struct place *place)
{
	MPI_Comm_free(&place->comm);
	MPI_Session_finalize(&place->session);
}

/* Every second int of the root's, and back. The type lives no longer than a round. */
static bool exchange(MPI_Comm comm, int seed)
{
	int numbers[2 * RANKS_MAX], back[2 * RANKS_MAX] = { 0 }, mine[2] = { -1, -1 };
	int rank, size, good, all, i;
	MPI_Datatype one, gaps;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	MPI_Type_contiguous(1, MPI_INT, &one);
	MPI_Type_create_resized(one, 0, 2 * sizeof(int), &gaps);
	MPI_Type_commit(&gaps);
	for (i = 0; i < 2 * size; i++)
		numbers[i] = seed + i;
	MPI_Scatter(numbers, 1, gaps, mine, 1, MPI_INT, 0, comm);
	good = mine[0] == seed + 2 * rank && mine[1] == -1;
	MPI_Gather(mine, 1, MPI_INT, back, 1, gaps, 0, comm);
	for (i = 0; !rank && i < size; i++)
		good = good && back[2 * i] == seed + 2 * i && !back[2 * i + 1];
	MPI_Type_free(&one);
	MPI_Type_free(&gaps);
	MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm);
	return all;
}

static void tell(bool good, int rank, const char *what)
{
	tests++;
	failures += !good;
	if (!rank)
		printf("%sok %d - %s\n", good ? "" : "not ", tests, what);
	fflush(stdout);
}

/* When the session ends, the MPI library does, and forgets what the shim has told it to keep. */
static int one_alone(void)
{
	struct place place;
	int rank;

	place_make(&place, "alone");
	MPI_Comm_rank(place.comm, &rank);
	tell(exchange(place.comm, 30), rank, "a session alone");
	place_end(&place);
	tell(true, rank, "its end");
	if (!rank)
		printf("1..%d\n", tests);
	return failures != 0;
}

/* Whether the callback has run to its end. */
static bool has_ended;

/* MPI_Finalize() calls this before MPI_COMM_WORLD ends. */
static int on_end(MPI_Comm comm, int key, void *attribute, void *extra)
{
	int rank;

	(void)comm;
	(void)key;
	(void)attribute;
	(void)extra;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	tell(exchange(MPI_COMM_WORLD, 70), rank, "a callback of MPI_Finalize");
	has_ended = true;
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	struct place places[2];
	bool good = true;
	int rank, key, i;

	(void)argv;
	if (argc > 1)
		return one_alone();
	place_make(&places[0], "one");
	MPI_Comm_rank(places[0].comm, &rank);
	tell(exchange(places[0].comm, 0), rank, "a session");
	for (i = 0; i < ROUNDS; i++) {
		place_make(&places[1], "two");
		good = exchange(places[0].comm, i) && exchange(places[1].comm, 10 + i) && good;
		if (i + 1 < ROUNDS)
			place_end(&places[1]);
	}
	place_end(&places[0]);
	good = exchange(places[1].comm, 20) && good;
	tell(good, rank, "sessions that come and go");
	MPI_Init(NULL, NULL);
	good = exchange(MPI_COMM_WORLD, 40) && exchange(places[1].comm, 50);
	place_end(&places[1]);
	good = exchange(MPI_COMM_WORLD, 60) && good;
	tell(good, rank, "a session, and MPI_COMM_WORLD");
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	MPI_Finalize();
	tell(has_ended, rank, "MPI_Finalize, and its callback has run");
	if (!rank)
		printf("1..%d\n", tests);
	return failures != 0;
}

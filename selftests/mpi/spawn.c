// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that this one spawns, and processes that connect to one another: scatters and gathers
 * between them, and after they have merged. The program knows nothing of the shim. Prints TAP, or
 * that the MPI library can do neither.
 *
 *   spawn
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CHILDREN	2
#define RANKS_MAX	16

static int rank, size;
static bool is_child;

/* Rank 0 of the side @sends has all blocks of a scatter and of a gather. */
static bool exchange(MPI_Comm inter, bool sends)
{
	int numbers[RANKS_MAX], back[RANKS_MAX], number = -1, remote, me, i;
	const int idle = MPI_PROC_NULL;
	bool good = true;

	MPI_Comm_rank(inter, &me);
	MPI_Comm_remote_size(inter, &remote);
	for (i = 0; i < RANKS_MAX; i++)
		numbers[i] = 7 * i + 1;
	if (sends) {
		const int root = me ? idle : MPI_ROOT;

		MPI_Scatter(numbers, 1, MPI_INT, NULL, 0, MPI_INT, root, inter);
		MPI_Gather(NULL, 0, MPI_INT, back, 1, MPI_INT, root, inter);
		for (i = 0; !me && i < remote; i++)
			good = good && back[i] == 7 * i + 2;
		return good;
	}
	MPI_Scatter(NULL, 0, MPI_INT, &number, 1, MPI_INT, 0, inter);
	good = number == 7 * me + 1;
	number++;
	MPI_Gather(&number, 1, MPI_INT, NULL, 0, MPI_INT, 0, inter);
	return good;
}

/* Both ways, and as one communicator. */
static bool talk(MPI_Comm inter, bool first)
{
	int mine, numbers[RANKS_MAX], all, i;
	MPI_Comm merged;
	bool good;

	good = exchange(inter, first);
	good = exchange(inter, !first) && good;
	MPI_Intercomm_merge(inter, !first, &merged);
	MPI_Comm_rank(merged, &mine);
	MPI_Comm_size(merged, &all);
	MPI_Gather(&mine, 1, MPI_INT, numbers, 1, MPI_INT, all - 1, merged);
	for (i = 0; mine == all - 1 && i < all; i++)
		good = good && numbers[i] == i;
	MPI_Comm_free(&merged);
	return good;
}

static void tell(int test, bool good, const char *what)
{
	int mine = good, all;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (!rank && !is_child)
		printf("%sok %d - %s\n", all ? "" : "not ", test, what);
	else if (!all)
		printf("# a child does not get it\n");
	fflush(stdout);
}

static bool spawn(char *program, bool several, MPI_Comm *inter)
{
	char *programs[2] = { program, program };
	const int most[] = { 1, CHILDREN - 1 };
	const MPI_Info infos[] = { MPI_INFO_NULL, MPI_INFO_NULL };

	if (several)
		return !MPI_Comm_spawn_multiple(2, programs, MPI_ARGVS_NULL, most, infos, size - 1,
						MPI_COMM_WORLD, inter, MPI_ERRCODES_IGNORE);
	return !MPI_Comm_spawn(program, MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
			       inter, MPI_ERRCODES_IGNORE);
}

/* Even ranks accept odd ones. */
static void test_ports(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm half, inter;
	bool good;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
	if (!rank)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD);
	if (rank % 2)
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
	else
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
	good = talk(inter, rank % 2);
	MPI_Comm_disconnect(&inter);
	MPI_Comm_free(&half);
	tell(3, good, "processes that connect");
}

int main(int argc, char **argv)
{
	MPI_Comm parent, inter;
	bool good;
	int i;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_get_parent(&parent);
	is_child = parent != MPI_COMM_NULL;
	if (is_child) {
		good = talk(parent, false);
		MPI_Comm_disconnect(&parent);
		tell(0, good, "child");
		MPI_Finalize();
		return !good;
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (i = 0; i < 2; i++) {
		if (!spawn(argv[0], i, &inter)) {
			if (!rank)
				printf("this MPI library cannot spawn\n1..0\n");
			MPI_Finalize();
			return 0;
		}
		good = talk(inter, true);
		MPI_Comm_disconnect(&inter);
		tell(i + 1, good, i ? "processes of several programs" :
				      "processes that are spawned");
	}
	test_ports();
	if (!rank)
		printf("1..3\n");
	MPI_Finalize();
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What a program may rely on besides the right bytes. The program knows nothing of the shim, but
 * for the test that looks for members of the device among its own files. Prints TAP.
 *
 *   behave [TEST]...     all but large and dead if none is named
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/scatter.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define RANKS_MAX	64
#define ROUNDS		20
#define COMMS		100
#define COMMS_MANY	1200
#define THREADS		4
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

static int rank, size;
static int tests, failures;

/* All ranks must agree that it went well. */
static void tell(bool good, const char *what)
{
	int mine = good, all;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	tests++;
	failures += !all;
	if (!rank)
		printf("%sok %d - %s\n", all ? "" : "not ", tests, what);
	if (!good)
		printf("# rank %d\n", rank);
	fflush(stdout);
}

static int class_of(int error)
{
	int class = -1;

	MPI_Error_class(error, &class);
	return class;
}

/* A scatter and a gather, one int a rank. */
static bool exchange(MPI_Comm comm, int root, int seed)
{
	int numbers[RANKS_MAX], back[RANKS_MAX], number = -1, me, ranks, i;

	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &ranks);
	for (i = 0; i < ranks; i++)
		numbers[i] = seed + 3 * i;
	MPI_Scatter(numbers, 1, MPI_INT, &number, 1, MPI_INT, root, comm);
	if (number != seed + 3 * me)
		return false;
	number++;
	MPI_Gather(&number, 1, MPI_INT, back, 1, MPI_INT, root, comm);
	for (i = 0; me == root && i < ranks; i++) {
		if (back[i] != seed + 3 * i + 1)
			return false;
	}
	return true;
}

/* Operations that members of the device in this process have called; -1: there is no member. */
static long operations(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	char link[64], name[300];
	long sum = -1;
	ssize_t length;

	while ((entry = readdir(dir))) {
		struct scatter_status status = { .size = sizeof(status) };

		snprintf(name, sizeof(name), "/proc/self/fd/%s", entry->d_name);
		length = readlink(name, link, sizeof(link) - 1);
		if (length < 0)
			continue;
		link[length] = '\0';
		if (strcmp(link, "/dev/scatter") ||
		    ioctl(atoi(entry->d_name), SCATTER_IOCTL_STATUS, &status))
			continue;
		sum = (sum < 0 ? 0 : sum) + (long)status.next;
	}
	closedir(dir);
	return sum;
}

static void test_served(void)
{
	bool good = exchange(MPI_COMM_WORLD, 0, 1);
	const long before = operations();
	int i;

	for (i = 0; i < ROUNDS; i++)
		good = exchange(MPI_COMM_WORLD, i % size, i) && good;
	tell(good && before >= 2 && operations() == before + 2 * ROUNDS,
	     "served: the device counts each call");
}

/* With SCATTER_MPI=off. */
static void test_unserved(void)
{
	const bool good = exchange(MPI_COMM_WORLD, 0, 1);

	tell(good && operations() < 0, "unserved: there is no member of the device");
}

static void test_truncate(void)
{
	int numbers[4 * RANKS_MAX] = { 0 }, room[4] = { 7, 7, 7, 7 }, error;
	const bool small = rank == size - 1;
	bool good;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	error = MPI_Scatter(numbers, 4, MPI_INT, room, small ? 2 : 4, MPI_INT, 0, MPI_COMM_WORLD);
	good = small ? class_of(error) == MPI_ERR_TRUNCATE && room[2] == 7 : !error && !room[3];
	good = exchange(MPI_COMM_WORLD, 0, 2) && good;
	error = MPI_Gather(room, small ? 4 : 2, MPI_INT, numbers, 2, MPI_INT, 0, MPI_COMM_WORLD);
	good = good && class_of(error) == (rank ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
	good = exchange(MPI_COMM_WORLD, 0, 3) && good;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	tell(good, "truncate: who has no room is told, and all goes on");
}

static int handled;
static MPI_Comm handled_comm;

/* cppcheck-suppress constParameter // MPI has no const there */
static void on_error(MPI_Comm *comm, int *code, ...)
{
	(void)code;
	handled++;
	handled_comm = *comm;
}

/* One rank alone makes mistakes, so nothing may be sent. */
static void test_errors(void)
{
	int numbers[RANKS_MAX] = { 0 }, counts[RANKS_MAX], displs[RANKS_MAX] = { 0 }, own = 0;
	const int root = rank;
	MPI_Datatype raw;
	MPI_Comm comm;
	bool good = true;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	memset(counts, 0xff, sizeof(counts));
	MPI_Type_contiguous(2, MPI_INT, &raw);
	if (!rank || rank == size - 1) {
		good = class_of(MPI_Scatter(numbers, 1, MPI_INT, &own, 1, MPI_INT, size, comm)) ==
			       MPI_ERR_ROOT &&
		       class_of(MPI_Gather(&own, -1, MPI_INT, numbers, 1, MPI_INT, root, comm)) ==
			       MPI_ERR_COUNT &&
		       class_of(MPI_Scatter(numbers, -1, MPI_INT, &own, 1, MPI_INT, root, comm)) ==
			       MPI_ERR_COUNT &&
		       class_of(MPI_Scatterv(numbers, counts, displs, MPI_INT, &own, 1, MPI_INT,
					     root, comm)) == MPI_ERR_COUNT &&
		       class_of(MPI_Scatter(numbers, 1, MPI_INT, &own, 1, MPI_DATATYPE_NULL, root,
					    comm)) == MPI_ERR_TYPE &&
		       class_of(MPI_Gather(&own, 1, raw, numbers, 2, MPI_INT, root, comm)) ==
			       MPI_ERR_TYPE &&
		       class_of(MPI_Gather(&own, 2, MPI_INT, numbers, 1, raw, root, comm)) ==
			       MPI_ERR_TYPE;
#ifndef OPEN_MPI
		good = good &&
		       MPI_Gather(numbers + rank, 1, MPI_INT, numbers, 1, MPI_INT, root, comm) &&
		       MPI_Scatter(numbers, 1, MPI_INT, numbers + rank, 1, MPI_INT, root, comm);
#endif
	}
	MPI_Type_free(&raw);
	good = exchange(comm, 0, 4) && good;
	MPI_Comm_free(&comm);
	tell(good, "errors: a rank alone is refused at once, with the right class");
}

static void test_handler(void)
{
	int number = 0, numbers[2 * RANKS_MAX] = { 0 };
	MPI_Errhandler handler;
	MPI_Comm comm;
	bool good;

	MPI_Comm_create_errhandler(on_error, &handler);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, handler);
	MPI_Scatter(numbers, 2, MPI_INT, &number, 1, MPI_INT, 0, comm);
	good = handled == 1 && handled_comm == comm;
	MPI_Scatter(numbers, 2, MPI_INT, &number, 1, MPI_INT, size + 1, comm);
	good = good && handled == 2;
	MPI_Comm_free(&comm);
	MPI_Errhandler_free(&handler);
	tell(good, "handler: each error calls the communicator's handler once");
}

/* Rank 1 wants the message first, which rank 0 has to go on with while it waits in the scatter. */
static void test_progress(void)
{
	const int bytes = 4 << 20;
	char *message = calloc(1, bytes);
	MPI_Request request;
	bool good = true;
	int round;

	for (round = 0; round < 3 && size > 1; round++) {
		if (!rank)
			MPI_Isend(message, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
		if (rank == 1)
			MPI_Recv(message, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		good = exchange(MPI_COMM_WORLD, 1, round) && good;
		if (!rank)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	free(message);
	tell(good, "progress: a message goes on while its sender waits in a scatter");
}

/* Rank 1 adds to the memory of rank 0, whose library must work while it waits for rank 1. */
static void test_onesided(void)
{
	int *memory, one = 1, round;
	bool good = true;
	MPI_Win window;

	MPI_Win_allocate(sizeof(*memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
	*memory = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	for (round = 0; round < 3 && size > 1; round++) {
		if (rank == 1) {
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
			MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
			MPI_Win_unlock(0, window);
		}
		good = exchange(MPI_COMM_WORLD, 1, round) && good;
	}
	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
	good = good && (rank || size == 1 || *memory == 3);
	MPI_Win_unlock(rank, window);
	MPI_Win_free(&window);
	tell(good, "onesided: others reach the memory of a rank that waits in a scatter");
}

/* Odd ranks free from the other end. */
static void test_comms(void)
{
	MPI_Comm comms[COMMS];
	bool good = true;
	int round, i;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < COMMS; i++) {
			MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
			good = exchange(comms[i], i % size, i) && good;
		}
		for (i = 0; i < COMMS; i++)
			MPI_Comm_free(&comms[rank % 2 ? COMMS - 1 - i : i]);
	}
	tell(good, "comms: communicators come and go");
}

/* More than there are descriptors. */
static void test_many(void)
{
	static MPI_Comm comms[COMMS_MANY];
	bool good = true;
	int fd, i;

	for (i = 0; i < COMMS_MANY; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
		good = exchange(comms[i], i % size, i) && good;
	}
	fd = open("/dev/null", O_RDONLY);
	good = good && fd >= 0 && fd < 100;
	close(fd);
	for (i = 0; i < COMMS_MANY; i++)
		good = exchange(comms[i], i % size, i) && good;
	for (i = 0; i < COMMS_MANY; i++)
		MPI_Comm_free(&comms[i]);
	tell(good, "many: more communicators than the program has descriptors");
}

struct worker {
	pthread_t thread;
	MPI_Comm comm;
	bool good;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	int blocks[2 * RANKS_MAX], i, k, ranks;
	MPI_Datatype pair;

	MPI_Comm_size(worker->comm, &ranks);
	worker->good = true;
	for (i = 0; i < ROUNDS; i++) {
		int numbers[2] = { -1, -1 };

		MPI_Type_vector(2, 1, 1, MPI_INT, &pair);
		MPI_Type_commit(&pair);
		for (k = 0; k < 2 * ranks; k++)
			blocks[k] = i + k;
		MPI_Scatter(blocks, 1, pair, numbers, 2, MPI_INT, i % ranks, worker->comm);
		MPI_Type_free(&pair);
		MPI_Comm_rank(worker->comm, &k);
		worker->good = worker->good && numbers[0] == i + 2 * k &&
			       exchange(worker->comm, i % ranks, i);
	}
	return NULL;
}

static void test_threads(void)
{
	struct worker workers[THREADS];
	bool good = true;
	int level, i;

	MPI_Query_thread(&level);
	for (i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
	for (i = 0; i < THREADS; i++) {
		if (level == MPI_THREAD_MULTIPLE)
			pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		else
			work(&workers[i]);
	}
	for (i = 0; i < THREADS; i++) {
		if (level == MPI_THREAD_MULTIPLE)
			pthread_join(workers[i].thread, NULL);
		good = good && workers[i].good;
		MPI_Comm_free(&workers[i].comm);
	}
	tell(good, level == MPI_THREAD_MULTIPLE ?
	     "threads: each with a communicator of its own" :
	     "threads: one after another # SKIP no MPI_THREAD_MULTIPLE");
}

static void test_nothing(void)
{
	int zeros[RANKS_MAX] = { 0 };
	MPI_Datatype empty;
	bool good;

	MPI_Type_contiguous(0, MPI_INT, &empty);
	MPI_Type_commit(&empty);
	good = !MPI_Scatter(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 0, MPI_COMM_WORLD) &&
	       !MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 0, MPI_COMM_WORLD) &&
	       !MPI_Scatterv(NULL, zeros, zeros, MPI_INT, NULL, 0, MPI_INT, 0, MPI_COMM_WORLD) &&
	       !MPI_Gather(&rank, 5, empty, zeros, 5, empty, 0, MPI_COMM_WORLD);
	MPI_Type_free(&empty);
	tell(good && exchange(MPI_COMM_WORLD, 0, 9), "nothing: no bytes from nowhere");
}

/* Datatypes of absolute addresses; and one that nobody can lay out or list. */
static void test_addresses(void)
{
	enum { MANY = 3000 };
	int counts[RANKS_MAX] = { 0, 1 }, zeros[RANKS_MAX] = { 0 };
	static int displs[MANY], from[2 * MANY + 8], to[2 * MANY + 8];
	int number = -1, length = 1, i;
	MPI_Datatype absolute, ragged;
	MPI_Aint where;
	bool good;

	MPI_Get_address(&number, &where);
	MPI_Type_create_hindexed(1, &length, &where, MPI_INT, &absolute);
	MPI_Type_commit(&absolute);
	for (i = 0; i < size; i++)
		from[i] = 5 * i;
	MPI_Scatter(from, 1, MPI_INT, MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD);
	MPI_Type_free(&absolute);
	good = number == 5 * rank;

	for (i = 0; i < MANY; i++) {
		displs[i] = 2 * i + i % 3 / 2;
		from[displs[i]] = 7 * i;
	}
	MPI_Type_create_indexed_block(MANY, 1, displs, MPI_INT, &ragged);
	MPI_Type_commit(&ragged);
	memset(to, 0, sizeof(to));
	MPI_Scatterv(from, counts, zeros, ragged, to, rank == 1,
		     ragged, 0, MPI_COMM_WORLD);
	for (i = 0; rank == 1 && i < MANY; i++)
		good = good && to[2 * i + i % 3 / 2] == 7 * i;
	MPI_Type_free(&ragged);
	tell(good, "addresses: MPI_BOTTOM, and types in thousands of pieces");
}

/* A gather whose blocks lie over one another is no gather of the device. */
static void test_overlap(void)
{
	int counts[RANKS_MAX], displs[RANKS_MAX] = { 0 }, number = 0, i;
	int mine = rank + 100;
	bool good;

	for (i = 0; i < RANKS_MAX; i++)
		counts[i] = 1;
	MPI_Gatherv(&mine, 1, MPI_INT, &number, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
	good = rank || number == size - 1 + 100;
	tell(good && exchange(MPI_COMM_WORLD, 0, 5), "overlap: the last rank's block stays");
}

/* Over 2 GiB for each rank but the root; the root sends the same MiB again and again. */
static void test_large(void)
{
	const int mib = 1 << 20, count = 2100;
	char *some = malloc(mib), *all = rank ? malloc((size_t)mib * count) : NULL;
	MPI_Datatype block, again;
	bool good = true;
	int i;

	memset(some, 0x5a, mib);
	some[7] = 1;
	MPI_Type_contiguous(mib, MPI_BYTE, &block);
	MPI_Type_create_resized(block, 0, 0, &again);
	MPI_Type_commit(&block);
	MPI_Type_commit(&again);
	MPI_Scatter(some, count, again, rank ? (void *)all : MPI_IN_PLACE, count, block, 0,
		    MPI_COMM_WORLD);
	for (i = 0; rank && i < count; i++)
		good = good && all[(size_t)i * mib + 7] == 1 && all[(size_t)i * mib + 8] == 0x5a;
	MPI_Type_free(&block);
	MPI_Type_free(&again);
	free(some);
	free(all);
	tell(good, "large: more than 2 GiB in a block");
}

/* Whether MPI_Finalize() has to call on_end(), and whether on_end() has run to its end. */
static bool wants_end, has_ended;

/*
 * MPI_Finalize() calls this before MPI ends, so all that a program may rely on still holds. Rank 1
 * wants the message first, as in test_progress(). The ragged datatype must be packed.
 */
static int on_end(MPI_Comm comm, int key, void *attribute, void *extra)
{
	(void)comm;
	(void)key;
	(void)attribute;
	(void)extra;
	test_progress();
	test_addresses();
	has_ended = true;
	return MPI_SUCCESS;
}

static void test_finalize(void)
{
	int key;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	wants_end = true;
}

/* After MPI_Finalize(), so each rank answers for itself, by its exit status. */
static void tell_end(void)
{
	tests++;
	failures += !has_ended;
	if (!rank)
		printf("%sok %d - finalize: callbacks may scatter and gather\n",
		       has_ended ? "" : "not ", tests);
	if (!has_ended)
		printf("# rank %d: the callback has not run\n", rank);
}

/* The last rank dies. The others cannot end as usual. */
static void test_dead(void)
{
	int error, i;

	exchange(MPI_COMM_WORLD, 0, 1);
	if (rank == size - 1)
		raise(SIGKILL);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (i = 0, error = 0; i < 2 && !error; i++) {
		int numbers[RANKS_MAX];

		error = MPI_Gather(&rank, 1, MPI_INT, numbers, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	if (!rank) {
		char text[MPI_MAX_ERROR_STRING];
		int length;

		MPI_Error_string(error, text, &length);
		printf("dead: error %s: %s\n", error ? "yes" : "no", text);
	}
	fflush(stdout);
	_exit(0);
}

static const struct {
	const char *name;
	void (*run)(void);
	bool special;
} all_tests[] = {
	{ "served", test_served, true },
	{ "unserved", test_unserved, true },
	{ "truncate", test_truncate, false },
	{ "errors", test_errors, false },
	{ "handler", test_handler, false },
	{ "progress", test_progress, false },
	{ "onesided", test_onesided, false },
	{ "comms", test_comms, false },
	{ "threads", test_threads, false },
	{ "nothing", test_nothing, false },
	{ "addresses", test_addresses, false },
	{ "overlap", test_overlap, false },
	{ "finalize", test_finalize, false },
	{ "many", test_many, true },
	{ "large", test_large, true },
	{ "dead", test_dead, true },
};

static bool is_named(int argc, char **argv, const char *name)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], name))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	int level;
	size_t i;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (i = 0; i < ARRAY_SIZE(all_tests); i++) {
		if (argc > 1 ? is_named(argc, argv, all_tests[i].name) : !all_tests[i].special)
			all_tests[i].run();
	}
	MPI_Finalize();
	if (wants_end)
		tell_end();
	if (!rank)
		printf("1..%d\n", tests);
	return failures != 0;
}

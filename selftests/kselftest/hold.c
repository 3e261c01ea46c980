// SPDX-License-Identifier: GPL-2.0
/*
 * A member for shell tests.
 *
 * hold NAME SIZE: joins a group without waiting, says "joined", and stays a member until its
 * standard input ends.
 *
 * hold NAME SIZE RANK ACTION [ARGUMENT]...: joins, with $SCHEDULE (algorithm, ports, dims and
 * extents) and $SIDES (the sizes of both, and the own one) if there are any, and does one of
 * these. A word that does not end by itself goes on until standard input ends.
 *
 *	run COMMAND...		runs it with "--fd" and the own descriptor; ends as it does
 *	die			by SIGKILL
 *	leave, revoke		LEAVE, REVOKE
 *	scatter			is the root of a scatter of 40 bytes for each
 *	relay-of-scatter, relay-of-gather
 *				does what scatterctl does, but tells the root, rank 0 of the other
 *				side, other rounds than it was told
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

#define HEADER_BYTES	40U

static void __attribute__((noreturn)) give_up(const char *what, int error)
{
	fprintf(stderr, "hold: %s: %s\n", what, strerror(-error));
	exit(1);
}

static void await_end_of_input(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

static void collect(int fd, __u32 op, __u32 root, const void *send, void *receive, __u64 block)
{
	const struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = op,
		.root = root,
		.sendbuf = address(send),
		.recvbuf = address(receive),
		.block = block,
	};
	const int error = coll_once(fd, &coll);

	if (error)
		give_up("COLL", error);
}

static void scatter_from(int fd, const struct scatter_join *join)
{
	char *data = calloc(join->members, HEADER_BYTES);

	if (!data)
		give_up("memory", -ENOMEM);
	collect(fd, SCATTER_OP_SCATTER, (__u32)join->rank, data, data, HEADER_BYTES);
	free(data);
}

static void relay(int fd, bool of_gather)
{
	const __u64 rounds[4] = { 0, 0, 1, 1 };
	const __u64 length = 4 << 20;
	char header[HEADER_BYTES];

	if (of_gather)
		collect(fd, SCATTER_OP_GATHER, 0, &length, NULL, sizeof(length));
	collect(fd, SCATTER_OP_SCATTER, 0, NULL, header, sizeof(header));
	memcpy(header, "scatter2", 8);
	memcpy(header + 8, rounds, sizeof(rounds));
	collect(fd, SCATTER_OP_SCATTER, SCATTER_ROOT, header, NULL, sizeof(header));
}

/* Returns the status of the command. */
static int run(int fd, char **command, int words)
{
	char **arguments = calloc((size_t)words + 3, sizeof(*arguments));
	char number[16];
	int status;
	pid_t pid;

	if (!arguments)
		give_up("memory", -ENOMEM);
	memcpy(arguments, command, (size_t)words * sizeof(*arguments));
	snprintf(number, sizeof(number), "%d", fd);
	arguments[words] = "--fd";
	arguments[words + 1] = number;
	fcntl(fd, F_SETFD, 0);
	pid = fork();
	if (!pid) {
		execvp(*arguments, arguments);
		_exit(127);
	}
	free(arguments);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		give_up("fork", -errno);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void act(int fd, const struct scatter_join *join, const char *action)
{
	struct scatter_revoke revoke = { .size = sizeof(revoke) };
	int error = 0;

	if (!strcmp(action, "die"))
		kill(getpid(), SIGKILL);
	else if (!strcmp(action, "leave"))
		error = leave(fd);
	else if (!strcmp(action, "revoke"))
		error = device_call(fd, SCATTER_IOCTL_REVOKE, &revoke);
	else if (!strcmp(action, "scatter"))
		scatter_from(fd, join);
	else if (!strcmp(action, "relay-of-scatter") || !strcmp(action, "relay-of-gather"))
		relay(fd, !strcmp(action, "relay-of-gather"));
	else
		error = -EINVAL;
	if (error)
		give_up(action, error);
}

static void schedule_parse(struct scatter_schedule *schedule, const char *text)
{
	char *rest = (char *)text;
	unsigned int i;

	schedule->algorithm = (__u32)strtoul(rest, &rest, 0);
	schedule->ports = (__u32)strtoul(rest, &rest, 0);
	schedule->dims = (__u32)strtoul(rest, &rest, 0);
	for (i = 0; i < schedule->dims && i < SCATTER_DIMS_MAX; i++)
		schedule->extent[i] = (__u32)strtoul(rest, &rest, 0);
}

static void sides_parse(struct scatter_join *join, const char *text)
{
	char *rest = (char *)text;

	join->sides[0] = (__u32)strtoul(rest, &rest, 0);
	join->sides[1] = (__u32)strtoul(rest, &rest, 0);
	join->side = (__u32)strtoul(rest, &rest, 0);
}

static int open_to(int flags)
{
	const int fd = device_open(flags);

	if (fd < 0)
		give_up(DEVICE, fd);
	return fd;
}

static int hold(const char *name, unsigned int size)
{
	struct scatter_join join = join_of(name, size, SCATTER_RANK_ANY);
	const int fd = open_to(O_NONBLOCK);
	const int error = device_call(fd, SCATTER_IOCTL_JOIN, &join);

	if (error && error != -EINPROGRESS)
		give_up("JOIN", error);
	puts("joined");
	fflush(stdout);
	await_end_of_input();
	return 0;
}

static int take_part(int argc, char **argv)
{
	struct scatter_join join = join_of(argv[1], (unsigned int)atoi(argv[2]), atoi(argv[3]));
	const char *schedule = getenv("SCHEDULE"), *sides = getenv("SIDES");
	const int fd = open_to(0);
	int error;

	if (schedule)
		schedule_parse(&join.schedule, schedule);
	if (sides)
		sides_parse(&join, sides);
	error = device_call(fd, SCATTER_IOCTL_JOIN, &join);
	if (error)
		give_up("JOIN", error);
	if (argc > 5 && !strcmp(argv[4], "run"))
		return run(fd, argv + 5, argc - 5);
	act(fd, &join, argv[4]);
	await_end_of_input();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return hold(argv[1], (unsigned int)atoi(argv[2]));
	if (argc > 4)
		return take_part(argc, argv);
	fprintf(stderr, "usage: hold NAME SIZE [RANK ACTION [ARGUMENT]...]\n");
	return 2;
}

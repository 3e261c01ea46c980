// SPDX-License-Identifier: GPL-2.0
/*
 * library_test [NAME]: run one test of libscatter; without a name, list them.
 * Tests after "device" need the module. scatterctl_test.sh compiles the program
 * against the shared library and runs each test.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <scatter.h>

#define MS	1000000LL
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static int check(const char *what, int line, long long got, long long wanted)
{
	if (got == wanted)
		return 0;
	printf("# line %d: %s is %lld, not %lld\n", line, what, got, wanted);
	exit(1);
}

#define IS(expression, wanted)	check(#expression, __LINE__, expression, wanted)

/* A different name for each test of each process. */
static const char *name(void)
{
	static char text[32];

	snprintf(text, sizeof(text), "library.%d", getpid());
	return text;
}

static struct scatter_group *join(unsigned int size, int rank, int nonblock)
{
	struct scatter_join_opts opts = {
		.size = size, .rank = rank, .nonblock = nonblock,
	};
	struct scatter_group *group;

	IS(scatter_join(&group, name(), &opts), 0);
	return group;
}

/* Two members in one process: complete when the second one has joined. */
static void join_two(struct scatter_group *groups[2])
{
	groups[0] = join(2, 0, 1);
	groups[1] = join(2, 1, 0);
}

static void leave_two(struct scatter_group *groups[2])
{
	IS(scatter_leave(groups[0]), 0);
	IS(scatter_leave(groups[1]), 0);
}

static void test_arguments(void)
{
	struct scatter_join_opts opts = { .size = 1 };
	struct scatter_opts op = { .culprit = 7, .number = 7, .bytes = 7 };
	struct scatter_group *group = (void *)&opts;
	struct scatter_counters counters;
	struct scatter_status status;
	char longest[SCATTER_NAME_MAX + 1];

	memset(longest, 'x', SCATTER_NAME_MAX);
	longest[SCATTER_NAME_MAX] = 0;
	IS(scatter_join(NULL, "x", &opts), -EINVAL);
	IS(scatter_join(&group, NULL, &opts), -EINVAL);
	IS(!group, 1);
	IS(scatter_join(&group, "x", NULL), -EINVAL);
	IS(scatter_join(&group, longest, &opts), -ENAMETOOLONG);
	opts.timeout_ns = -1;
	IS(scatter_join(&group, "x", &opts), -EINVAL);
	opts.timeout_ns = 0;
	opts.__reserved[0] = 1;
	IS(scatter_join(&group, "x", &opts), -EINVAL);
	IS(scatter_create(&opts), -EINVAL);
	IS(scatter_leave(NULL), 0);
	IS(scatter_rank(NULL), -EINVAL);
	IS(scatter_size(NULL), -EINVAL);
	IS(scatter_fd(NULL), -EINVAL);
	IS(scatter_scatter(NULL, NULL, NULL, 0, 0), -EINVAL);
	IS(scatter_gather(NULL, NULL, NULL, 0, 0), -EINVAL);
	IS(scatter_barrier(NULL), -EINVAL);
	IS(scatter_barrier_opts(NULL, &op), -EINVAL);
	IS(op.culprit, SCATTER_RANK_ANY);
	IS(op.number, SCATTER_NUMBER_NEW);
	IS(op.bytes, 0);
	IS(scatter_status(NULL, &status), -EINVAL);
	IS(scatter_masks(NULL, 64, NULL, NULL, NULL), -EINVAL);
	IS(scatter_counters(NULL, &counters, 0), -EINVAL);
	IS(scatter_info(NULL), -EINVAL);
	IS(scatter_creator(NULL, NULL, NULL, NULL), -EINVAL);
	IS(scatter_credentials(NULL, 0, NULL, 0), -EINVAL);
}

static void test_one_member(void)
{
	struct scatter_opts opts = { .timeout_ns = INT64_MAX };
	struct scatter_group *group = join(1, SCATTER_RANK_ANY, 0);
	struct scatter_status status;
	char from[4] = "abc", to[4] = "";

	IS(scatter_rank(group), 0);
	IS(scatter_size(group), 1);
	IS(fcntl(scatter_fd(group), F_GETFD), FD_CLOEXEC);
	IS(scatter_scatter(group, from, to, sizeof(to), 0), 0);
	IS(strcmp(to, "abc"), 0);
	IS(scatter_gather_opts(group, "xyz", to, sizeof(to), 0, &opts), 0);
	IS(strcmp(to, "xyz"), 0);
	IS(opts.number, 1);
	IS(opts.bytes, sizeof(to));
	IS(opts.culprit, SCATTER_RANK_ANY);
	IS(scatter_scatter(group, from, SCATTER_IN_PLACE, sizeof(to), 0), 0);
	IS(scatter_gather(group, SCATTER_IN_PLACE, to, sizeof(to), 0), 0);
	IS(strcmp(to, "xyz"), 0);
	IS(scatter_scatter(group, NULL, NULL, 0, 0), 0);
	IS(scatter_barrier(group), 0);
	IS(scatter_status(group, &status), 0);
	IS(status.next, 6);
	IS(status.members, 1);

	IS(scatter_scatter(group, from, to, sizeof(to), -1), -EINVAL);
	IS(scatter_scatter(group, from, to, sizeof(to), 1), -EINVAL);
	opts.timeout_ns = -1;
	IS(scatter_barrier_opts(group, &opts), -EINVAL);
	opts.timeout_ns = 0;
	opts.schedule.algorithm = 99;
	IS(scatter_scatter_opts(group, from, to, 1, 0, &opts), -EOPNOTSUPP);
	IS(opts.number, SCATTER_NUMBER_NEW);
	IS(opts.bytes, 0);
	opts.schedule.algorithm = 0;
	opts.__reserved[0] = 1;
	IS(scatter_barrier_opts(group, &opts), -EINVAL);
	IS(scatter_scatter(group, NULL, to, sizeof(to), 0), -EFAULT);
	IS(scatter_leave(group), 0);
}

static void test_nonblock(void)
{
	struct scatter_group *first = join(2, 1, 1);
	struct scatter_group *second;
	struct pollfd pollfd = { .fd = scatter_fd(first), .events = POLLOUT };
	char block[2] = "";

	IS(scatter_rank(first), 1);
	IS(scatter_size(first), 2);
	IS(poll(&pollfd, 1, 0), 0);
	IS(scatter_barrier(first), -EINPROGRESS);
	second = join(2, SCATTER_RANK_ANY, 0);
	IS(scatter_rank(second), 0);
	IS(poll(&pollfd, 1, 0), 1);
	IS(pollfd.revents, POLLOUT);
	IS(scatter_scatter(second, "abcd", block, 2, 0), 0);
	IS(memcmp(block, "ab", 2), 0);
	IS(scatter_scatter(first, NULL, block, 2, 0), 0);
	IS(memcmp(block, "cd", 2), 0);
	IS(scatter_leave(first), 0);
	IS(scatter_leave(second), 0);
}

static void test_join_timeout(void)
{
	struct scatter_join_opts opts = {
		.size = 2, .rank = 0, .timeout_ns = 20 * MS,
	};
	struct scatter_group *group = (void *)&opts;

	IS(scatter_join(&group, name(), &opts), -ETIMEDOUT);
	IS(!group, 1);
	/* The JOIN has kept no rank, and 1 ns is a time too. */
	opts.timeout_ns = 1;
	IS(scatter_join(&group, name(), &opts), -ETIMEDOUT);
	/* Forming needs no waiting. */
	opts.size = 1;
	IS(scatter_join(&group, name(), &opts), 0);
	IS(scatter_leave(group), 0);
}

static void test_timeout_resumes(void)
{
	struct scatter_opts opts = { .timeout_ns = 20 * MS };
	struct scatter_group *groups[2];
	uint64_t missing;

	join_two(groups);
	IS(scatter_barrier(NULL), -EINVAL);
	IS(scatter_barrier_opts(groups[0], &opts), -ETIMEDOUT);
	IS(opts.number, 0);
	IS(scatter_masks(groups[0], 64, NULL, NULL, &missing), 0);
	IS(missing, 1 << 1);
	IS(scatter_scatter(groups[0], NULL, NULL, 0, 0), -EBUSY);
	opts.timeout_ns = 30 * MS;
	IS(scatter_barrier_opts(groups[0], &opts), -ETIMEDOUT);
	IS(scatter_barrier(groups[1]), 0);
	IS(scatter_barrier_opts(groups[0], &opts), 0);
	IS(opts.number, 0);
	/* None is paused any more: the next call begins another one. */
	IS(scatter_barrier_opts(groups[0], &opts), -ETIMEDOUT);
	IS(opts.number, 1);
	IS(scatter_barrier(groups[1]), 0);
	IS(scatter_barrier_opts(groups[0], &opts), 0);
	IS(opts.number, 1);
	leave_two(groups);
}

/* One block has crossed the only edge, whoever saw to that. */
static void test_counters(void)
{
	struct scatter_counters own[2], total;
	struct scatter_group *groups[2];
	char block;

	join_two(groups);
	IS(scatter_scatter(groups[0], "ab", &block, 1, 0), 0);
	IS(scatter_scatter(groups[1], NULL, &block, 1, 0), 0);
	IS(scatter_counters(groups[0], NULL, 0), -EINVAL);
	IS(scatter_counters(groups[0], &own[0], 0), 0);
	IS(scatter_counters(groups[1], &own[1], 0), 0);
	IS(own[0].startups + own[1].startups, 1);
	IS(scatter_counters(groups[1], &total, 1), 0);
	IS(total.startups, 1);
	IS(total.bytes_copied, own[0].bytes_copied + own[1].bytes_copied);
	leave_two(groups);
}

static void test_masks(void)
{
	struct scatter_group *groups[2];
	uint64_t dead[2], left[2] = { 9, 9 };

	join_two(groups);
	IS(scatter_masks(groups[0], 0, dead, NULL, NULL), -EINVAL);
	IS(scatter_masks(groups[0], 65, dead, NULL, NULL), -EINVAL);
	IS(scatter_leave(groups[1]), 0);
	IS(scatter_masks(groups[0], 128, dead, left, NULL), 0);
	IS(dead[0] | dead[1] | left[1], 0);
	IS(left[0], 1 << 1);
	IS(scatter_leave(groups[0]), 0);
}

static void test_culprit(void)
{
	struct scatter_opts opts = { };
	struct scatter_group *groups[2];
	char block[2];

	join_two(groups);
	IS(scatter_scatter(groups[0], "ab", block, 1, 0), 0);
	IS(scatter_gather_opts(groups[1], "x", NULL, 1, 0, &opts), -EPROTO);
	IS(opts.culprit, 1);
	/* The group is broken. */
	IS(scatter_barrier_opts(groups[0], &opts), -EPROTO);
	IS(opts.culprit, 1);
	leave_two(groups);
}

static void test_left(void)
{
	struct scatter_opts opts = { };
	struct scatter_group *groups[2];

	join_two(groups);
	IS(scatter_leave(groups[0]), 0);
	IS(scatter_barrier_opts(groups[1], &opts), -ESHUTDOWN);
	IS(opts.culprit, 0);
	IS(scatter_leave(groups[1]), 0);
}

static void test_revoked(void)
{
	struct scatter_opts opts = { };
	struct scatter_group *groups[2];

	IS(scatter_revoke(NULL), -EINVAL);
	join_two(groups);
	IS(scatter_revoke(groups[1]), 0);
	IS(scatter_barrier_opts(groups[0], &opts), -ECANCELED);
	IS(opts.culprit, 1);
	IS(scatter_barrier_opts(groups[1], &opts), -ECANCELED);
	/* The first culprit stays. */
	IS(scatter_revoke(groups[0]), 0);
	IS(scatter_barrier_opts(groups[0], &opts), -ECANCELED);
	IS(opts.culprit, 1);
	leave_two(groups);
}

/* Two members by a descriptor, with the terms of who created it. */
static void test_descriptor(void)
{
	struct scatter_join_opts opts = {
		.size = 2, .schedule.algorithm = SCATTER_ALGORITHM_LINEAR,
		.rank = 1,
	};
	struct scatter_join_opts terms = { .nonblock = 1 };
	struct scatter_group *groups[2];
	struct scatter_status status, other;
	char from[2] = "ab", to[2] = "";
	int fd;

	IS(scatter_create(NULL), -EINVAL);
	fd = scatter_create(&terms);
	IS(fd, -EINVAL);
	fd = scatter_create(&opts);
	IS(fd >= 0, 1);
	IS(scatter_join_by(NULL, fd, &opts), -EINVAL);
	IS(scatter_join_by(&groups[0], fd, NULL), -EINVAL);
	IS(scatter_join_by(&groups[0], -1, &opts), -EBADF);
	opts.size = 3;
	IS(scatter_join_by(&groups[0], fd, &opts), -EPROTO);
	IS(!groups[0], 1);
	IS(scatter_join_by(&groups[0], fd, &terms), 0);
	opts.size = 2;
	IS(scatter_join_by(&groups[1], fd, &opts), 0);
	close(fd);
	IS(scatter_size(groups[0]), 2);
	IS(scatter_rank(groups[1]), 1);
	IS(fcntl(scatter_fd(groups[1]), F_GETFD), FD_CLOEXEC);
	IS(scatter_gather(groups[1], &from[1], NULL, 1, 0), 0);
	IS(scatter_gather(groups[0], &from[0], to, 1, 0), 0);
	IS(memcmp(from, to, 2), 0);
	IS(scatter_status(groups[0], &status), 0);
	IS(status.schedule.algorithm, SCATTER_ALGORITHM_LINEAR);
	IS(scatter_status(groups[1], &other), 0);
	IS(memcmp(status.id, other.id, sizeof(other.id)), 0);
	leave_two(groups);
}

/* Alone: two would need two threads. */
static void test_regroup(void)
{
	struct scatter_group *group = join(1, 0, 0), *new;
	struct scatter_opts opts = { .number = 9, .culprit = 9 };

	IS(scatter_dup(NULL, &new, NULL), -EINVAL);
	IS(scatter_dup(group, NULL, NULL), -EINVAL);
	IS(scatter_dup(group, &new, &opts), 0);
	IS(opts.number, 0);
	IS(opts.culprit, SCATTER_RANK_ANY);
	IS(scatter_size(new), 1);
	IS(fcntl(scatter_fd(new), F_GETFD), FD_CLOEXEC);
	IS(scatter_leave(new), 0);
	IS(scatter_split(group, -2, 0, &new, NULL), -EINVAL);
	IS(scatter_split(group, SCATTER_COLOR_NONE, 0, &new, &opts), 0);
	IS(!new, 1);
	IS(opts.number, 1);
	IS(scatter_split(group, 5, -7, &new, NULL), 0);
	IS(scatter_barrier(new), 0);
	IS(scatter_leave(new), 0);
	opts.timeout_ns = -1;
	IS(scatter_shrink(group, &new, &opts), -EINVAL);
	opts.timeout_ns = 0;
	IS(scatter_shrink(group, &new, &opts), 0);
	IS(opts.number, SCATTER_NUMBER_NEW);
	IS(scatter_leave(group), 0);
	IS(scatter_barrier(new), 0);
	IS(scatter_leave(new), 0);
}

static void test_agree(void)
{
	uint64_t failed[1], value = 6;
	struct scatter_opts opts = { };
	struct scatter_group *groups[2];

	join_two(groups);
	IS(scatter_agree(NULL, &value, NULL), -EINVAL);
	IS(scatter_agree(groups[0], NULL, NULL), -EINVAL);
	IS(scatter_get_failed(NULL, failed, 64, 0), -EINVAL);
	IS(scatter_get_failed(groups[0], failed, 1, 0), -EINVAL);
	IS(scatter_get_failed(groups[0], failed, 64, 0), 0);
	opts.timeout_ns = 1;
	IS(scatter_agree(groups[0], &value, &opts), -ETIMEDOUT);
	IS(value, 6);
	IS(scatter_leave(groups[1]), 0);
	IS(scatter_agree(groups[0], &value, &opts), -ESHUTDOWN);
	IS(value, 6);
	IS(opts.culprit, 1);
	IS(scatter_get_failed(groups[0], failed, 64, 0), 1);
	IS(failed[0], 2);
	IS(scatter_agree(groups[0], &value, &opts), -ESHUTDOWN);
	IS(scatter_get_failed(groups[0], NULL, 0, 1), 1);
	IS(scatter_agree(groups[0], &value, &opts), 0);
	IS(opts.culprit, SCATTER_RANK_ANY);
	IS(scatter_leave(groups[0]), 0);
}

/* A child has the descriptor, but is no member. */
static void test_fork(void)
{
	struct scatter_group *group = join(1, 0, 0);
	int status;

	if (!fork()) {
		if (scatter_barrier(group) != -EIO ||
		    scatter_revoke(group) != -EIO || scatter_leave(group) != -EIO)
			_exit(1);
		_exit(0);
	}
	wait(&status);
	IS(status, 0);
	IS(scatter_barrier(group), 0);
	IS(scatter_leave(group), 0);
}

static void test_info(void)
{
	struct scatter_info info;

	IS(scatter_info(&info), 0);
	IS(info.size_max, 1024);
	IS(info.operations, 511);
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "arguments", test_arguments },
	{ "device", test_info },
	{ "one_member", test_one_member },
	{ "nonblock", test_nonblock },
	{ "join_timeout", test_join_timeout },
	{ "timeout_resumes", test_timeout_resumes },
	{ "counters", test_counters },
	{ "masks", test_masks },
	{ "culprit", test_culprit },
	{ "left", test_left },
	{ "revoked", test_revoked },
	{ "descriptor", test_descriptor },
	{ "regroup", test_regroup },
	{ "agree", test_agree },
	{ "fork", test_fork },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		if (argc < 2) {
			puts(tests[i].name);
		} else if (!strcmp(tests[i].name, argv[1])) {
			tests[i].run();
			return 0;
		}
	}
	return argc < 2 ? 0 : 2;
}

// SPDX-License-Identifier: GPL-2.0
/* libscatter: thin, so what it adds to the ioctls is what is tested. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <scatter.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "harness.h"

#define SIZE		3
#define BLOCK		1000
#define NSEC_PER_SEC	1000000000LL

static struct scatter_join_opts opts_of(unsigned int size, int rank)
{
	return (struct scatter_join_opts){
		.size = size,
		.rank = rank,
		.timeout_ns = paced_ms(PATIENCE_MS) * (long long)NSEC_PER_MSEC,
	};
}

/* Groups of this process alone ---------------------------------------------- */

FIXTURE(alone)
{
	struct scatter_group *group;
	char name[SCATTER_NAME_MAX];
};

FIXTURE_SETUP(alone)
{
	struct scatter_join_opts opts = opts_of(1, SCATTER_RANK_ANY);

	name_make(self->name, "lib");
	ASSERT_EQ(0, scatter_join(&self->group, self->name, &opts));
}

FIXTURE_TEARDOWN(alone)
{
	EXPECT_EQ(0, scatter_leave(self->group));
}

TEST_F(alone, the_handle_tells_rank_size_and_descriptor)
{
	EXPECT_EQ(0, scatter_rank(self->group));
	EXPECT_EQ(1, scatter_size(self->group));
	EXPECT_EQ(POLLOUT, events_of(scatter_fd(self->group), 0));
}

TEST_F(alone, scatter_and_gather_copy_the_own_block)
{
	char from[BLOCK], to[BLOCK];

	pattern_fill(from, BLOCK, 1, 0);
	memset(to, 0, BLOCK);
	EXPECT_EQ(0, scatter_scatter(self->group, from, to, BLOCK, 0));
	EXPECT_EQ(0, memcmp(from, to, BLOCK));
	memset(to, 0, BLOCK);
	EXPECT_EQ(0, scatter_gather(self->group, from, to, BLOCK, 0));
	EXPECT_EQ(0, memcmp(from, to, BLOCK));
}

TEST_F(alone, in_place_needs_one_buffer)
{
	char buffer[BLOCK];

	pattern_fill(buffer, BLOCK, 1, 0);
	EXPECT_EQ(0, scatter_scatter(self->group, buffer, SCATTER_IN_PLACE,
				     BLOCK, 0));
	EXPECT_EQ(0, scatter_gather(self->group, SCATTER_IN_PLACE, buffer,
				    BLOCK, 0));
	EXPECT_TRUE(pattern_holds(buffer, BLOCK, 1, 0));
}

TEST_F(alone, layouts_are_options)
{
	struct scatter_iovec iov[2];
	struct scatter_layout columns, list;
	struct scatter_opts opts = {
		.send_layout = &columns,
		.recv_layout = &list,
	};
	char to[16];

	EXPECT_EQ(-EINVAL, scatter_layout_vector(NULL, 1, 1, 1, 1));
	EXPECT_EQ(-EINVAL, scatter_layout_iovec(NULL, iov, 1));
	EXPECT_EQ(-EINVAL, scatter_layout_iovec(&list, NULL, 1));
	/* Column after column of 4 rows of 3 pairs. */
	ASSERT_EQ(0, scatter_layout_vector(&columns, 4, 2, 6, 2));
	iov[0] = (struct scatter_iovec){ (size_t)(to + 9), 7 };
	iov[1] = (struct scatter_iovec){ (size_t)(to + 1), 5 };
	ASSERT_EQ(0, scatter_layout_iovec(&list, iov, 2));
	memset(to, '.', sizeof(to));
	EXPECT_EQ(0, scatter_scatter_opts(self->group, "aabbccddeeffgghhiijjkkll",
					  NULL, 12, 0, &opts));
	EXPECT_EQ(0, memcmp(".jbbee...aaddggj", to, sizeof(to)));
	opts.send_layout = &list;
	opts.recv_layout = &columns;
	EXPECT_EQ(0, scatter_gather_opts(self->group, NULL, to, 0, 0, &opts));
	columns.length = 0;
	EXPECT_EQ(-EINVAL, scatter_gather_opts(self->group, NULL, to, 0, 0, &opts));
}

TEST_F(alone, operations_are_numbered_from_zero)
{
	struct scatter_opts opts = { .number = 99, .culprit = 99 };
	struct scatter_status status;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, scatter_barrier_opts(self->group, &opts));
		EXPECT_EQ((uint64_t)i, opts.number);
		EXPECT_EQ(SCATTER_RANK_ANY, opts.culprit);
	}
	EXPECT_EQ(0, scatter_barrier(self->group));
	ASSERT_EQ(0, scatter_status(self->group, &status));
	EXPECT_EQ(4ULL, status.next);
	EXPECT_EQ(SCATTER_STATE_ACTIVE, (int)status.state);
}

TEST_F(alone, every_error_is_a_negative_errno)
{
	struct scatter_opts opts = { .schedule.algorithm = 99 };
	char buffer[BLOCK] = { 0 };

	EXPECT_EQ(-EINVAL, scatter_scatter(self->group, buffer, buffer, 1, 1));
	EXPECT_EQ(-EINVAL, scatter_gather(self->group, buffer, buffer, 1, -1));
	EXPECT_EQ(-EFAULT, scatter_scatter(self->group, NULL, buffer, 1, 0));
	EXPECT_EQ(-EFAULT, scatter_gather(self->group, buffer, NULL, 1, 0));
	/* No block has as many bytes, or no address space. */
	EXPECT_EQ(sizeof(size_t) > 4 ? -EINVAL : -EFAULT,
		  scatter_scatter(self->group, buffer, buffer, SIZE_MAX, 0));
	EXPECT_EQ(-EOPNOTSUPP, scatter_gather_opts(self->group, buffer, buffer,
						   1, 0, &opts));
	opts = (struct scatter_opts){ .timeout_ns = -1 };
	EXPECT_EQ(-EINVAL, scatter_barrier_opts(self->group, &opts));
}

TEST_F(alone, flags_are_for_the_kernel_but_that_of_a_buffer)
{
	struct scatter_opts opts = { .flags = SCATTER_COLL_UNIFORM };
	char buffer[BLOCK] = { 0 };

	EXPECT_EQ(0, scatter_barrier_opts(self->group, &opts));
	opts.flags |= SCATTER_COLL_DEADLINE_ALL;
	opts.timeout_ns = 1;
	EXPECT_EQ(0, scatter_scatter_opts(self->group, buffer, SCATTER_IN_PLACE, 1, 0,
					  &opts));
	opts.flags = SCATTER_COLL_IN_PLACE;
	EXPECT_EQ(-EINVAL, scatter_scatter_opts(self->group, buffer, buffer, 1, 0,
						&opts));
	opts.flags = SCATTER_COLL_AT_MOST << 1;
	EXPECT_EQ(-EOPNOTSUPP, scatter_barrier_opts(self->group, &opts));
}

TEST_F(alone, a_timeout_beyond_all_time_is_none)
{
	struct scatter_opts opts = { .timeout_ns = LLONG_MAX };

	EXPECT_EQ(0, scatter_barrier_opts(self->group, &opts));
}

TEST(names_that_are_too_long_are_refused)
{
	struct scatter_join_opts opts = opts_of(1, 0);
	struct scatter_group *group = (void *)1;
	char name[SCATTER_NAME_MAX + 1];

	memset(name, 'n', sizeof(name));
	name[SCATTER_NAME_MAX] = '\0';
	EXPECT_EQ(-ENAMETOOLONG, scatter_join(&group, name, &opts));
	EXPECT_NULL(group);
	name[SCATTER_NAME_MAX - 1] = '\0';
	ASSERT_EQ(0, scatter_join(&group, name, &opts));
	EXPECT_EQ(0, scatter_leave(group));
}

TEST(join_passes_on_what_the_kernel_says)
{
	struct scatter_join_opts opts = opts_of(0, 0);
	struct scatter_group *group = (void *)1;
	int before = dup(0);

	EXPECT_EQ(-EINVAL, scatter_join(&group, "bad", &opts));
	EXPECT_NULL(group);
	opts = opts_of(2, 2);
	EXPECT_EQ(-EINVAL, scatter_join(&group, "bad", &opts));
	opts = opts_of(2, 0);
	opts.ring_bytes = 5;
	EXPECT_EQ(-EINVAL, scatter_join(&group, "bad", &opts));
	opts = opts_of(2, 0);
	EXPECT_EQ(-EINVAL, scatter_join(&group, "a/b", &opts));
	opts.timeout_ns = 1;
	EXPECT_EQ(-ETIMEDOUT, scatter_join(&group, "nobody", &opts));
	opts.timeout_ns = -1;
	EXPECT_EQ(-EINVAL, scatter_join(&group, "bad", &opts));
	/* None of them has left a descriptor open. */
	EXPECT_EQ(before + 1, dup(0));
}

TEST(a_group_has_the_schedule_that_all_join_with)
{
	struct scatter_join_opts opts = opts_of(2, SCATTER_RANK_ANY);
	struct scatter_group *first, *second;
	char name[SCATTER_NAME_MAX];
	struct scatter_status status;

	name_make(name, "schedule");
	opts.nonblock = 1;
	opts.schedule.algorithm = SCATTER_ALGORITHM_TORUS;
	EXPECT_EQ(-EINVAL, scatter_join(&first, name, &opts));
	opts.schedule.dims = 2;
	opts.schedule.extent[0] = 1;
	opts.schedule.extent[1] = 2;
	ASSERT_EQ(0, scatter_join(&first, name, &opts));
	ASSERT_EQ(0, scatter_status(first, &status));
	EXPECT_EQ(SCATTER_ALGORITHM_TORUS, (int)status.schedule.algorithm);
	EXPECT_EQ(2U, status.schedule.dims);
	EXPECT_EQ(1U, status.schedule.extent[0]);
	EXPECT_EQ(2U, status.schedule.extent[1]);
	opts.schedule.extent[0] = 2;
	opts.schedule.extent[1] = 1;
	EXPECT_EQ(-EPROTO, scatter_join(&second, name, &opts));
	opts = opts_of(2, SCATTER_RANK_ANY);
	EXPECT_EQ(-EPROTO, scatter_join(&second, name, &opts));
	opts.schedule.algorithm = 99;
	EXPECT_EQ(-EOPNOTSUPP, scatter_join(&second, name, &opts));
	EXPECT_EQ(0, scatter_leave(first));
	opts.schedule.algorithm = SCATTER_ALGORITHM_KNOMIAL;
	opts.schedule.ports = 3;
	opts.nonblock = 1;
	ASSERT_EQ(0, scatter_join(&first, name, &opts));
	ASSERT_EQ(0, scatter_status(first, &status));
	EXPECT_EQ(3U, status.schedule.ports);
	EXPECT_EQ(0, scatter_leave(first));
}

TEST(nothing_is_needed_to_leave_no_group)
{
	EXPECT_EQ(0, scatter_leave(NULL));
}

TEST(info_needs_no_group)
{
	struct scatter_info info;

	ASSERT_EQ(0, scatter_info(&info));
	EXPECT_EQ(MEMBERS_MAX, info.size_max);
}

TEST(a_join_that_does_not_wait_is_told_by_poll)
{
	struct scatter_join_opts opts = opts_of(2, 0);
	struct scatter_group *first, *second;
	char name[SCATTER_NAME_MAX];

	name_make(name, "nonblock");
	opts.nonblock = 1;
	ASSERT_EQ(0, scatter_join(&first, name, &opts));
	EXPECT_EQ(0, events_of(scatter_fd(first), 0));
	EXPECT_EQ(-EINPROGRESS, scatter_barrier(first));
	opts.rank = 1;
	ASSERT_EQ(0, scatter_join(&second, name, &opts));
	EXPECT_EQ(1, scatter_rank(second));
	EXPECT_EQ(POLLOUT, events_of(scatter_fd(first), 0));
	/* Leaving says who left. */
	EXPECT_EQ(0, scatter_leave(second));
	EXPECT_EQ(-ESHUTDOWN, scatter_barrier(first));
	EXPECT_EQ(0, scatter_leave(first));
}

/* A short block lies in the kernel when the sender returns. */
TEST(the_sides_of_a_group)
{
	struct scatter_join_opts opts = opts_of(3, SCATTER_RANK_ANY);
	struct scatter_group *near[2], *far;
	const uint64_t counts[2] = { 3, 5 };
	char name[SCATTER_NAME_MAX];
	char from[8], to[8] = { 0 };
	unsigned int i;

	pattern_fill(from, 8, 1, 0);
	name_make(name, "sides");
	opts.nonblock = 1;
	opts.sides[0] = 2;
	EXPECT_EQ(-EINVAL, scatter_join(&far, name, &opts));
	opts.sides[1] = 1;
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, scatter_join(&near[i], name, &opts));
		EXPECT_EQ((int)i, scatter_rank(near[i]));
		EXPECT_EQ(1, scatter_remote_size(near[i]));
	}
	opts.side = 1;
	ASSERT_EQ(0, scatter_join(&far, name, &opts));
	EXPECT_EQ(0, scatter_rank(far));
	EXPECT_EQ(3, scatter_size(far));
	EXPECT_EQ(2, scatter_remote_size(far));
	EXPECT_EQ(-EINVAL, scatter_remote_size(NULL));

	EXPECT_EQ(0, scatter_scatter(near[0], NULL, NULL, 0, SCATTER_PROC_NULL));
	EXPECT_EQ(0, scatter_scatter(near[1], from, NULL, 8, SCATTER_ROOT));
	EXPECT_EQ(0, scatter_scatter(far, NULL, to, 8, 1));
	EXPECT_EQ(0, memcmp(from, to, 8));
	memset(to, 0, 8);
	EXPECT_EQ(0, scatter_gatherv(near[0], from, 3, NULL, NULL, NULL, 0));
	EXPECT_EQ(0, scatter_gatherv(near[1], from + 3, 5, NULL, NULL, NULL, 0));
	EXPECT_EQ(-EINVAL, scatter_gatherv(far, SCATTER_IN_PLACE, 0, to, counts,
					   NULL, SCATTER_ROOT));
	EXPECT_EQ(-EINVAL, scatter_gatherv(far, NULL, 0, to, counts, NULL, -1));
	EXPECT_EQ(-EINVAL, scatter_gatherv(far, NULL, 0, to, counts, NULL, -4));
	EXPECT_EQ(0, scatter_gatherv(far, NULL, 0, to, counts, NULL,
				     SCATTER_ROOT));
	EXPECT_EQ(0, memcmp(from, to, 8));
	EXPECT_EQ(0, scatter_leave(near[0]));
	EXPECT_EQ(0, scatter_leave(near[1]));
	EXPECT_EQ(0, scatter_leave(far));
}

/* Zeroed options are for the own group. */
TEST(a_group_of_another_user_is_joined_by_naming_the_owner)
{
	struct scatter_join_opts opts = opts_of(1, 0);
	struct scatter_group *group, *other = NULL;
	const unsigned int root = 0, nobody = 4711;
	char name[SCATTER_NAME_MAX];

	name_make(name, "owner");
	opts.owner = &nobody;
	EXPECT_EQ(-ENOENT, scatter_join(&group, name, &opts));
	EXPECT_NULL(group);
	opts.exclusive = 1;
	EXPECT_EQ(-EINVAL, scatter_join(&group, name, &opts));
	opts.owner = &root;
	ASSERT_EQ(0, scatter_join(&group, name, &opts));
	opts.owner = NULL;
	EXPECT_EQ(-EEXIST, scatter_join(&other, name, &opts));
	opts.exclusive = 0;
	EXPECT_EQ(-EUSERS, scatter_join(&other, name, &opts));
	EXPECT_NULL(other);
	EXPECT_EQ(0, scatter_leave(group));
}

TEST_F(alone, credentials_of_creator_and_members)
{
	struct scatter_credential list[2] = { { 0 } };
	unsigned int uid = 99, gid = 99, mode = 0;

	ASSERT_EQ(0, scatter_creator(self->group, &uid, &gid, &mode));
	EXPECT_EQ(0U, uid);
	EXPECT_EQ(0U, gid);
	EXPECT_EQ(0600U, mode);
	EXPECT_EQ(0, scatter_creator(self->group, NULL, NULL, NULL));
	EXPECT_EQ(1, scatter_credentials(self->group, 0, list, 2));
	EXPECT_EQ(getpid(), list[0].pid);
	EXPECT_EQ(0U, list[0].uid);
	EXPECT_EQ(1U, list[0].joined);
	EXPECT_EQ(0U, list[1].joined);
	EXPECT_EQ(0, scatter_credentials(self->group, 0, NULL, 0));
	EXPECT_EQ(0, scatter_credentials(self->group, 1, list, 2));
	EXPECT_EQ(-EINVAL, scatter_credentials(self->group, 2, list, 2));
	EXPECT_EQ(-EFAULT, scatter_credentials(self->group, 0, NULL, 1));
}

TEST(the_mode_is_0600_if_none_is_given)
{
	struct scatter_join_opts opts = opts_of(2, SCATTER_RANK_ANY);
	struct scatter_group *group;
	char name[SCATTER_NAME_MAX];
	int code, fd;
	pid_t pid;

	name_make(name, "mode");
	opts.nonblock = 1;
	ASSERT_EQ(0, scatter_join(&group, name, &opts));
	fd = device_open(0);
	ASSERT_LE(0, fd);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct scatter_join arg = join_of(name, 2, 1);

		arg.owner = 0;
		if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
			_exit(1);
		_exit(device_call(fd, SCATTER_IOCTL_JOIN, &arg) == -EACCES ? 0 : 2);
	}
	ASSERT_EQ(pid, waitpid(pid, &code, 0));
	EXPECT_EQ(0, code);
	EXPECT_EQ(0, scatter_leave(group));
	close(fd);
}

/* Three processes ----------------------------------------------------------- */

static bool member_runs(struct scatter_group *group)
{
	char all[SIZE * BLOCK], own[BLOCK];
	int rank = scatter_rank(group);
	struct scatter_opts opts = {
		.schedule.algorithm = SCATTER_ALGORITHM_HYPERCUBE,
		.timeout_ns = paced_ms(PATIENCE_MS) * (long long)NSEC_PER_MSEC,
	};
	int root, i;

	for (root = 0; root < SIZE; root++) {
		for (i = 0; i < SIZE; i++)
			pattern_fill(all + i * BLOCK, BLOCK, root, i);
		if (scatter_scatter(group, rank == root ? all : NULL, own,
				    BLOCK, root) ||
		    !pattern_holds(own, BLOCK, root, rank))
			return false;
		memset(all, 0, sizeof(all));
		if (scatter_gather_opts(group, own, rank == root ? all : NULL,
					BLOCK, root, &opts) ||
		    opts.number != 2ULL * root + 1)
			return false;
		for (i = 0; i < SIZE && rank == root; i++)
			if (!pattern_holds(all + i * BLOCK, BLOCK, root, i))
				return false;
	}
	return !scatter_barrier(group);
}

static int member_main(const char *name, int rank)
{
	struct scatter_join_opts opts = opts_of(SIZE, rank);
	struct scatter_group *group;

	alarm(paced_ms(PATIENCE_MS) / 1000);
	if (scatter_join(&group, name, &opts))
		return 1;
	if (scatter_rank(group) != rank || scatter_size(group) != SIZE)
		return 2;
	if (!member_runs(group))
		return 3;
	return scatter_leave(group) ? 4 : 0;
}

TEST(three_processes_scatter_and_gather)
{
	char name[SCATTER_NAME_MAX];
	pid_t pid[SIZE];
	int code, i;

	name_make(name, "three");
	for (i = 0; i < SIZE; i++) {
		pid[i] = fork();
		ASSERT_LE(0, pid[i]);
		if (!pid[i])
			_exit(member_main(name, i));
	}
	for (i = 0; i < SIZE; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &code, 0));
		EXPECT_EQ(0, code) {
			TH_LOG("rank %d ended with %#x", i, code);
		}
	}
}

TEST(a_timeout_names_nobody_and_is_resumed_by_the_same_call)
{
	struct scatter_join_opts join_opts = opts_of(2, 0);
	struct scatter_opts opts = { .timeout_ns = 20 * NSEC_PER_MSEC };
	struct scatter_group *group, *late;
	char from[2], to = 0, to_late = 0;
	char name[SCATTER_NAME_MAX];
	uint64_t began;

	name_make(name, "timeout");
	join_opts.nonblock = 1;
	ASSERT_EQ(0, scatter_join(&late, name, &join_opts));
	join_opts.rank = 1;
	ASSERT_EQ(0, scatter_join(&group, name, &join_opts));
	began = now_ns();
	EXPECT_EQ(-ETIMEDOUT,
		  scatter_scatter_opts(group, NULL, &to, 1, 0, &opts));
	EXPECT_LE(began + 20 * NSEC_PER_MSEC, now_ns());
	EXPECT_EQ(SCATTER_RANK_ANY, opts.culprit);
	EXPECT_EQ(-EBUSY, scatter_barrier(group));
	memcpy(from, "ab", 2);
	ASSERT_EQ(0, scatter_scatter(late, from, &to_late, 1, 0));
	EXPECT_EQ(0, scatter_scatter_opts(group, NULL, &to, 1, 0, &opts));
	EXPECT_EQ('a', to_late);
	EXPECT_EQ('b', to);
	EXPECT_EQ(0, scatter_leave(late));
	EXPECT_EQ(-ESHUTDOWN, scatter_barrier_opts(group, &opts));
	EXPECT_EQ(0, opts.culprit);
	EXPECT_EQ(0, scatter_leave(group));
}

TEST_HARNESS_MAIN

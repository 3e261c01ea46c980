// SPDX-License-Identifier: GPL-2.0
/*
 * The processes that 'scatterctl run' starts: starting, signalling, reaping.
 *
 * The processes stay in the tool's own process group, so a terminal's ^C, ^\ and ^Z reach
 * each process exactly once and a rank may read from the terminal. The tool is
 * the reaper of what they leave behind, so it can end that too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job.h"
#include "scatterctl.h"

/* Descriptors that the tool needs besides one for each rank. */
#define SPARE_FILES	32

/* Flag of a process in /proc/PID/stat: it ends, though its parent is not told yet. */
#define PF_EXITING	0x4

/* Signals that are passed on, unless ignored when the tool was started. */
static const int passed_on[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
};

static int watch(const struct job *job, int fd, uint32_t what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = what };

	return epoll_ctl(job->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int catch_signals(struct job *job)
{
	struct sigaction action;
	sigset_t caught;
	size_t i;

	/* A process that ignores SIGCHLD gets no exit status. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&caught);
	sigaddset(&caught, SIGCHLD);
	for (i = 0; i < ARRAY_SIZE(passed_on); i++) {
		if (!sigaction(passed_on[i], NULL, &action) &&
		    action.sa_handler != SIG_IGN)
			sigaddset(&caught, passed_on[i]);
	}
	if (sigprocmask(SIG_BLOCK, &caught, &job->before))
		return -errno;
	job->signals = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
	return job->signals < 0 ? -errno : 0;
}

/* One descriptor per rank may be more than the soft limit. */
static void allow_files(struct job *job)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &job->files);
	limit = job->files;
	if (limit.rlim_cur < job->size + SPARE_FILES)
		limit.rlim_cur = job->size + SPARE_FILES;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/**
 * job_open() - get ready to start children
 * @job: group, size and argv are set
 *
 * Return: 0 or -errno.
 */
int job_open(struct job *job)
{
	int error;

	allow_files(job);
	job->children = calloc(job->size, sizeof(*job->children));
	job->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (!job->children || job->epoll < 0)
		return -errno;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	error = catch_signals(job);
	return error ? error : watch(job, job->signals, EVENT_SIGNALS);
}

static void set_number(const char *name, unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	setenv(name, text, 1);
}

static void set_group(const struct job *job)
{
	unsetenv("SCATTER_GROUP");
	unsetenv("SCATTER_FD");
	if (job->group) {
		setenv("SCATTER_GROUP", job->group, 1);
	} else {
		fcntl(job->fd, F_SETFD, 0);
		set_number("SCATTER_FD", job->fd);
	}
}

static void set_rank(const struct job *job, unsigned int rank)
{
	bool second = job->sides[0] && rank >= job->sides[0];
	char sides[32];

	unsetenv("SCATTER_SIDES");
	unsetenv("SCATTER_SIDE");
	if (job->sides[0]) {
		snprintf(sides, sizeof(sides), "%u,%u", job->sides[0],
			 job->sides[1]);
		setenv("SCATTER_SIDES", sides, 1);
		set_number("SCATTER_SIDE", second);
	}
	set_number("SCATTER_RANK", second ? rank - job->sides[0] : rank);
	set_number("SCATTER_SIZE", job->size);
}

/* In the child. Does not return; an errno in the pipe says why. */
static void become(const struct job *job, unsigned int rank, pid_t parent,
		   int pipe_fd)
{
	int error;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_FAILED);
	setrlimit(RLIMIT_NOFILE, &job->files);
	set_group(job);
	set_rank(job, rank);
	sigprocmask(SIG_SETMASK, &job->before, NULL);
	execvp(job->argv[0], job->argv);
	error = errno;
	write_all(pipe_fd, &error, sizeof(error));
	_exit(STATUS_FAILED);
}

/* The errno that the child wrote to the pipe: none if exec worked. */
static int exec_error(int fd)
{
	int error = 0;
	ssize_t n;

	do {
		n = read(fd, &error, sizeof(error));
	} while (n < 0 && errno == EINTR);
	return n == sizeof(error) ? error : 0;
}

/**
 * job_start() - start the process of one rank
 * @job: the job
 * @rank: the rank
 * @no_exec: (out) on failure: whether it was exec that failed
 *
 * Return: 0 once the command runs, or -errno.
 */
int job_start(struct job *job, unsigned int rank, bool *no_exec)
{
	struct child *child = &job->children[rank];
	pid_t parent = getpid();
	int error, fds[2];
	pid_t pid;

	*no_exec = false;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		become(job, rank, parent, fds[1]);
	error = pid < 0 ? -errno : 0;
	close(fds[1]);
	if (!error) {
		error = -exec_error(fds[0]);
		*no_exec = error;
	}
	close(fds[0]);
	if (!error) {
		child->pidfd = syscall(SYS_pidfd_open, pid, 0);
		error = child->pidfd < 0 ? -errno : 0;
	}
	if (!error)
		error = watch(job, child->pidfd, rank);
	if (error && pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (error)
		return error;
	child->pid = pid;
	job->alive++;
	return 0;
}

/**
 * job_reap() - take the status of a child that has ended
 * @job: the job
 * @rank: its rank
 *
 * Return: the status, as waitpid() gives it.
 */
int job_reap(struct job *job, unsigned int rank)
{
	struct child *child = &job->children[rank];
	int status = 0;

	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(child->pidfd);
	child->pid = 0;
	job->alive--;
	return status;
}

static bool is_ending(pid_t pid)
{
	unsigned int flags = 0;
	char path[32], text[512];
	const char *rest;
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = 0;
	/* The name before it may hold anything, parentheses too. */
	rest = strrchr(text, ')');
	return rest && sscanf(rest, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       flags & PF_EXITING;
}

/**
 * job_note_ending() - note which ranks are on their way out
 * @job: the job
 *
 * A process that dies of a signal breaks its group long before its parent is told,
 * so others that fail because of its death may be reported first.
 */
void job_note_ending(struct job *job)
{
	unsigned int rank;

	for (rank = 0; rank < job->size; rank++) {
		struct child *child = &job->children[rank];

		child->ending = child->pid && is_ending(child->pid);
	}
}

/**
 * job_signal() - send a signal to every rank that runs
 * @job: the job
 * @signal: the signal
 */
void job_signal(const struct job *job, int signal)
{
	unsigned int rank;

	for (rank = 0; rank < job->size; rank++) {
		if (job->children[rank].pid)
			kill(job->children[rank].pid, signal);
	}
}

static bool is_rank(const struct job *job, pid_t pid)
{
	unsigned int rank;

	for (rank = 0; rank < job->size; rank++) {
		if (job->children[rank].pid == pid)
			return true;
	}
	return false;
}

/**
 * orphans_signal() - send a signal to processes that ranks have left behind
 * @job: the job
 * @signal: the signal
 *
 * A kernel without CONFIG_PROC_CHILDREN does not tell who they are.
 */
void orphans_signal(const struct job *job, int signal)
{
	char path[64];
	FILE *file;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	file = fopen(path, "re");
	if (!file)
		return;
	while (fscanf(file, "%d", &pid) == 1) {
		if (!is_rank(job, pid))
			kill(pid, signal);
	}
	fclose(file);
}

/**
 * orphans_reap() - reap processes that ranks have left behind
 * @job: the job; a rank that has ended is left to job_reap()
 *
 * Return: whether there are more children, running or to be reaped.
 */
bool orphans_reap(const struct job *job)
{
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT))
			return false;
		if (!info.si_pid || is_rank(job, info.si_pid))
			return true;
		waitpid(info.si_pid, NULL, 0);
	}
}

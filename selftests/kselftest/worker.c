// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.h"

char *send_area, *recv_area;

struct order {
	task_fn *task;
	union task_args args;
};

/* In the worker ------------------------------------------------------------ */

static struct self self = { .fd = -1, .paused = SCATTER_NUMBER_NEW };

static void on_signal(int signal)
{
	(void)signal;
}

static void handler_install(int flags)
{
	struct sigaction action = {
		.sa_handler = on_signal,
		.sa_flags = flags,
	};

	sigaction(SIGUSR1, &action, NULL);
}

/* SIGUSR1 has a handler in every worker; this one asks for restarts. */
__s64 task_restarting_handler(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	handler_install(SA_RESTART);
	return 0;
}

static bool message_receive(int channel, void *message, size_t bytes)
{
	ssize_t n;

	do
		n = recv(channel, message, bytes, 0);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)bytes;
}

static bool message_send(int channel, const void *message, size_t bytes)
{
	ssize_t n;

	do
		n = send(channel, message, bytes, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)bytes;
}

static void orders_follow(int channel)
{
	struct order order;
	struct reply reply;

	while (message_receive(channel, &order, sizeof(order))) {
		memset(&reply, 0, sizeof(reply));
		reply.args = order.args;
		reply.began_ns = now_ns();
		reply.result = order.task(&self, &reply.args);
		reply.ended_ns = now_ns();
		if (!message_send(channel, &reply, sizeof(reply)))
			break;
	}
}

static void *thread_main(void *unused)
{
	struct reply hello = { .result = syscall(SYS_gettid) };

	(void)unused;
	if (message_send(self.channel[1], &hello, sizeof(hello)))
		orders_follow(self.channel[1]);
	return NULL;
}

static __s64 task_thread(struct self *self, union task_args *args)
{
	pthread_t thread;

	(void)self;
	(void)args;
	return -pthread_create(&thread, NULL, thread_main, NULL);
}

/* Keeps no descriptor of the test but its own two channels. */
static void __attribute__((noreturn)) worker_main(int channel, int spare)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	self.channel[0] = dup2(channel, 3);
	self.channel[1] = dup2(spare, 4);
	close_range(5, ~0U, 0);
	handler_install(0);
	orders_follow(self.channel[0]);
	_exit(0);
}

/* In the test -------------------------------------------------------------- */

/* The same addresses everywhere: mapped before the first fork. */
static bool areas_map(void)
{
	const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	const int both = PROT_READ | PROT_WRITE;

	if (send_area)
		return true;
	/* A test ends with its harness, as a worker does with its test. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	send_area = mmap(NULL, AREA_BYTES, both, how, -1, 0);
	recv_area = mmap(NULL, AREA_BYTES, both, how, -1, 0);
	if (send_area != MAP_FAILED && recv_area != MAP_FAILED)
		return true;
	send_area = NULL;
	return false;
}

/* Both ends of a channel above the numbers that worker_main() dups to. */
static bool channel_make(int ends[2])
{
	int i, fd;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	for (i = 0; i < 2; i++) {
		fd = fcntl(ends[i], F_DUPFD_CLOEXEC, 16);
		if (fd < 0)
			return false;
		close(ends[i]);
		ends[i] = fd;
	}
	return true;
}

bool worker_spawn(struct worker *worker)
{
	int channel[2], spare[2];

	memset(worker, 0, sizeof(*worker));
	if (!areas_map() || !channel_make(channel) || !channel_make(spare))
		return false;
	fflush(stdout);
	node_pass();
	worker->pid = fork();
	if (worker->pid < 0)
		return false;
	if (!worker->pid)
		worker_main(channel[1], spare[1]);
	worker->tid = worker->pid;
	worker->channel = channel[0];
	worker->spare = spare[0];
	close(channel[1]);
	close(spare[1]);
	return true;
}

/* A second thread of @process that takes orders of its own. */
bool worker_thread(struct worker *thread, struct worker *process)
{
	memset(thread, 0, sizeof(*thread));
	thread->pid = process->pid;
	thread->channel = process->spare;
	if (worker_do(process, task_thread, NULL))
		return false;
	thread->tid = worker_finish(thread);
	return thread->tid > 0;
}

void worker_order(struct worker *worker, task_fn *task,
		  const union task_args *args)
{
	struct order order = { .task = task };

	if (args)
		order.args = *args;
	/* If it cannot be sent the worker is gone: worker_finish() tells. */
	(void)message_send(worker->channel, &order, sizeof(order));
}

/* Whether there is a reply, or the end of the worker, within @timeout_ms, or patience. */
bool worker_replies(struct worker *worker, unsigned int timeout_ms)
{
	struct pollfd poller = { .fd = worker->channel, .events = POLLIN };

	/* Nobody signals the test but to end it. */
	return poll(&poller, 1, (int)patient_ms(timeout_ms)) > 0;
}

__s64 worker_finish(struct worker *worker)
{
	if (!worker_replies(worker, PATIENCE_MS))
		worker->reply.result = NO_REPLY;
	else if (!message_receive(worker->channel, &worker->reply,
				  sizeof(worker->reply)))
		worker->reply.result = WORKER_GONE;
	return worker->reply.result;
}

__s64 worker_do(struct worker *worker, task_fn *task,
		const union task_args *args)
{
	worker_order(worker, task, args);
	return worker_finish(worker);
}

static bool proc_read(const struct worker *worker, const char *what,
		      char *text, size_t bytes)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)worker->pid,
		 (int)worker->tid, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, bytes - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static char state_of(const struct worker *worker)
{
	char text[512];
	char *end;

	if (!proc_read(worker, "stat", text, sizeof(text)))
		return 0;
	end = strrchr(text, ')');
	return end ? end[2] : 0;
}

static bool is_in(const struct worker *worker, long call, unsigned int request)
{
	unsigned long long seen;
	char text[256];
	long number;

	return proc_read(worker, "syscall", text, sizeof(text)) &&
	       sscanf(text, "%ld %*x %llx", &number, &seen) == 2 &&
	       number == call && (call != SYS_ioctl || seen == request);
}

static bool falls_asleep(struct worker *worker, long call, unsigned int request)
{
	__u64 end = after_ms(PATIENCE_MS);

	while (now_ns() < end && !worker_replies(worker, 0)) {
		if (state_of(worker) == 'S' && is_in(worker, call, request))
			return true;
		nap_us(300);
	}
	return false;
}

static bool sleeps_in(struct worker *worker, long call, unsigned int request)
{
	if (falls_asleep(worker, call, request))
		return true;
	diag("worker %d does not sleep in call %ld, %#x: state %c, %s",
	     (int)worker->pid, call, request, state_of(worker),
	     worker_replies(worker, 0) ? "it returned" : "no reply");
	return false;
}

/* Whether the worker comes to sleep, interruptibly, inside ioctl @request. */
bool worker_sleeps(struct worker *worker, unsigned int request)
{
	return sleeps_in(worker, SYS_ioctl, request);
}

/* Whether it comes to sleep inside another system call. */
bool worker_sleeps_in(struct worker *worker, long call)
{
	return sleeps_in(worker, call, 0);
}

/* Whether the worker comes to sleep inside ioctl @request, or the call returns. */
bool worker_settles(struct worker *worker, unsigned int request)
{
	return falls_asleep(worker, SYS_ioctl, request) || worker_replies(worker, 0);
}

void worker_signal(struct worker *worker, int signal)
{
	syscall(SYS_tgkill, worker->pid, worker->tid, signal);
}

/* SIGSTOP, and until it has stopped. */
bool worker_stop(struct worker *worker)
{
	__u64 end = after_ms(PATIENCE_MS);

	worker_signal(worker, SIGSTOP);
	while (state_of(worker) != 'T') {
		if (now_ns() > end)
			return false;
		nap_us(300);
	}
	return true;
}

/* SIGKILL, and until it is gone. */
bool worker_end(struct worker *worker)
{
	__u64 end = after_ms(PATIENCE_MS);
	pid_t pid = 0;

	if (worker->pid <= 0)
		return true;
	kill(worker->pid, SIGKILL);
	while (!pid && now_ns() < end) {
		pid = waitpid(worker->pid, NULL, WNOHANG);
		if (!pid)
			nap_us(200);
	}
	if (pid != worker->pid)
		diag("worker %d cannot be killed", (int)worker->pid);
	worker->pid = 0;
	close(worker->channel);
	close(worker->spare);
	return pid > 0;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

/* An absolute deadline, as the ioctls take it; one that is patience follows the machine. */
__u64 after_ms(unsigned int ms)
{
	return now_ns() + patient_ms(ms) * NSEC_PER_MSEC;
}

/* A number that whoever runs the test may give. */
__u64 environment(const char *name, __u64 otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

/* Between two looks in a bounded loop; never to let something happen. */
void nap_us(unsigned int us)
{
	struct timespec nap = {
		.tv_sec = us / 1000000,
		.tv_nsec = us % 1000000 * 1000,
	};

	nanosleep(&nap, NULL);
}

/* A line of TAP that is no result. Tests end with _exit(): flush. */
void diag(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("# ", stdout);
	vprintf(format, arguments);
	fputc('\n', stdout);
	fflush(stdout);
	va_end(arguments);
}

/* A name that no other test has. */
void name_make(char name[SCATTER_NAME_MAX], const char *what)
{
	static unsigned int serial;

	memset(name, 0, SCATTER_NAME_MAX);
	snprintf(name, SCATTER_NAME_MAX, "%s.%d.%u", what, (int)getpid(),
		 serial++);
}

int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_TRUNC);
	ssize_t written;
	int error;

	if (fd < 0)
		return -errno;
	written = write(fd, text, strlen(text));
	error = written == (ssize_t)strlen(text) ? 0 : -errno;
	close(fd);
	return error;
}

/* Memory of zeros that children share with the test; NULL if there is none. */
void *shared_map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* Whether a number in shared memory comes to be @least or more. */
bool shared_reaches(const int *number, int least)
{
	__u64 end = after_ms(PATIENCE_MS);

	while (__atomic_load_n(number, __ATOMIC_ACQUIRE) < least && now_ns() < end)
		nap_us(300);
	return __atomic_load_n(number, __ATOMIC_ACQUIRE) >= least;
}

bool parameter_read(const char *name, char value[32])
{
	char path[256];
	FILE *file;
	bool good;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	file = fopen(path, "re");
	good = file && fscanf(file, "%31s", value) == 1;
	if (file)
		fclose(file);
	return good;
}

int parameter_write(const char *name, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return file_write(path, value);
}

/* Which file of KSELFTEST_NODES the next device_open() uses; processes inherit it. */
static unsigned int turn;

/* Take the next node: before each fork and each open, so that workers are spread over the nodes. */
void node_pass(void)
{
	if (!turn)
		turn = (unsigned int)getpid();
	turn++;
}

/* One of "FILE:FILE:..." by turns; -errno. */
static int node_open(const char *files)
{
	char list[512], *file = NULL, *rest = list;
	unsigned int n = 1, i;
	int fd;

	snprintf(list, sizeof(list), "%s", files);
	for (i = 0; list[i]; i++)
		n += list[i] == ':';
	node_pass();
	for (i = turn % n + 1; i; i--)
		file = strsep(&rest, ":");
	fd = open(file, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* A file is a member where it has been opened: with KSELFTEST_NODES on several nodes by turns. */
int device_open(int flags)
{
	const char *nodes = getenv("KSELFTEST_NODES");
	int own = -1, node, fd;

	if (nodes) {
		own = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
		node = node_open(nodes);
		if (own < 0 || node < 0 || setns(node, CLONE_NEWNET))
			return -errno;
		close(node);
	}
	fd = open(DEVICE, O_RDWR | O_CLOEXEC | flags);
	if (fd < 0)
		fd = -errno;
	if (own >= 0) {
		if (setns(own, CLONE_NEWNET))
			abort();
		close(own);
	}
	return fd;
}

/* Whether members are on several nodes. */
bool across_nodes(void)
{
	return getenv("KSELFTEST_NODES");
}

/* How long it may take until what one member has done shows to another: on one node, no time. */
unsigned int soon_ms(void)
{
	return across_nodes() ? PATIENCE_MS : 0;
}

int device_call(int fd, unsigned int request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

int device_info(struct scatter_info *info)
{
	int fd = device_open(0);
	int error;

	if (fd < 0)
		return fd;
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	error = device_call(fd, SCATTER_IOCTL_INFO, info);
	close(fd);
	return error;
}

struct scatter_join join_of(const char *name, unsigned int members, int rank)
{
	struct scatter_join join = {
		.size = sizeof(join),
		.members = members,
		.rank = rank,
		.mode = 0600,
		.owner = SCATTER_OWNER_SELF,
	};

	strncpy(join.name, name, sizeof(join.name) - 1);
	return join;
}

/* Returns the rank or -errno; a wait that is too long is ETIMEDOUT. */
int join(int fd, const char *name, unsigned int members, int rank)
{
	struct scatter_join arg = join_of(name, members, rank);
	int error;

	arg.deadline_ns = after_ms(PATIENCE_MS);
	error = device_call(fd, SCATTER_IOCTL_JOIN, &arg);
	return error ? error : arg.rank;
}

int leave(int fd)
{
	struct scatter_leave arg = { .size = sizeof(arg) };

	return device_call(fd, SCATTER_IOCTL_LEAVE, &arg);
}

static int counters_of(int fd, struct scatter_counters *counters, __u32 flags)
{
	memset(counters, 0, sizeof(*counters));
	counters->size = sizeof(*counters);
	counters->flags = flags;
	return device_call(fd, SCATTER_IOCTL_COUNTERS, counters);
}

int status_of(int fd, struct seen *seen)
{
	struct scatter_status status = {
		.size = sizeof(status),
		.bits = MEMBERS_MAX,
		.dead = address(seen->dead),
		.left = address(seen->left),
		.missing = address(seen->missing),
	};
	int error;

	memset(seen, 0, sizeof(*seen));
	error = device_call(fd, SCATTER_IOCTL_STATUS, &status);
	seen->state = status.state;
	seen->rank = status.rank;
	seen->members = status.members;
	seen->joined = status.joined;
	seen->error = status.error;
	seen->culprit = status.culprit;
	seen->next = status.next;
	seen->eager_limit = status.eager_limit;
	seen->gather_limit = status.gather_limit;
	seen->ring_bytes = status.ring_bytes;
	seen->side = status.side;
	memcpy(seen->sides, status.sides, sizeof(seen->sides));
	seen->schedule = status.schedule;
	memcpy(seen->id, status.id, sizeof(seen->id));
	if (!error)
		error = counters_of(fd, &seen->own, 0);
	if (!error)
		error = counters_of(fd, &seen->total, SCATTER_COUNTERS_TOTAL);
	return error;
}

/* @gone: (in, out) has flags. */
int gone_of(int fd, struct gone *gone)
{
	struct scatter_get_failed get = {
		.size = sizeof(get),
		.flags = gone->flags,
		.failed = address(gone->failed),
		.bits = MEMBERS_MAX,
	};
	int error = device_call(fd, SCATTER_IOCTL_GET_FAILED, &get);

	gone->count = get.count;
	gone->acknowledged = get.acknowledged;
	return error;
}

/* For a call that begins an operation. */
struct scatter_results new_results(void)
{
	return (struct scatter_results){
		.size = sizeof(struct scatter_results),
		.number = SCATTER_NUMBER_NEW,
		.culprit = -77,
	};
}

/* An operation that nobody resumes, and whose results do not matter. */
int coll_once(int fd, const struct scatter_coll *coll)
{
	struct scatter_results results = new_results();
	struct scatter_coll copy = *coll;

	return coll_call(fd, &copy, &results);
}

int coll_call(int fd, struct scatter_coll *coll, struct scatter_results *results)
{
	coll->results = address(results);
	return device_call(fd, SCATTER_IOCTL_COLL, coll);
}

/* Whether a call with this result leaves alone what was paused before, or pauses it. */
bool stays_paused(int error)
{
	return error == -EINTR || error == -ETIMEDOUT || error == -EBUSY ||
	       error == -EINVAL || error == -EOPNOTSUPP;
}

/* What poll() reports within @timeout_ms, 0 if nothing, or -errno. */
int events_of(int fd, int timeout_ms)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN | POLLOUT | POLLPRI };
	int n = poll(&poller, 1, timeout_ms);

	return n < 0 ? -errno : poller.revents;
}

/* Looks until poll() reports all of @wanted; the last look either way. */
int events_until(int fd, int wanted)
{
	__u64 end = after_ms(PATIENCE_MS);
	int events = events_of(fd, 0);

	while ((events & wanted) != wanted && now_ns() < end) {
		nap_us(500);
		events = events_of(fd, 0);
	}
	return events;
}

bool mask_has(const __u64 mask[MASK_WORDS], unsigned int rank)
{
	return mask[rank / 64] >> rank % 64 & 1;
}

unsigned int mask_count(const __u64 mask[MASK_WORDS])
{
	unsigned int i, n = 0;

	for (i = 0; i < MASK_WORDS; i++)
		n += __builtin_popcountll(mask[i]);
	return n;
}

/* Word i of block @block of operation @seed: start + i * step. */
static __u64 pattern_start(__u64 seed, __u64 block)
{
	__u64 x = (seed + 1) * 0xd1342543de82ef95ULL + block * 0xaf251af3b0f025b5ULL;

	return x ^ x >> 29;
}

#define PATTERN_STEP	0x9e6c63d0876a9a47ULL

void pattern_fill(void *to, size_t bytes, __u64 seed, __u64 block)
{
	__u64 word = pattern_start(seed, block);
	char *at = to;

	for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
		memcpy(at, &word, sizeof(word));
		word += PATTERN_STEP;
		at += sizeof(word);
	}
	memcpy(at, &word, bytes);
}

bool pattern_holds(const void *from, size_t bytes, __u64 seed, __u64 block)
{
	__u64 word = pattern_start(seed, block);
	const char *at = from;
	__u64 found;

	for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
		memcpy(&found, at, sizeof(word));
		if (found != word)
			return false;
		word += PATTERN_STEP;
		at += sizeof(word);
	}
	return !memcmp(at, &word, bytes);
}

bool poison_holds(const void *from, size_t bytes)
{
	const unsigned char *at = from;

	while (bytes--)
		if (*at++ != POISON)
			return false;
	return true;
}

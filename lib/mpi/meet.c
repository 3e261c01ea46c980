// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * All ranks of a communicator decide who serves it.
 *
 * A reduction tells every rank whether any rank cannot use the device, whether all ranks are on one
 * node, or on nodes that know one another, and a random name that nobody can guess. Then all ranks
 * JOIN the group of this name.
 *
 * On one node, a rank that cannot JOIN declines: all other ranks get ECONNREFUSED, and the host
 * serves the communicator from then on. A name that several nodes know cannot be declined. There
 * JOIN does not wait, and two more reductions tell whether all have joined, and whether all see the
 * group complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/scatter.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptor.h"
#include "meet.h"
#include "self.h"
#include "settings.h"

#define BOOT_ID		"/proc/sys/kernel/random/boot_id"
#define NAMESPACE	"/proc/thread-self/ns/net"

/* All ranks have passed the reduction, so none is far. */
#define JOIN_MS		60000
#define JOIN_NS		(JOIN_MS * 1000000ULL)

/* Why a rank cannot use the device: bits of a word that all ranks get. */
enum {
	CANNOT_OFF = 1 << 0,
	CANNOT_OPEN = 1 << 1,
	CANNOT_DESCRIPTORS = 1 << 2,
	CANNOT_SELF = 1 << 3,
	CANNOT_SIZE = 1 << 4,
	CANNOT_PLACE = 1 << 5,
	CANNOT_MEMORY = 1 << 6,
	CANNOT_JOIN = 1 << 7,
};

static const char * const reasons[] = {
	"SCATTER_MPI=off",
	"no usable " DESCRIPTOR_DEVICE,
	"too few file descriptors are left",
	"a rank cannot make a communicator of its own",
	"more ranks than the device takes",
	"a rank does not know where it is",
	"no memory",
	"a rank could not join: scatter(4) lists the limits",
};

/* Other ranks may have a later version of the shim, with reasons of its own. */
static const char *reason_of(uint64_t cannot)
{
	const size_t bit = __builtin_ctzll(cannot);

	return bit < sizeof(reasons) / sizeof(*reasons) ? reasons[bit] :
							  "a rank has a reason that only it knows";
}

/* A number and its complement come out of the reduction as they are if all ranks give the same. */
enum { TOKEN, TOKEN_2, HERE, NOT_HERE, CLUSTER, NOT_CLUSTER, CANNOT, WORDS };

/**
 * struct meeting - one rank's part
 * @fd: the device, open; -1: not open
 * @counts: as of struct group
 * @mine: what this rank gives to the reduction
 * @all: what all give
 * @side: of an inter-communicator
 */
struct meeting {
	int fd;
	uint64_t *counts;
	uint64_t mine[WORDS];
	uint64_t all[WORDS];
	unsigned int side;
};

/* FNV-1a: where two ranks are is compared, not kept secret. */
static uint64_t hash(uint64_t seed, const void *data, size_t size)
{
	const unsigned char *byte = data;

	while (size--)
		seed = (seed ^ *byte++) * 0x100000001b3ULL;
	return seed;
}

/* This boot of this kernel, the network namespace and the user: who shares names. */
static bool place_read(uint64_t *place)
{
	const uid_t user = geteuid();
	char boot[64];
	struct stat space;
	ssize_t size;
	int fd;

	fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	size = read(fd, boot, sizeof(boot));
	close(fd);
	if (size <= 0 || stat(NAMESPACE, &space))
		return false;
	*place = hash(0xcbf29ce484222325ULL, boot, size);
	*place = hash(*place, &space.st_ino, sizeof(space.st_ino));
	*place = hash(*place, &user, sizeof(user));
	return true;
}

/* What operate.c asks the device for, beside barriers. */
#define OPERATIONS	(1ULL << SCATTER_OP_SCATTERV | 1ULL << SCATTER_OP_GATHERV)

/*
 * The nodes that know one another, this user, and what this node's module can do: if one rank gave
 * an operation to the host, and others to the device, all would wait.
 */
static uint64_t cluster_of(const struct scatter_info *info)
{
	const uint64_t user = geteuid();
	uint64_t cluster = hash(user, &info->cluster, sizeof(info->cluster));

	cluster = hash(cluster, &info->operations, sizeof(info->operations));
	return hash(cluster, &info->features, sizeof(info->features));
}

static uint64_t device_read(struct meeting *meeting, const struct group *group)
{
	struct scatter_info info = { .size = sizeof(info) };
	const size_t members = group->inter ? (size_t)group->size + group->peers :
					      (size_t)group->size;
	uint64_t place;

	meeting->fd = descriptor_open();
	if (meeting->fd < 0)
		return errno == EMFILE || errno == ENFILE ? CANNOT_DESCRIPTORS : CANNOT_OPEN;
	if (ioctl(meeting->fd, SCATTER_IOCTL_INFO, &info))
		return CANNOT_OPEN;
	if (~info.operations & OPERATIONS)
		return CANNOT_OPEN;
	if (members > info.size_max)
		return CANNOT_SIZE;
	if (!place_read(&place))
		return CANNOT_PLACE;
	meeting->mine[HERE] = place;
	meeting->mine[CLUSTER] = info.node ? cluster_of(&info) : place;
	return 0;
}

static uint64_t token_draw(struct meeting *meeting, const struct group *group)
{
	if (group->rank)
		return 0;
	return getrandom(&meeting->mine[TOKEN], 2 * sizeof(uint64_t), 0) ==
	       2 * sizeof(uint64_t) ? 0 : CANNOT_MEMORY;
}

static void prepare(struct meeting *meeting, const struct group *group)
{
	uint64_t *mine = meeting->mine;
	MPI_Comm self;

	meeting->fd = -1;
	meeting->counts = calloc(2 * (size_t)group->peers, sizeof(uint64_t));
	if (settings_mode() == SETTINGS_OFF)
		mine[CANNOT] |= CANNOT_OFF;
	else
		mine[CANNOT] |= device_read(meeting, group);
	if (!meeting->counts)
		mine[CANNOT] |= CANNOT_MEMORY;
	if (!self_get(&self))
		mine[CANNOT] |= CANNOT_SELF;
	mine[CANNOT] |= token_draw(meeting, group);
	mine[NOT_HERE] = ~mine[HERE];
	mine[NOT_CLUSTER] = ~mine[CLUSTER];
}

static int reduce(const struct group *group, const uint64_t *mine, uint64_t *all, int words)
{
	const struct host *host = host_get();

	return host->Allreduce(mine, all, words, host->uint64, host->bor, group->comm);
}

/*
 * A reduction on an inter-communicator gives each side what the other side gave. The second one
 * brings each side its own words back. The side with the smaller token is side 0, and its token is
 * that of the group.
 */
static int reduce_inter(struct meeting *meeting, const struct group *group)
{
	uint64_t theirs[WORDS], ours[WORDS];
	const uint64_t *first;
	int error, i;

	error = reduce(group, meeting->mine, theirs, WORDS);
	if (!error)
		error = reduce(group, theirs, ours, WORDS);
	if (error)
		return error;
	meeting->side = memcmp(ours, theirs, 2 * sizeof(uint64_t)) > 0;
	first = meeting->side ? theirs : ours;
	for (i = 0; i < WORDS; i++)
		meeting->all[i] = i < HERE ? first[i] : ours[i] | theirs[i];
	return 0;
}

static bool all_give(const struct meeting *meeting, int word)
{
	return !(meeting->all[word] & meeting->all[word + 1]);
}

static void join_fill(struct scatter_join *join, const struct meeting *meeting,
		      const struct group *group)
{
	const unsigned int side = meeting->side;

	*join = (struct scatter_join){
		.size = sizeof(*join),
		.flags = SCATTER_JOIN_RELATIVE,
		.members = group->size,
		.rank = group->rank,
		.mode = 0600,
		.owner = SCATTER_OWNER_SELF,
		.deadline_ns = JOIN_NS,
	};
	if (all_give(meeting, HERE))
		join->flags |= SCATTER_JOIN_LOCAL;
	if (group->inter) {
		join->members += group->peers;
		join->sides[side] = group->size;
		join->sides[!side] = group->peers;
		join->side = side;
	}
	snprintf(join->name, sizeof(join->name), "mpi-%016llx%016llx",
		 (unsigned long long)meeting->all[TOKEN],
		 (unsigned long long)meeting->all[TOKEN_2]);
}

/* Retries what a signal has ended. Returns 0 or an errno. */
static int join_try(int fd, struct scatter_join *join)
{
	int error;

	do {
		error = ioctl(fd, SCATTER_IOCTL_JOIN, join) ? errno : 0;
	} while (error == EINTR);
	return error;
}

/* Whether it went well at all ranks, of both sides of an inter-communicator. */
static int agree(const struct group *group, bool good, bool *all_good)
{
	const uint64_t mine = !good;
	uint64_t theirs, ours = 0;
	int error;

	error = reduce(group, &mine, &theirs, 1);
	if (!error && group->inter)
		error = reduce(group, &theirs, &ours, 1);
	*all_good = !error && !(theirs | ours);
	return error;
}

/*
 * On one node. A rank that has declined keeps its file until all others have called, or they would
 * wait. A complete group cannot be declined, and has this rank: EUSERS.
 */
static int join_here(const struct meeting *meeting, const struct group *group, bool *joined)
{
	struct scatter_join join;
	int error;

	join_fill(&join, meeting, group);
	error = join_try(meeting->fd, &join);
	*joined = !error;
	if (error && error != ECONNREFUSED) {
		join_fill(&join, meeting, group);
		join.flags |= SCATTER_JOIN_DECLINE;
		*joined = join_try(meeting->fd, &join) == EUSERS;
	}
	return *joined ? MPI_SUCCESS : agree(group, false, joined);
}

static bool is_complete(int fd)
{
	struct pollfd poller = { .fd = fd, .events = POLLOUT };
	int ready;

	do {
		ready = poll(&poller, 1, JOIN_MS);
	} while (ready < 0 && errno == EINTR);
	return ready == 1 && !(poller.revents & (POLLERR | POLLHUP));
}

/* On several nodes. */
static int join_between(const struct meeting *meeting, const struct group *group, bool *joined)
{
	struct scatter_join join;
	int error;

	join_fill(&join, meeting, group);
	join.flags |= SCATTER_JOIN_NONBLOCK;
	error = join_try(meeting->fd, &join);
	error = agree(group, !error || error == EINPROGRESS, joined);
	if (error || !*joined)
		return error;
	return agree(group, is_complete(meeting->fd), joined);
}

static int join(const struct meeting *meeting, const struct group *group, bool *joined)
{
	if (all_give(meeting, HERE))
		return join_here(meeting, group, joined);
	return join_between(meeting, group, joined);
}

static const char *why_not(const struct meeting *meeting)
{
	const uint64_t cannot = meeting->all[CANNOT];

	if (cannot)
		return reason_of(cannot);
	if (!all_give(meeting, CLUSTER))
		return "several users, or nodes that do not know one another or differ";
	return NULL;
}

int meet_decide(struct group *group)
{
	struct meeting meeting = { 0 };
	bool joined = false;
	const char *reason;
	int error;

	prepare(&meeting, group);
	error = group->inter ? reduce_inter(&meeting, group) :
			       reduce(group, meeting.mine, meeting.all, WORDS);
	if (error)
		goto out;
	reason = why_not(&meeting);
	if (!reason)
		error = join(&meeting, group, &joined);
	if (error)
		goto out;
	if (!reason && !joined)
		reason = reason_of(CANNOT_JOIN);
	if (!group->rank && !meeting.side)
		settings_tell(group->size, reason);
	if (joined) {
		group_serve(group, meeting.fd, meeting.counts);
		return MPI_SUCCESS;
	}
	group->state = GROUP_HOST;
out:
	if (meeting.fd >= 0)
		close(meeting.fd);
	free(meeting.counts);
	return error;
}

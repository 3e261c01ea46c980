// SPDX-License-Identifier: GPL-2.0
/*
 * A member of a group, for scripts: it joins and then does what its standard input says, a
 * command a line, with an answer a line.
 *
 *	member NAME SIZE RANK [nonblock] [local] [exclusive] [timeout=MS] [owner=UID] [mode=OCTAL]
 *	       [sides=A,B] [side=S] [schedule=SCHEDULE]
 *
 * RANK is -1 for any. The first answer is "joined RANK", or "join ERRNO" and the end.
 *
 *	barrier [N [MS [uniform] [deadline_all]]]
 *			N barriers: "barrier", or "barrier ERRNO CULPRIT" of the first that fails;
 *			each may take so long, if MS is not 0
 *	shrink [MS], dup	likewise
 *	survive [MS]	as shrink, and goes on in the new group: "survive RANK SIZE"
 *	copy [MS]	as dup, and goes on in the new group: "copy RANK SIZE"; with sides
 *			"copy RANK SIZE REMOTE". The old membership stays, for "back". After
 *			EINTR and ETIMEDOUT the same command goes on
 *	split COLOR [KEY [MS]]	likewise; "split none", with COLOR -1, stays in the old group
 *	back		leaves the group, and goes on in the one before: "back"
 *	agree [BITS [MS]]	"agree BITS", in hex; or "agree ERRNO CULPRIT", and BITS that count
 *	failed		acknowledges who is gone: "failed COUNT"
 *	status		"status STATE JOINED ERRNO CULPRIT DEAD LEFT", masks of 64 ranks in hex
 *	missing		"missing MASK" of STATUS, in hex, of 64 ranks
 *	counters [1]	"counters", of the member or of all; or "counters ERRNO -1"
 *	credentials	likewise of the first member
 *	poll		waits for an event: "poll BITS"
 *	revoke, leave
 *	netns FILE	goes to the node whose network namespace the file is: "netns"
 *	compute		uses its CPU, and calls nothing, until SIGUSR1 comes: "compute"
 *
 *	move OP ROOT BYTES [OPTION]...
 *			OP is scatter, gather, scatterv or gatherv, ROOT a group rank, in an
 *			inter-group too, BYTES the length of a block, in v forms the most. Either
 *			of OP and ROOT may be "any": each call has another one. "OP" if all bytes
 *			are right, "OP ERRNO CULPRIT", or "OP WRONG ...", which names the first
 *			wrong byte
 *	  n=N		so many calls, until one does not succeed
 *	  ms=MS		each may wait so long
 *	  schedule=ALGORITHM[:ports=K][:AxBxC]
 *	  in_place	the root's own block stays where it is
 *	  layout	buffers have layouts, of all kinds
 *	  fault		the member cannot access its buffer: at the root that of all blocks
 *	  vary		BYTES is a maximum, and the length of each call is random
 *	  seed=S	of all that is random
 *	  uniform, deadline_all, at_most	the flags of these names
 *	  quiet		no answer if all bytes are right; else one that says more
 *	  anyhow	goes on after calls that fail
 *	  filled=BLOCK	in v forms that block is not empty, and the next one is
 *	  nth=N		the Nth allocation or user copy of the first call fails: "OP failed",
 *			or "OP ERRNO CULPRIT failed", with ", again" if resume has to follow. Else
 *			there are not as many
 *	  clock		the answer says how many ms the call took longer than it may, if it failed
 *	resume [MS]	goes on after EINTR or ETIMEDOUT, and answers as move does
 *
 * All members have to get the same moves, but for n, ms, fault, nth and anyhow. SIGUSR1 is handled.
 *
 * The end of the input is the end of the process, without LEAVE.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <scatter.h>

#include "move.h"
#include "namespace.h"

#define BLANKS	"\n "

static const char *name_of(int error)
{
	const char *name = error ? strerrorname_np(-error) : NULL;

	return name ? name : "0";
}

static void answer(const char *what, int error, int culprit)
{
	if (error)
		printf("%s %s %d\n", what, name_of(error), culprit);
	else
		printf("%s\n", what);
}

static void barrier(struct scatter_group *group, int n, int ms, char *(*next)(void))
{
	struct scatter_opts opts = { .culprit = SCATTER_RANK_ANY, .timeout_ns = ms * 1000000LL };
	const char *flag;
	int error = 0;

	while ((flag = next()))
		opts.flags |= !strcmp(flag, "uniform") ? SCATTER_COLL_UNIFORM :
							  SCATTER_COLL_DEADLINE_ALL;
	while (!error && n-- > 0)
		/* The verdict may take longer than the deadline. */
		do
			error = scatter_barrier_opts(group, &opts);
		while (error == -ETIMEDOUT && opts.flags & SCATTER_COLL_DEADLINE_ALL);
	answer("barrier", error, opts.culprit);
}

static void regroup(struct scatter_group *group, bool shrinks, int ms)
{
	struct scatter_opts opts = { .culprit = SCATTER_RANK_ANY, .timeout_ns = ms * 1000000LL };
	struct scatter_group *other = NULL;
	int error;

	error = shrinks ? scatter_shrink(group, &other, &opts) : scatter_dup(group, &other, &opts);
	answer(shrinks ? "shrink" : "dup", error, opts.culprit);
	scatter_leave(other);
}

/* What copy and split come from, the last one last. */
static struct scatter_group *older[16];
static unsigned int nr_older;

static void part(struct scatter_group **group, const char *what, int color, int key, int ms)
{
	struct scatter_opts opts = { .culprit = SCATTER_RANK_ANY, .timeout_ns = ms * 1000000LL };
	bool splits = !strcmp(what, "split");
	struct scatter_group *new = NULL;
	int error = splits ? scatter_split(*group, color, key, &new, &opts) :
			     scatter_dup(*group, &new, &opts);

	if (error) {
		answer(what, error, opts.culprit);
	} else if (!new) {
		printf("%s none\n", what);
	} else {
		older[nr_older++ % 16] = *group;
		*group = new;
		printf("%s %d %d", what, scatter_rank(new), scatter_size(new));
		if (scatter_remote_size(new))
			printf(" %d", scatter_remote_size(new));
		printf("\n");
	}
}

static void back(struct scatter_group **group)
{
	answer("back", scatter_leave(*group), -1);
	*group = nr_older ? older[--nr_older % 16] : NULL;
}

static void survive(struct scatter_group **group, int ms)
{
	struct scatter_opts opts = { .culprit = SCATTER_RANK_ANY, .timeout_ns = ms * 1000000LL };
	struct scatter_group *rest = NULL;
	int error = scatter_shrink(*group, &rest, &opts);

	if (error) {
		answer("survive", error, opts.culprit);
		return;
	}
	scatter_leave(*group);
	*group = rest;
	move_anew();
	printf("survive %d %d\n", scatter_rank(rest), scatter_size(rest));
}

static void agree(struct scatter_group *group, uint64_t bits, int ms)
{
	struct scatter_opts opts = { .culprit = SCATTER_RANK_ANY, .timeout_ns = ms * 1000000LL };
	int error = scatter_agree(group, &bits, &opts);

	if (!error)
		printf("agree %llx\n", (unsigned long long)bits);
	else if (error == -ECONNRESET || error == -ESHUTDOWN)
		printf("agree %s %d %llx\n", name_of(error), opts.culprit,
		       (unsigned long long)bits);
	else
		answer("agree", error, opts.culprit);
}

static void failed(struct scatter_group *group)
{
	printf("failed %d\n", scatter_get_failed(group, NULL, 0, 1));
}

static void status(struct scatter_group *group)
{
	struct scatter_status status;
	uint64_t dead = 0, left = 0;
	int error = scatter_status(group, &status);

	if (!error && status.members <= 64)
		error = scatter_masks(group, 64, &dead, &left, NULL);
	if (error) {
		answer("status", error, -1);
		return;
	}
	printf("status %u %u %s %d %llx %llx\n", status.state, status.joined,
	       name_of(-(int)status.error), status.culprit,
	       (unsigned long long)dead, (unsigned long long)left);
}

static void missing(struct scatter_group *group)
{
	uint64_t mask = 0;
	int error = scatter_masks(group, 64, NULL, NULL, &mask);

	if (error)
		answer("missing", error, -1);
	else
		printf("missing %llx\n", (unsigned long long)mask);
}

static void counters(struct scatter_group *group, int total)
{
	struct scatter_counters counters;

	answer("counters", scatter_counters(group, &counters, total), -1);
}

static void credentials(struct scatter_group *group)
{
	struct scatter_credential first;
	int error = scatter_credentials(group, 0, &first, 1);

	answer("credentials", error < 0 ? error : 0, -1);
}

static void wait_event(struct scatter_group *group)
{
	struct pollfd fd = { .fd = scatter_fd(group), .events = POLLOUT | POLLPRI };
	int n = poll(&fd, 1, 30000);

	printf("poll %x\n", n > 0 ? fd.revents : 0);
}

/* SIGUSR1 has come. */
static int signalled;

static void compute(void)
{
	__atomic_store_n(&signalled, 0, __ATOMIC_RELAXED);
	while (!__atomic_load_n(&signalled, __ATOMIC_RELAXED))
		;
	answer("compute", 0, 0);
}

static char *next_word(void)
{
	return strtok(NULL, BLANKS);
}

static void split(struct scatter_group **group, int color, const char *key)
{
	const char *limit = next_word();

	part(group, "split", color, key ? atoi(key) : 0, limit ? atoi(limit) : 0);
}

static void obey(struct scatter_group **group, char *line)
{
	char *command = strtok(line, BLANKS), *word, *limit;

	if (!command)
		return;
	if (!strcmp(command, "move")) {
		move_begin(*group, next_word);
		return;
	}
	word = next_word();
	limit = word ? next_word() : NULL;
	if (!strcmp(command, "barrier"))
		barrier(*group, word ? atoi(word) : 1, limit ? atoi(limit) : 0, next_word);
	else if (!strcmp(command, "resume"))
		move_resume(*group, word);
	else if (!strcmp(command, "shrink") || !strcmp(command, "dup"))
		regroup(*group, *command == 's', word ? atoi(word) : 0);
	else if (!strcmp(command, "survive"))
		survive(group, word ? atoi(word) : 0);
	else if (!strcmp(command, "copy"))
		part(group, command, 0, 0, word ? atoi(word) : 0);
	else if (!strcmp(command, "split") && word)
		split(group, atoi(word), limit);
	else if (!strcmp(command, "back"))
		back(group);
	else if (!strcmp(command, "agree"))
		agree(*group, word ? strtoull(word, NULL, 16) : 1, limit ? atoi(limit) : 0);
	else if (!strcmp(command, "failed"))
		failed(*group);
	else if (!strcmp(command, "status"))
		status(*group);
	else if (!strcmp(command, "missing"))
		missing(*group);
	else if (!strcmp(command, "counters"))
		counters(*group, word ? atoi(word) : 0);
	else if (!strcmp(command, "credentials"))
		credentials(*group);
	else if (!strcmp(command, "poll"))
		wait_event(*group);
	else if (!strcmp(command, "compute"))
		compute();
	else if (!strcmp(command, "revoke"))
		answer("revoke", scatter_revoke(*group), -1);
	else if (!strcmp(command, "netns") && word)
		namespace_enter(word), answer("netns", 0, -1);
	else if (!strcmp(command, "leave"))
		answer("leave", scatter_leave(*group), -1), *group = NULL;
	else
		printf("? %s\n", command);
}

/* Calls are interrupted, whatever SA_RESTART says; reading the next command is not. */
static void handle(int signal)
{
	(void)signal;
	__atomic_store_n(&signalled, 1, __ATOMIC_RELAXED);
}

static bool read_option(struct scatter_join_opts *opts, unsigned int *owner, char *word)
{
	char *value = strchr(word, '=');

	if (value)
		*value++ = 0;
	if (!strcmp(word, "nonblock"))
		opts->nonblock = 1;
	else if (!strcmp(word, "local"))
		opts->local = 1;
	else if (!strcmp(word, "exclusive"))
		opts->exclusive = 1;
	else if (value && !strcmp(word, "timeout"))
		opts->timeout_ns = strtoll(value, NULL, 10) * 1000000;
	else if (value && !strcmp(word, "mode"))
		opts->mode = strtoul(value, NULL, 8), umask(0);
	else if (value && !strcmp(word, "owner"))
		*owner = strtoul(value, NULL, 10), opts->owner = owner;
	else if (value && !strcmp(word, "side"))
		opts->side = strtoul(value, NULL, 10);
	else if (value && !strcmp(word, "sides"))
		return sscanf(value, "%u,%u", &opts->sides[0], &opts->sides[1]) == 2;
	else
		return value && !strcmp(word, "schedule") &&
		       schedule_read(&opts->schedule, value);
	return true;
}

int main(int argc, char **argv)
{
	struct scatter_join_opts opts = {};
	struct scatter_group *group;
	unsigned int owner;
	char line[256];
	int error, i;

	if (argc < 4)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = handle, .sa_flags = SA_RESTART },
		  NULL);
	opts.size = strtoul(argv[2], NULL, 10);
	opts.rank = atoi(argv[3]);
	for (i = 4; i < argc; i++)
		if (!read_option(&opts, &owner, argv[i]))
			return 2;
	error = scatter_join(&group, argv[1], &opts);
	if (error) {
		printf("join %s\n", name_of(error));
		return 1;
	}
	printf("joined %d\n", scatter_rank(group));
	while (fgets(line, sizeof(line), stdin))
		obey(&group, line);
	return 0;
}

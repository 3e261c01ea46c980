// SPDX-License-Identifier: GPL-2.0
/*
 * Advice about each errno: one table.
 */
#include <errno.h>
#include <string.h>

#include "scatterctl.h"

#define AT_DEVICE	(1U << STAGE_DEVICE)
#define AT_JOIN		(1U << STAGE_JOIN)
#define AT_OPERATION	(1U << STAGE_OPERATION)
#define AT_ANY		(AT_DEVICE | AT_JOIN | AT_OPERATION)

/**
 * struct advice - what an errno means to a user
 * @error: the errno
 * @stages: where it means that
 * @culprit: the text begins after "rank N"
 * @text: what happened and how to mend it
 */
struct advice {
	int error;
	unsigned int stages;
	bool culprit;
	const char *text;
};

#define NOT_LOADED \
	"is the module loaded? Try 'modprobe scatter' (or insmod scatter.ko) as root"
#define NOT_PERMITTED \
	"no permission to open " DEVICE \
	": add yourself to group scatter ('usermod -aG scatter USER' as root) and log in again"
#define WRONG_VERSION \
	"module and tool differ in version: load the module that came with this tool"

static const struct advice advices[] = {
	{ ENOENT, AT_JOIN, false,
	  "the owner has no such group: start the members of the --owner first" },
	{ EEXIST, AT_JOIN, false,
	  "you have such a group: choose another --group, or leave --exclusive out" },
	{ ENOENT, AT_ANY, false, "no " DEVICE ": " NOT_LOADED },
	{ ENXIO, AT_ANY, false, DEVICE " has no driver: " NOT_LOADED },
	{ ENODEV, AT_ANY, false, DEVICE " has no driver: " NOT_LOADED },
	{ EACCES, AT_DEVICE, false,
	  NOT_PERMITTED },
	{ EPERM, AT_JOIN, false,
	  "not allowed: the file is a membership, not " DEVICE
	  " or a group descriptor; or a container's device policy must permit " DEVICE },
	{ EPERM, AT_ANY, false,
	  "not allowed to open " DEVICE ": a container's device policy must permit it" },
	{ ENOTTY, AT_ANY, false, WRONG_VERSION },
	{ E2BIG, AT_ANY, false, WRONG_VERSION },
	{ EOPNOTSUPP, AT_ANY, false, WRONG_VERSION },
	{ EACCES, AT_JOIN, false,
	  "the mode bits do not admit you: a wider --mode and umask (or --uids of a node's peer)" },
	{ EUSERS, AT_JOIN, false,
	  "the group is full: choose another --group or wait for its end (a descriptor: once)" },
	{ EADDRINUSE, AT_JOIN, false,
	  "the rank is taken: choose another --rank, or 'any'" },
	{ EPROTO, AT_JOIN, false,
	  "another size, other sides, or a schedule: give all the same --size and --sides" },
	{ EHOSTUNREACH, AT_JOIN, false,
	  "the node that keeps the name is not there: see 'scatterctl peer', or give --local" },
	{ ECONNREFUSED, AT_JOIN, false,
	  "a program that was to join has declined: end it, and start all members anew" },
	{ EREMCHG, AT_JOIN, false,
	  "another node has other peers than this one: 'scatterctl apply' one file on all nodes" },
	{ EINVAL, AT_JOIN, false,
	  "the module refuses these arguments: see 'scatterctl info' for its limits" },
	{ ETIMEDOUT, AT_JOIN, false,
	  "timed out: not all members have joined; start the others, or give a longer --timeout" },
	{ EMFILE, AT_DEVICE, false,
	  "no descriptor is left: see 'ulimit -n'" },
	{ EMFILE, AT_JOIN, false,
	  "no descriptor is left ('ulimit -n'), or no membership (user_members)" },
	{ ENFILE, AT_DEVICE | AT_JOIN, false,
	  "the machine has no file left: end what has many open, or raise fs.file-max" },
	{ ENOSPC, AT_JOIN, false,
	  "you have too many groups: end some (user_groups in 'scatterctl status')" },
	{ EDQUOT, AT_JOIN, false,
	  "you have too much kernel memory: leave groups (user_bytes in 'scatterctl info')" },
	{ EPROTO, AT_OPERATION, true,
	  "called something else: give all the same command, --root, --algorithm and the like" },
	{ ETIME, AT_OPERATION, true,
	  "let another one wait too long: see its messages, or give all a longer --timeout" },
	{ EREMOTEIO, AT_OPERATION, true,
	  "could not access its own buffer: was its file cut short?" },
	{ ECONNRESET, AT_OPERATION, true,
	  "died: see its messages, then start all members again" },
	{ ESHUTDOWN, AT_OPERATION, true,
	  "left the group before this operation: start all again with the same command" },
	{ ECANCELED, AT_OPERATION, true,
	  "revoked the group: see its messages, then start all members again" },
	{ ENETUNREACH, AT_OPERATION, false,
	  "too few nodes of the group are left: with --uniform nobody here knows the outcome" },
	{ EFAULT, AT_OPERATION, false,
	  "a buffer is not accessible: was the file cut short while it was read?" },
	{ EINVAL, AT_OPERATION, false,
	  "the module refuses these arguments: see 'scatterctl info' for its limits" },
};

static const struct advice *find(enum stage stage, int error)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(advices); i++) {
		if (advices[i].error == error &&
		    advices[i].stages & 1U << stage)
			return &advices[i];
	}
	return NULL;
}

/**
 * error_name() - the name of an errno, such as ECONNRESET
 * @error: the errno, positive
 *
 * Return: the name, or "error" if the C library knows none.
 */
const char *error_name(int error)
{
	const char *name = strerrorname_np(error);

	return name ? name : "error";
}

/**
 * complain_error() - print what failed, why, and how to mend it
 * @what: what failed
 * @stage: what was being done
 * @error: the errno, positive
 * @culprit: the rank that caused it, or SCATTER_RANK_ANY
 */
void complain_error(const char *what, enum stage stage, int error, int culprit)
{
	const struct advice *advice = find(stage, error);
	const char *name = error_name(error);

	if (!advice)
		complain("%s: %s (%s)", what, strerror(error), name);
	else if (!advice->culprit)
		complain("%s: %s (%s)", what, advice->text, name);
	else if (culprit >= 0)
		complain("%s: rank %d %s (%s)", what, culprit, advice->text,
			 name);
	else
		complain("%s: a member %s (%s)", what, advice->text, name);
}

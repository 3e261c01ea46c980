// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user.h"

/* word[]: enum user_word. */
__s64 task_become(struct self *self, union task_args *args)
{
	gid_t group = args->word[USER_GROUP];
	gid_t gid = args->word[USER_GID];
	uid_t uid = args->word[USER_UID];

	(void)self;
	umask(args->word[USER_UMASK]);
	if (setgroups(!!group, &group) || setresgid(gid, gid, gid) ||
	    setresuid(uid, uid, uid))
		return -errno;
	return 0;
}

/* Its user is 0 in a new user namespace, which knows no other user. */
__s64 task_user_namespace(struct self *self, union task_args *args)
{
	unsigned int uid = geteuid(), gid = getegid();
	char map[64];
	int error;

	(void)self;
	(void)args;
	/* Another user's process has files of its own in /proc only then. */
	if (prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER))
		return -errno;
	error = file_write("/proc/self/setgroups", "deny");
	if (error)
		return error;
	snprintf(map, sizeof(map), "0 %u 1", gid);
	error = file_write("/proc/self/gid_map", map);
	if (error)
		return error;
	snprintf(map, sizeof(map), "0 %u 1", uid);
	return file_write("/proc/self/uid_map", map);
}

/* @uid is its group, too. */
bool worker_become(struct worker *worker, uid_t uid)
{
	const union task_args args = { .word = { uid, uid } };

	return !worker_do(worker, task_become, &args);
}

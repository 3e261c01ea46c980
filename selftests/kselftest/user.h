/* SPDX-License-Identifier: GPL-2.0 */
/* Workers that are other users, or in a user namespace of their own. */
#ifndef _KSELFTEST_USER_H
#define _KSELFTEST_USER_H

#include "crew.h"

/* Words of task_become(). */
enum user_word {
	USER_UID,
	USER_GID,
	USER_GROUP,	/* a supplementary group; 0: none */
	USER_UMASK,
};

task_fn task_become;
task_fn task_user_namespace;
bool worker_become(struct worker *worker, uid_t uid);

#endif /* _KSELFTEST_USER_H */

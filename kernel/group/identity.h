/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_IDENTITY_H
#define _SCATTER_IDENTITY_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct pid;
struct scatter_credentials;
struct scatter_group;

/**
 * struct scatter_identity - the process that joined
 * @uid: the process's effective user ID when it joined
 * @gid: the process's effective group ID when it joined
 * @pid: the process, referenced; NULL: nobody
 */
struct scatter_identity {
	kuid_t uid;
	kgid_t gid;
	struct pid *pid;
};

void scatter_identity_capture(struct scatter_identity *identity);
void scatter_identity_copy(struct scatter_identity *to,
			   const struct scatter_identity *from);
void scatter_identity_release(struct scatter_identity *identity);
int scatter_identity_tell(struct scatter_group *group,
			  struct scatter_credentials *credentials);

#endif /* _SCATTER_IDENTITY_H */

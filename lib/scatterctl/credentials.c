// SPDX-License-Identifier: GPL-2.0
/*
 * The creator of a group and the processes of its members, for scatterctl status.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "credentials.h"
#include "json.h"
#include "scatterctl.h"

/**
 * credentials_get() - ask the group behind a descriptor that was inherited
 * @fd: of a member, or of a group
 * @credentials: (out) the answer
 *
 * Return: 0, or -errno after a message.
 */
int credentials_get(int fd, struct credentials *credentials)
{
	int error;

	memset(credentials, 0, sizeof(*credentials));
	credentials->group.size = sizeof(credentials->group);
	credentials->group.count = ARRAY_SIZE(credentials->member);
	credentials->group.list = (uintptr_t)credentials->member;
	if (!ioctl(fd, SCATTER_IOCTL_CREDENTIALS, &credentials->group))
		return 0;
	error = errno;
	complain("descriptor %d: credentials: %s (%s)", fd, strerror(error),
		 error_name(error));
	return -error;
}

/** credentials_text() - a line for the creator, and one for each member */
void credentials_text(const struct credentials *credentials)
{
	const struct scatter_credential *member = credentials->member;
	char label[32];
	unsigned int i;

	printf("creator     uid %u gid %u mode %03o\n", credentials->group.uid,
	       credentials->group.gid, credentials->group.mode);
	for (i = 0; i < credentials->group.count; i++, member++) {
		if (!member->joined)
			continue;
		snprintf(label, sizeof(label), "member %u", i);
		printf("%-11s uid %u gid %u pid ", label, member->uid,
		       member->gid);
		if (member->pid)
			printf("%d\n", member->pid);
		else
			puts("-");
	}
}

static void member_json(struct json *json, unsigned int rank,
			const struct scatter_credential *member)
{
	json_open(json, NULL, '{');
	json_unsigned(json, "rank", rank);
	json_unsigned(json, "uid", member->uid);
	json_unsigned(json, "gid", member->gid);
	if (member->pid)
		json_signed(json, "pid", member->pid);
	else
		json_null(json, "pid");
	json_close(json, '}');
}

/** credentials_json() - the same as an object and a list */
void credentials_json(struct json *json, const struct credentials *credentials)
{
	char mode[16];
	unsigned int i;

	snprintf(mode, sizeof(mode), "%03o", credentials->group.mode);
	json_open(json, "creator", '{');
	json_unsigned(json, "uid", credentials->group.uid);
	json_unsigned(json, "gid", credentials->group.gid);
	json_string(json, "mode", mode);
	json_close(json, '}');
	json_open(json, "credentials", '[');
	for (i = 0; i < credentials->group.count; i++)
		if (credentials->member[i].joined)
			member_json(json, i, &credentials->member[i]);
	json_close(json, ']');
}

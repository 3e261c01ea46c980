/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCATTERCTL_CREDENTIALS_H
#define SCATTERCTL_CREDENTIALS_H

#include <linux/scatter.h>

#include "scatterctl.h"

struct json;

/**
 * struct credentials - what CREDENTIALS tells of a whole group
 * @group: its creator, and how many members follow
 * @member: by group rank
 */
struct credentials {
	struct scatter_credentials group;
	struct scatter_credential member[MEMBERS_MAX];
};

int credentials_get(int fd, struct credentials *credentials);
void credentials_text(const struct credentials *credentials);
void credentials_json(struct json *json, const struct credentials *credentials);

#endif /* SCATTERCTL_CREDENTIALS_H */

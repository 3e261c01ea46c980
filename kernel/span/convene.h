/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_CONVENE_H
#define _SCATTER_CONVENE_H

#include <linux/types.h>

struct scatter_council_message;
struct scatter_group;

bool scatter_convene(struct scatter_group *group);
bool scatter_convene_receive(struct scatter_group *group, u32 from,
			     const struct scatter_council_message *message);

#endif /* _SCATTER_CONVENE_H */

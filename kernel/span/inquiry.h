/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_INQUIRY_H
#define _SCATTER_INQUIRY_H

#include <linux/types.h>

struct scatter_group;
struct scatter_wide_missing;
struct scatter_wide_wait;

bool scatter_inquiry_look(struct scatter_group *group);
bool scatter_inquiry_wait(struct scatter_group *group, u32 from,
			  const struct scatter_wide_wait *wide);
bool scatter_inquiry_missing(struct scatter_group *group, u32 from,
			     const struct scatter_wide_missing *wide);

#endif /* _SCATTER_INQUIRY_H */

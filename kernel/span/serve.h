/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SERVE_H
#define _SCATTER_SERVE_H

#include <linux/types.h>

struct scatter_group;
struct scatter_segment;
struct scatter_slot;
struct scatter_slot_pull;

struct scatter_segment *scatter_serve(struct scatter_group *group,
				      const struct scatter_slot *slot,
				      const struct scatter_slot_pull *pull);

#endif /* _SCATTER_SERVE_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_AGREE_H
#define _SCATTER_AGREE_H

#include <linux/types.h>

struct scatter_group;
struct scatter_operation;
struct scatter_spec;

bool scatter_agree_locked(struct scatter_group *group,
			  struct scatter_operation *operation,
			  const struct scatter_spec *spec, u32 rank);
bool scatter_agree_fits_locked(struct scatter_group *group,
			       struct scatter_operation *operation,
			       const struct scatter_spec *spec, u32 rank);
void scatter_agree_break_locked(struct scatter_group *group,
				struct scatter_operation *operation, u32 rank);

#endif /* _SCATTER_AGREE_H */

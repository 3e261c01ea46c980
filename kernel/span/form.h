/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_FORM_H
#define _SCATTER_FORM_H

#include <linux/types.h>

struct scatter_group;
struct scatter_node;
struct scatter_wide_formed;
struct scatter_wide_places;

void scatter_form_begin(struct scatter_node *node, u64 from,
			const struct scatter_wide_formed *formed);
bool scatter_form_places(struct scatter_node *node, u64 from,
			 const struct scatter_wide_places *places);
void scatter_form_absent_locked(struct scatter_group *group);
void scatter_form_hold_locked(struct scatter_group *group);
void scatter_form_meet(struct scatter_group *group);
void scatter_form_answer(struct scatter_group *group, struct scatter_group *asked);
void scatter_form_never(struct scatter_group *group, int error);

#endif /* _SCATTER_FORM_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_DEATH_H
#define _SCATTER_DEATH_H

#include <linux/types.h>

#include "group/member.h"

struct work_struct;

int scatter_death_attach(struct scatter_member *member);
void scatter_death_detach(struct scatter_member *member);
void scatter_death_depart(struct scatter_member *member,
			  enum scatter_presence how);
void scatter_death_look(struct work_struct *work);

#endif /* _SCATTER_DEATH_H */

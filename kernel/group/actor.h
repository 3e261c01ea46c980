/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_ACTOR_H
#define _SCATTER_ACTOR_H

struct scatter_member;

void scatter_actor_init(struct scatter_member *member);
void scatter_actor_note(struct scatter_member *member);

#endif /* _SCATTER_ACTOR_H */

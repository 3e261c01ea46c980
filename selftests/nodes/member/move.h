/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scatters and gathers of a member, with every byte checked.
 */
#ifndef MEMBER_MOVE_H
#define MEMBER_MOVE_H

#include <stdbool.h>

#include <scatter.h>

bool schedule_read(struct scatter_schedule *schedule, char *text);
void move_begin(struct scatter_group *group, char *(*next_word)(void));
void move_anew(void);
void move_resume(struct scatter_group *group, const char *ms);

#endif /* MEMBER_MOVE_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SPLIT_H
#define _SCATTER_SPLIT_H

#include <linux/types.h>

struct scatter_council_key;
struct scatter_decree;
struct scatter_group;
struct scatter_operation;

u32 scatter_split_turns(u32 size);
u32 scatter_split_turn(const struct scatter_operation *operation);
bool scatter_split_concerns(u32 size, u32 turn, u32 rank);
bool scatter_split_is_sound(u32 size, u32 turn, const struct scatter_decree *contribution);
void scatter_split_fill_locked(const struct scatter_operation *operation,
			       struct scatter_decree *decree);
int scatter_split_decided(struct scatter_group *group, struct scatter_operation *operation,
			  const struct scatter_council_key *key,
			  const struct scatter_decree *verdict);

#endif /* _SCATTER_SPLIT_H */

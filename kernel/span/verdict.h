/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_VERDICT_H
#define _SCATTER_VERDICT_H

#include <linux/types.h>

struct scatter_council_key;
struct scatter_decree;
struct scatter_group;
struct scatter_node;

void scatter_verdict_decided(struct scatter_group *group, const struct scatter_council_key *key,
			     const struct scatter_decree *verdict);
void scatter_verdict_missed(struct scatter_group *group, const struct scatter_council_key *key);
void scatter_verdict_resume(struct scatter_group *group);
void scatter_verdict_answer(struct scatter_group *group);
bool scatter_verdict_defer(const struct scatter_node *node, u64 from, const u64 *id);
void scatter_verdict_release(struct scatter_group *group);
void scatter_verdict_give_up(struct scatter_group *group, u64 number, u32 turn);
void scatter_verdict_cut(struct scatter_group *group, bool for_good);
bool scatter_verdict_restore(struct scatter_group *group, struct scatter_council_key *withdrawn);

#endif /* _SCATTER_VERDICT_H */

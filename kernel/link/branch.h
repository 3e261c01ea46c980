/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_BRANCH_H
#define _SCATTER_BRANCH_H

#include <linux/types.h>

struct scatter_hands;
struct scatter_operation;

void scatter_branch_claim_locked(struct scatter_hands *hands,
				 struct scatter_operation *operation, u32 rank, u32 tree);
void scatter_branch_claim_all_locked(struct scatter_hands *hands,
				     struct scatter_operation *operation, u32 rank);

#endif /* _SCATTER_BRANCH_H */

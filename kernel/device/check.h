/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_CHECK_H
#define _SCATTER_CHECK_H

#include <linux/bits.h>
#include <linux/scatter.h>
#include <linux/types.h>

#include "group/spec.h"

#define SCATTER_OPERATIONS	(BIT(SCATTER_OP_SCATTER) | \
				 BIT(SCATTER_OP_GATHER) | \
				 BIT(SCATTER_OP_SCATTERV) | \
				 BIT(SCATTER_OP_GATHERV) | \
				 BIT(SCATTER_OP_BARRIER))
#define SCATTER_REGROUPINGS	(BIT(SCATTER_OP_DUP) | BIT(SCATTER_OP_SPLIT) | \
				 BIT(SCATTER_OP_SHRINK) | BIT(SCATTER_OP_AGREE))

bool scatter_check_name(const char *name);
bool scatter_check_schedule(const struct scatter_schedule *schedule);
int scatter_check_join(const struct scatter_join *join);
int scatter_check_coll(const struct scatter_coll *coll);

#endif /* _SCATTER_CHECK_H */

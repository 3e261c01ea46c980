/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_QUORUM_H
#define _SCATTER_QUORUM_H

#include "council/set.h"

bool scatter_quorum_covers(const struct scatter_set *some, const struct scatter_set *rest,
			   u32 nodes);
bool scatter_quorum_is(const struct scatter_set *some, u32 nodes);
bool scatter_quorum_unfenced(const struct scatter_set *some, const struct scatter_set *fences,
			     u32 nodes);

#endif /* _SCATTER_QUORUM_H */

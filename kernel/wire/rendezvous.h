/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rendezvous hashing (Thaler and Ravishankar, 1998): choose the node of a cluster that is the
 * registrar of a name. All nodes that know the same nodes choose the same registrar. A node that
 * comes or goes changes only the names whose registrar it becomes or was.
 */
#ifndef _SCATTER_RENDEZVOUS_H
#define _SCATTER_RENDEZVOUS_H

#include "wire/types.h"

u64 scatter_rendezvous_weight(u64 id, u32 owner, const char *name);

#endif /* _SCATTER_RENDEZVOUS_H */

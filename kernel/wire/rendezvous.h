/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which node of a cluster is the registrar of a name: rendezvous hashing (Thaler and Ravishankar,
 * 1998). All nodes that know the same nodes find the same registrar. A node that comes or goes
 * changes only the names whose registrar it becomes or was.
 */
#ifndef _SCATTER_RENDEZVOUS_H
#define _SCATTER_RENDEZVOUS_H

#include "wire/types.h"

u64 scatter_rendezvous_weight(u64 id, u32 owner, const char *name);

#endif /* _SCATTER_RENDEZVOUS_H */

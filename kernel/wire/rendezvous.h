/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which node of a cluster is the registrar of a name: rendezvous hashing (Thaler and Ravishankar,
 * 1998). Every node that knows the same nodes comes to the same one; a node that comes or goes
 * changes only the names that are its own.
 */
#ifndef _SCATTER_RENDEZVOUS_H
#define _SCATTER_RENDEZVOUS_H

#include "wire/types.h"

u64 scatter_rendezvous_weight(u64 id, u32 owner, const char *name);

#endif /* _SCATTER_RENDEZVOUS_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_BARRIER_H
#define _SCATTER_BARRIER_H

struct scatter_kind;

extern const struct scatter_kind scatter_barrier_kind;

#endif /* _SCATTER_BARRIER_H */

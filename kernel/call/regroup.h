/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_REGROUP_H
#define _SCATTER_REGROUP_H

struct scatter_kind;

extern const struct scatter_kind scatter_regroup_kind;

#endif /* _SCATTER_REGROUP_H */

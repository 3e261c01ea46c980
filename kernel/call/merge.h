/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MERGE_H
#define _SCATTER_MERGE_H

struct scatter_kind;

extern const struct scatter_kind scatter_merge_kind;

#endif /* _SCATTER_MERGE_H */

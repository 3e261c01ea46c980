/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_COMBINE_H
#define _SCATTER_COMBINE_H

struct scatter_kind;

extern const struct scatter_kind scatter_combine_kind;

#endif /* _SCATTER_COMBINE_H */

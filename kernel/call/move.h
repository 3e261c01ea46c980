/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MOVE_H
#define _SCATTER_MOVE_H

struct scatter_kind;

extern const struct scatter_kind scatter_move_kind;

#endif /* _SCATTER_MOVE_H */

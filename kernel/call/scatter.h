/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SCATTER_H
#define _SCATTER_SCATTER_H

struct scatter_call;

int scatter_scatter_play(struct scatter_call *call);

#endif /* _SCATTER_SCATTER_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_GATHER_H
#define _SCATTER_GATHER_H

struct scatter_call;

int scatter_gather_play(struct scatter_call *call);

#endif /* _SCATTER_GATHER_H */

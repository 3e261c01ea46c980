/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_ENDING_H
#define _SCATTER_ENDING_H

struct scatter_call;

int scatter_ending_play(struct scatter_call *call);

#endif /* _SCATTER_ENDING_H */

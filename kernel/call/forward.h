/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_FORWARD_H
#define _SCATTER_FORWARD_H

struct scatter_call;

int scatter_forward(struct scatter_call *call);

#endif /* _SCATTER_FORWARD_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_FORWARD_H
#define _SCATTER_FORWARD_H

struct scatter_hands;
struct scatter_operation;

int scatter_forward(struct scatter_hands *hands, struct scatter_operation *operation);

#endif /* _SCATTER_FORWARD_H */

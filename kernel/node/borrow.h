/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_BORROW_H
#define _SCATTER_BORROW_H

struct scatter_hub;
struct scatter_node;

struct scatter_hub *scatter_borrow_begin(struct scatter_node *node);
void scatter_borrow_end(struct scatter_hub *hub);
void scatter_borrow_put(struct scatter_hub *hub);

#endif /* _SCATTER_BORROW_H */

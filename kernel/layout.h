/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_LAYOUT_H
#define _SCATTER_LAYOUT_H

struct scatter_call;
struct scatter_coll;
struct scatter_spec;

int scatter_layout_prepare(struct scatter_call *call,
			   const struct scatter_coll *coll,
			   const struct scatter_spec *spec);

#endif /* _SCATTER_LAYOUT_H */

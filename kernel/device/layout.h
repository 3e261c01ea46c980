/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_LAYOUT_H
#define _SCATTER_LAYOUT_H

#include <linux/types.h>

struct scatter_call;
struct scatter_coll;
struct scatter_slice;
struct scatter_spec;
struct scatter_user;

struct scatter_slice *scatter_layout_slices(struct scatter_user *user,
					    const struct scatter_coll *coll, u32 size);
int scatter_layout_prepare(struct scatter_call *call, const struct scatter_coll *coll,
			   const struct scatter_spec *spec);

#endif /* _SCATTER_LAYOUT_H */

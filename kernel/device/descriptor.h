/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_DESCRIPTOR_H
#define _SCATTER_DESCRIPTOR_H

struct scatter_made;
struct scatter_join;

int scatter_descriptor_create_group(struct scatter_made *made,
				    const struct scatter_join *terms);

#endif /* _SCATTER_DESCRIPTOR_H */

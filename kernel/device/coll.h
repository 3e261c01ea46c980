/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_COLL_H
#define _SCATTER_COLL_H

struct scatter_coll;
struct scatter_file;

int scatter_coll_run(struct scatter_file *file, const struct scatter_coll *coll);

#endif /* _SCATTER_COLL_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_POST_H
#define _SCATTER_POST_H

#include <linux/types.h>

struct scatter_call;

void scatter_post_locked(struct scatter_call *call, bool home);

#endif /* _SCATTER_POST_H */

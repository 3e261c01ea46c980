/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PREFAULT_H
#define _SCATTER_PREFAULT_H

#include <linux/types.h>

struct scatter_call;

bool scatter_prefault_some_locked(struct scatter_call *call);

#endif /* _SCATTER_PREFAULT_H */

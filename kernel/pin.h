/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PIN_H
#define _SCATTER_PIN_H

#include <linux/types.h>

struct mm_struct;
struct scatter_member;

bool scatter_pin_prepare(u64 to, u64 bytes);
long scatter_pin_copy(struct scatter_member *member, struct mm_struct *mm,
		      u64 from, u64 to, u64 bytes);

#endif /* _SCATTER_PIN_H */

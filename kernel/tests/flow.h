/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Do sequence numbers and credits hold? For the unit tests in user space and for KUnit; pure code
 * like these themselves.
 */
#ifndef _SCATTER_TESTS_FLOW_H
#define _SCATTER_TESTS_FLOW_H

#include "../wire/types.h"

#define SCATTER_FLOW_LAST	0xffffffffu	/* the last number before 1 */

u32 scatter_flow_order(void);
u32 scatter_flow_acknowledge(void);
u32 scatter_flow_receive(void);
bool scatter_flow_converse(u16 ours, u16 theirs, u32 steps, u32 *received);

#endif /* _SCATTER_TESTS_FLOW_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Module parameters. A group freezes the parameters of the cost model when it forms; all others are
 * read where they are used.
 */
#ifndef _SCATTER_PARAM_H
#define _SCATTER_PARAM_H

#include <linux/types.h>

#define SCATTER_RING_BYTES_MAX	(4U << 20)

extern unsigned int scatter_param_ring_bytes;
extern unsigned int scatter_param_eager_limit;
extern unsigned int scatter_param_gather_limit;
extern unsigned int scatter_param_window;
extern unsigned int scatter_param_startup_ns;
extern unsigned int scatter_param_gap_ns;
extern unsigned int scatter_param_spin_ns;
extern unsigned int scatter_param_peer_groups;
extern unsigned int scatter_param_user_groups;
extern unsigned int scatter_param_user_members;
extern unsigned int scatter_param_user_refused;
extern unsigned long scatter_param_user_bytes;

void scatter_param_init(void);
bool scatter_param_ring_bytes_ok(unsigned int bytes);

#endif /* _SCATTER_PARAM_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links of a topology, and which of them a round has used.
 */
#ifndef _SCATTER_PLAN_LINKS_H
#define _SCATTER_PLAN_LINKS_H

#include "machine.h"

/**
 * struct plan_links - links of a machine
 * @machine: the machine
 * @size: ranks
 * @dims: dimensions; those of a hypercube are of two vertices each
 * @used: by rank, dimension and direction: the last round
 */
struct plan_links {
	const struct scatter_machine *machine;
	u32 size;
	u32 dims;
	u32 *used;
};

int plan_links_open(struct plan_links *links,
		    const struct scatter_machine *machine, u32 size);
void plan_links_close(struct plan_links *links);
u32 plan_links_use(struct plan_links *links, u32 from, u32 to, u32 round);

#endif /* _SCATTER_PLAN_LINKS_H */

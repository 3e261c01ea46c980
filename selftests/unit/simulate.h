/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Delivery simulated in user space: all steps of all ranks of one operation.
 *
 * sim_collect() asks one family of schedules for its steps. What follows looks
 * at transfers only and knows no family, so that it judges later ones as well.
 */
#ifndef _SCATTER_UNIT_SIMULATE_H
#define _SCATTER_UNIT_SIMULATE_H

#include "schedule/schedule.h"

#define SIM_SIZE_MAX 1024

/* What every schedule has to keep. */
enum sim_property {
	SIM_WELL_FORMED,	/* rounds, ranks and counts are in range */
	SIM_ORDERED,		/* each rank's rounds increase */
	SIM_FAMILY,		/* parent and children agree with the iteration */
	SIM_MATCHED,		/* each send has one receive, and the other way round */
	SIM_ONE_PORT,		/* nobody is in two transfers of one round */
	SIM_HELD,		/* a rank sends only what it holds at that round */
	SIM_DELIVERED,		/* each block gets once to the right rank */
	SIM_STARTUPS,		/* size - 1 transfers */
	SIM_VOLUME,		/* size - 1 blocks leave (gather: reach) the root */
	SIM_PROPERTIES
};

struct sim_transfer {
	u32 round;
	u32 from;
	u32 to;
	u32 first;
	u32 count;
};

/**
 * struct sim - one operation of a whole group
 * @gather: false: scatter, true: gather
 * @size: ranks
 * @root: rank of the root
 * @rounds: as announced by the schedule
 * @broken: bit n: enum sim_property n does not hold
 * @sends: transfers as told by their senders
 * @receives: transfers as told by their receivers
 * @send: sorted by round, sender, receiver
 * @receive: sorted the same way
 */
struct sim {
	bool gather;
	u32 size;
	u32 root;
	u32 rounds;
	u32 broken;
	u32 sends;
	u32 receives;
	struct sim_transfer send[2 * SIM_SIZE_MAX];
	struct sim_transfer receive[2 * SIM_SIZE_MAX];
};

void sim_collect(struct sim *sim, u32 algorithm, bool gather, u32 size,
		 u32 root);
void sim_check(struct sim *sim);
const char *sim_property_name(enum sim_property property);

u32 sim_last_round(const struct sim *sim);
u64 sim_traffic(const struct sim *sim);
u64 sim_time(const struct sim *sim, u64 startup, u64 block_time);
void sim_reverse(struct sim *sim);
bool sim_same(const struct sim *sim, const struct sim *other);
bool sim_equals(const struct sim *sim, const struct sim_transfer *transfers,
		u32 count);

#endif /* _SCATTER_UNIT_SIMULATE_H */

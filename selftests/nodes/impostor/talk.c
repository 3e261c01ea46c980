// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "talk.h"

#define TALKS	4U

static struct talk talks[TALKS];

struct talk *talk_with(u64 peer)
{
	unsigned int i;

	for (i = 0; i < TALKS; i++) {
		if (!talks[i].peer)
			talks[i].peer = peer;
		if (talks[i].peer == peer)
			return &talks[i];
	}
	return NULL;
}

struct talk *talk_after(const struct talk *talk)
{
	struct talk *next = talk ? &talks[talk - talks + 1] : talks;

	return next < talks + TALKS && next->peer ? next : NULL;
}

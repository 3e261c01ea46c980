// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "common.h"
#include "race.h"
#include "sample.h"

/* How many times the usual rounds a race may take until both have come first. */
#define PERSEVERANCE	10
#define LONGEST_US	1000000U

bool race_goes_on(const struct race *race, unsigned int rounds)
{
	return race->rounds < sample_rounds(rounds) ||
	       ((!race->early || !race->late) && race->rounds < PERSEVERANCE * rounds);
}

/* For this round: half to one and a half times what seems to be right. */
unsigned int race_us(const struct race *race)
{
	return race->us / 2 + (unsigned int)rand() % (race->us + 1);
}

/* A round with both outcomes was in the midst; a streak of one is left faster and faster. */
void race_note(struct race *race, bool early, bool late)
{
	int steps;

	race->rounds++;
	race->early += early;
	race->late += late;
	if (early == late) {
		race->streak = 0;
		return;
	}
	if (early)
		race->streak = race->streak > 0 ? race->streak + 1 : 1;
	else
		race->streak = race->streak < 0 ? race->streak - 1 : -1;
	steps = race->streak < -4 ? -4 : race->streak > 8 ? 8 : race->streak;
	race->us += (int)race->us * steps / 8 + early;
	if (race->us > LONGEST_US)
		race->us = LONGEST_US;
}

/* The verdict of a test. */
bool race_was_seen(const struct race *race)
{
	diag("race: %u rounds, %u early, %u late, at last after about %u us", race->rounds,
	     race->early, race->late, race->us);
	return race->early && race->late;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two events at about the same time. A test of a race repeats it until each of the two has
 * come first; else the test has shown nothing, and fails.
 */
#ifndef _KSELFTEST_RACE_H
#define _KSELFTEST_RACE_H

#include <stdbool.h>

/*
 * @us: about how long after the start of the first event the second one comes; follows what
 *	was seen, so that no machine is too fast or too slow for the race
 * @rounds: how many there were
 * @early: in how many of them the second event came before the end of the first
 * @late: in how many of them the first event, or a part of it, was over by then
 */
struct race {
	unsigned int us;
	unsigned int rounds;
	unsigned int early, late;
	int streak;
};

bool race_goes_on(const struct race *race, unsigned int rounds);
unsigned int race_us(const struct race *race);
void race_note(struct race *race, bool early, bool late);
bool race_was_seen(const struct race *race);

#endif /* _KSELFTEST_RACE_H */

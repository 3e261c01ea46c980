/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A peer that asks and asks, and does not take the answers.
 */
#ifndef IMPOSTOR_GREEDY_H
#define IMPOSTOR_GREEDY_H

#include "forge.h"

/*
 * Says the message of that name up to @count times, as fast as the node gives credits. The node
 * gets no credit for an answer, and no answer is acknowledged. Returns how often the message was
 * said before the node ended the line.
 */
unsigned int greedy_say(struct forge_self *self, const char *name, unsigned int count);

#endif /* IMPOSTOR_GREEDY_H */

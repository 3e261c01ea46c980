/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mutants while a line is made: each is on a line of its own, in place of one of the messages by
 * which both sides prove who they are.
 */
#ifndef IMPOSTOR_GREET_H
#define IMPOSTOR_GREET_H

#include "mutants.h"

/*
 * Says @count mutants from @first on, each in place of the message @name: "hello" or "proof" on
 * lines to the node, "welcome" or "confirm", the first message after PROOF, on lines from the node.
 * @make makes a line, or waits for one; NULL: there is none now. Returns how many were said.
 */
unsigned int greet_say(struct forge_self *self, const char *name, struct line *(*make)(void),
		       unsigned int first, unsigned int count, const struct mutants_group *group);

#endif /* IMPOSTOR_GREET_H */

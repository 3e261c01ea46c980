/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages that are nearly right: each has one field that another one should have.
 */
#ifndef IMPOSTOR_MUTANTS_H
#define IMPOSTOR_MUTANTS_H

#include "forge.h"

#define MUTANTS_ID_BYTES	16
#define MUTANTS_CLUSTER_BYTES	8

/* What most messages are about: a group, and the nodes of a JOIN, both as in messages. */
struct mutants_group {
	uint8_t id[MUTANTS_ID_BYTES];
	uint8_t cluster[MUTANTS_CLUSTER_BYTES];
};

/* Once, before all others. */
void mutants_seed(unsigned int first);
/*
 * Makes message @number: message I has another value in field I of all fields of all types.
 * Standard error tells what it is. Returns its bytes; @message has LINE_BYTES.
 */
uint32_t mutants_make(struct forge_self *self, unsigned int number, uint8_t *message,
		      const struct mutants_group *group);
/* Gives the node a credit for each message that was heard; false: the line has ended. */
bool mutants_give(struct forge_self *self);
/*
 * Asks whether the node still listens, and gives it a credit for each message that was heard.
 * Returns "pong", or how the line has ended.
 */
const char *mutants_ask(struct forge_self *self);
/*
 * Says @count messages from @first on. After each, the node is asked whether it still listens.
 * Returns how many messages were said before the node ended the line.
 */
unsigned int mutants_say(struct forge_self *self, unsigned int first, unsigned int count,
			 const struct mutants_group *group);
/* Counts what was heard after a message. */
void mutants_heard(const char *name);
/* Prints how many were said, how many fields there are, and what was heard. */
void mutants_print(unsigned int said);

#endif /* IMPOSTOR_MUTANTS_H */

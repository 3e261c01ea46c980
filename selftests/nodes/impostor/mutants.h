/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages that are nearly right: each has one field that another one should have.
 */
#ifndef IMPOSTOR_MUTANTS_H
#define IMPOSTOR_MUTANTS_H

#include "forge.h"

#define MUTANTS_ID_BYTES	16

/*
 * Says @count messages; message @first + I spoils field I of all fields of all types, or is right.
 * @id is the group that most of them are about. After each, the node is asked whether it still
 * listens. Standard error tells what was said. Returns how many messages were said before the node
 * ended the line.
 */
unsigned int mutants_say(struct forge_self *self, unsigned int first, unsigned int count,
			 const uint8_t id[MUTANTS_ID_BYTES]);

#endif /* IMPOSTOR_MUTANTS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages as a node sends them, to be spoilt, and what those that come are called.
 */
#ifndef IMPOSTOR_FORGE_H
#define IMPOSTOR_FORGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hmac.h"
#include "line.h"

/* The two nodes that talk; @incarnation is the own one, 0: not chosen yet. */
struct forge_self {
	uint64_t own;
	uint64_t peer;
	uint64_t incarnation;
	uint8_t key[HMAC_KEY_BYTES];
};

/* Bytes of the message of that name, -1: there is none. @message has LINE_BYTES. */
int forge(struct forge_self *self, const char *name, uint8_t *message);
/* The id of the group that it makes, as in messages. */
void forge_id(struct forge_self *self, uint8_t id[16]);
/* Note that the message was sent, maybe spoilt. */
void forge_sent(const struct forge_self *self, const uint8_t *message, size_t bytes);
/* What a message that came is, in a word; remembers what the next ones need. */
const char *forge_name(const struct forge_self *self, const uint8_t *message, size_t bytes);

#endif /* IMPOSTOR_FORGE_H */

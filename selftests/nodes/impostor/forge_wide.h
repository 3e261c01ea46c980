/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As forge.h, for the messages of groups on several nodes.
 */
#ifndef IMPOSTOR_FORGE_WIDE_H
#define IMPOSTOR_FORGE_WIDE_H

#include "forge.h"

/* Bytes of the message of that name, -1: there is none. */
int forge_wide(const struct forge_self *self, const char *name, uint8_t *message,
	       uint32_t sequence);
/* The id of the group that it makes, as in messages. */
void forge_wide_id(const struct forge_self *self, uint8_t id[16]);
/* What a message that came is; NULL: none of a group. */
const char *forge_wide_name(const struct forge_self *self, uint32_t type, const uint8_t *message,
			    size_t bytes);

#endif /* IMPOSTOR_FORGE_WIDE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of wide_messages.h about COUNCIL.
 */
#ifndef _SCATTER_TESTS_COUNCIL_MESSAGES_H
#define _SCATTER_TESTS_COUNCIL_MESSAGES_H

#include "../wire/wire.h"

struct scatter_wide_council;

/* Lengths that a COUNCIL can have: 3 without a decree, and any number of choices with one. */
#define SCATTER_COUNCIL_MESSAGES_LENGTHS	(3 + (8176 - 624) / 8 + 1)

bool scatter_council_messages_fine(const u8 *m, u32 bytes);
void scatter_council_messages_suit(u8 *m, u32 bytes);
u32 scatter_council_messages_make(u8 *m);
void scatter_council_messages_build(const struct scatter_wire_header *header,
				    const struct scatter_wide_council *host, void *raw);

#endif /* _SCATTER_TESTS_COUNCIL_MESSAGES_H */

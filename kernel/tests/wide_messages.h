/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of messages.h about groups on several nodes: the types from 9 on.
 */
#ifndef _SCATTER_TESTS_WIDE_MESSAGES_H
#define _SCATTER_TESTS_WIDE_MESSAGES_H

#include "../wire/wide.h"
#include "../wire/wide_council.h"

/* The parsers fill one of these. */
union wide_host {
	struct scatter_wide_join join;
	struct scatter_wide_seated seated;
	struct scatter_wide_unseat unseat;
	struct scatter_wide_formed formed;
	struct scatter_wide_places places;
	struct scatter_wide_attach attach;
	struct scatter_wide_fact fact;
	struct scatter_wide_edge edge;
	struct scatter_wide_bundle bundle;
	struct scatter_wide_pull pull;
	struct scatter_wide_data data;
	struct scatter_wide_done done;
	struct scatter_wide_grant grant;
	struct scatter_wide_got got;
	struct scatter_wide_lane lane;
	struct scatter_wide_council council;
	struct scatter_wide_wait wait;
	struct scatter_wide_missing missing;
};

bool scatter_wide_messages_fine(u8 type, const u8 *m, u32 bytes);
void scatter_wide_messages_runs(u8 *m, u32 count);
void scatter_wide_messages_suit(u8 type, u8 *m, u32 bytes);
u32 scatter_wide_messages_make(u8 type, u8 *m);
enum scatter_wire_reason scatter_wide_messages_parse(u8 type, const void *data, u32 bytes,
						     union wide_host *host);
void scatter_wide_messages_build(const struct scatter_wire_header *header,
				 const union wide_host *host, void *raw);

#endif /* _SCATTER_TESTS_WIDE_MESSAGES_H */

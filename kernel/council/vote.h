/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_VOTE_H
#define _SCATTER_VOTE_H

#include "council/council.h"

/* The home of a view, for which the nodes vote. */
static inline u32 scatter_vote_home(const struct scatter_council *council, u64 view)
{
	return (u32)(view % council->nodes);
}

void scatter_vote_arrive(struct scatter_council *council, struct scatter_motion *motion);
void scatter_vote_adopt(struct scatter_council *council, u64 view);
void scatter_vote_prepare(struct scatter_council *council);
void scatter_vote_accept(struct scatter_council *council, u32 from,
			 const struct scatter_council_message *message);
void scatter_vote_decided(struct scatter_council *council, u32 from,
			  const struct scatter_council_message *message);
void scatter_vote_forget(struct scatter_council *council,
			 const struct scatter_council_message *message);

#endif /* _SCATTER_VOTE_H */

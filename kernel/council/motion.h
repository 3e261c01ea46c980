/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MOTION_H
#define _SCATTER_MOTION_H

#include "council/council.h"

/* Whether @key comes after @other, a key of the same motion or no key. */
static inline bool scatter_motion_after(const struct scatter_council_key *key,
					const struct scatter_council_key *other)
{
	return key->number != other->number ? key->number > other->number :
					      key->turn > other->turn;
}

static inline bool scatter_motion_holds(const struct scatter_motion *motion,
					const struct scatter_council_key *key)
{
	return motion->key.turn == key->turn && motion->key.number == key->number;
}

static inline bool scatter_motion_is_decided(const struct scatter_motion *motion)
{
	return motion->ballot == SCATTER_COUNCIL_VERDICT;
}

struct scatter_motion *scatter_motion_find(struct scatter_council *council,
					   const struct scatter_council_key *key);
bool scatter_motion_is_past(const struct scatter_motion *motion,
			    const struct scatter_council_key *key);
void scatter_motion_take(struct scatter_council *council, struct scatter_motion *motion,
			 const struct scatter_council_key *key);
void scatter_motion_forget(struct scatter_council *council, struct scatter_motion *motion,
			   const struct scatter_council_key *last);
void scatter_motion_accept(struct scatter_council *council, struct scatter_motion *motion,
			   const struct scatter_decree *decree);
void scatter_motion_decide(struct scatter_council *council, struct scatter_motion *motion,
			   const struct scatter_decree *verdict);
void scatter_motion_renew(struct scatter_motion *motion);
void scatter_motion_say(struct scatter_council *council, struct scatter_motion *motion,
			enum scatter_council_type type, u32 to);
void scatter_motion_answer(struct scatter_council *council,
			   const struct scatter_council_key *key,
			   enum scatter_council_type type, u32 to);

#endif /* _SCATTER_MOTION_H */

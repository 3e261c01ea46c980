/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_WIDE_BUILD_H
#define _SCATTER_WIDE_BUILD_H

#include "wire/wide_raw.h"

/* Length in bytes of a PLACES with @count runs, 1 to SCATTER_WIDE_RUNS_MAX. */
static inline u32 scatter_wide_places_bytes(u32 count)
{
	return sizeof(struct scatter_raw_places) + count * sizeof(struct scatter_raw_run);
}

void scatter_wide_build_join(struct scatter_raw_join *raw, u32 sequence,
			     const struct scatter_wide_join *join);
void scatter_wide_build_seated(struct scatter_raw_seated *raw, u32 sequence,
			       const struct scatter_wide_seated *seated);
void scatter_wide_build_unseat(struct scatter_raw_unseat *raw, u32 sequence,
			       const struct scatter_wide_unseat *unseat);
void scatter_wide_build_formed(struct scatter_raw_formed *raw, u32 sequence,
			       const struct scatter_wide_formed *formed);
u32 scatter_wide_build_places(void *raw, u32 sequence, const struct scatter_wide_places *places);
void scatter_wide_build_attach(struct scatter_raw_attach *raw, u32 sequence,
			       const struct scatter_wide_attach *attach);
void scatter_wide_build_fact(struct scatter_raw_fact *raw, u32 sequence,
			     const struct scatter_wide_fact *fact);
void scatter_wide_build_edge(struct scatter_raw_edge *raw, u32 sequence,
			     const struct scatter_wide_edge *edge);
void scatter_wide_build_bundle(struct scatter_raw_bundle *raw, u32 sequence,
			       const struct scatter_wide_bundle *bundle);
void scatter_wide_build_pull(struct scatter_raw_pull *raw, u32 sequence,
			     const struct scatter_wide_pull *pull);
void scatter_wide_build_data(struct scatter_raw_data *raw, u32 sequence,
			     const struct scatter_wide_data *data);
void scatter_wide_build_done(struct scatter_raw_done *raw, u32 sequence,
			     const struct scatter_wide_done *done);
void scatter_wide_build_grant(struct scatter_raw_grant *raw, u32 sequence,
			      const struct scatter_wide_grant *grant);
void scatter_wide_build_key(struct scatter_raw_grant *raw, u64 address, u32 key);
void scatter_wide_build_token(struct scatter_raw_grant *raw, u64 token);
void scatter_wide_build_got(struct scatter_raw_got *raw, u32 sequence,
			    const struct scatter_wide_got *got);
void scatter_wide_build_lane(struct scatter_raw_lane *raw, u32 sequence,
			     const struct scatter_wide_lane *lane);
void scatter_wide_build_wait(struct scatter_raw_wait *raw, u32 sequence,
			     const struct scatter_wide_wait *wait);
void scatter_wide_build_missing(struct scatter_raw_missing *raw, u32 sequence,
				const struct scatter_wide_missing *missing);

#endif /* _SCATTER_WIDE_BUILD_H */

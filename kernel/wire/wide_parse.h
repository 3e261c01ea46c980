/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_WIDE_PARSE_H
#define _SCATTER_WIDE_PARSE_H

#include "wire/wide.h"

enum scatter_wire_reason scatter_wide_parse_join(const void *data, u32 bytes,
						 struct scatter_wide_join *join);
enum scatter_wire_reason scatter_wide_parse_seated(const void *data, u32 bytes,
						   struct scatter_wide_seated *seated);
enum scatter_wire_reason scatter_wide_parse_unseat(const void *data, u32 bytes,
						   struct scatter_wide_unseat *unseat);
enum scatter_wire_reason scatter_wide_parse_formed(const void *data, u32 bytes,
						   struct scatter_wide_formed *formed);
enum scatter_wire_reason scatter_wide_parse_places(const void *data, u32 bytes,
						   struct scatter_wide_places *places);
enum scatter_wire_reason scatter_wide_parse_attach(const void *data, u32 bytes,
						   struct scatter_wide_attach *attach);
enum scatter_wire_reason scatter_wide_parse_fact(const void *data, u32 bytes,
						 struct scatter_wide_fact *fact);
enum scatter_wire_reason scatter_wide_parse_edge(const void *data, u32 bytes,
						 struct scatter_wide_edge *edge);
enum scatter_wire_reason scatter_wide_parse_bundle(const void *data, u32 bytes,
						   struct scatter_wide_bundle *bundle);
enum scatter_wire_reason scatter_wide_parse_pull(const void *data, u32 bytes,
						 struct scatter_wide_pull *pull);
enum scatter_wire_reason scatter_wide_parse_data(const void *data, u32 bytes,
						 struct scatter_wide_data *wide);
enum scatter_wire_reason scatter_wide_parse_done(const void *data, u32 bytes,
						 struct scatter_wide_done *done);
enum scatter_wire_reason scatter_wide_parse_grant(const void *data, u32 bytes,
						  struct scatter_wide_grant *grant);
enum scatter_wire_reason scatter_wide_parse_got(const void *data, u32 bytes,
						struct scatter_wide_got *got);
enum scatter_wire_reason scatter_wide_parse_lane(const void *data, u32 bytes,
						 struct scatter_wide_lane *lane);
enum scatter_wire_reason scatter_wide_parse_wait(const void *data, u32 bytes,
						 struct scatter_wide_wait *wait);
enum scatter_wire_reason scatter_wide_parse_missing(const void *data, u32 bytes,
						    struct scatter_wide_missing *missing);
bool scatter_wide_parse_length(const void *at, u64 *length);

#endif /* _SCATTER_WIDE_PARSE_H */

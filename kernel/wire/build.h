/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_BUILD_H
#define _SCATTER_BUILD_H

#include "wire/raw.h"

struct scatter_raw_header scatter_build_header(enum scatter_wire_type type, u16 length,
					       u32 sequence);
void scatter_build_hello(struct scatter_raw_hello *raw, const struct scatter_wire_hello *hello);
void scatter_build_welcome(struct scatter_raw_welcome *raw,
			   const struct scatter_wire_welcome *welcome);
void scatter_build_proof(struct scatter_raw_proof *raw, const struct scatter_wire_proof *proof);
void scatter_build_refuse(struct scatter_raw_refuse *raw,
			  const struct scatter_wire_refuse *refuse);
void scatter_build_credit(struct scatter_raw_credit *raw);
void scatter_build_bye(struct scatter_raw_bye *raw, const struct scatter_wire_bye *bye);
void scatter_build_ping(struct scatter_raw_ping *raw, u32 sequence,
			const struct scatter_wire_ping *ping);
void scatter_build_pong(struct scatter_raw_pong *raw, u32 sequence,
			const struct scatter_wire_pong *pong);
void scatter_build_number(struct scatter_raw_header *raw, u32 sequence);
void scatter_build_stamp(struct scatter_raw_header *raw, u32 acknowledged, u16 credits);

#endif /* _SCATTER_BUILD_H */

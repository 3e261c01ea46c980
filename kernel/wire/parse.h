/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PARSE_H
#define _SCATTER_PARSE_H

#include "wire/wire.h"

enum scatter_wire_reason scatter_parse_header(const void *data, u32 bytes,
					      struct scatter_wire_header *header);
bool scatter_parse_take(const void *data, u32 bytes, enum scatter_wire_type type, void *raw,
			u32 size);
enum scatter_wire_reason scatter_parse_hello(const void *data, u32 bytes,
					     struct scatter_wire_hello *hello);
enum scatter_wire_reason scatter_parse_welcome(const void *data, u32 bytes,
					       const struct scatter_wire_hello *hello,
					       struct scatter_wire_welcome *welcome);
enum scatter_wire_reason scatter_parse_proof(const void *data, u32 bytes,
					     struct scatter_wire_proof *proof);
enum scatter_wire_reason scatter_parse_refuse(const void *data, u32 bytes,
					      struct scatter_wire_refuse *refuse);
enum scatter_wire_reason scatter_parse_bye(const void *data, u32 bytes,
					   struct scatter_wire_bye *bye);
enum scatter_wire_reason scatter_parse_ping(const void *data, u32 bytes,
					    struct scatter_wire_ping *ping);
enum scatter_wire_reason scatter_parse_pong(const void *data, u32 bytes,
					    struct scatter_wire_pong *pong);

#endif /* _SCATTER_PARSE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Digests: FNV-1a of 64 bits. Digests find mistakes; they do not stop an attacker.
 */
#ifndef _SCATTER_DIGEST_H
#define _SCATTER_DIGEST_H

#include "wire/types.h"

/* The digest of nothing. */
#define SCATTER_DIGEST_EMPTY	0xcbf29ce484222325ull

u64 scatter_digest_bytes(u64 digest, const void *data, u64 bytes);
u64 scatter_digest_id(u64 digest, u64 id);
u64 scatter_digest_cluster(const u64 *ids, u32 count);

#endif /* _SCATTER_DIGEST_H */

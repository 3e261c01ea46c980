/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PROOF_H
#define _SCATTER_PROOF_H

#include <linux/types.h>

#include "wire/transcript.h"

int scatter_proof_tag(const u8 *key, u8 *tag);
int scatter_proof_make(const u8 *key, enum scatter_transcript_role role,
		       const struct scatter_raw_hello *hello,
		       const struct scatter_raw_welcome *welcome, u8 *proof);
int scatter_proof_check(const u8 *key, enum scatter_transcript_role role,
			const struct scatter_raw_hello *hello,
			const struct scatter_raw_welcome *welcome, const u8 *proof);

#endif /* _SCATTER_PROOF_H */

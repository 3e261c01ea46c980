// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes that a proof is made of.
 */
#include "wire/transcript.h"

/**
 * scatter_transcript_write() - the bytes that a proof is the HMAC of
 * @to: (out) %SCATTER_TRANSCRIPT_BYTES of them
 * @role: whose proof
 * @hello: HELLO as it was sent
 * @welcome: WELCOME as it was sent; its proof is not looked at
 *
 * Context: any.
 */
void scatter_transcript_write(u8 *to, enum scatter_transcript_role role,
			      const struct scatter_raw_hello *hello,
			      const struct scatter_raw_welcome *welcome)
{
	const char *label = role == SCATTER_TRANSCRIPT_RESPONDER ? "scatter responder" :
			    "scatter initiator";

	memcpy(to, label, SCATTER_TRANSCRIPT_LABEL_BYTES);
	to += SCATTER_TRANSCRIPT_LABEL_BYTES;
	memcpy(to, hello, sizeof(*hello));
	memcpy(to + sizeof(*hello), welcome, offsetof(struct scatter_raw_welcome, proof));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Transcripts: the bytes of which a proof is made.
 */
#include "wire/transcript.h"

/**
 * scatter_transcript_write() - write the bytes whose HMAC is a proof
 * @to: (out) room for %SCATTER_TRANSCRIPT_BYTES bytes
 * @role: the side that makes the proof
 * @hello: HELLO as it was sent
 * @welcome: WELCOME as it was sent; its proof is ignored
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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of which a proof is made: a label, HELLO, and WELCOME up to its proof.
 *
 * So a proof binds both nonces, ids, incarnations, the versions and features that were offered and
 * chosen, and the side that makes the proof.
 */
#ifndef _SCATTER_TRANSCRIPT_H
#define _SCATTER_TRANSCRIPT_H

#include "wire/raw.h"

/* Bytes of either label, without a NUL. */
#define SCATTER_TRANSCRIPT_LABEL_BYTES	17
#define SCATTER_TRANSCRIPT_BYTES					\
	(SCATTER_TRANSCRIPT_LABEL_BYTES + sizeof(struct scatter_raw_hello) +	\
	 offsetof(struct scatter_raw_welcome, proof))

/* A key's tag is the beginning of the HMAC of these 15 bytes, without the NUL. */
#define SCATTER_TRANSCRIPT_TAG		"scatter key tag"

/**
 * enum scatter_transcript_role - the side that makes a proof
 * @SCATTER_TRANSCRIPT_RESPONDER: the responder, in WELCOME
 * @SCATTER_TRANSCRIPT_INITIATOR: the initiator, in PROOF
 */
enum scatter_transcript_role {
	SCATTER_TRANSCRIPT_RESPONDER,
	SCATTER_TRANSCRIPT_INITIATOR,
};

static_assert(SCATTER_TRANSCRIPT_BYTES == 249);

void scatter_transcript_write(u8 *to, enum scatter_transcript_role role,
			      const struct scatter_raw_hello *hello,
			      const struct scatter_raw_welcome *welcome);

#endif /* _SCATTER_TRANSCRIPT_H */

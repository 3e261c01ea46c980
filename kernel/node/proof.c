// SPDX-License-Identifier: GPL-2.0
/*
 * Proofs: how two nodes show each other that they have the same key.
 */
#include <crypto/algapi.h>
#include <crypto/hash.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/scatter_netlink.h>
#include <linux/string.h>

#include "node/proof.h"

static int authenticate(const u8 *key, const void *data, unsigned int bytes, u8 *digest)
{
	struct crypto_shash *hash = crypto_alloc_shash("hmac(sha256)", 0, 0);
	int error;

	if (IS_ERR(hash))
		return PTR_ERR(hash);
	error = crypto_shash_setkey(hash, key, SCATTER_NODE_KEY_BYTES);
	if (!error)
		error = crypto_shash_tfm_digest(hash, data, bytes, digest);
	crypto_free_shash(hash);
	return error;
}

/**
 * scatter_proof_tag() - make the tag by which others recognize a key
 * @key: %SCATTER_NODE_KEY_BYTES bytes
 * @tag: (out) %SCATTER_WIRE_TAG_BYTES bytes
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int scatter_proof_tag(const u8 *key, u8 *tag)
{
	u8 digest[SCATTER_WIRE_PROOF_BYTES];
	int error;

	error = authenticate(key, SCATTER_TRANSCRIPT_TAG, sizeof(SCATTER_TRANSCRIPT_TAG) - 1,
			     digest);
	memcpy(tag, digest, SCATTER_WIRE_TAG_BYTES);
	return error;
}

/**
 * scatter_proof_make() - make the proof of one side
 * @key: %SCATTER_NODE_KEY_BYTES bytes
 * @role: the side
 * @hello: HELLO as it was sent
 * @welcome: WELCOME as it is sent; its proof is ignored
 * @proof: (out) %SCATTER_WIRE_PROOF_BYTES bytes
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int scatter_proof_make(const u8 *key, enum scatter_transcript_role role,
		       const struct scatter_raw_hello *hello,
		       const struct scatter_raw_welcome *welcome, u8 *proof)
{
	u8 transcript[SCATTER_TRANSCRIPT_BYTES];

	scatter_transcript_write(transcript, role, hello, welcome);
	return authenticate(key, transcript, sizeof(transcript), proof);
}

/**
 * scatter_proof_check() - check the proof of one side
 * @key: as of scatter_proof_make()
 * @role: as of scatter_proof_make()
 * @hello: as of scatter_proof_make()
 * @welcome: as of scatter_proof_make()
 * @proof: the proof to be checked
 *
 * Context: may sleep.
 * Return: 0; -EKEYREJECTED: the proof is wrong; or another -errno.
 */
int scatter_proof_check(const u8 *key, enum scatter_transcript_role role,
			const struct scatter_raw_hello *hello,
			const struct scatter_raw_welcome *welcome, const u8 *proof)
{
	u8 right[SCATTER_WIRE_PROOF_BYTES];
	int error = scatter_proof_make(key, role, hello, welcome, right);

	if (error)
		return error;
	return crypto_memneq(right, proof, sizeof(right)) ? -EKEYREJECTED : 0;
}

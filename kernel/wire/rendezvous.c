// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous hashing: the registrar of a name is the node with the greatest weight.
 */
#include "wire/digest.h"
#include "wire/rendezvous.h"

/*
 * Mix a digest, so that each of its bits changes about half of the result's bits. With FNV-1a alone
 * the last bytes, those of the id, hardly reach the high bits, which decide. The function is a
 * bijection: digests that differ still differ. The shifts and factors are those of SplitMix64
 * (Steele, Lea and Flood, 2014).
 */
static u64 mix(u64 digest)
{
	digest = (digest ^ digest >> 30) * 0xbf58476d1ce4e5b9ull;
	digest = (digest ^ digest >> 27) * 0x94d049bb133111ebull;
	return digest ^ digest >> 31;
}

/**
 * scatter_rendezvous_weight() - compute a node's weight for a name
 * @id: the node's id
 * @owner: ID, in the first user namespace, of the user that the name belongs to
 * @name: the name, with a NUL after it
 *
 * The registrar is the node with the greatest weight; among several such nodes, the node with the
 * lowest id. All nodes compute the same weights, so the function is part of the protocol.
 *
 * Context: any.
 * Return: the weight, which is any number
 */
u64 scatter_rendezvous_weight(u64 id, u32 owner, const char *name)
{
	u64 digest = scatter_digest_bytes(SCATTER_DIGEST_EMPTY, name, strlen(name));
	__le32 raw = cpu_to_le32(owner);

	digest = scatter_digest_bytes(digest, &raw, sizeof(raw));
	return mix(scatter_digest_id(digest, id));
}

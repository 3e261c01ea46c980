// SPDX-License-Identifier: GPL-2.0
/*
 * Digests of the bytes that a PING grants, and of a cluster. Nodes whose digests of the cluster
 * differ have different lists of nodes.
 */
#include "wire/digest.h"

#define PRIME	0x100000001b3ull

/**
 * scatter_digest_bytes() - go on with a digest
 * @digest: digest of the bytes before, %SCATTER_DIGEST_EMPTY if there are none
 * @data: more bytes
 * @bytes: how many bytes
 *
 * Context: any.
 * Return: the digest of all bytes
 */
u64 scatter_digest_bytes(u64 digest, const void *data, u64 bytes)
{
	const u8 *byte = data;

	for (; bytes; bytes--)
		digest = (digest ^ *byte++) * PRIME;
	return digest;
}

/**
 * scatter_digest_id() - go on with a digest of a cluster
 * @digest: digest of the lower ids, %SCATTER_DIGEST_EMPTY if there are none
 * @id: the next id; the digest takes its 8 bytes, little-endian
 *
 * Context: any.
 * Return: the digest of all ids
 */
u64 scatter_digest_id(u64 digest, u64 id)
{
	__le64 raw = cpu_to_le64(id);

	return scatter_digest_bytes(digest, &raw, sizeof(raw));
}

/**
 * scatter_digest_cluster() - make the digest of a list of nodes
 * @ids: ids of all nodes, this node included, ascending
 * @count: how many ids
 *
 * Context: any.
 * Return: the digest, which is the same on all nodes that have the same list
 */
u64 scatter_digest_cluster(const u64 *ids, u32 count)
{
	u64 digest = SCATTER_DIGEST_EMPTY;
	u32 i;

	for (i = 0; i < count; i++)
		digest = scatter_digest_id(digest, ids[i]);
	return digest;
}

// SPDX-License-Identifier: GPL-2.0
#include <endian.h>
#include <string.h>

#include "hmac.h"

#define BLOCK		64U
/* Longest text of sha256(): the padding of HMAC and what it is made of. */
#define TEXT_MAX	512U

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t word, unsigned int bits)
{
	return word >> bits | word << (32 - bits);
}

static void expand(uint32_t w[64], const uint8_t *block)
{
	unsigned int i;

	for (i = 0; i < 16; i++) {
		memcpy(&w[i], block + 4 * i, 4);
		w[i] = be32toh(w[i]);
	}
	for (i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		       (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void mix(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[64], s[8];
	unsigned int i;

	expand(w, block);
	memcpy(s, state, sizeof(s));
	for (i = 0; i < 64; i++) {
		uint32_t chosen = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		uint32_t one = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
			       chosen + constants[i] + w[i];
		uint32_t two = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + most;

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += one;
		s[0] = one + two;
	}
	for (i = 0; i < 8; i++)
		state[i] += s[i];
}

/* Of at most TEXT_MAX bytes. */
static void sha256(const uint8_t *text, size_t bytes, uint8_t hash[HMAC_BYTES])
{
	uint32_t state[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};
	uint8_t padded[TEXT_MAX + 2 * BLOCK] = { 0 };
	size_t total = (bytes + 9 + BLOCK - 1) / BLOCK * BLOCK, at;
	uint64_t bits = htobe64(8 * bytes);
	unsigned int i;

	memcpy(padded, text, bytes);
	padded[bytes] = 0x80;
	memcpy(padded + total - sizeof(bits), &bits, sizeof(bits));
	for (at = 0; at < total; at += BLOCK)
		mix(state, padded + at);
	for (i = 0; i < 8; i++)
		state[i] = htobe32(state[i]);
	memcpy(hash, state, HMAC_BYTES);
}

/* @bytes: at most TEXT_MAX - BLOCK */
void hmac(const uint8_t key[HMAC_KEY_BYTES], const void *text, size_t bytes,
	  uint8_t mac[HMAC_BYTES])
{
	uint8_t inner[TEXT_MAX], outer[BLOCK + HMAC_BYTES];
	unsigned int i;

	for (i = 0; i < BLOCK; i++) {
		uint8_t byte = i < HMAC_KEY_BYTES ? key[i] : 0;

		inner[i] = byte ^ 0x36;
		outer[i] = byte ^ 0x5c;
	}
	memcpy(inner + BLOCK, text, bytes);
	sha256(inner, BLOCK + bytes, outer + BLOCK);
	sha256(outer, sizeof(outer), mac);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * HMAC-SHA256 of short texts, written a second time: the module has the kernel's.
 */
#ifndef IMPOSTOR_HMAC_H
#define IMPOSTOR_HMAC_H

#include <stddef.h>
#include <stdint.h>

#define HMAC_BYTES	32
#define HMAC_KEY_BYTES	32

void hmac(const uint8_t key[HMAC_KEY_BYTES], const void *text, size_t bytes,
	  uint8_t mac[HMAC_BYTES]);

#endif /* IMPOSTOR_HMAC_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SHA-256 by the program of that name.
 */
#ifndef DEMO_SHA256_H
#define DEMO_SHA256_H

#include <stddef.h>

/* Of a hash in hexadecimal digits, with its NUL. */
#define SHA256_HEX	65

int sha256(const void *from, size_t bytes, char hex[SHA256_HEX]);

#endif /* DEMO_SHA256_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Definitions that the code of the messages needs beyond schedule/types.h: little-endian types and
 * their conversion, memcpy() and static_assert(), in the kernel and in user space.
 */
#ifndef _SCATTER_WIRE_TYPES_H
#define _SCATTER_WIRE_TYPES_H

#include "schedule/types.h"

#ifdef __KERNEL__
#include <asm/byteorder.h>
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/string.h>
#else
#include <assert.h>
#include <endian.h>
#include <linux/types.h>
#include <string.h>
#define cpu_to_le16	htole16
#define cpu_to_le32	htole32
#define cpu_to_le64	htole64
#define le16_to_cpu	le16toh
#define le32_to_cpu	le32toh
#define le64_to_cpu	le64toh
#endif

#endif /* _SCATTER_WIRE_TYPES_H */

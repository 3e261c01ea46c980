/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only header that the pure code includes: fixed-width types, in the kernel and in user space.
 */
#ifndef _SCATTER_SCHEDULE_TYPES_H
#define _SCATTER_SCHEDULE_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef int64_t s64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#endif

#endif /* _SCATTER_SCHEDULE_TYPES_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulation's interface to the system it runs on: user space, or the kernel, where
 * the KUnit suites simulate small schedules.
 */
#ifndef _SCATTER_PLAN_SYSTEM_H
#define _SCATTER_PLAN_SYSTEM_H

#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#define calloc(n, bytes)	kcalloc(n, bytes, GFP_KERNEL)
#define malloc(bytes)		kmalloc(bytes, GFP_KERNEL)
#define realloc(old, bytes)	krealloc(old, bytes, GFP_KERNEL)
#define free(memory)		kfree(memory)
#define qsort(array, n, bytes, compare)	sort(array, n, bytes, compare, NULL)
#else
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#endif /* _SCATTER_PLAN_SYSTEM_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every test of /dev/scatter needs: its ioctls with -errno for a result,
 * time, names, and data that tells where it came from.
 */
#ifndef _KSELFTEST_COMMON_H
#define _KSELFTEST_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include <linux/scatter.h>

#include "pace.h"

#define DEVICE		"/dev/scatter"
#define PARAMETERS	"/sys/module/scatter/parameters/"

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL

/* What a byte of memory has that nobody wrote. */
#define POISON		0xEE

__u64 now_ns(void);
__u64 after_ms(unsigned int ms);
void nap_us(unsigned int us);
__u64 environment(const char *name, __u64 otherwise);

void diag(const char *format, ...) __attribute__((format(printf, 1, 2)));
void name_make(char name[SCATTER_NAME_MAX], const char *what);
bool parameter_read(const char *name, char value[32]);
int parameter_write(const char *name, const char *value);
int file_write(const char *path, const char *text);
void *shared_map(size_t bytes);
bool shared_reaches(const int *number, int least);

int device_open(int flags);
int device_call(int fd, unsigned int request, void *arg);
int device_info(struct scatter_info *info);

struct scatter_join join_of(const char *name, unsigned int members, int rank);
int join(int fd, const char *name, unsigned int members, int rank);
int leave(int fd);
int status_of(int fd, struct scatter_status *status);
int events_of(int fd, int timeout_ms);
int events_until(int fd, int wanted);

bool mask_has(const __u64 mask[SCATTER_MASK_WORDS], unsigned int rank);
unsigned int mask_count(const __u64 mask[SCATTER_MASK_WORDS]);

void pattern_fill(void *to, size_t bytes, __u64 seed, __u64 block);
bool pattern_holds(const void *from, size_t bytes, __u64 seed, __u64 block);
bool poison_holds(const void *from, size_t bytes);

static inline __u64 address(const void *pointer)
{
	return (__u64)(size_t)pointer;
}

static inline void *pointer(__u64 address)
{
	return (void *)(size_t)address;
}

#endif /* _KSELFTEST_COMMON_H */

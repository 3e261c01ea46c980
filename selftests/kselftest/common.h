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

#include "clock.h"
#include "pace.h"

#define DEVICE		"/dev/scatter"
#define PARAMETERS	"/sys/module/scatter/parameters/"

/* As INFO and any 64 bits more say: what this kernel's groups can have. */
#define MEMBERS_MAX	1024
#define MASK_WORDS	(MEMBERS_MAX / 64)

/* The value of a byte of memory that nobody wrote. */
#define POISON		0xEE

/* All that can be seen of a member: STATUS, its masks, and COUNTERS. */
struct seen {
	__u32 state;
	__s32 rank;
	__u32 members;
	__u32 joined;
	__u32 error;
	__s32 culprit;
	__u64 next;
	__u32 eager_limit;
	__u32 gather_limit;
	__u32 ring_bytes;
	__u32 side;
	__u32 sides[2];
	struct scatter_schedule schedule;
	__u64 id[2];
	__u64 dead[MASK_WORDS];
	__u64 left[MASK_WORDS];
	__u64 missing[MASK_WORDS];
	struct scatter_counters own;
	struct scatter_counters total;
};

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

void node_pass(void);
int device_open(int flags);
bool across_nodes(void);
unsigned int soon_ms(void);
int device_call(int fd, unsigned int request, void *arg);
int device_info(struct scatter_info *info);

struct scatter_join join_of(const char *name, unsigned int members, int rank);
int join(int fd, const char *name, unsigned int members, int rank);
int leave(int fd);
/* GET_FAILED, as tests look at it. */
struct gone {
	__u32 flags;
	__u32 count;
	__u32 acknowledged;
	__u64 failed[MASK_WORDS];
};

int status_of(int fd, struct seen *seen);
int gone_of(int fd, struct gone *gone);
struct scatter_results new_results(void);
int coll_once(int fd, const struct scatter_coll *coll);
int coll_call(int fd, struct scatter_coll *coll, struct scatter_results *results);
bool stays_paused(int error);
int events_of(int fd, int timeout_ms);
int events_until(int fd, int wanted);

bool mask_has(const __u64 mask[MASK_WORDS], unsigned int rank);
unsigned int mask_count(const __u64 mask[MASK_WORDS]);

void pattern_fill(void *to, size_t bytes, __u64 seed, __u64 block);
bool pattern_holds(const void *from, size_t bytes, __u64 seed, __u64 block);
bool poison_holds(const void *from, size_t bytes);

static inline bool is_vector(__u32 op)
{
	return op == SCATTER_OP_SCATTERV || op == SCATTER_OP_GATHERV;
}

static inline bool is_scatter(__u32 op)
{
	return op == SCATTER_OP_SCATTER || op == SCATTER_OP_SCATTERV;
}

static inline bool is_gather(__u32 op)
{
	return op == SCATTER_OP_GATHER || op == SCATTER_OP_GATHERV;
}

static inline __u64 address(const void *pointer)
{
	return (__u64)(size_t)pointer;
}

static inline void *pointer(__u64 address)
{
	return (void *)(size_t)address;
}

#endif /* _KSELFTEST_COMMON_H */

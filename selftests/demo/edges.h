/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The edges that were really crossed, from the kernel's tracepoint.
 */
#ifndef DEMO_EDGES_H
#define DEMO_EDGES_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>

/* More than correct operations cross. */
#define EDGES_MAX	64

/**
 * struct edge - one event of scatter:scatter_edge
 * @op: enum scatter_op
 * @number: of the operation
 * @from: the sending rank
 * @to: the receiving rank
 * @round: when
 * @first: the first block of the bundle
 * @count: how many blocks
 * @bytes: how many bytes the bundle has, or names
 * @payload: 1 if the bytes themselves crossed, 0 if a descriptor did
 */
struct edge {
	__u32 op;
	__u64 number;
	__u32 from;
	__u32 to;
	__u32 round;
	__u32 first;
	__u32 count;
	__u64 bytes;
	__u32 payload;
};

/**
 * struct edges - all of a group, by operation, sender and round
 * @count: how many
 * @edge: they
 */
struct edges {
	unsigned int count;
	struct edge edge[EDGES_MAX];
};

int edges_start(void);
int edges_stop(void);
int edges_take(struct edges *edges, const char *group);

struct edges edges_of(const struct edges *all, __u32 op);
__u64 edges_bytes(const struct edges *edges, bool payload_only);
unsigned int edges_draw(const struct edges *edges, __u32 root, __u32 ranks);

#endif /* DEMO_EDGES_H */

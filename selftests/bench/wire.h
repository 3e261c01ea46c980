/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wire between the nodes of a bed of selftests/nodes/bed.sh, and what it has carried.
 */
#ifndef BENCH_WIRE_H
#define BENCH_WIRE_H

#include <stdint.h>

/* What bed.sh calls the parts of a node. */
#define WIRE_INTERFACE	"bedv%u"
#define WIRE_DEVICE	"bed%u"
#define WIRE_NAMESPACE	"/run/netns/node%u"

/* The directory with the counters of all interfaces and devices. */
#define WIRES	"/sys/class"

/**
 * enum wire_count - what is counted
 * @WIRE_BYTES: through interfaces, with all headers
 * @WIRE_PACKETS: likewise
 * @WIRE_RDMA: those of the packets that RDMA devices have sent
 * @WIRE_MESSAGES: SENDs of RDMA devices; a READ or a WRITE is none
 * @WIRE_RETRIES: how often an RDMA device began to send again
 */
enum wire_count {
	WIRE_BYTES,
	WIRE_PACKETS,
	WIRE_RDMA,
	WIRE_MESSAGES,
	WIRE_RETRIES,
	WIRE_COUNTS
};

/** struct wire - what all nodes together have sent */
struct wire {
	uint64_t count[WIRE_COUNTS];
};

struct wire wire_read(const char *wires, unsigned int nodes);
void wire_add(struct wire *sum, const struct wire *from, const struct wire *to);

#endif /* BENCH_WIRE_H */

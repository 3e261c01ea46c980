// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of the wire between nodes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

#define PATH_BYTES	4096

#define INTERFACE	"net/" WIRE_INTERFACE "/statistics/"
#define DEVICE		"infiniband/" WIRE_DEVICE "/ports/1/hw_counters/"

/* A number in a file; without it there is nothing to compare. */
static uint64_t counter_read(const char *wires, const char *file, unsigned int node)
{
	char name[128], path[PATH_BYTES];
	uint64_t value;
	FILE *stream;

	snprintf(name, sizeof(name), file, node);
	snprintf(path, sizeof(path), "%s/%s", wires, name);
	stream = fopen(path, "re");
	if (!stream || fscanf(stream, "%" SCNu64, &value) != 1) {
		fprintf(stderr, "bench: %s: %s\n", path,
			stream ? "not a number" : strerror(errno));
		exit(1);
	}
	fclose(stream);
	return value;
}

/* Read from directory @wires how much nodes 1 to @nodes have sent so far. */
struct wire wire_read(const char *wires, unsigned int nodes)
{
	static const char *const files[WIRE_COUNTS] = {
		[WIRE_BYTES] = INTERFACE "tx_bytes",
		[WIRE_PACKETS] = INTERFACE "tx_packets",
		[WIRE_RDMA] = DEVICE "sent_pkts",
		[WIRE_MESSAGES] = DEVICE "rdma_sends",
		[WIRE_RETRIES] = DEVICE "completer_retry_err",
	};
	struct wire wire = { { 0 } };
	unsigned int node, i;

	for (node = 1; node <= nodes; node++)
		for (i = 0; i < WIRE_COUNTS; i++)
			wire.count[i] += counter_read(wires, files[i], node);
	return wire;
}

/* What was sent from one reading to the next. */
void wire_add(struct wire *sum, const struct wire *from, const struct wire *to)
{
	unsigned int i;

	for (i = 0; i < WIRE_COUNTS; i++)
		sum->count[i] += to->count[i] - from->count[i];
}

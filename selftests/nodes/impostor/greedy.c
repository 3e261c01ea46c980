// SPDX-License-Identifier: GPL-2.0
/*
 * A node keeps its last credit for a CREDIT. If the node gets that one back, it goes on giving
 * credits, while all its answers wait.
 */
#include <endian.h>
#include <string.h>

#include "tests/messages.h"
#include "wire/parse.h"

#include "greedy.h"
#include "talk.h"

#define ACKNOWLEDGED	offsetof(struct scatter_raw_header, acknowledged)
#define CREDITS		offsetof(struct scatter_raw_header, credits)
/* Half seconds: a node that is up gives credits before long. */
#define PATIENCE	20U

static unsigned int idle;

static bool is_patient(void)
{
	return ++idle < PATIENCE;
}

/* Takes one message; false: the line has ended. */
static bool take(const struct talk *talk, uint32_t *have, uint32_t *back)
{
	struct scatter_wire_header header;
	uint8_t message[LINE_BYTES];
	int bytes;

	idle = 0;
	bytes = line_receive(talk->line, message, is_patient);
	if (bytes < 0 || scatter_parse_header(message, bytes, &header) ||
	    header.type == SCATTER_WIRE_BYE)
		return false;
	*have += header.credits;
	*back += header.type == SCATTER_WIRE_CREDIT;
	return true;
}

unsigned int greedy_say(struct forge_self *self, const char *name, unsigned int count)
{
	const struct talk *talk = talk_with(self->peer);
	uint32_t have = le16toh(talk->welcome.buffers), ours = le16toh(talk->hello.buffers);
	uint8_t message[LINE_BYTES];
	uint32_t back = 0;
	unsigned int said;

	if (have > ours)
		have = ours;
	for (said = 0; said < count; said++) {
		int bytes = forge(self, name, message);

		while (!have)
			if (!take(talk, &have, &back))
				return said;
		put(message, ACKNOWLEDGED, 4, 0);
		put(message, CREDITS, 2, back);
		back = 0;
		have--;
		if (bytes < 0 || !line_send(talk->line, message, bytes))
			return said;
	}
	while (take(talk, &have, &back))
		;
	return said;
}

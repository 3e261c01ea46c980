// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <unistd.h>

#include "greet.h"
#include "talk.h"

/* Half seconds in which the node says nothing. */
#define PATIENCE	4U
/* The node may keep the other side off for a moment, see hold_ms. */
#define TRIES		500U
#define PAUSE_US	10000

static unsigned int idle;

static bool is_patient(void)
{
	return ++idle < PATIENCE;
}

/* What the node says next but CREDITs, or how the line ends. */
static const char *next(struct forge_self *self)
{
	struct talk *talk = talk_with(self->peer);
	uint8_t message[LINE_BYTES];
	int bytes;

	idle = 0;
	bytes = line_receive(talk->line, message, is_patient);
	if (bytes < 0)
		return idle < PATIENCE ? "end" : "silence";
	return forge_name(self, message, bytes);
}

static bool say(struct forge_self *self, const char *name)
{
	uint8_t message[LINE_BYTES] = { 0 };
	int bytes = forge(self, name, message);

	forge_sent(self, message, bytes);
	return line_send(talk_with(self->peer)->line, message, bytes);
}

/* What comes before the message that is spoilt. */
static bool begin(struct forge_self *self, const char *name)
{
	if (!strcmp(name, "hello"))
		return true;
	if (!strcmp(name, "proof"))
		return say(self, "hello") && !strcmp(next(self), "welcome");
	if (strcmp(next(self), "hello"))
		return false;
	return !strcmp(name, "welcome") || (say(self, "welcome") && !strcmp(next(self), "proof"));
}

unsigned int greet_say(struct forge_self *self, const char *name, struct line *(*make)(void),
		       unsigned int first, unsigned int count, const struct mutants_group *group)
{
	struct talk *talk = talk_with(self->peer);
	unsigned int said = 0, tries = TRIES;
	uint8_t message[LINE_BYTES];

	while (said < count && tries--) {
		talk->heard = 0;
		talk->line = make();
		if (talk->line && begin(self, name)) {
			uint32_t bytes = mutants_make(self, first + said, message, group);

			forge_sent(self, message, bytes);
			if (line_send(talk->line, message, bytes))
				mutants_heard(next(self));
			said++;
		} else {
			usleep(PAUSE_US);
		}
		if (talk->line)
			line_end(talk->line);
		talk->line = NULL;
	}
	return said;
}

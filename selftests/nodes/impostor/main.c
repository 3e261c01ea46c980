// SPDX-License-Identifier: GPL-2.0
/*
 * A program that says to a node what no node would: for hostile_test.
 *
 *   impostor FROM TO OWN PEER KEYFILE WORD...
 *
 * At address FROM the program is node OWN, and talks to node PEER at TO. The program does what
 * the words say, one after the other, and prints a line with the results:
 *
 *   to=ID,ADDR   from here on the other side is node ID, at ADDR
 *   connect      makes a line: "up" or "refused"
 *   listen=PORT  waits for a line to FROM: "up"
 *   flood=N      makes so many lines, says nothing and keeps them: "took:N"
 *   greedy=N,NAME  says the message of that name up to N times, takes no answer, and waits for the
 *                end of the line: "greedy:N"
 *   wait         until standard input ends
 *   rest=MS      does nothing for so long
 *   hear         the next message but CREDITs: its name, and its reason; "end" is the line's
 *   until=NAME[,MOST]   as "hear", but takes all messages up to one of that name, a BYE, or the
 *                line's end; "more" if more than MOST other ones came, CREDITs apart
 *   listens      asks whether the node listens, and gives it all its credits back: "pong", or how
 *                the line has ended
 *   again        makes another line, of the same node, and tries again while the other side wants
 *                none: "again"
 *   await        as "hear", and keeps all lines alive meanwhile
 *   mute         takes all messages, gives their credits back and keeps the line alive, but says
 *                nothing else, until standard input ends: nothing; or how the line has ended
 *   credit?      the next message
 *   mutants=FIRST,COUNT,ID,CLUSTER   says up to COUNT messages, each with another field spoilt,
 *                from field FIRST on, and most of them about group ID, "own" if the program has
 *                made it, and with that digest of the nodes; on another line when one has ended:
 *                "mutants:N/FIELDS", and how often the lines have ended with what
 *   greet=NAME,FIRST,COUNT,ID,CLUSTER   likewise, but each on a line of its own, in place of the
 *                message of that name: hello, proof, welcome or confirm, see greet.h
 *   take[=OFFSET,BYTES]  READs these bytes, from what the GRANT that was heard last grants, or
 *                all of that: "took" if they are those of a member's first "move", else "other";
 *                or "refused", and the line is lost
 *   asked        how many bytes all PULLs have asked for: "asked:N"
 *   put          WRITEs there: "put" or "refused"
 *   port=PORT    where lines from the node come for "greet"
 *   NAME[/BYTES][@OFFSET=HEX]...[*TIMES]
 *                says the message of that name: hello, welcome, proof, refuse, credit, bye, ping,
 *                read (a PING with a READ), pong, junk, and for groups join, seated, unseat,
 *                formed, places, attach, fact, edge, bundle, pull, data, done, grant, got,
 *                lane, council, waits or missing; cut or filled up to so many bytes; with other
 *                ones at an offset; so often. "seated" answers the JOIN that the node has said
 *                last; "formed=N" has N members on N nodes; "places=ID,ID" says on which nodes: of
 *                each a JOIN was heard; "bundle=N" and "data=N" have N bytes of payload, 8
 *                without "=N"; "data=0" is void; "council=N" is of type N, ARRIVED without "=N",
 *                and about the call of which a contribution was heard last; "lane=more,N"
 *                answers the LANE that was heard last, and adds N to the length of its block;
 *                "grant=pulled,OFFSET,BYTES" grants these bytes of what the PULL that was heard
 *                last asks for, "grant=pulled" all: the bytes that a member's first "move" has;
 *                "proof=back" has the proof of the node's own WELCOME; "hello=again",
 *                "welcome=again" and "proof=again" are those of an earlier line
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../kselftest/common.h"
#include "forge.h"
#include "greedy.h"
#include "greet.h"
#include "line.h"
#include "mutants.h"
#include "talk.h"

#define PORT		7471
/* Seconds that each word may take. */
#define PATIENCE	60
/* A node that holds a peer off is asked again so often, after so long. */
#define TRIES		500
#define PAUSE_US	10000

static struct forge_self self;
static struct sockaddr_in own, peer;
static struct talk *talk;

static void die(const char *what)
{
	fprintf(stderr, "impostor: %s: %s\n", what, strerror(errno));
	exit(2);
}

static struct sockaddr_in address_of(const char *text, in_port_t port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (inet_pton(AF_INET, text, &in.sin_addr) != 1)
		die(text);
	return in;
}

static void read_key(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned int i;

	for (i = 0; i < HMAC_KEY_BYTES; i++)
		if (!file || fscanf(file, "%2hhx", &self.key[i]) != 1)
			die(path);
	fclose(file);
}

static void print(const char *word)
{
	printf("%s ", word);
	fflush(stdout);
}

static struct line *make_line(void)
{
	struct line *made = line_connect((struct sockaddr *)&own, (struct sockaddr *)&peer);

	if (!made && errno != ECONNREFUSED)
		die("connect");
	return made;
}

static void flood(unsigned int lines)
{
	unsigned int taken = 0;

	while (lines--)
		if (make_line())
			taken++;
	printf("took:%u ", taken);
	fflush(stdout);
}

/* Bytes that replace those at an offset: "OFFSET=HEX", and more of that behind "@". */
static void patch(uint8_t *message, const char *text)
{
	while (text) {
		char *at;
		unsigned long offset = strtoul(text, &at, 0);

		for (at++; offset < LINE_BYTES && sscanf(at, "%2hhx", &message[offset]) == 1;
		     offset++)
			at += 2;
		text = strchr(at, '@');
		if (text)
			text++;
	}
}

/* The part of a word behind a character, which is cut off there. */
static char *split(char *word, char character)
{
	char *at = strchr(word, character);

	if (at)
		*at++ = '\0';
	return at;
}

static void say(char *word)
{
	const char *times = split(word, '*'), *change = split(word, '@');
	const char *length = split(word, '/');
	unsigned long n = times ? strtoul(times, NULL, 0) : 1;

	while (n--) {
		uint8_t message[LINE_BYTES] = { 0 };
		int bytes = forge(&self, word, message);

		errno = EINVAL;
		if (bytes < 0)
			die(word);
		if (length)
			bytes = (int)strtoul(length, NULL, 0);
		if (change)
			patch(message, change);
		forge_sent(&self, message, bytes);
		if (!line_send(talk->line, message, bytes))
			die("send");
	}
}

/* No node thinks that it talks to a dead one. */
static bool keep_alive(void)
{
	uint8_t message[LINE_BYTES];
	struct talk *each;
	int bytes;

	for (each = talk_after(NULL); each; each = talk_after(each)) {
		bytes = forge(&self, "credit", message);
		if (each->line && !line_send(each->line, message, bytes))
			die("send");
	}
	return true;
}

/* The name of the next message, and what to do while there is none, if not NULL. */
static const char *next_name(bool (*idle)(void))
{
	uint8_t message[LINE_BYTES];
	int bytes = line_receive(talk->line, message, idle);

	return bytes < 0 ? "end" : forge_name(&self, message, bytes);
}

static void hear(bool (*idle)(void))
{
	const char *name;

	/* A CREDIT ends the silence after which idle() would be called. */
	do
		name = next_name(idle);
	while (!strcmp(name, "credit") && (!idle || idle()));
	print(name);
}

static bool input_ends(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&input, 1, 0) > 0;
}

static bool stays_mute(void)
{
	alarm(PATIENCE);
	return !input_ends() && mutants_give(&self);
}

/* Only what was said before gives the node a reason to end the line. */
static void be_mute(void)
{
	const char *name = "";

	while (!input_ends()) {
		mutants_give(&self);
		name = next_name(stays_mute);
		if (!strncmp(name, "bye", 3) || !strcmp(name, "end"))
			break;
	}
	if (!input_ends())
		print(name);
}

/* "NAME", or "NAME,MOST": with at most so many other messages on the way. */
static void hear_until(char *wanted)
{
	char *most = strchr(wanted, ',');
	unsigned long others = 0;
	const char *name;

	if (most)
		*most++ = 0;
	do {
		name = next_name(NULL);
		others += strcmp(name, "credit") && strcmp(name, wanted);
	} while (strcmp(name, wanted) != 0 && strncmp(name, "bye", 3) != 0 &&
		 strcmp(name, "end") != 0);
	print(most && others > strtoul(most, NULL, 0) ? "more" : name);
}

/* From here on the other side is node ID, at ADDR: "ID,ADDR". */
static void turn(const char *to)
{
	const char *at = strchr(to, ',');

	errno = EINVAL;
	self.peer = strtoull(to, NULL, 0);
	talk = talk_with(self.peer);
	if (!at || !talk)
		die(to);
	peer = address_of(at + 1, PORT);
}

/* Another line of the same node, which goes on; false: it is not wanted. */
static bool connect_again(void)
{
	char hello[] = "hello", proof[] = "proof";

	/* Until then the node closes the old one. */
	if (talk->line)
		line_end(talk->line);
	talk->line = make_line();
	talk->heard = 0;
	if (!talk->line)
		return false;
	say(hello);
	if (strcmp(next_name(NULL), "welcome"))
		return false;
	say(proof);
	return true;
}

static bool try_again(void)
{
	unsigned int tries = TRIES;

	while (!connect_again())
		if (!tries-- || usleep(PAUSE_US))
			return false;
	return true;
}

static struct line *take_line(void)
{
	return line_accept((struct sockaddr *)&own);
}

static const char *read_bytes(const char *text, uint8_t *to, unsigned int bytes)
{
	unsigned int i;

	errno = EINVAL;
	for (i = 0; i < bytes; i++)
		if (sscanf(text + (size_t)2 * i, "%2hhx", &to[i]) != 1)
			die(text);
	return text + (size_t)2 * bytes;
}

/* "FIRST,COUNT,ID,CLUSTER"; @name: "greet", or NULL */
static void mutants(const char *name, char *text)
{
	unsigned int first, count, said = 0;
	struct mutants_group group = { { 0 }, { 0 } };
	char *at;

	first = strtoul(text, &at, 0);
	count = strtoul(at + 1, &at, 0);
	if (!strncmp(at, ",own,", 5))
		forge_id(&self, group.id), at += 5;
	else
		at = (char *)read_bytes(at + 1, group.id, sizeof(group.id)) + 1;
	read_bytes(at, group.cluster, sizeof(group.cluster));
	mutants_seed(first);
	if (name)
		said = greet_say(&self, name,
				 !strcmp(name, "hello") || !strcmp(name, "proof") ?
				 make_line : take_line, first, count, &group);
	else
		do
			said += mutants_say(&self, first + said, count - said, &group);
		while (said < count && try_again());
	mutants_print(said);
}

/* "COUNT,NAME" */
static void greedy(const char *text)
{
	char *name;
	unsigned int count = strtoul(text, &name, 0);

	printf("greedy:%u ", greedy_say(&self, name + 1, count));
	fflush(stdout);
}

/* "OFFSET,BYTES", of what was granted last; NULL: all */
static void take(const char *text)
{
	const struct scatter_wide_grant *grant = &talk->grant;
	static uint8_t right[LINE_LENT_BYTES];
	unsigned long bytes = grant->bytes;
	const uint8_t *got;
	long offset = 0;
	char *next;

	if (text) {
		offset = strtol(text, &next, 0);
		bytes = strtoul(next + 1, NULL, 0);
	}
	got = line_read(talk->line, grant->address + offset, grant->key, bytes);
	if (!got) {
		print("refused");
		return;
	}
	pattern_fill(right, sizeof(right), 0, grant->rank);
	print(offset < 0 || memcmp(got, right + grant->offset + offset, bytes) ? "other" : "took");
}

static void put(void)
{
	const struct scatter_wide_grant *grant = &talk->grant;

	print(line_write(talk->line, grant->address, grant->key, grant->bytes) ? "put" : "refused");
}

static void do_word(char *word)
{
	char end, *rest;

	if (!strncmp(word, "to=", 3)) {
		turn(word + 3);
	} else if (!strcmp(word, "connect")) {
		talk->line = make_line();
		print(talk->line ? "up" : "refused");
		if (!talk->line)
			exit(0);
	} else if (!strncmp(word, "listen=", 7)) {
		own.sin_port = htons(strtoul(word + 7, NULL, 0));
		talk->line = line_accept((struct sockaddr *)&own);
		if (!talk->line)
			die(word);
		print("up");
	} else if (!strcmp(word, "again")) {
		print(try_again() ? "again" : "never");
	} else if (!strncmp(word, "mutants=", 8)) {
		mutants(NULL, word + 8);
	} else if (!strncmp(word, "greet=", 6)) {
		rest = split(word, ',');
		mutants(word + 6, rest);
	} else if (!strcmp(word, "listens")) {
		print(mutants_ask(&self));
	} else if (!strncmp(word, "take", 4)) {
		take(word[4] ? word + 5 : NULL);
	} else if (!strcmp(word, "asked")) {
		printf("asked:%llu ", (unsigned long long)talk->asked);
		fflush(stdout);
	} else if (!strcmp(word, "put")) {
		put();
	} else if (!strncmp(word, "port=", 5)) {
		own.sin_port = htons(strtoul(word + 5, NULL, 0));
	} else if (!strncmp(word, "greedy=", 7)) {
		greedy(word + 7);
	} else if (!strncmp(word, "flood=", 6)) {
		flood(strtoul(word + 6, NULL, 0));
	} else if (!strcmp(word, "wait")) {
		while (read(STDIN_FILENO, &end, 1) > 0)
			;
	} else if (!strcmp(word, "mute")) {
		be_mute();
	} else if (!strncmp(word, "rest=", 5)) {
		usleep(1000 * strtoul(word + 5, NULL, 0));
	} else if (!strcmp(word, "hear")) {
		hear(NULL);
	} else if (!strncmp(word, "until=", 6)) {
		hear_until(word + 6);
	} else if (!strcmp(word, "await")) {
		hear(keep_alive);
	} else if (!strcmp(word, "credit?")) {
		print(next_name(NULL));
	} else {
		say(word);
	}
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 7) {
		fprintf(stderr, "usage: impostor FROM TO OWN PEER KEYFILE WORD...\n");
		return 2;
	}
	own = address_of(argv[1], 0);
	peer = address_of(argv[2], PORT);
	self.own = strtoull(argv[3], NULL, 0);
	self.peer = strtoull(argv[4], NULL, 0);
	talk = talk_with(self.peer);
	read_key(argv[5]);
	for (i = 6; i < argc; i++) {
		alarm(PATIENCE);
		do_word(argv[i]);
	}
	printf("\n");
	return 0;
}

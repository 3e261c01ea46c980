/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of a program: reliable connections of librdmacm, with a few buffers.
 */
#ifndef IMPOSTOR_LINE_H
#define IMPOSTOR_LINE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest message that is sent or taken. */
#define LINE_BYTES	16384U
/* Of the memory that a line lends. */
#define LINE_LENT_BYTES	262144U

struct line;

/* NULL, and errno: ECONNREFUSED if the other side did not take it. */
struct line *line_connect(const struct sockaddr *from, const struct sockaddr *to);
/* The next one that comes to an address, each time the same; NULL: it failed. */
struct line *line_accept(const struct sockaddr *at);
/* Ends the line, and frees it. */
void line_end(struct line *line);
/*
 * Memory that the other side may READ, the same each time; NULL: there is none. *@key: for these
 * READs, on this line.
 */
uint8_t *line_lend(struct line *line, uint32_t *key);
bool line_send(struct line *line, const void *message, size_t bytes);
/*
 * READ memory of the other side, up to LINE_LENT_BYTES, into what line_lend() returns. NULL: the
 * other side or its device does not allow that, and the line is lost.
 */
const uint8_t *line_read(struct line *line, uint64_t address, uint32_t key, size_t bytes);
/* WRITE zeros there. False: likewise. */
bool line_write(struct line *line, uint64_t address, uint32_t key, size_t bytes);
/*
 * How many bytes came, -1: the other side has ended the line. @message has LINE_BYTES. While
 * nothing comes, @idle is called twice a second, and ends that if it returns false; it may be NULL.
 */
int line_receive(struct line *line, void *message, bool (*idle)(void));

#endif /* IMPOSTOR_LINE_H */

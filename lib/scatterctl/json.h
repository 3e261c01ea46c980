/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tiny writer of JSON: objects and arrays on one line.
 */
#ifndef SCATTERCTL_JSON_H
#define SCATTERCTL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct json - a document being written
 * @out: where to
 * @comma: whether the next value needs one before it
 *
 * A @key is that of the value in the object around it; NULL in an array and at
 * the top.
 */
struct json {
	FILE *out;
	bool comma;
};

void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_string(struct json *json, const char *key, const char *value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_signed(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
void json_thousandths(struct json *json, const char *key, uint64_t value);
void json_newline(struct json *json);

#endif /* SCATTERCTL_JSON_H */

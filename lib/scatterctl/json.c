// SPDX-License-Identifier: GPL-2.0
/*
 * A tiny writer of JSON.
 */
#include <inttypes.h>

#include "json.h"

static void put_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ' || c > '~')
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

static void begin_value(struct json *json, const char *key)
{
	if (json->comma)
		putc(',', json->out);
	json->comma = true;
	if (key) {
		put_string(json->out, key);
		putc(':', json->out);
	}
}

/** json_open() - begin an object, '{', or an array, '[' */
void json_open(struct json *json, const char *key, char bracket)
{
	begin_value(json, key);
	putc(bracket, json->out);
	json->comma = false;
}

/** json_close() - end what json_open() began, with '}' or ']' */
void json_close(struct json *json, char bracket)
{
	putc(bracket, json->out);
	json->comma = true;
}

/** json_string() - add a string; NULL becomes null, a byte a character */
void json_string(struct json *json, const char *key, const char *value)
{
	if (!value) {
		json_null(json, key);
		return;
	}
	begin_value(json, key);
	put_string(json->out, value);
}

/** json_unsigned() - add a number */
void json_unsigned(struct json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

/** json_signed() - add a number */
void json_signed(struct json *json, const char *key, int64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRId64, value);
}

/** json_bool() - add true or false */
void json_bool(struct json *json, const char *key, bool value)
{
	begin_value(json, key);
	fputs(value ? "true" : "false", json->out);
}

/** json_null() - add null */
void json_null(struct json *json, const char *key)
{
	begin_value(json, key);
	fputs("null", json->out);
}

/** json_thousandths() - add a number of thousandths, as one with decimals */
void json_thousandths(struct json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRIu64, value / 1000);
	if (value % 1000)
		fprintf(json->out, ".%03u", (unsigned int)(value % 1000));
}

/** json_newline() - end a line; the value that comes next begins one */
void json_newline(struct json *json)
{
	if (json->comma)
		putc(',', json->out);
	json->comma = false;
	putc('\n', json->out);
}

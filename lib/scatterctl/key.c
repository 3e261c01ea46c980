// SPDX-License-Identifier: GPL-2.0
/*
 * Keys: read from a file that nobody else can read, or from standard input.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes.h"

#define DIGITS	(2 * SCATTER_NODE_KEY_BYTES)

static int digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = c ? strchr(digits, c | (c >= 'A' ? 0x20 : 0)) : NULL;

	return found ? found - digits : -1;
}

/* Whether it is nobody else's business what is in a file. */
static bool is_private(int fd, const char *path)
{
	struct stat stat;

	if (fstat(fd, &stat)) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	if (!S_ISREG(stat.st_mode)) {
		complain("%s: not a regular file; for standard input, say -", path);
		return false;
	}
	if (stat.st_mode & 077) {
		complain("%s: others can read or change the key: chmod 600 %s", path, path);
		return false;
	}
	if (stat.st_uid && stat.st_uid != geteuid()) {
		complain("%s: belongs to another user", path);
		return false;
	}
	return true;
}

static bool parse(const char *text, size_t length, unsigned char *key)
{
	size_t i;

	if (length && text[length - 1] == '\n')
		length--;
	if (length != DIGITS)
		return false;
	for (i = 0; i < DIGITS; i += 2) {
		int high = digit(text[i]), low = digit(text[i + 1]);

		if (high < 0 || low < 0)
			return false;
		key[i / 2] = high << 4 | low;
	}
	return true;
}

static bool read_open(int fd, const char *path, unsigned char *key)
{
	char text[DIGITS + 2];
	size_t length = 0;
	ssize_t n;
	bool ok;

	do {
		n = read(fd, text + length, sizeof(text) - length);
		if (n > 0)
			length += n;
	} while (n > 0 && length < sizeof(text));
	ok = n >= 0 && parse(text, length, key);
	explicit_bzero(text, sizeof(text));
	if (n < 0)
		complain("%s: %s", path, strerror(errno));
	else if (!ok)
		complain("%s: a key is %d hexadecimal digits; try 'openssl rand -hex %d'", path,
			 DIGITS, SCATTER_NODE_KEY_BYTES);
	return ok;
}

/**
 * read_key() - read a key
 * @path: of a file that only its owner can read; "-" is standard input
 * @key: (out) the key
 *
 * Return: whether there is one; else says why not.
 */
bool read_key(const char *path, unsigned char key[SCATTER_NODE_KEY_BYTES])
{
	bool ok;
	int fd;

	if (!strcmp(path, "-"))
		return read_open(STDIN_FILENO, "standard input", key);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	ok = is_private(fd, path) && read_open(fd, path, key);
	close(fd);
	return ok;
}

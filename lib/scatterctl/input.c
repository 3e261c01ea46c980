// SPDX-License-Identifier: GPL-2.0
/*
 * Input of scatter and gather. A regular file is mapped, so that the kernel
 * copies from the page cache; everything else is read into memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transfer.h"

#define FIRST_READ	(64UL << 10)

/**
 * memory_get() - get zeroed memory
 * @length: how many bytes; 0 gets one page
 *
 * Return: the memory, or NULL.
 */
void *memory_get(size_t length)
{
	void *memory = mmap(NULL, length ? length : 1, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/** memory_put() - give back what memory_get() got; NULL is fine */
void memory_put(void *memory, size_t length)
{
	if (memory)
		munmap(memory, length ? length : 1);
}

/**
 * part_length() - bytes that belong to one of several even parts
 * @length: bytes of the whole
 * @parts: how many parts
 * @part: which; the first ones have one byte more if there is a remainder
 */
size_t part_length(size_t length, unsigned int parts, unsigned int part)
{
	return length / parts + (part < length % parts);
}

static int fail(const struct input *input, int error)
{
	complain("%s: %s", input->name, strerror(error));
	return -error;
}

/**
 * input_open() - open the input, without reading
 * @input: (out) to be closed with input_close()
 * @path: a file; NULL and "-" are standard input
 *
 * Return: 0, or -errno after a message.
 */
int input_open(struct input *input, const char *path)
{
	*input = (struct input){ .name = "standard input", .fd = STDIN_FILENO };
	if (!path || !strcmp(path, "-"))
		return 0;
	input->name = path;
	do {
		input->fd = open(path, O_RDONLY | O_CLOEXEC);
	} while (input->fd < 0 && errno == EINTR);
	return input->fd < 0 ? fail(input, errno) : 0;
}

/* Replaces the memory that data lies in; the data stay. */
static int grow(struct input *input, size_t length)
{
	void *map;

	if (input->map)
		map = mremap(input->map, input->map_length, length,
			     MREMAP_MAYMOVE);
	else
		map = memory_get(length);
	if (!map || map == MAP_FAILED)
		return fail(input, ENOMEM);
	input->map = map;
	input->map_length = length;
	input->data = map;
	return 0;
}

static int read_stream(struct input *input)
{
	size_t length = 0;
	ssize_t n;
	int error;

	do {
		if (length == input->map_length) {
			error = grow(input, length ? 2 * length : FIRST_READ);
			if (error)
				return error;
		}
		n = read(input->fd, input->data + length,
			 input->map_length - length);
		if (n < 0 && errno != EINTR)
			return fail(input, errno);
		if (n > 0)
			length += n;
	} while (n);
	input->length = length;
	return 0;
}

/*
 * Shared, so that pinning the pages does not make copies of them. Files that
 * cannot be mapped, and those of procfs that say they are empty, are streams.
 */
static bool map_file(struct input *input)
{
	off_t offset = lseek(input->fd, 0, SEEK_CUR);
	struct stat stat;
	void *map;

	if (offset < 0 || fstat(input->fd, &stat) || !S_ISREG(stat.st_mode) ||
	    stat.st_size <= offset || (off_t)(size_t)stat.st_size != stat.st_size)
		return false;
	map = mmap(NULL, stat.st_size, PROT_READ, MAP_SHARED, input->fd, 0);
	if (map == MAP_FAILED)
		return false;
	input->map = map;
	input->map_length = stat.st_size;
	input->data = (unsigned char *)map + offset;
	input->length = stat.st_size - offset;
	input->offset = offset;
	input->file = true;
	return true;
}

/**
 * input_load() - map or read all of the input, to its end
 * @input: data and length are set
 *
 * Return: 0, or -errno after a message.
 */
int input_load(struct input *input)
{
	return map_file(input) ? 0 : read_stream(input);
}

static int read_at(const struct input *input, unsigned char *to, size_t length,
		   off_t offset)
{
	while (length) {
		ssize_t n = pread(input->fd, to, length, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(input, errno);
		if (!n) {
			complain("%s: became shorter while it was read",
				 input->name);
			return -EIO;
		}
		to += n;
		length -= n;
		offset += n;
	}
	return 0;
}

/* Reads each part of a file to where its block begins. */
static int spread_file(struct input *input, unsigned int parts, size_t block)
{
	off_t offset = input->offset;
	unsigned char *memory = memory_get(block * parts);
	unsigned int i;
	int error;

	if (!memory)
		return fail(input, ENOMEM);
	for (i = 0; i < parts; i++) {
		size_t length = part_length(input->length, parts, i);

		error = read_at(input, memory + i * block, length, offset);
		if (error) {
			memory_put(memory, block * parts);
			return error;
		}
		offset += length;
	}
	munmap(input->map, input->map_length);
	input->map = memory;
	input->map_length = block * parts;
	input->data = memory;
	input->file = false;
	return 0;
}

/* Moves the parts apart, the last one first. */
static int spread_memory(struct input *input, unsigned int parts, size_t block)
{
	size_t from = input->length;
	unsigned int i = parts;
	int error;

	if (input->map_length < block * parts) {
		error = grow(input, block * parts);
		if (error)
			return error;
	}
	while (i--) {
		size_t length = part_length(input->length, parts, i);
		unsigned char *to = input->data + i * block;

		from -= length;
		memmove(to, input->data + from, length);
		memset(to + length, 0, block - length);
	}
	return 0;
}

/**
 * input_spread() - lay the data out as equal blocks, one per part
 * @input: what input_load() loaded
 * @parts: how many parts
 * @block: (out) distance between the beginnings of two parts in bytes
 *
 * If the length is a multiple of @parts nothing is moved: the parts lie in
 * the mapped file. Otherwise the parts are copied once, to make room for the
 * byte that the shorter ones lack.
 *
 * Return: 0, or -errno after a message.
 */
int input_spread(struct input *input, unsigned int parts, size_t *block)
{
	*block = part_length(input->length, parts, 0);
	if (input->length % parts == 0)
		return 0;
	if (input->file)
		return spread_file(input, parts, *block);
	return spread_memory(input, parts, *block);
}

/**
 * input_pad() - make at least so many bytes of the data readable
 * @input: what input_load() loaded
 * @length: how many bytes; those after the data are 0
 *
 * The page with the end of a mapped file reads as 0 after that end, the pages after it
 * cannot be read: the file is mapped again, over the beginning of anonymous
 * memory. So nothing is copied.
 *
 * Return: 0, or -errno after a message.
 */
int input_pad(struct input *input, size_t length)
{
	size_t need = input->offset + length;
	unsigned char *memory;

	if (length <= input->length)
		return 0;
	if (!input->file)
		return length <= input->map_length ? 0 : grow(input, length);

	memory = memory_get(need);
	if (!memory)
		return fail(input, ENOMEM);
	if (mmap(memory, input->map_length, PROT_READ, MAP_SHARED | MAP_FIXED,
		 input->fd, 0) == MAP_FAILED) {
		memory_put(memory, need);
		return fail(input, errno);
	}
	munmap(input->map, input->map_length);
	input->map = memory;
	input->map_length = need;
	input->data = memory + input->offset;
	return 0;
}

/** input_close() - forget the data */
void input_close(struct input *input)
{
	if (input->map)
		munmap(input->map, input->map_length);
	if (input->fd > STDIN_FILENO)
		close(input->fd);
	*input = (struct input){ .fd = -1 };
}

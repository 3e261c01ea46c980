// SPDX-License-Identifier: GPL-2.0
/*
 * Input of scatter and gather. An input with a length is mapped a chunk at a time, so
 * that the kernel copies from the page cache, or read where mapping is impossible;
 * every other input is copied to a file first.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transfer.h"

/* A shorter piece is read: a mapping costs more than the copy. */
#define MAP_MIN		(64UL << 10)

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

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

/* Files of procfs say that they are empty: they are streams. */
static bool has_length(struct input *input)
{
	off_t offset = lseek(input->fd, 0, SEEK_CUR);
	struct stat stat;
	off_t end;

	if (offset < 0 || fstat(input->fd, &stat))
		return false;
	end = stat.st_size;
	if (S_ISBLK(stat.st_mode)) {
		end = lseek(input->fd, 0, SEEK_END);
		lseek(input->fd, offset, SEEK_SET);
	} else if (!S_ISREG(stat.st_mode)) {
		return false;
	}
	if (end <= offset)
		return false;
	input->offset = offset;
	input->length = end - offset;
	return true;
}

/**
 * input_measure() - learn the length of the input, from where it is to its end
 * @input: length is set
 * @session: the membership
 *
 * Return: 0, or -errno after a message.
 */
int input_measure(struct input *input, const struct session *session)
{
	if (has_length(input))
		return 0;
	progress_begin(session, "reading", 0);
	return spool(input);
}

/* Of some file systems files cannot be mapped. */
static bool can_map(const struct input *input)
{
	void *map = mmap(NULL, 1, PROT_READ, MAP_SHARED, input->fd, 0);

	if (map == MAP_FAILED)
		return false;
	munmap(map, 1);
	return true;
}

/**
 * input_slots() - make room for pieces of the input
 * @input: what input_measure() measured
 * @count: how many pieces at a time
 * @chunk: longest of them in bytes
 *
 * Return: 0, or -errno after a message.
 */
int input_slots(struct input *input, unsigned int count, size_t chunk)
{
	size_t page = page_size();

	/* A mapping begins and ends at a page. */
	input->slot = (chunk + 2 * page - 1) / page * page;
	input->maps = chunk >= MAP_MIN && can_map(input);
	if (__builtin_mul_overflow(input->slot, (size_t)count,
				   &input->room_length))
		return fail(input, ENOMEM);
	input->room = memory_get(input->room_length);
	if (!input->room) {
		complain("out of memory: %zu bytes for chunks; give the root a smaller --chunk",
			 input->room_length);
		return -ENOMEM;
	}
	input->base = input->room;
	return 0;
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

/**
 * input_whole() - get all of the input, instead of pieces in slots
 * @input: what input_measure() measured; base is set
 *
 * Return: 0, or -errno after a message.
 */
int input_whole(struct input *input)
{
	size_t before = input->offset % page_size();

	if (input->length > SIZE_MAX - before)
		return fail(input, EFBIG);
	input->room_length = before + input->length;
	input->maps = input->length && can_map(input);
	if (input->maps) {
		input->room = mmap(NULL, input->room_length, PROT_READ,
				   MAP_SHARED, input->fd,
				   input->offset - before);
		if (input->room == MAP_FAILED)
			input->room = NULL;
	} else {
		input->room = memory_get(input->room_length);
	}
	if (!input->room)
		return fail(input, ENOMEM);
	input->base = input->room + before;
	if (input->maps)
		return 0;
	return read_at(input, input->base, input->length, input->offset);
}

/**
 * input_chunk() - get a piece of the input
 * @input: with the room that input_slots() made
 * @slot: which slot; what was in it goes
 * @from: where the piece begins, in bytes from where the input did
 * @length: of the piece in bytes
 * @place: (out) where in the room it is now, in bytes
 *
 * Shared mappings, so that pinning the pages does not make copies of them.
 *
 * Return: 0, or -errno after a message.
 */
int input_chunk(struct input *input, unsigned int slot, uint64_t from,
		size_t length, uint64_t *place)
{
	off_t offset = input->offset + from;
	size_t before = offset % page_size();

	*place = slot * input->slot;
	if (!length)
		return 0;
	if (!input->maps)
		return read_at(input, input->room + *place, length, offset);
	if (mmap(input->room + *place, before + length, PROT_READ,
		 MAP_SHARED | MAP_FIXED, input->fd,
		 offset - before) == MAP_FAILED)
		return fail(input, errno);
	*place += before;
	return 0;
}

/** input_close() - forget the data */
void input_close(struct input *input)
{
	memory_put(input->room, input->room_length);
	if (input->fd > STDIN_FILENO)
		close(input->fd);
	*input = (struct input){ .fd = -1 };
}

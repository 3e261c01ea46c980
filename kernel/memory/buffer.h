/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_BUFFER_H
#define _SCATTER_BUFFER_H

#include <linux/types.h>

#include "memory/map.h"
#include "memory/memory.h"

/**
 * struct scatter_buffer - what a call says of one of its buffers
 * @base: user address of the buffer
 * @layout: user address of its layout, 0: contiguous
 * @map: the layout, if the call uses the buffer and the buffer is not contiguous; else NULL
 */
struct scatter_buffer {
	u64 base;
	u64 layout;
	struct scatter_map *map;
};

/**
 * struct scatter_stream - the bytes of a buffer, from a given byte on
 * @buffer: where the bytes are
 * @offset: how many bytes of the buffer's stream come before
 */
struct scatter_stream {
	const struct scatter_buffer *buffer;
	u64 offset;
};

static inline bool scatter_buffer_equal(const struct scatter_buffer *a,
					const struct scatter_buffer *b)
{
	return a->base == b->base && a->layout == b->layout;
}

/**
 * scatter_buffer_free() - free what a buffer owns
 * @buffer: nobody uses the buffer any more
 *
 * Context: process context; no locks.
 */
static inline void scatter_buffer_free(struct scatter_buffer *buffer)
{
	scatter_memory_free(buffer->map);
	buffer->map = NULL;
}

/* The stream from its byte @done on. */
static inline struct scatter_stream
scatter_stream_from(struct scatter_stream stream, u64 done)
{
	stream.offset += done;
	return stream;
}

/* Go to byte @done of a stream. */
static inline void scatter_stream_seek(const struct scatter_stream *stream,
				       u64 done, struct scatter_cursor *cursor)
{
	scatter_cursor_start(cursor, stream->buffer->map, stream->buffer->base,
			     stream->offset + done);
}

int scatter_buffer_fault(void);
bool scatter_buffer_read(void *to, struct scatter_stream from, u64 bytes);
bool scatter_buffer_write(struct scatter_stream to, const void *from, u64 bytes);

#endif /* _SCATTER_BUFFER_H */

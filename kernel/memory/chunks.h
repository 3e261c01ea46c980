/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_CHUNKS_H
#define _SCATTER_CHUNKS_H

#include <linux/list.h>
#include <linux/types.h>

#include "memory/buffer.h"

struct page;
struct scatter_user;

/**
 * struct scatter_chunk - a piece of payload
 * @entry: in scatter_chunks.list
 * @at: bytes of the payload before this piece
 * @page: the page in which the piece lies, of any order; the chunk holds a reference; NULL: the
 *	piece is short, and lies in @data
 * @offset: bytes of the page before the piece; 0 without a page
 * @bytes: length of the piece
 * @data: the piece, if it is short: up to %SCATTER_CHUNKS_SHORT bytes
 */
struct scatter_chunk {
	struct list_head entry;
	u64 at;
	struct page *page;
	u32 offset;
	u32 bytes;
	u8 data[];
};

/* A piece that is not longer needs no page: to copy it takes less time than to allocate a page. */
#define SCATTER_CHUNKS_SHORT	(256 - sizeof(struct scatter_chunk))

/**
 * struct scatter_chunks - payload for other nodes or from them, in pages unless it is short
 * @list: the pieces, in order, without gaps
 * @end: bytes of the payload before the next piece
 * @open: the last piece lies in memory that was allocated for it and is not shared: the piece may
 *	grow
 * @user: the user charged for memory that is allocated; NULL: nobody
 * @charged: how many bytes @user is charged for
 *
 * Pieces are no longer than a message carries. The owner of the payload serializes.
 */
struct scatter_chunks {
	struct list_head list;
	u64 end;
	bool open;
	struct scatter_user *user;
	u64 charged;
};

void scatter_chunks_init(struct scatter_chunks *chunks, struct scatter_user *user);
void scatter_chunks_free(struct scatter_chunks *chunks);
void scatter_chunks_move(struct scatter_chunks *to, struct scatter_chunks *from);
void scatter_chunks_join(struct scatter_chunks *chunks, struct scatter_chunks *more);
u64 scatter_chunks_add(struct scatter_chunks *chunks, struct page *page, u32 offset, u32 bytes);
int scatter_chunks_append(struct scatter_chunks *chunks, const void *data, u32 bytes);
int scatter_chunks_append_user(struct scatter_chunks *chunks, struct scatter_stream from,
			       u64 bytes);
void scatter_chunks_drop(struct scatter_chunks *chunks, u64 end);
void scatter_chunks_read(const struct scatter_chunks *chunks, u64 at, void *to, u64 bytes);
bool scatter_chunks_to_user(const struct scatter_chunks *chunks, u64 at,
			    struct scatter_stream to, u64 bytes);
u64 scatter_chunks_share(struct scatter_chunks *chunks, const struct scatter_chunks *from, u64 at,
			 u64 bytes);
const void *scatter_chunks_start(const struct scatter_chunk *chunk);
struct scatter_chunk *scatter_chunks_next(const struct scatter_chunks *chunks,
					  struct scatter_chunk *chunk);

#endif /* _SCATTER_CHUNKS_H */

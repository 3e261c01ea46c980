// SPDX-License-Identifier: GPL-2.0
/*
 * Chunks: payload that goes to other nodes, or has come from them.
 *
 * Long pieces lie in pages. Pages are shared, not copied: the message that carries a piece and the
 * payload that the piece belongs to hold a reference each. So a piece goes on to the next node
 * without a copy. A short piece has no page: each message and each payload has a copy.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "memory/chunks.h"
#include "memory/user.h"
#include "wire/wide.h"

/*
 * Pieces of at least this length are shared. A message takes a page of its receiver, so shorter
 * pieces are copied: messages then have half of this length or more on average.
 */
#define SCATTER_CHUNKS_SHARED	(SCATTER_WIDE_PAYLOAD_MAX / 2)

/**
 * scatter_chunks_init() - set up empty payload
 * @chunks: (out) the payload
 * @user: the user to be charged for memory that is allocated; NULL: nobody
 *
 * Context: any.
 */
void scatter_chunks_init(struct scatter_chunks *chunks, struct scatter_user *user)
{
	*chunks = (struct scatter_chunks){ .user = user };
	INIT_LIST_HEAD(&chunks->list);
}

static void chunk_free(struct scatter_chunk *chunk)
{
	list_del(&chunk->entry);
	if (chunk->page)
		put_page(chunk->page);
	kfree(chunk);
}

/**
 * scatter_chunks_free() - drop the payload
 * @chunks: the payload, which is empty afterwards
 *
 * Context: any.
 */
void scatter_chunks_free(struct scatter_chunks *chunks)
{
	struct scatter_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, &chunks->list, entry)
		chunk_free(chunk);
	if (chunks->user)
		scatter_user_uncharge(chunks->user, SCATTER_LIMIT_BYTES, chunks->charged);
	scatter_chunks_init(chunks, chunks->user);
}

/**
 * scatter_chunks_move() - hand payload over
 * @to: (out) gets all pieces
 * @from: the payload, which is empty afterwards; further pieces continue at the same byte
 *
 * Context: any.
 */
void scatter_chunks_move(struct scatter_chunks *to, struct scatter_chunks *from)
{
	*to = *from;
	INIT_LIST_HEAD(&to->list);
	list_splice_init(&from->list, &to->list);
	from->charged = 0;
	to->open = false;
	from->open = false;
}

static void insert(struct scatter_chunks *chunks, struct scatter_chunk *chunk)
{
	chunk->at = chunks->end;
	chunks->end += chunk->bytes;
	list_add_tail(&chunk->entry, &chunks->list);
}

/**
 * scatter_chunks_join() - add all pieces of other payload
 * @chunks: the payload
 * @more: the other payload of the same user, which is empty afterwards
 *
 * Context: any.
 */
void scatter_chunks_join(struct scatter_chunks *chunks, struct scatter_chunks *more)
{
	struct scatter_chunk *chunk, *next;

	chunks->open = false;
	list_for_each_entry_safe(chunk, next, &more->list, entry) {
		list_del(&chunk->entry);
		insert(chunks, chunk);
	}
	chunks->charged += more->charged;
	more->charged = 0;
	more->end = 0;
}

/**
 * scatter_chunks_start() - where a piece lies
 * @chunk: the piece
 *
 * Context: any.
 */
const void *scatter_chunks_start(const struct scatter_chunk *chunk)
{
	return chunk->page ? page_address(chunk->page) + chunk->offset : chunk->data;
}

/**
 * scatter_chunks_add() - add a piece that lies in a page
 * @chunks: the payload
 * @page: the page; gets a reference, unless the piece is short
 * @offset: bytes of the page before the piece
 * @bytes: length of the piece
 *
 * Context: may sleep; cannot fail, since the piece has come and nobody sends it again.
 * Return: bytes of memory that the piece takes: those of all of its page, or its own.
 */
u64 scatter_chunks_add(struct scatter_chunks *chunks, struct page *page, u32 offset, u32 bytes)
{
	u32 copied = bytes <= SCATTER_CHUNKS_SHORT ? bytes : 0;
	struct scatter_chunk *chunk = kmalloc(struct_size(chunk, data, copied),
					      GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);

	chunks->open = false;
	chunk->page = copied ? NULL : page;
	chunk->offset = copied ? 0 : offset;
	chunk->bytes = bytes;
	if (copied)
		memcpy(chunk->data, page_address(page) + offset, copied);
	else
		get_page(page);
	insert(chunks, chunk);
	return copied ?: page_size(page);
}

static int charge(struct scatter_chunks *chunks, u64 bytes)
{
	int error;

	if (!chunks->user)
		return 0;
	error = scatter_user_charge(chunks->user, SCATTER_LIMIT_BYTES, bytes);
	if (!error)
		chunks->charged += bytes;
	return error;
}

/* Cannot fail if no user is charged. */
static gfp_t gfp_of(const struct scatter_chunks *chunks)
{
	return GFP_KERNEL_ACCOUNT |
	       (chunks->user ? __GFP_NOWARN | __GFP_NORETRY : __GFP_NOFAIL);
}

/*
 * Let the last piece grow beyond a short one: move it to a page of its own, which has space for
 * some of the next @bytes bytes.
 */
static int grow(struct scatter_chunks *chunks, struct scatter_chunk *chunk, u64 bytes)
{
	u32 order = bytes > PAGE_SIZE ? get_order(SCATTER_WIRE_BYTES_MAX) : 0;
	struct page *page;
	int error;

	error = charge(chunks, PAGE_SIZE << order);
	if (error)
		return error;
	page = alloc_pages(gfp_of(chunks) | __GFP_COMP, order);
	if (!page)
		return -ENOMEM;
	memcpy(page_address(page), chunk->data, chunk->bytes);
	chunk->page = page;
	return 0;
}

/* Make a piece without bytes, with space for some of the next @bytes bytes. */
static struct scatter_chunk *make(struct scatter_chunks *chunks, u64 bytes)
{
	u32 room = bytes <= SCATTER_CHUNKS_SHORT ? SCATTER_CHUNKS_SHORT : 0;
	struct scatter_chunk *chunk;
	int error;

	error = charge(chunks, room);
	if (error)
		return ERR_PTR(error);
	chunk = kmalloc(struct_size(chunk, data, room), gfp_of(chunks));
	if (!chunk)
		return ERR_PTR(-ENOMEM);
	chunk->page = NULL;
	chunk->offset = 0;
	chunk->bytes = 0;
	error = room ? 0 : grow(chunks, chunk, bytes);
	if (error) {
		kfree(chunk);
		return ERR_PTR(error);
	}
	insert(chunks, chunk);
	return chunk;
}

/* How many bytes the last piece may have. */
static u32 room(const struct scatter_chunk *chunk)
{
	return chunk->page ? min_t(u32, page_size(chunk->page), SCATTER_WIDE_PAYLOAD_MAX) :
			     SCATTER_CHUNKS_SHORT;
}

/* Find space behind the last piece, or in a new one; lowers *@bytes to the size of the space. */
static void *space(struct scatter_chunks *chunks, u64 *bytes)
{
	struct scatter_chunk *last = NULL;
	int error = 0;

	if (!list_empty(&chunks->list) && chunks->open)
		last = list_last_entry(&chunks->list, struct scatter_chunk, entry);
	if (last && !last->page && *bytes > SCATTER_CHUNKS_SHORT - last->bytes)
		error = grow(chunks, last, last->bytes + *bytes);
	if (error)
		return ERR_PTR(error);
	if (!last || last->bytes >= room(last)) {
		last = make(chunks, *bytes);
		if (IS_ERR(last))
			return last;
		chunks->open = true;
	}
	*bytes = min_t(u64, *bytes, room(last) - last->bytes);
	return (void *)scatter_chunks_start(last) + last->bytes;
}

/* Note that @bytes bytes of the space that space() has found are in use. */
static void extend(struct scatter_chunks *chunks, u64 bytes)
{
	list_last_entry(&chunks->list, struct scatter_chunk, entry)->bytes += bytes;
	chunks->end += bytes;
}

/**
 * scatter_chunks_append() - add a copy of bytes in kernel memory
 * @chunks: the payload
 * @data: the bytes
 * @bytes: how many
 *
 * Context: may sleep.
 * Return: 0, -EDQUOT or -ENOMEM.
 */
int scatter_chunks_append(struct scatter_chunks *chunks, const void *data, u32 bytes)
{
	u64 done, n;

	for (done = 0; done < bytes; done += n) {
		void *to;

		n = bytes - done;
		to = space(chunks, &n);
		if (IS_ERR(to))
			return PTR_ERR(to);
		memcpy(to, data + done, n);
		extend(chunks, n);
	}
	return 0;
}

/**
 * scatter_chunks_append_user() - add a copy of bytes in user memory
 * @chunks: the payload
 * @from: user memory in the current address space
 * @bytes: how many
 *
 * Many bytes get pieces of their own, each long enough to be shared: no node on the way copies a
 * block of 4 KiB or more.
 *
 * Context: may sleep and fault; no locks.
 * Return: 0, -EFAULT, -EDQUOT or -ENOMEM: some of the bytes may have been added.
 */
int scatter_chunks_append_user(struct scatter_chunks *chunks, struct scatter_stream from,
			       u64 bytes)
{
	bool apart = bytes >= SCATTER_CHUNKS_SHARED;
	u64 done, n, most = bytes;

	if (apart)
		most = DIV_ROUND_UP_ULL(bytes, DIV_ROUND_UP_ULL(bytes, SCATTER_WIDE_PAYLOAD_MAX));
	for (done = 0; done < bytes; done += n) {
		void *to;

		n = min(bytes - done, most);
		chunks->open &= !apart;
		to = space(chunks, &n);
		if (IS_ERR(to))
			return PTR_ERR(to);
		if (!scatter_buffer_read(to, scatter_stream_from(from, done), n))
			return -EFAULT;
		extend(chunks, n);
	}
	return 0;
}

/**
 * scatter_chunks_drop() - drop the last bytes of payload
 * @chunks: the payload, which has no pieces of scatter_chunks_add()
 * @end: how many bytes stay
 *
 * Context: any.
 */
void scatter_chunks_drop(struct scatter_chunks *chunks, u64 end)
{
	struct scatter_chunk *chunk, *next;

	list_for_each_entry_safe_reverse(chunk, next, &chunks->list, entry) {
		if (chunk->at >= end) {
			chunk_free(chunk);
			continue;
		}
		chunk->bytes = min_t(u64, chunk->bytes, end - chunk->at);
		break;
	}
	chunks->end = min(chunks->end, end);
}

/**
 * scatter_chunks_share() - add a part of other payload by sharing its long pieces
 * @chunks: the payload; nobody is charged for it
 * @from: the other payload
 * @at: bytes of @from before the part
 * @bytes: length of the part
 *
 * Short pieces are copied, so that many of them go in one message.
 *
 * Context: may sleep; cannot fail.
 * Return: how many bytes have been copied.
 */
u64 scatter_chunks_share(struct scatter_chunks *chunks, const struct scatter_chunks *from, u64 at,
			 u64 bytes)
{
	const struct scatter_chunk *chunk;
	u64 end = at + bytes, copied = 0;

	list_for_each_entry(chunk, &from->list, entry) {
		u64 first = max(at, chunk->at), last = min(end, chunk->at + chunk->bytes);
		u32 skip = first - chunk->at;

		if (first < last && last - first < SCATTER_CHUNKS_SHARED) {
			scatter_chunks_append(chunks, scatter_chunks_start(chunk) + skip,
					      last - first);
			copied += last - first;
		} else if (first < last) {
			scatter_chunks_add(chunks, chunk->page, chunk->offset + skip,
					   last - first);
		}
	}
	return copied;
}

/**
 * scatter_chunks_next() - find the next piece of payload
 * @chunks: the payload
 * @chunk: the piece before; NULL: none
 *
 * Context: any.
 * Return: the piece; NULL: @chunk is the last one.
 */
struct scatter_chunk *scatter_chunks_next(const struct scatter_chunks *chunks,
					  struct scatter_chunk *chunk)
{
	const struct list_head *last = chunk ? &chunk->entry : &chunks->list;

	return list_is_last(last, &chunks->list) ?
		NULL : list_entry(last->next, struct scatter_chunk, entry);
}

/* Find the byte of payload at @at; lowers *@bytes to how many bytes from there lie in a row. */
static const void *find(const struct scatter_chunks *chunks, u64 at, u64 *bytes)
{
	const struct scatter_chunk *chunk;

	list_for_each_entry(chunk, &chunks->list, entry) {
		if (at - chunk->at >= chunk->bytes)
			continue;
		*bytes = min_t(u64, *bytes, chunk->at + chunk->bytes - at);
		return scatter_chunks_start(chunk) + (at - chunk->at);
	}
	return NULL;
}

/**
 * scatter_chunks_read() - copy payload into kernel memory
 * @chunks: the payload
 * @at: bytes of the payload before the first byte to copy
 * @to: where to
 * @bytes: how many; the payload has them
 *
 * Context: any.
 */
void scatter_chunks_read(const struct scatter_chunks *chunks, u64 at, void *to, u64 bytes)
{
	u64 done, n;

	for (done = 0; done < bytes; done += n) {
		const void *from;

		n = bytes - done;
		from = find(chunks, at + done, &n);
		if (WARN_ON_ONCE(!from))
			return;
		memcpy(to + done, from, n);
	}
}

/**
 * scatter_chunks_to_user() - copy payload into user memory
 * @chunks: the payload
 * @at: bytes of the payload before the first byte to copy
 * @to: user memory in the current address space
 * @bytes: how many; the payload has them
 *
 * Context: may sleep and fault; no locks.
 * Return: false if @to is not writable.
 */
bool scatter_chunks_to_user(const struct scatter_chunks *chunks, u64 at,
			    struct scatter_stream to, u64 bytes)
{
	u64 done, n;

	for (done = 0; done < bytes; done += n) {
		const void *from;

		n = bytes - done;
		from = find(chunks, at + done, &n);
		if (WARN_ON_ONCE(!from) ||
		    !scatter_buffer_write(scatter_stream_from(to, done), from, n))
			return false;
	}
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Pins: copy once between own user memory and a peer's.
 *
 * The copying task takes hold of one chunk of the peer's pages, copies runs of adjacent pages, and
 * lets go. Nobody waits while holding pages, so no page is held for long, and no page is charged to
 * RLIMIT_MEMLOCK.
 *
 * The copying task never serves a page fault of the peer, and never sleeps on the peer's mmap lock:
 * user space may never serve the fault (userfaultfd, FUSE), and another thread of the peer may hold
 * the lock just as long. The peer itself has to bring pages that are absent, or cannot be had at
 * the moment, see stage.c. The copying task serves faults of its own memory before it takes hold of
 * any page.
 *
 * To read, a reference on a page is enough (FOLL_GET): whatever the peer does to its mapping
 * meanwhile, the page keeps its bytes. A pin would first give the peer copies of its copy-on-write
 * pages, at the price of new memory. To write, the task pins the page (FOLL_PIN): then a fork() of
 * the peer copies the page for the child, and the peer keeps the page that is being written to. The
 * task does not write to pages of files, since the server of a file decides how long the lock of
 * such a page is held.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "memory/buffer.h"
#include "memory/hands.h"
#include "memory/pin.h"
#include "memory/segment.h"
#include "stats.h"

/* Most pieces of a chunk, so that a task that copies many small pieces is interruptible, too. */
#define SCATTER_CHUNK_PIECES	8192
/* How often a task tries to get the peer's mmap lock: an mmap() or munmap() may be under way. */
#define SCATTER_LOCK_TRIES	200

/* Fault in own memory from @at on; returns how many of @bytes bytes are not accessible. */
static size_t fault_in(const struct scatter_copy *copy, u64 at, u64 bytes)
{
	if (copy->give)
		return fault_in_readable(u64_to_user_ptr(at), bytes);
	return fault_in_safe_writeable(u64_to_user_ptr(at), bytes);
}

/**
 * scatter_pin_prepare() - make own memory ready to be copied to or from
 * @copy: the copy; only its own part is used
 * @done: bytes of the copy that are done
 *
 * Writes nothing: the sent memory may overlap the received memory.
 *
 * Context: may sleep and fault; no locks.
 * Return: false if not even the first byte is accessible.
 */
bool scatter_pin_prepare(const struct scatter_copy *copy, u64 done)
{
	u64 left = min_t(u64, copy->bytes - done, SCATTER_CHUNK_BYTES);
	struct scatter_cursor own;
	u64 end = 0;
	int i;

	scatter_stream_seek(&copy->own, done, &own);
	for (i = 0; left && i < SCATTER_CHUNK_PIECES; i++) {
		u64 n = min(own.run, left);
		u64 last = (own.at + n - 1) >> PAGE_SHIFT;

		/* Most pieces may be in the page of the piece before. */
		if (!i || own.at >> PAGE_SHIFT != end || last != end) {
			size_t missing = fault_in(copy, own.at, n);

			if (missing)
				return i || missing < n;
		}
		end = last;
		left -= n;
		scatter_cursor_advance(&own, n);
	}
	return true;
}

/*
 * Find how many pages a run has from page @i on. One usercopy must not span two compound pages,
 * even if they are neighbours.
 */
static int run_length(struct page **pages, int i, int nr)
{
	int n;

	for (n = 1; i + n < nr; n++) {
		struct page *last = pages[i + n - 1];
		struct page *next = pages[i + n];

		if (page_to_pfn(next) != page_to_pfn(last) + 1)
			break;
		if (PageCompound(next) != PageCompound(last) ||
		    (PageCompound(next) &&
		     compound_head(next) != compound_head(last)))
			break;
	}
	return n;
}

/* Copy one run of adjacent pages. False if own memory is absent. */
static bool copy_run(void *kernel, u64 own, u64 bytes, bool give)
{
	void __user *user = u64_to_user_ptr(own);

	if (give)
		return !copy_from_user_nofault(kernel, user, bytes);
	return !copy_to_user_nofault(user, kernel, bytes);
}

/*
 * Copy between own memory and held pages. The pages are those of the peer's pieces in order; a
 * piece that begins in the last page of the piece before shares that page.
 */
static u64 copy_pages(struct page **pages, int nr, const struct scatter_copy *copy,
		      u64 done, u64 bytes)
{
	struct scatter_cursor peer, own;
	int i = 0, pieces;
	u64 copied = 0;

	scatter_stream_seek(&copy->peer, done, &peer);
	scatter_stream_seek(&copy->own, done, &own);
	for (pieces = 0; i < nr && copied < bytes && pieces < SCATTER_CHUNK_PIECES;
	     pieces++) {
		unsigned int offset = offset_in_page(peer.at);
		u64 n = min3(peer.run, own.run, bytes - copied);
		u64 page = peer.at >> PAGE_SHIFT, last;

		n = min(n, ((u64)(nr - i) << PAGE_SHIFT) - offset);
		n = min(n, ((u64)run_length(pages, i, i + DIV_ROUND_UP(offset + n, PAGE_SIZE))
			    << PAGE_SHIFT) - offset);
		if (!copy_run(page_address(pages[i]) + offset, own.at, n,
			      copy->give))
			break;
		last = (peer.at + n - 1) >> PAGE_SHIFT;
		copied += n;
		scatter_cursor_advance(&peer, n);
		scatter_cursor_advance(&own, n);
		i += last - page + (peer.at >> PAGE_SHIFT != last);
	}
	return copied;
}

/* Whether the pages belong to no file, or only to files of tmpfs or hugetlbfs. */
static bool is_memory(struct page **pages, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		struct folio *folio = page_folio(pages[i]);

		if (!folio_test_swapbacked(folio) &&
		    !folio_test_hugetlb(folio))
			return false;
	}
	return true;
}

/* Translate an error of the peer's memory: the peer has to deal with whatever is wrong. */
static long hold_error(long error)
{
	if (fatal_signal_pending(current))
		return -EINTR;
	return error == -ENOMEM ? -ENOMEM : -EFAULT;
}

/*
 * struct holding - consecutive pages of the peer, and the pages held before
 * @pages: pages that are held
 * @held: how many pages are held
 * @first: number of the next page to take hold of
 * @count: how many pages from @first on are wanted
 */
struct holding {
	struct page **pages;
	long held;
	u64 first;
	long count;
};

/* Take hold of the wanted pages. 0; -EAGAIN if some are absent; or -errno, if all are. */
static long hold_range(const struct scatter_copy *copy, struct holding *holding)
{
	unsigned long start = holding->first << PAGE_SHIFT;
	struct page **pages = holding->pages + holding->held;
	long wanted = holding->count, nr;

	if (!wanted)
		return 0;
	holding->count = 0;
	if (copy->give)
		nr = scatter_compat_pin_remote(copy->mm, start, wanted, pages);
	else
		nr = scatter_compat_get_remote(copy->mm, start, wanted, pages);
	if (nr <= 0)
		return nr ?: -EFAULT;
	holding->held += nr;
	return nr < wanted ? -EAGAIN : 0;
}

/*
 * Take hold of the pages of the next pieces, as many as fit. Takes consecutive pages at a time, and
 * takes once a page that two pieces in a row share. Returns the number of pages held, or -errno if
 * not even the first page could be had.
 */
static long hold_pieces(struct page **pages, const struct scatter_copy *copy,
			u64 done)
{
	u64 left = min_t(u64, copy->bytes - done, SCATTER_CHUNK_BYTES);
	struct holding holding = { .pages = pages };
	struct scatter_cursor peer;
	long error = 0;
	int i;

	scatter_stream_seek(&copy->peer, done, &peer);
	for (i = 0; left && !error && i < SCATTER_CHUNK_PIECES; i++) {
		u64 first = peer.at >> PAGE_SHIFT, end = holding.first + holding.count;
		u64 n = min(peer.run, left);
		u64 last = (peer.at + n - 1) >> PAGE_SHIFT;
		long room;

		/* The piece shares the last page, or continues the last range, or begins one. */
		if (holding.count && first == end - 1) {
			first++;
		} else if (!holding.count || first != end) {
			error = hold_range(copy, &holding);
			holding.first = first;
		}
		room = SCATTER_CHUNK_PAGES - holding.held - holding.count;
		holding.count += min_t(u64, last + 1 - first, room);
		if (last + 1 - first >= room)
			break;
		left -= n;
		scatter_cursor_advance(&peer, n);
	}
	if (!error)
		error = hold_range(copy, &holding);
	return holding.held ?: error;
}

/* Take the mmap lock of the peer, if the lock can be had within some microseconds. */
static bool lock_briefly(struct mm_struct *mm)
{
	int i;

	for (i = 0; i < SCATTER_LOCK_TRIES; i++) {
		if (mmap_read_trylock(mm))
			return true;
		cpu_relax();
	}
	return false;
}

/* Let go of pages taken for reading: all pages of one folio at once. */
static void put_pages(struct page **pages, long nr)
{
	long i, n;

	for (i = 0; i < nr; i += n) {
		struct folio *folio = page_folio(pages[i]);

		for (n = 1; i + n < nr && page_folio(pages[i + n]) == folio; n++)
			;
		folio_put_refs(folio, n);
	}
}

/**
 * scatter_pin_copy() - copy one chunk from or to another address space
 * @hands: the current task's; their page array is used, their counters count
 * @copy: the whole copy
 * @done: bytes of the copy that are done
 *
 * Copies at most %SCATTER_CHUNK_BYTES, and stops at the first page that cannot be had. If own
 * memory is absent, the caller has to call scatter_pin_prepare().
 *
 * Context: may sleep, but waits for no page fault, and not for the mmap lock of the peer; no locks.
 * Return: bytes copied; 0 if own memory is absent; -EFAULT if the peer's memory is not accessible,
 * is absent or, with @give, cannot be written to; -EAGAIN if the peer's mmap lock could not be had;
 * -EINTR after a fatal signal; -ENOMEM.
 */
long scatter_pin_copy(struct scatter_hands *hands, struct scatter_copy *copy,
		      u64 done)
{
	u64 bytes = min_t(u64, copy->bytes - done, SCATTER_CHUNK_BYTES);
	struct page **pages = hands->scratch.pages;
	long nr;

	copy->pages = 0;
	if (!lock_briefly(copy->mm))
		return -EAGAIN;
	nr = hold_pieces(pages, copy, done);
	mmap_read_unlock(copy->mm);
	if (nr <= 0)
		return hold_error(nr);
	if (copy->give && !is_memory(pages, nr)) {
		unpin_user_pages(pages, nr);
		return -EFAULT;
	}
	scatter_stats_created(SCATTER_OBJECT_PIN, nr);
	scatter_stats_count(&hands->tally, SCATTER_COUNTER_PINS, nr);
	copy->pages = nr;
	bytes = copy_pages(pages, nr, copy, done, bytes);
	if (copy->give)
		unpin_user_pages_dirty_lock(pages, nr, bytes);
	else
		put_pages(pages, nr);
	scatter_stats_destroyed(SCATTER_OBJECT_PIN, nr);
	scatter_stats_count(&hands->tally, SCATTER_COUNTER_BYTES_COPIED, bytes);
	return bytes;
}

/* Copy the bytes of held pages into a segment; the pages are those of the pieces in order. */
static u64 read_pages(struct page **pages, int nr, const struct scatter_copy *copy,
		      struct scatter_segment *segment)
{
	struct scatter_cursor peer;
	int i = 0, pieces;
	u64 copied = 0;

	scatter_stream_seek(&copy->peer, 0, &peer);
	for (pieces = 0; i < nr && copied < copy->bytes && pieces < SCATTER_CHUNK_PIECES;
	     pieces++) {
		unsigned int offset = offset_in_page(peer.at);
		u64 n = min3(peer.run, copy->bytes - copied, (u64)PAGE_SIZE - offset);
		u64 page = peer.at >> PAGE_SHIFT;

		scatter_segment_write(segment, copied, page_address(pages[i]) + offset, n);
		copied += n;
		scatter_cursor_advance(&peer, n);
		i += peer.at >> PAGE_SHIFT != page;
	}
	return copied;
}

/**
 * scatter_pin_read() - copy bytes of another address space into a segment
 * @mm: the address space; the caller holds a user of @mm
 * @from: user memory in @mm
 * @segment: where the bytes go; no other context uses it
 *
 * Context: may sleep, but waits for no page fault, and not for the mmap lock of @mm; no locks.
 * Return: false if not all of the bytes could be had.
 */
bool scatter_pin_read(struct mm_struct *mm, struct scatter_stream from,
		      struct scatter_segment *segment)
{
	const struct scatter_copy copy = { .mm = mm, .peer = from, .bytes = segment->bytes };
	struct page **pages;
	u64 copied = 0;
	long nr = 0;

	pages = kmalloc_array(SCATTER_CHUNK_PAGES, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!pages)
		return false;
	if (lock_briefly(mm)) {
		nr = hold_pieces(pages, &copy, 0);
		mmap_read_unlock(mm);
	}
	if (nr > 0) {
		scatter_stats_created(SCATTER_OBJECT_PIN, nr);
		copied = read_pages(pages, nr, &copy, segment);
		put_pages(pages, nr);
		scatter_stats_destroyed(SCATTER_OBJECT_PIN, nr);
	}
	kfree(pages);
	return copied == segment->bytes;
}

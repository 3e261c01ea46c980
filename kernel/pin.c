// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous: copy from a peer's user memory straight into our own.
 *
 * The taker pins one chunk of the source's pages, copies runs of pages that lie
 * side by side, and unpins. Its own faults it takes without anything of the
 * source's: while a chunk is pinned it only copies, so that the source, if a
 * signal ends its call, waits for no longer than that.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "member.h"
#include "pin.h"
#include "stats.h"

/**
 * scatter_pin_prepare() - make own memory ready to be copied to
 * @to: user address in the current address space
 * @bytes: how much
 *
 * Writes nothing: a source may overlap its target.
 *
 * Context: may sleep and fault; no locks.
 * Return: false if not even the first byte is writable.
 */
bool scatter_pin_prepare(u64 to, u64 bytes)
{
	return fault_in_safe_writeable(u64_to_user_ptr(to), bytes) < bytes;
}

/*
 * How far a run goes from page @i on. One usercopy must not span two compound
 * pages, even if they are neighbours.
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

static long copy_pages(struct page **pages, int nr, unsigned int offset, u64 to,
		       u64 bytes)
{
	u64 done = 0;
	int i, n;

	for (i = 0; i < nr && done < bytes; i += n) {
		u64 length;

		n = run_length(pages, i, nr);
		length = min_t(u64, ((u64)n << PAGE_SHIFT) - offset,
			       bytes - done);
		if (copy_to_user_nofault(u64_to_user_ptr(to + done),
					 page_address(pages[i]) + offset,
					 length))
			break;
		done += length;
		offset = 0;
	}
	return done;
}

/**
 * scatter_pin_copy() - copy one chunk from another address space
 * @member: the current task's; its page array is used, its counters count
 * @mm: the source's address space; the caller holds a user reference
 * @from: address in it
 * @to: user address in the current address space; where it is absent,
 *	scatter_pin_prepare() is wanted
 * @bytes: how much; at most %SCATTER_CHUNK_BYTES, and cut to what the pages
 *	that were pinned hold
 *
 * Context: may sleep, takes the mmap lock of @mm; no locks. Does not fault in
 * the current address space.
 * Return: bytes copied; 0 if @to is absent; -EFAULT if @from is not readable;
 * -EINTR after a signal, -ENOMEM.
 */
long scatter_pin_copy(struct scatter_member *member, struct mm_struct *mm,
		      u64 from, u64 to, u64 bytes)
{
	unsigned int offset = offset_in_page(from);
	struct page **pages = member->pages;
	int locked = 1;
	long nr, done;

	bytes = min_t(u64, bytes, SCATTER_CHUNK_BYTES - offset);
	nr = DIV_ROUND_UP(offset + bytes, PAGE_SIZE);
	if (mmap_read_lock_killable(mm))
		return -EINTR;
	nr = scatter_compat_pin_remote(mm, from & PAGE_MASK, nr, pages,
				       &locked);
	if (locked)
		mmap_read_unlock(mm);
	if (fatal_signal_pending(current) && nr <= 0)
		return -EINTR;
	if (nr <= 0)
		return nr ?: -EFAULT;
	scatter_object_created(SCATTER_OBJECT_PIN, nr);
	scatter_count(&member->tally, SCATTER_COUNTER_PINS, nr);
	bytes = min_t(u64, bytes, ((u64)nr << PAGE_SHIFT) - offset);
	done = copy_pages(pages, nr, offset, to, bytes);
	unpin_user_pages(pages, nr);
	scatter_object_destroyed(SCATTER_OBJECT_PIN, nr);
	scatter_count(&member->tally, SCATTER_COUNTER_BYTES_COPIED, done);
	return done;
}

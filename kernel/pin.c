// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous: copy between our own user memory and a peer's, once.
 *
 * Who copies pins one chunk of the peer's pages, copies runs of pages that lie
 * side by side, and unpins. Its own faults it takes without anything of the
 * peer's: while a chunk is pinned it only copies, so that the peer, if a signal
 * ends its call, waits for no longer than that and, if it is the source, for the
 * faults of its pages. Since nobody waits with a pin, no page is pinned for
 * long, and none is charged to RLIMIT_MEMLOCK.
 *
 * Who gives takes no fault for the peer, who might serve it, or not, from user space, and
 * writes to no page of a file, whose lock somebody may hold for as long as its
 * server likes: such memory is the peer's own business.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "member.h"
#include "pin.h"
#include "stats.h"
#include "trace.h"

/**
 * scatter_pin_prepare() - make own memory ready to be copied to or from
 * @copy: which; its own part
 * @done: bytes of it that are behind us
 *
 * Writes nothing: memory that is sent may overlap what is received.
 *
 * Context: may sleep and fault; no locks.
 * Return: false if not even the first byte is accessible.
 */
bool scatter_pin_prepare(const struct scatter_copy *copy, u64 done)
{
	void __user *own = u64_to_user_ptr(copy->own + done);
	size_t bytes = min_t(u64, copy->bytes - done, SCATTER_CHUNK_BYTES);

	if (copy->give)
		return fault_in_readable(own, bytes) < bytes;
	return fault_in_safe_writeable(own, bytes) < bytes;
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

/* One run, whose pages lie side by side. False if own memory is absent. */
static bool copy_run(void *kernel, u64 own, u64 bytes, bool give)
{
	void __user *user = u64_to_user_ptr(own);

	if (give)
		return !copy_from_user_nofault(kernel, user, bytes);
	return !copy_to_user_nofault(user, kernel, bytes);
}

static u64 copy_pages(struct page **pages, int nr, unsigned int offset, u64 own,
		      u64 bytes, bool give)
{
	u64 done = 0;
	int i, n;

	for (i = 0; i < nr && done < bytes; i += n) {
		u64 length;

		n = run_length(pages, i, nr);
		length = min_t(u64, ((u64)n << PAGE_SHIFT) - offset,
			       bytes - done);
		if (!copy_run(page_address(pages[i]) + offset, own + done,
			      length, give))
			break;
		done += length;
		offset = 0;
	}
	return done;
}

/* Memory of no file but of tmpfs or hugetlbfs. */
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

/* What is wrong with the peer's memory is its fault, whatever it is. */
static long pin_error(long error)
{
	if (fatal_signal_pending(current) || error == -EINTR ||
	    error == -ERESTARTSYS)
		return -EINTR;
	return error == -ENOMEM ? -ENOMEM : -EFAULT;
}

/**
 * scatter_pin_copy() - copy one chunk from or to another address space
 * @member: the current task's; its page array is used, its counters count
 * @copy: the whole
 * @done: bytes of it that are behind us
 *
 * Copies at most %SCATTER_CHUNK_BYTES, and no more than what the pages that
 * could be pinned hold. Where own memory is absent scatter_pin_prepare() is wanted.
 *
 * Context: may sleep, takes the mmap lock of the peer's address space; no locks.
 * Does not fault in the current address space.
 * Return: bytes copied; 0 if own memory is absent; -EFAULT if the peer's is not
 * accessible or, to give, not there or not to be given to; -EINTR after a signal,
 * -ENOMEM.
 */
long scatter_pin_copy(struct scatter_member *member,
		      const struct scatter_copy *copy, u64 done)
{
	u64 peer = copy->peer + done;
	unsigned int offset = offset_in_page(peer);
	struct page **pages = member->scratch.pages;
	u64 bytes = min_t(u64, copy->bytes - done, SCATTER_CHUNK_BYTES - offset);
	long nr = DIV_ROUND_UP(offset + bytes, PAGE_SIZE);
	int locked = 1;

	if (mmap_read_lock_killable(copy->mm))
		return -EINTR;
	nr = scatter_compat_pin_remote(copy->mm, peer & PAGE_MASK, nr,
				       copy->give ? FOLL_WRITE | FOLL_NOFAULT : 0,
				       pages, &locked);
	if (locked)
		mmap_read_unlock(copy->mm);
	if (nr <= 0)
		return pin_error(nr);
	if (copy->give && !is_memory(pages, nr)) {
		unpin_user_pages(pages, nr);
		return -EFAULT;
	}
	scatter_object_created(SCATTER_OBJECT_PIN, nr);
	scatter_count(&member->tally, SCATTER_COUNTER_PINS, nr);
	trace_scatter_pin(member, copy->rank, nr);
	bytes = min_t(u64, bytes, ((u64)nr << PAGE_SHIFT) - offset);
	bytes = copy_pages(pages, nr, offset, copy->own + done, bytes,
			   copy->give);
	unpin_user_pages_dirty_lock(pages, nr, copy->give && bytes);
	scatter_object_destroyed(SCATTER_OBJECT_PIN, nr);
	scatter_count(&member->tally, SCATTER_COUNTER_BYTES_COPIED, bytes);
	return bytes;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: copies from and to user memory of the current task.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "memory/buffer.h"
#include "memory/memory.h"

/**
 * scatter_buffer_fault() - find the error for own memory that is not accessible
 *
 * A task that is being killed cannot fault pages in: its buffer may be accessible nevertheless.
 *
 * Context: any.
 * Return: -EFAULT or -EINTR.
 */
int scatter_buffer_fault(void)
{
	return fatal_signal_pending(current) ? -EINTR : -EFAULT;
}

/**
 * scatter_buffer_read() - copy from own user memory
 * @to: kernel memory
 * @from: where from, in the current address space
 * @bytes: how much
 *
 * Context: may sleep and fault; no locks.
 * Return: false if the memory is not readable.
 */
bool scatter_buffer_read(void *to, struct scatter_stream from, u64 bytes)
{
	struct scatter_cursor cursor;
	u64 done, n;

	scatter_stream_seek(&from, 0, &cursor);
	for (done = 0; done < bytes; done += n) {
		n = min(cursor.run, bytes - done);
		if (copy_from_user(to + done, u64_to_user_ptr(cursor.at), n))
			return false;
		scatter_cursor_advance(&cursor, n);
	}
	return true;
}

/**
 * scatter_buffer_write() - copy to own user memory
 * @to: where to, in the current address space
 * @from: kernel memory
 * @bytes: how much
 *
 * Context: may sleep and fault; no locks.
 * Return: false if the memory is not writable.
 */
bool scatter_buffer_write(struct scatter_stream to, const void *from, u64 bytes)
{
	struct scatter_cursor cursor;
	u64 done, n;

	scatter_stream_seek(&to, 0, &cursor);
	for (done = 0; done < bytes; done += n) {
		n = min(cursor.run, bytes - done);
		if (copy_to_user(u64_to_user_ptr(cursor.at), from + done, n))
			return false;
		scatter_cursor_advance(&cursor, n);
	}
	return true;
}

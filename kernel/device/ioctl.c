// SPDX-License-Identifier: GPL-2.0
/*
 * The common part of all ioctls: copies of the struct in and out, one call at a time, and the
 * descriptor of a file that the call has made.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/scatter.h>
#include <linux/uaccess.h>

#include "device/ioctl.h"
#include "device/made.h"

/*
 * A call whose answer cannot be written back must not happen. A struct is shorter than a page, so
 * its first and last bytes are in all the pages that the struct is in.
 */
static bool writable(void __user *user, const void *from, u32 size)
{
	const u8 *bytes = from;
	u8 __user *to = user;

	return !put_user(bytes[0], to) &&
	       !put_user(bytes[size - 1], to + size - 1);
}

/*
 * Most calls are COLLs of programs that were built with this header. A copy of constant length is
 * not checked at run time against the bounds of the target.
 */
static int copy_struct(void *to, u32 known, void __user *user, u32 size)
{
	switch (size == known ? size : 0) {
	case sizeof(struct scatter_coll):
		return copy_from_user(to, user, sizeof(struct scatter_coll)) ? -EFAULT : 0;
	case sizeof(struct scatter_results):
		return copy_from_user(to, user, sizeof(struct scatter_results)) ? -EFAULT : 0;
	default:
		return copy_struct_from_user(to, known, user, size);
	}
}

/**
 * scatter_ioctl_read() - read a struct that begins with its size
 * @to: (out) the struct, read once: a user who changes the struct meanwhile changes nothing
 * @known: bytes of the struct that this kernel knows
 * @least: bytes of the struct's first published form
 * @user: the user's address of the struct
 * @answers: the struct is going to be written back
 *
 * Context: may sleep and fault; no locks.
 * Return: bytes of the struct to write back; or -EFAULT, -EINVAL or -E2BIG as the uapi header says.
 */
int scatter_ioctl_read(void *to, u32 known, u32 least, void __user *user,
		       bool answers)
{
	int error;
	u32 size;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < least)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	error = copy_struct(to, known, user, size);
	if (error)
		return error;
	*(u32 *)to = size;
	size = min(size, known);
	return answers && !writable(user, to, size) ? -EFAULT : size;
}

/**
 * scatter_ioctl_begin() - find an ioctl, read what the user passed, and check that it may run
 * @request: (out) for the ioctl's run(), and after that for scatter_ioctl_end()
 * @table: the file's ioctls, by number
 * @rows: how many rows the table has
 * @busy: bit 0: an exclusive ioctl is running; NULL: the file has no exclusive ioctls
 * @number: as of ioctl()
 * @argument: as of ioctl(): address of the struct
 *
 * Context: may sleep and fault; no locks.
 * Return: 0; or -errno as the uapi header says, which ends the ioctl.
 */
int scatter_ioctl_begin(struct scatter_request *request, const struct scatter_ioctl *table,
			unsigned int rows, unsigned long *busy,
			unsigned int number, unsigned long argument)
{
	unsigned int nr = _IOC_NR(number);
	const struct scatter_ioctl *ioctl;
	int size;

	if (number != _IO(SCATTER_IOCTL_TYPE, nr) || nr >= rows)
		return -ENOTTY;
	ioctl = &table[array_index_nospec(nr, rows)];
	if (!ioctl->run)
		return -ENOTTY;
	request->ioctl = ioctl;
	request->busy = ioctl->exclusive ? busy : NULL;
	request->user = (void __user *)argument;
	request->made = (struct scatter_made){};
	size = scatter_ioctl_read(&request->command, ioctl->size, ioctl->size_min,
				  request->user, ioctl->answers);
	if (size < 0)
		return size;
	request->size = size;
	/* flags follows size in every struct. */
	if (request->command.leave.flags & ~ioctl->flags)
		return -EOPNOTSUPP;
	if (request->busy && test_and_set_bit_lock(0, request->busy))
		return -EBUSY;
	return 0;
}

/**
 * scatter_ioctl_end() - let the user have the answer, and then the file that belongs to it
 * @request: after scatter_ioctl_begin() has returned 0
 * @error: what the ioctl's run() has returned
 *
 * Context: may sleep and fault; no locks.
 * Return: 0 or -errno as the uapi header says.
 */
long scatter_ioctl_end(struct scatter_request *request, long error)
{
	if (request->busy)
		clear_bit_unlock(0, request->busy);
	if (request->ioctl->answers &&
	    copy_to_user(request->user, &request->command, request->size))
		error = -EFAULT;
	if (error)
		scatter_made_drop(&request->made);
	else
		scatter_made_install(&request->made);
	/*
	 * A signal without a handler, such as a stop that is over, restarts the call with the same
	 * struct. The call then resumes a paused operation by the number in the answer, and a
	 * relative deadline of that operation goes on.
	 */
	return error == -EINTR ? -ERESTARTNOHAND : error;
}

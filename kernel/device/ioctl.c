// SPDX-License-Identifier: GPL-2.0
/*
 * The common part of all ioctls: copies of the struct in and out, one call at a time, and the
 * descriptor of a file that the call has made.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "device/ioctl.h"
#include "device/made.h"

static long run(struct file *filp, const struct scatter_ioctl *ioctl,
		unsigned long *busy, union scatter_command *command)
{
	long error;

	/* flags follows size in every struct. */
	if (command->leave.flags & ~ioctl->flags)
		return -EOPNOTSUPP;
	if (!ioctl->exclusive || !busy)
		return ioctl->run(filp, command);
	if (test_and_set_bit_lock(0, busy))
		return -EBUSY;
	error = ioctl->run(filp, command);
	clear_bit_unlock(0, busy);
	return error;
}

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
	error = copy_struct_from_user(to, known, user, size);
	if (error)
		return error;
	*(u32 *)to = size;
	size = min(size, known);
	return answers && !writable(user, to, size) ? -EFAULT : size;
}

/* Write the answer to the user, and then install the file that belongs to the answer. */
static long answer(void __user *user, struct scatter_request *request,
		   u32 size, bool answers, long error)
{
	if (answers && copy_to_user(user, &request->command, size))
		error = -EFAULT;
	if (error)
		scatter_made_drop(&request->made);
	else
		scatter_made_install(&request->made);
	return error;
}

/**
 * scatter_ioctl_run() - run an ioctl
 * @filp: the file
 * @table: the file's ioctls, by number
 * @rows: how many rows the table has
 * @busy: bit 0: an exclusive ioctl is running; NULL: the file has no exclusive ioctls
 * @number: as of ioctl()
 * @argument: as of ioctl(): address of the struct
 *
 * Context: may sleep and fault; no locks.
 * Return: 0 or -errno as the uapi header says.
 */
long scatter_ioctl_run(struct file *filp, const struct scatter_ioctl *table,
		       unsigned int rows, unsigned long *busy,
		       unsigned int number, unsigned long argument)
{
	void __user *user = (void __user *)argument;
	unsigned int nr = _IOC_NR(number);
	const struct scatter_ioctl *ioctl;
	struct scatter_request request;
	long error;
	int size;

	if (number != _IO(SCATTER_IOCTL_TYPE, nr) || nr >= rows)
		return -ENOTTY;
	ioctl = &table[array_index_nospec(nr, rows)];
	if (!ioctl->run)
		return -ENOTTY;
	request.made = (struct scatter_made){};
	size = scatter_ioctl_read(&request.command, ioctl->size, ioctl->size_min,
				  user, ioctl->answers);
	if (size < 0)
		return size;
	error = run(filp, ioctl, busy, &request.command);
	error = answer(user, &request, size, ioctl->answers, error);
	/*
	 * A signal without a handler, such as a stop that is over, restarts the call with the same
	 * struct. The call then resumes a paused operation by the number in the answer, and a
	 * relative deadline of that operation goes on.
	 */
	return error == -EINTR ? -ERESTARTNOHAND : error;
}

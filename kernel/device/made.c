// SPDX-License-Identifier: GPL-2.0
/*
 * Files that calls make.
 *
 * A call that makes a file reserves a descriptor and makes the file before anything else, so that
 * nothing can fail after a membership has begun. The call installs the file when the answer has
 * been written to the user. Until then the file can be dropped like any file whose last descriptor
 * is closed.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>

#include "device/made.h"

/**
 * scatter_made_open() - make a file and reserve a descriptor for it
 * @made: (out) the file and the descriptor; untouched on failure
 * @name: what /proc shows
 * @fops: of the file; once this function has succeeded, release() frees @data
 * @data: private_data
 * @flags: O_NONBLOCK or 0
 *
 * Context: may sleep; no locks.
 * Return: 0, -EMFILE, -ENFILE or -ENOMEM.
 */
int scatter_made_open(struct scatter_made *made,
		      const char *name,
		      const struct file_operations *fops, void *data,
		      unsigned int flags)
{
	struct file *file;
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0)
		return fd;
	file = anon_inode_getfile(name, fops, data, O_RDWR | flags);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	made->fd = fd;
	made->file = file;
	return 0;
}

/**
 * scatter_made_reserve() - reserve a descriptor for an existing file
 * @made: (out) the file and the descriptor; untouched on failure
 * @file: the file; the function takes a reference
 *
 * Context: may sleep; no locks.
 * Return: 0 or -EMFILE.
 */
int scatter_made_reserve(struct scatter_made *made,
			 struct file *file)
{
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0)
		return fd;
	made->fd = fd;
	made->file = get_file(file);
	return 0;
}

/**
 * scatter_made_drop() - drop the file that a call made
 * @made: may be empty; is empty afterwards
 *
 * Context: process context.
 */
void scatter_made_drop(struct scatter_made *made)
{
	if (!made->file)
		return;
	put_unused_fd(made->fd);
	fput(made->file);
	made->fd = -1;
	made->file = NULL;
}

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MADE_H
#define _SCATTER_MADE_H

#include <linux/file.h>
#include <linux/fs.h>

/**
 * struct scatter_made - a file that a call makes, and its descriptor
 * @fd: reserved, negative if there is none; nobody sees the file before it is installed
 * @file: the file
 */
struct scatter_made {
	int fd;
	struct file *file;
};

int scatter_made_open(struct scatter_made *made,
		      const char *name,
		      const struct file_operations *fops, void *data,
		      unsigned int flags);
int scatter_made_reserve(struct scatter_made *made,
			 struct file *file);
void scatter_made_drop(struct scatter_made *made);

/**
 * scatter_made_install() - let the process have the file that a call made
 * @made: may be empty
 *
 * Context: process context.
 */
static inline void scatter_made_install(struct scatter_made *made)
{
	if (made->file)
		fd_install(made->fd, made->file);
}

#endif /* _SCATTER_MADE_H */

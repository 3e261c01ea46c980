/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MADE_H
#define _SCATTER_MADE_H

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
void scatter_made_install(struct scatter_made *made);
void scatter_made_drop(struct scatter_made *made);

#endif /* _SCATTER_MADE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that ends where a page without access begins: who reads behind it is caught.
 */
#ifndef _SCATTER_UNIT_EDGE_H
#define _SCATTER_UNIT_EDGE_H

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns the end of at least @room bytes; NULL: no memory. */
static inline void *edge_make(size_t room)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (room / page + 1) * page;
	char *memory = mmap(NULL, pages + page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || mprotect(memory + pages, page, PROT_NONE))
		return NULL;
	return memory + pages;
}

#endif /* _SCATTER_UNIT_EDGE_H */

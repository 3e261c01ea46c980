// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel memory that users are charged for by the byte: operations, slots, stages, layouts and what
 * these need. The ring of a member has pages of its own, see ring.c.
 *
 * Each piece of memory remembers its user and its bytes, so one function frees every piece. The
 * memory cgroup of the task that allocates is charged besides.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/kconfig.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "memory/memory.h"
#include "memory/user.h"

static void *allocate(size_t bytes, u32 flags)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOWARN;

	/* A full memory cgroup means ENOMEM; no process in the cgroup is killed. */
	if (!(flags & SCATTER_MEMORY_PAYLOAD))
		return kvzalloc(bytes, gfp | __GFP_RETRY_MAYFAIL);
	/* A sender of payload can do without this memory, unless BEYOND is set: do not try hard. */
	if (!(flags & SCATTER_MEMORY_BEYOND))
		gfp |= __GFP_NORETRY;
	return kmalloc(bytes, gfp);
}

/**
 * scatter_memory_alloc() - allocate memory that a user is charged for
 * @user: the user
 * @bytes: how much
 * @flags: SCATTER_MEMORY_*
 *
 * Context: may sleep.
 * Return: the memory, for scatter_memory_free(), or an ERR_PTR: -EDQUOT, -ENOMEM.
 */
void *scatter_memory_alloc(struct scatter_user *user, size_t bytes, u32 flags)
{
	size_t all = size_add(bytes, sizeof(struct scatter_memory));
	struct scatter_memory *memory;
	int error;

	if (flags & SCATTER_MEMORY_BEYOND)
		error = scatter_user_charge_for(user, SCATTER_LIMIT_BYTES, all, true);
	else
		error = scatter_user_charge(user, SCATTER_LIMIT_BYTES, all);
	if (error)
		return ERR_PTR(error);
	memory = allocate(all, flags);
	if (!memory) {
		scatter_user_uncharge(user, SCATTER_LIMIT_BYTES, all);
		return ERR_PTR(-ENOMEM);
	}
	memory->user = user;
	memory->bytes = all;
	return memory + 1;
}

/**
 * scatter_memory_reuse() - use memory once more, for the same amount
 * @memory: from scatter_memory_alloc(), without flags; NULL if there is none
 * @user: the user to be charged
 * @bytes: how much is needed
 *
 * Context: may sleep.
 * Return: the memory, zeroed; NULL: @memory does not fit, and has been freed.
 */
void *scatter_memory_reuse(void *memory, struct scatter_user *user, size_t bytes)
{
	const struct scatter_memory *head = memory;

	if (!memory)
		return NULL;
	head--;
	if (head->user == user && head->bytes == size_add(bytes, sizeof(*head)))
		return memset(memory, 0, bytes);
	scatter_memory_free(memory);
	return NULL;
}

/**
 * scatter_memory_keep() - keep memory for scatter_memory_reuse(), or free it
 * @place: where to keep the memory, if @place is empty and the memory is small
 * @memory: from scatter_memory_alloc(), without flags
 *
 * The user stays charged. A kernel with KASAN keeps nothing, since KASAN would not notice a use of
 * kept memory by mistake.
 *
 * Context: may sleep.
 */
void scatter_memory_keep(void **place, void *memory)
{
	const struct scatter_memory *head = memory;

	head--;
	if (!IS_ENABLED(CONFIG_KASAN) && head->bytes <= SCATTER_MEMORY_KEPT &&
	    !cmpxchg(place, NULL, memory))
		return;
	scatter_memory_free(memory);
}

/**
 * scatter_memory_release() - what scatter_memory_free() does with memory that there is
 * @memory: from scatter_memory_alloc()
 *
 * Context: any for payload, else may sleep.
 */
void scatter_memory_release(void *memory)
{
	struct scatter_memory *head = memory;

	head--;
	scatter_user_uncharge(head->user, SCATTER_LIMIT_BYTES, head->bytes);
	kvfree(head);
}

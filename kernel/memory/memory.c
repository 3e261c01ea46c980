// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel memory that users are charged for by the byte: operations, slots, stages, layouts
 * and all that they need. The ring of a member has pages of its own, see ring.c.
 *
 * Each piece remembers its user and its bytes, so one function frees all of them. The memory
 * cgroup of the task that allocates is charged besides.
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

	/* A memory cgroup that is full is ENOMEM, not the end of a process in it. */
	if (!(flags & SCATTER_MEMORY_PAYLOAD))
		return kvzalloc(bytes, gfp | __GFP_RETRY_MAYFAIL);
	/* Payload has another way to go, except at the very last. */
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
 * @user: who is charged
 * @bytes: how much is needed
 *
 * Context: may sleep.
 * Return: the memory, zeroed; NULL: it does not fit, and is freed.
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
 * @place: where to keep it, if nothing is there yet and it is not much
 * @memory: from scatter_memory_alloc(), without flags
 *
 * The user stays charged. KASAN would not see who uses it once more by mistake, so a kernel
 * that has that keeps nothing.
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
 * scatter_memory_free() - free memory and take it off its user's account
 * @memory: from scatter_memory_alloc(); NULL is ignored
 *
 * Context: any for payload, else may sleep.
 */
void scatter_memory_free(void *memory)
{
	struct scatter_memory *head = memory;

	if (!memory)
		return;
	head--;
	scatter_user_uncharge(head->user, SCATTER_LIMIT_BYTES, head->bytes);
	kvfree(head);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel memory that users are charged for by the byte: operations, slots, stages, layouts
 * and all that they need. The ring of a member has pages of its own, see ring.c.
 *
 * Each piece remembers its user and its bytes, so one function frees all of them. The memory
 * cgroup of the task that allocates is charged besides.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "memory.h"
#include "user.h"

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

// SPDX-License-Identifier: GPL-2.0
/*
 * Masks: sets of ranks as users get them, in arrays of 64-bit words with as many bits as the user
 * says.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "masks.h"

/**
 * scatter_masks_check() - whether a user has room for a set
 * @bits: how many bits the user has
 * @size: the group's size
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int scatter_masks_check(u32 bits, u32 size)
{
	return bits % 64 || bits < size || bits > SZ_1M ? -EINVAL : 0;
}

/**
 * scatter_masks_tell() - give a user a set
 * @to: the user's address; 0: the user does not want the set
 * @bits: as of scatter_masks_check(), which has accepted @bits
 * @mask: %SCATTER_MASK_WORDS words; has no rank beyond @bits
 *
 * Context: may sleep and fault; no locks.
 * Return: 0 or -EFAULT.
 */
int scatter_masks_tell(u64 to, u32 bits, const u64 *mask)
{
	size_t bytes = bits / BITS_PER_BYTE;
	size_t known = min(bytes, SCATTER_MASK_WORDS * sizeof(*mask));
	u8 __user *user = u64_to_user_ptr(to);

	if (!to)
		return 0;
	if (copy_to_user(user, mask, known) ||
	    clear_user(user + known, bytes - known))
		return -EFAULT;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Module parameters.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>

#include "param.h"

unsigned int scatter_param_ring_bytes = 64 << 10;
unsigned int scatter_param_eager_limit = 8 << 10;
unsigned int scatter_param_gather_limit = 64 << 10;
unsigned int scatter_param_window = 4096;
unsigned int scatter_param_startup_ns = 15000;
unsigned int scatter_param_gap_ns = 1600;
unsigned int scatter_param_spin_ns = 200000;
unsigned int scatter_param_peer_groups = 4096;
unsigned int scatter_param_user_groups = 1024;
unsigned int scatter_param_user_members = 8192;
unsigned int scatter_param_user_refused = 1024;
unsigned long scatter_param_user_bytes;

/**
 * scatter_param_ring_bytes_ok() - whether a ring may have this size
 * @bytes: the size in bytes
 *
 * Context: any.
 */
bool scatter_param_ring_bytes_ok(unsigned int bytes)
{
	return is_power_of_2(bytes) && bytes >= PAGE_SIZE &&
	       bytes <= SCATTER_RING_BYTES_MAX;
}

static int set_ring_bytes(const char *value, const struct kernel_param *kp)
{
	unsigned int bytes;
	int error = kstrtouint(value, 0, &bytes);

	if (error)
		return error;
	if (!scatter_param_ring_bytes_ok(bytes))
		return -EINVAL;
	WRITE_ONCE(scatter_param_ring_bytes, bytes);
	return 0;
}

static int set_eager_limit(const char *value, const struct kernel_param *kp)
{
	return param_set_uint_minmax(value, kp, 0, 1 << 20);
}

static int set_window(const char *value, const struct kernel_param *kp)
{
	return param_set_uint_minmax(value, kp, 1, 1 << 20);
}

/*
 * A user may have an eighth of the machine's memory, but at most the default rings of user_members
 * members, and as much again for operations.
 */
static unsigned long default_user_bytes(void)
{
	return min_t(u64, (u64)totalram_pages() << PAGE_SHIFT >> 3, SZ_1G);
}

/**
 * scatter_param_init() - choose values that the administrator has not given at load
 *
 * Context: any; nobody uses the module yet.
 */
void scatter_param_init(void)
{
	if (!scatter_param_user_bytes)
		scatter_param_user_bytes = default_user_bytes();
}

static int set_ns(const char *value, const struct kernel_param *kp)
{
	return param_set_uint_minmax(value, kp, 1, NSEC_PER_SEC);
}

static int set_spin_ns(const char *value, const struct kernel_param *kp)
{
	return param_set_uint_minmax(value, kp, 0, NSEC_PER_MSEC);
}

static const struct kernel_param_ops ring_bytes_ops = {
	.set = set_ring_bytes,
	.get = param_get_uint,
};

static const struct kernel_param_ops eager_limit_ops = {
	.set = set_eager_limit,
	.get = param_get_uint,
};

static const struct kernel_param_ops window_ops = {
	.set = set_window,
	.get = param_get_uint,
};

static const struct kernel_param_ops ns_ops = {
	.set = set_ns,
	.get = param_get_uint,
};

static const struct kernel_param_ops spin_ns_ops = {
	.set = set_spin_ns,
	.get = param_get_uint,
};

module_param_cb(ring_bytes, &ring_bytes_ops, &scatter_param_ring_bytes, 0644);
MODULE_PARM_DESC(ring_bytes, "default ring of a member in bytes, a power of two");
module_param_cb(eager_limit, &eager_limit_ops, &scatter_param_eager_limit, 0644);
MODULE_PARM_DESC(eager_limit, "longest bundle in bytes that travels as payload");
module_param_cb(gather_limit, &eager_limit_ops, &scatter_param_gather_limit, 0644);
MODULE_PARM_DESC(gather_limit, "the same in a gather of more members than CPUs");
module_param_cb(window, &window_ops, &scatter_param_window, 0644);
MODULE_PARM_DESC(window, "operations a member may be ahead of the slowest");
module_param_cb(startup_ns, &ns_ops, &scatter_param_startup_ns, 0644);
MODULE_PARM_DESC(startup_ns, "cost model: a startup that wakes its receiver, in ns");
module_param_cb(gap_ns, &ns_ops, &scatter_param_gap_ns, 0644);
MODULE_PARM_DESC(gap_ns, "cost model: between two startups in a row, in ns");
module_param_cb(spin_ns, &spin_ns_ops, &scatter_param_spin_ns, 0644);
MODULE_PARM_DESC(spin_ns, "most that a member spins for a running peer before it sleeps, in ns");
module_param_named(peer_groups, scatter_param_peer_groups, uint, 0644);
MODULE_PARM_DESC(peer_groups, "most names that this node keeps for the users of one other node");
module_param_named(user_groups, scatter_param_user_groups, uint, 0644);
MODULE_PARM_DESC(user_groups, "most groups that a user has created");
module_param_named(user_members, scatter_param_user_members, uint, 0644);
MODULE_PARM_DESC(user_members, "most members of a user");
module_param_named(user_refused, scatter_param_user_refused, uint, 0644);
MODULE_PARM_DESC(user_refused, "most names that a user has declined and nobody had joined");
module_param_named(user_bytes, scatter_param_user_bytes, ulong, 0644);
MODULE_PARM_DESC(user_bytes, "most bytes of kernel memory of a user; 0 at load: by the machine's memory");

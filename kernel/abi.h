/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The layout of <linux/scatter.h> and the headers it includes, frozen. Kernel and library both
 * include this file, so neither compiles when a struct, a number or an offset moves. A later
 * version that appends a field to a struct adds the field here, and changes nothing else.
 */
#ifndef _SCATTER_ABI_H
#define _SCATTER_ABI_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#else
#include <assert.h>
#include <stddef.h>
#endif

#include <linux/scatter.h>

#define SCATTER_ABI_SIZE(type, bytes)					\
	static_assert(sizeof(struct type) == (bytes),			\
		      "size of struct " #type)

#define SCATTER_ABI_AT(type, field, bytes)				\
	static_assert(offsetof(struct type, field) == (bytes),		\
		      "offset of " #type "." #field)

#define SCATTER_ABI_IS(name, value)					\
	static_assert((name) == (value), "value of " #name)

SCATTER_ABI_IS(SCATTER_IOCTL_INFO, 0xBD00);
SCATTER_ABI_IS(SCATTER_IOCTL_JOIN, 0xBD01);
SCATTER_ABI_IS(SCATTER_IOCTL_LEAVE, 0xBD02);
SCATTER_ABI_IS(SCATTER_IOCTL_COLL, 0xBD03);
SCATTER_ABI_IS(SCATTER_IOCTL_STATUS, 0xBD04);
SCATTER_ABI_IS(SCATTER_IOCTL_REVOKE, 0xBD05);
SCATTER_ABI_IS(SCATTER_IOCTL_CREATE, 0xBD06);
SCATTER_ABI_IS(SCATTER_IOCTL_REGROUP, 0xBD07);
SCATTER_ABI_IS(SCATTER_IOCTL_AGREE, 0xBD08);
SCATTER_ABI_IS(SCATTER_IOCTL_GET_FAILED, 0xBD09);
SCATTER_ABI_IS(SCATTER_IOCTL_CREDENTIALS, 0xBD0A);
SCATTER_ABI_IS(SCATTER_IOCTL_COUNTERS, 0xBD0B);

SCATTER_ABI_IS(SCATTER_NAME_MAX, 64);
SCATTER_ABI_IS(SCATTER_RANK_ANY, -1);
SCATTER_ABI_IS(SCATTER_OWNER_SELF, 0xffffffff);
SCATTER_ABI_IS(SCATTER_ROOT, 0xfffffffd);
SCATTER_ABI_IS(SCATTER_PROC_NULL, 0xfffffffe);

SCATTER_ABI_IS(SCATTER_OP_SCATTER, 0);
SCATTER_ABI_IS(SCATTER_OP_GATHER, 1);
SCATTER_ABI_IS(SCATTER_OP_BARRIER, 2);
SCATTER_ABI_IS(SCATTER_OP_SCATTERV, 3);
SCATTER_ABI_IS(SCATTER_OP_GATHERV, 4);
SCATTER_ABI_IS(SCATTER_OP_DUP, 5);
SCATTER_ABI_IS(SCATTER_OP_SPLIT, 6);
SCATTER_ABI_IS(SCATTER_OP_SHRINK, 7);
SCATTER_ABI_IS(SCATTER_OP_AGREE, 8);

SCATTER_ABI_IS(SCATTER_ALGORITHM_AUTO, 0);
SCATTER_ABI_IS(SCATTER_ALGORITHM_LINEAR, 1);
SCATTER_ABI_IS(SCATTER_ALGORITHM_HYPERCUBE, 2);
SCATTER_ABI_IS(SCATTER_ALGORITHM_MESH, 3);
SCATTER_ABI_IS(SCATTER_ALGORITHM_TORUS, 4);
SCATTER_ABI_IS(SCATTER_ALGORITHM_KNOMIAL, 5);
SCATTER_ABI_IS(SCATTER_ALGORITHM_ROTATED, 6);
SCATTER_ABI_IS(SCATTER_ALGORITHM_BALANCED, 7);
SCATTER_ABI_IS(SCATTER_ALGORITHM_IRREGULAR, 8);
SCATTER_ABI_IS(SCATTER_ALGORITHM_OR_BROADCAST, 9);
SCATTER_ABI_IS(SCATTER_DIMS_MAX, 8);

SCATTER_ABI_IS(SCATTER_COLL_IN_PLACE, 1);
SCATTER_ABI_IS(SCATTER_COLL_UNIFORM, 2);
SCATTER_ABI_IS(SCATTER_COLL_DEADLINE_ALL, 4);
SCATTER_ABI_IS(SCATTER_COLL_RELATIVE, 8);
SCATTER_ABI_IS(SCATTER_COLL_AT_MOST, 16);
SCATTER_ABI_IS(SCATTER_JOIN_NONBLOCK, 1);
SCATTER_ABI_IS(SCATTER_JOIN_EXCL, 2);
SCATTER_ABI_IS(SCATTER_JOIN_RELATIVE, 4);
SCATTER_ABI_IS(SCATTER_JOIN_LOCAL, 8);
SCATTER_ABI_IS(SCATTER_JOIN_DECLINE, 16);
SCATTER_ABI_IS(SCATTER_REGROUP_RELATIVE, 1);
SCATTER_ABI_IS(SCATTER_AGREE_RELATIVE, 1);
SCATTER_ABI_IS(SCATTER_COUNTERS_TOTAL, 1);
SCATTER_ABI_IS(SCATTER_NUMBER_NEW, 0xffffffffffffffffULL);
SCATTER_ABI_IS(SCATTER_GET_FAILED_ACK, 1);
SCATTER_ABI_IS(SCATTER_COLOR_NONE, -1);

SCATTER_ABI_IS(SCATTER_STATE_FORMING, 0);
SCATTER_ABI_IS(SCATTER_STATE_ACTIVE, 1);
SCATTER_ABI_IS(SCATTER_STATE_BROKEN, 2);

SCATTER_ABI_SIZE(scatter_schedule, 48);
SCATTER_ABI_AT(scatter_schedule, algorithm, 0);
SCATTER_ABI_AT(scatter_schedule, ports, 4);
SCATTER_ABI_AT(scatter_schedule, dims, 8);
SCATTER_ABI_AT(scatter_schedule, extent, 12);
SCATTER_ABI_AT(scatter_schedule, __reserved, 44);

SCATTER_ABI_SIZE(scatter_info, 104);
SCATTER_ABI_AT(scatter_info, size, 0);
SCATTER_ABI_AT(scatter_info, flags, 4);
SCATTER_ABI_AT(scatter_info, operations, 8);
SCATTER_ABI_AT(scatter_info, algorithms, 16);
SCATTER_ABI_AT(scatter_info, features, 24);
SCATTER_ABI_AT(scatter_info, block_max, 32);
SCATTER_ABI_AT(scatter_info, size_max, 40);
SCATTER_ABI_AT(scatter_info, name_max, 44);
SCATTER_ABI_AT(scatter_info, ring_bytes, 48);
SCATTER_ABI_AT(scatter_info, ring_bytes_min, 52);
SCATTER_ABI_AT(scatter_info, ring_bytes_max, 56);
SCATTER_ABI_AT(scatter_info, eager_limit, 60);
SCATTER_ABI_AT(scatter_info, window, 64);
SCATTER_ABI_AT(scatter_info, gather_limit, 68);
SCATTER_ABI_AT(scatter_info, user_bytes, 72);
SCATTER_ABI_AT(scatter_info, user_bytes_used, 80);
SCATTER_ABI_AT(scatter_info, node, 88);
SCATTER_ABI_AT(scatter_info, cluster, 96);

SCATTER_ABI_SIZE(scatter_join, 168);
SCATTER_ABI_AT(scatter_join, size, 0);
SCATTER_ABI_AT(scatter_join, flags, 4);
SCATTER_ABI_AT(scatter_join, members, 8);
SCATTER_ABI_AT(scatter_join, rank, 12);
SCATTER_ABI_AT(scatter_join, mode, 16);
SCATTER_ABI_AT(scatter_join, ring_bytes, 20);
SCATTER_ABI_AT(scatter_join, deadline_ns, 24);
SCATTER_ABI_AT(scatter_join, name, 32);
SCATTER_ABI_AT(scatter_join, sides, 96);
SCATTER_ABI_AT(scatter_join, side, 104);
SCATTER_ABI_AT(scatter_join, owner, 108);
SCATTER_ABI_AT(scatter_join, schedule, 112);
SCATTER_ABI_AT(scatter_join, fd, 160);
SCATTER_ABI_AT(scatter_join, __reserved, 164);

SCATTER_ABI_SIZE(scatter_revoke, 8);
SCATTER_ABI_AT(scatter_revoke, size, 0);
SCATTER_ABI_AT(scatter_revoke, flags, 4);

SCATTER_ABI_SIZE(scatter_create, 72);
SCATTER_ABI_AT(scatter_create, size, 0);
SCATTER_ABI_AT(scatter_create, flags, 4);
SCATTER_ABI_AT(scatter_create, members, 8);
SCATTER_ABI_AT(scatter_create, fd, 12);
SCATTER_ABI_AT(scatter_create, sides, 16);
SCATTER_ABI_AT(scatter_create, schedule, 24);

SCATTER_ABI_SIZE(scatter_regroup, 112);
SCATTER_ABI_AT(scatter_regroup, size, 0);
SCATTER_ABI_AT(scatter_regroup, flags, 4);
SCATTER_ABI_AT(scatter_regroup, op, 8);
SCATTER_ABI_AT(scatter_regroup, color, 12);
SCATTER_ABI_AT(scatter_regroup, key, 16);
SCATTER_ABI_AT(scatter_regroup, ring_bytes, 20);
SCATTER_ABI_AT(scatter_regroup, deadline_ns, 24);
SCATTER_ABI_AT(scatter_regroup, number, 32);
SCATTER_ABI_AT(scatter_regroup, schedule, 40);
SCATTER_ABI_AT(scatter_regroup, fd, 88);
SCATTER_ABI_AT(scatter_regroup, rank, 92);
SCATTER_ABI_AT(scatter_regroup, members, 96);
SCATTER_ABI_AT(scatter_regroup, culprit, 100);
SCATTER_ABI_AT(scatter_regroup, remote, 104);
SCATTER_ABI_AT(scatter_regroup, __reserved, 108);

SCATTER_ABI_SIZE(scatter_agree, 32);
SCATTER_ABI_AT(scatter_agree, size, 0);
SCATTER_ABI_AT(scatter_agree, flags, 4);
SCATTER_ABI_AT(scatter_agree, value, 8);
SCATTER_ABI_AT(scatter_agree, deadline_ns, 16);
SCATTER_ABI_AT(scatter_agree, culprit, 24);
SCATTER_ABI_AT(scatter_agree, gone, 28);

SCATTER_ABI_SIZE(scatter_get_failed, 32);
SCATTER_ABI_AT(scatter_get_failed, size, 0);
SCATTER_ABI_AT(scatter_get_failed, flags, 4);
SCATTER_ABI_AT(scatter_get_failed, count, 8);
SCATTER_ABI_AT(scatter_get_failed, acknowledged, 12);
SCATTER_ABI_AT(scatter_get_failed, failed, 16);
SCATTER_ABI_AT(scatter_get_failed, bits, 24);
SCATTER_ABI_AT(scatter_get_failed, __reserved, 28);

SCATTER_ABI_SIZE(scatter_credential, 16);
SCATTER_ABI_AT(scatter_credential, uid, 0);
SCATTER_ABI_AT(scatter_credential, gid, 4);
SCATTER_ABI_AT(scatter_credential, pid, 8);
SCATTER_ABI_AT(scatter_credential, joined, 12);

SCATTER_ABI_SIZE(scatter_credentials, 40);
SCATTER_ABI_AT(scatter_credentials, size, 0);
SCATTER_ABI_AT(scatter_credentials, flags, 4);
SCATTER_ABI_AT(scatter_credentials, first, 8);
SCATTER_ABI_AT(scatter_credentials, count, 12);
SCATTER_ABI_AT(scatter_credentials, list, 16);
SCATTER_ABI_AT(scatter_credentials, members, 24);
SCATTER_ABI_AT(scatter_credentials, uid, 28);
SCATTER_ABI_AT(scatter_credentials, gid, 32);
SCATTER_ABI_AT(scatter_credentials, mode, 36);

SCATTER_ABI_SIZE(scatter_leave, 8);
SCATTER_ABI_AT(scatter_leave, size, 0);
SCATTER_ABI_AT(scatter_leave, flags, 4);

SCATTER_ABI_IS(SCATTER_IOV_MAX, 1024);
SCATTER_ABI_IS(SCATTER_LAYOUT_PIECES_MAX, 65536);
SCATTER_ABI_IS(SCATTER_LAYOUT_STRIDED, 0);
SCATTER_ABI_IS(SCATTER_LAYOUT_IOVEC, 1);

SCATTER_ABI_SIZE(scatter_iovec, 16);
SCATTER_ABI_AT(scatter_iovec, base, 0);
SCATTER_ABI_AT(scatter_iovec, length, 8);

SCATTER_ABI_SIZE(scatter_layout, 72);
SCATTER_ABI_AT(scatter_layout, size, 0);
SCATTER_ABI_AT(scatter_layout, flags, 4);
SCATTER_ABI_AT(scatter_layout, kind, 8);
SCATTER_ABI_AT(scatter_layout, iov_count, 12);
SCATTER_ABI_AT(scatter_layout, iov, 16);
SCATTER_ABI_AT(scatter_layout, length, 24);
SCATTER_ABI_AT(scatter_layout, stride, 32);
SCATTER_ABI_AT(scatter_layout, count, 40);
SCATTER_ABI_AT(scatter_layout, row_stride, 48);
SCATTER_ABI_AT(scatter_layout, rows, 56);
SCATTER_ABI_AT(scatter_layout, extent, 64);

SCATTER_ABI_SIZE(scatter_coll, 136);
SCATTER_ABI_AT(scatter_coll, size, 0);
SCATTER_ABI_AT(scatter_coll, flags, 4);
SCATTER_ABI_AT(scatter_coll, op, 8);
SCATTER_ABI_AT(scatter_coll, root, 12);
SCATTER_ABI_AT(scatter_coll, sendbuf, 16);
SCATTER_ABI_AT(scatter_coll, recvbuf, 24);
SCATTER_ABI_AT(scatter_coll, block, 32);
SCATTER_ABI_AT(scatter_coll, deadline_ns, 40);
SCATTER_ABI_AT(scatter_coll, counts, 48);
SCATTER_ABI_AT(scatter_coll, displs, 56);
SCATTER_ABI_AT(scatter_coll, send_layout, 64);
SCATTER_ABI_AT(scatter_coll, recv_layout, 72);
SCATTER_ABI_AT(scatter_coll, schedule, 80);
SCATTER_ABI_AT(scatter_coll, results, 128);

SCATTER_ABI_SIZE(scatter_results, 32);
SCATTER_ABI_AT(scatter_results, size, 0);
SCATTER_ABI_AT(scatter_results, flags, 4);
SCATTER_ABI_AT(scatter_results, number, 8);
SCATTER_ABI_AT(scatter_results, bytes, 16);
SCATTER_ABI_AT(scatter_results, culprit, 24);
SCATTER_ABI_AT(scatter_results, error, 28);

SCATTER_ABI_SIZE(scatter_counters, 72);
SCATTER_ABI_AT(scatter_counters, size, 0);
SCATTER_ABI_AT(scatter_counters, flags, 4);
SCATTER_ABI_AT(scatter_counters, startups, 8);
SCATTER_ABI_AT(scatter_counters, edge_bytes, 16);
SCATTER_ABI_AT(scatter_counters, bytes_copied, 24);
SCATTER_ABI_AT(scatter_counters, rounds, 32);
SCATTER_ABI_AT(scatter_counters, pins, 40);
SCATTER_ABI_AT(scatter_counters, wakeups, 48);
SCATTER_ABI_AT(scatter_counters, sleeps, 56);
SCATTER_ABI_AT(scatter_counters, spins, 64);

SCATTER_ABI_SIZE(scatter_status, 160);
SCATTER_ABI_AT(scatter_status, size, 0);
SCATTER_ABI_AT(scatter_status, flags, 4);
SCATTER_ABI_AT(scatter_status, state, 8);
SCATTER_ABI_AT(scatter_status, rank, 12);
SCATTER_ABI_AT(scatter_status, members, 16);
SCATTER_ABI_AT(scatter_status, joined, 20);
SCATTER_ABI_AT(scatter_status, error, 24);
SCATTER_ABI_AT(scatter_status, culprit, 28);
SCATTER_ABI_AT(scatter_status, next, 32);
SCATTER_ABI_AT(scatter_status, eager_limit, 40);
SCATTER_ABI_AT(scatter_status, gather_limit, 44);
SCATTER_ABI_AT(scatter_status, ring_bytes, 48);
SCATTER_ABI_AT(scatter_status, side, 52);
SCATTER_ABI_AT(scatter_status, sides, 56);
SCATTER_ABI_AT(scatter_status, schedule, 64);
SCATTER_ABI_AT(scatter_status, id, 112);
SCATTER_ABI_AT(scatter_status, bits, 128);
SCATTER_ABI_AT(scatter_status, __reserved, 132);
SCATTER_ABI_AT(scatter_status, dead, 136);
SCATTER_ABI_AT(scatter_status, left, 144);
SCATTER_ABI_AT(scatter_status, missing, 152);

#undef SCATTER_ABI_SIZE
#undef SCATTER_ABI_AT
#undef SCATTER_ABI_IS

#endif /* _SCATTER_ABI_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * scatter_rdma: the wire of scatter over RDMA. Load and unload.
 */
#include <linux/module.h>

#include "compat.h"
#include "node/wire_ops.h"
#include "rdma/buffers.h"
#include "rdma/connect.h"
#include "rdma/grant.h"
#include "rdma/listen.h"
#include "rdma/poll.h"
#include "rdma/read.h"

static const struct scatter_wire_ops ops = {
	.owner = THIS_MODULE,
	.name = "rdma",
	.listen = scatter_listen,
	.unlisten = scatter_listen_end,
	.connect = scatter_connect,
	.accept = scatter_connect_accept,
	.room = scatter_buffers_room,
	.send = scatter_buffers_send,
	.grant = scatter_grant_begin,
	.ungrant = scatter_grant_end,
	.read = scatter_read_begin,
	.close = scatter_connect_close,
};

static int __init scatter_rdma_init(void)
{
	int error = scatter_poll_init();

	if (error)
		return error;
	error = scatter_wire_register(&ops);
	if (error)
		scatter_poll_exit();
	return error;
}

/* End all connections in order. */
static void __exit scatter_rdma_exit(void)
{
	scatter_wire_unregister(&ops);
	scatter_poll_exit();
}

module_init(scatter_rdma_init);
module_exit(scatter_rdma_exit);

MODULE_DESCRIPTION("RDMA between nodes for scatter");
MODULE_AUTHOR("The scatter authors");
MODULE_LICENSE("GPL");
SCATTER_COMPAT_IMPORT;

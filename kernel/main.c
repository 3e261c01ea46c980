// SPDX-License-Identifier: GPL-2.0
/*
 * scatter: collective scatter and gather among processes. Load and unload.
 */
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/scatter_netlink.h>
#include <net/genetlink.h>

#include "device/chardev.h"
#include "device/netlink_group.h"
#include "group/backlog.h"
#include "group/portal.h"
#include "node/client.h"
#include "node/netlink.h"
#include "node/netlink_node.h"
#include "node/netlink_peer.h"
#include "node/netlink_stats.h"
#include "node/node.h"
#include "param.h"
#include "span/inbox.h"
#include "stats.h"

static int __init scatter_init(void)
{
	int error;

	scatter_param_init();
	error = scatter_portal_init();
	if (error)
		return error;
	error = scatter_backlog_init();
	if (error)
		goto portals;
	scatter_client_register(&scatter_inbox_client);
	error = scatter_netlink_node_register();
	if (error)
		goto backlogs;
	scatter_netlink_peer_add();
	scatter_netlink_stats_add();
	scatter_netlink_group_add();
	error = scatter_netlink_register();
	if (error)
		goto nodes;
	error = scatter_chardev_register();
	if (!error)
		return 0;
	scatter_netlink_unregister();
nodes:
	scatter_node_unregister();
backlogs:
	scatter_backlog_exit();
portals:
	scatter_portal_exit();
	return error;
}

/*
 * Open files hold the module. Members live no longer than their files, and groups no longer than
 * their members. So only the device is left, and struct scatter_space of address spaces, which is
 * freed a little later than its last member.
 */
static void __exit scatter_exit(void)
{
	scatter_chardev_unregister();
	scatter_netlink_unregister();
	/* A backlog, a late DONE and a look at a group whose files are closed may use the node. */
	scatter_backlog_flush();
	scatter_portal_flush();
	scatter_node_unregister();
	scatter_backlog_exit();
	scatter_portal_exit();
	mmu_notifier_synchronize();
	scatter_stats_report();
}

module_init(scatter_init);
module_exit(scatter_exit);

MODULE_DESCRIPTION("Collective scatter and gather device");
MODULE_AUTHOR("The scatter authors");
MODULE_LICENSE("GPL");
/* A process that looks for the family loads the module. */
MODULE_ALIAS_GENL_FAMILY(SCATTER_FAMILY_NAME);

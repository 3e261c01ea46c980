// SPDX-License-Identifier: GPL-2.0
/*
 * scatter: collective scatter and gather among processes. Load and unload.
 */
#include <linux/mmu_notifier.h>
#include <linux/module.h>

#include "chardev.h"
#include "params.h"
#include "stats.h"

static int __init scatter_init(void)
{
	scatter_param_measure();
	return scatter_chardev_register();
}

/*
 * Open files hold the module, members live no longer than their files, and
 * groups no longer than their members: nothing is left but the device, and the homes
 * of address spaces, which are freed a little later than their last member.
 */
static void __exit scatter_exit(void)
{
	scatter_chardev_unregister();
	mmu_notifier_synchronize();
	scatter_objects_report();
}

module_init(scatter_init);
module_exit(scatter_exit);

MODULE_DESCRIPTION("Collective scatter and gather device");
MODULE_AUTHOR("The scatter authors");
MODULE_LICENSE("GPL");

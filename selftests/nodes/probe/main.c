// SPDX-License-Identifier: GPL-2.0
/*
 * Prove that a test bed carries the verbs that scatter_rdma uses, between two addresses: a
 * connection of rdma_cm, SEND, fast registration, READ, SEND_WITH_INV. For selftests/nodes
 * only. The parameters, in /sys/module/scatter_probe/parameters, do it all:
 *
 *   listen   write ADDRESS: serve who connects to it
 *   run      write "FROM TO ROUNDS [here]": connect, some rounds, disconnect; the write
 *            fails with what went wrong. Read: what came of the last one.
 *   seconds  how long a step of a run may take
 *
 * All is in the namespace of who loaded the module, as a node's wire may be in another one
 * than the node; with "here" a run is in the namespace of who writes.
 */
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "probe.h"

#define WORD		64
#define WORD_FORMAT	"%63s"

static struct net *wire;
static char result[128];

unsigned int probe_seconds = 20;
module_param_named(seconds, probe_seconds, uint, 0600);
MODULE_PARM_DESC(seconds, "How long a step of a run may take");

static int set_listen(const char *value, const struct kernel_param *param)
{
	char address[WORD];

	if (!wire || sscanf(value, WORD_FORMAT, address) != 1)
		return -EINVAL;
	return probe_server_listen(wire, address);
}

static const struct kernel_param_ops listen_ops = {
	.set = set_listen,
};

module_param_cb(listen, &listen_ops, NULL, 0200);
MODULE_PARM_DESC(listen, "ADDRESS to serve");

static int set_run(const char *value, const struct kernel_param *param)
{
	char from[WORD], to[WORD], where[WORD] = "";
	unsigned int rounds;
	struct net *net;
	int words;

	if (!wire)
		return -EINVAL;
	words = sscanf(value, WORD_FORMAT " " WORD_FORMAT " %u " WORD_FORMAT, from, to, &rounds,
		       where);
	if (words < 3)
		return -EINVAL;
	net = strcmp(where, "here") ? wire : current->nsproxy->net_ns;
	result[0] = '\0';
	return probe_client_run(net, from, to, rounds, result, sizeof(result));
}

static int get_run(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%s\n", result);
}

static const struct kernel_param_ops run_ops = {
	.set = set_run,
	.get = get_run,
};

module_param_cb(run, &run_ops, NULL, 0600);
MODULE_PARM_DESC(run, "\"FROM TO ROUNDS [here]\" to run");

static int __init start(void)
{
	int error = probe_server_start();

	if (!error)
		wire = get_net(current->nsproxy->net_ns);
	return error;
}

static void __exit stop(void)
{
	probe_server_stop();
	put_net(wire);
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Proves that a test bed of scatter carries RDMA");

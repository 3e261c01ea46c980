# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# A machine of selftests/vm/cluster, for scripts that run in it.
#
#   ask REQUEST [WORD]   of the host, as selftests/nodes/ask
#   become_node          the machine is node SCATTER_NODE, in a namespace of the node's name, and knows
#                        the nodes of all other machines: for scripts that have read nodes.sh
#
#   SCATTER_KEY   the key of the cluster, the same for all

# shellcheck disable=SC2154 # the script's
ask() {
	"$here/ask" "$@"
}

# shellcheck disable=SC2034,SC2154 # of nodes.sh
become_node() {
	WIRE=${SCATTER_MODULE%/*}/scatter_rdma.ko
	nodes=$SCATTER_NODES
	echo "$SCATTER_KEY" >"$work/key" && chmod 600 "$work/key" && load_wire &&
		ip netns attach "$(bed_namespace "$SCATTER_NODE")" $$ && meet "$SCATTER_NODE" uids=same
}

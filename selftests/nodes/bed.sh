# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Many nodes in one kernel, for scripts that run as root in a machine of selftests/vm/run.
# Node I has the address that bed_address prints and the network namespace nodeI; the wire
# of all nodes is in the namespace of the script.
#
#   bed_up KIND NODES   a bed, in place of an older one; KIND is
#                         inner  one rxe on a dummy that has all addresses: traffic does
#                                not leave the rxe
#                         wire   an rxe for each node on a veth of its own; the other ends
#                                are ports of a bridge: traffic crosses the bridge
#   bed_down            takes it away; does nothing if there is none
#
#   bed_address I, bed_address6 I   of node I; only "inner" has IPv6
#   bed_namespace I                 its name, as ip netns knows it
#   bed_in I COMMAND...             runs COMMAND in it
#
# Of a wire:
#
#   bed_netem I WORD...   netem on what node I sends and receives (loss 1%, delay 5ms)
#   bed_cut I             packets of node I get lost; no interface goes down
#   bed_unplug I          node I loses its carrier
#   bed_restore I         takes back all three
#   bed_part I J          packets between these two get lost; bed_meet I J takes that back
#   bed_disable I         node I's interface goes down; bed_enable I takes that back
#   bed_remove I          node I's RDMA device goes; bed_add I makes another one
#   bed_packets I         how many packets node I has sent
#
# BED_TYPE=siw makes an inner bed of soft iWARP instead, where the kernel has that.

readonly BED_NET=10.97.0 BED_NET6=fd97:
# Jumbo frames: the path MTU of rxe is then 4096, as on real fabrics.
readonly BED_MTU=9000
# Where bed_down finds what bed_up has changed.
readonly BED_STATE=/run/scatter-bed

# Rules in the order of their preferences: to a node from the wire, between nodes, all
# else. The kernel's rule for local addresses has preference 0 and would keep traffic off
# the wire.
readonly BED_PREF_IN=5 BED_PREF_OUT=10 BED_PREF_LOCAL=100 BED_TABLE=1000

bed_address() {
	echo "$BED_NET.$1"
}

bed_address6() {
	echo "$BED_NET6:$1"
}

bed_namespace() {
	echo "node$1"
}

bed_in() {
	local node=$1
	shift
	ip netns exec "$(bed_namespace "$node")" "$@"
}

# Modules that are built in, or that another kernel does not have, are no error: what is
# missing the next command says.
bed_modules() {
	modprobe -aq crc32_generic dummy veth bridge sch_netem ib_uverbs rdma_ucm \
		"rdma_${BED_TYPE:-rxe}" || true
}

bed_up() {
	local kind=$1 nodes=$2
	bed_down
	bed_modules
	mkdir -p "$BED_STATE" && "bed_ip_$kind" "$nodes" | ip -batch - &&
		"bed_links_$kind" "$nodes" | rdma -b -
}

# Everything that can be there, whether bed_up came to its end or not. Deleting a veth
# deletes its peer, its addresses, neighbours, routes and qdiscs.
bed_down() {
	bed_each 'link del' /sys/class/infiniband/bed* | rdma -f -b - || true
	{
		bed_each 'link del' /sys/class/net/bed0 /sys/class/net/bedbr /sys/class/net/bedv*
		bed_each 'netns del' /run/netns/node*
		[ ! -e "$BED_STATE/rp_filter" ] || bed_rules_del
	} | ip -force -batch - || true
	[ ! -e "$BED_STATE/rp_filter" ] ||
		cat "$BED_STATE/rp_filter" >/proc/sys/net/ipv4/conf/all/rp_filter
	rm -rf "$BED_STATE"
}

# What follows prints lines for the batches of ip and rdma: one process for all of them.

# bed_each WORDS PATH...: of those paths that are there.
bed_each() {
	local words=$1 path
	shift
	for path; do
		[ ! -e "$path" ] || echo "$words ${path##*/}"
	done
}

bed_link() {
	echo "link add $1 type ${BED_TYPE:-rxe} netdev $2"
}

bed_ip_inner() {
	local i
	echo "link add bed0 mtu $BED_MTU type dummy"
	for ((i = 1; i <= $1; i++)); do
		echo "netns add node$i"
		echo "addr add $BED_NET.$i/24 dev bed0"
		echo "addr add $BED_NET6:$i/64 dev bed0 nodad"
	done
	echo "link set bed0 up"
}

bed_links_inner() {
	bed_link bed0 bed0
}

bed_ip_wire() {
	local i nodes=$1
	bed_rules_add
	echo "link add bedbr mtu $BED_MTU type bridge"
	echo "link set bedbr up"
	for ((i = 1; i <= nodes; i++)); do
		echo "netns add node$i"
		bed_port "$i"
		bed_routes "$i"
		bed_neighbours "$i" "$nodes"
	done
}

bed_links_wire() {
	local i
	for ((i = 1; i <= $1; i++)); do
		bed_sysctls "$i"
		bed_link "bed$i" "bedv$i"
	done
}

# Before anything else: bed_down takes the file for a sign that there are rules.
bed_rules_add() {
	cat /proc/sys/net/ipv4/conf/all/rp_filter >"$BED_STATE/rp_filter"
	echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
	echo "rule add pref $BED_PREF_LOCAL lookup local"
	echo "rule del pref 0"
}

bed_rules_del() {
	echo "rule add pref 0 lookup local"
	echo "rule flush pref $BED_PREF_IN"
	echo "rule flush pref $BED_PREF_OUT"
	echo "rule flush pref $BED_PREF_LOCAL"
}

bed_mac() {
	printf '02:5c:00:00:00:%02x\n' "$1"
}

bed_port() {
	echo "link add bedv$1 mtu $BED_MTU address $(bed_mac "$1") type veth" \
		"peer name bedp$1 mtu $BED_MTU"
	echo "link set bedp$1 master bedbr up"
	echo "link set bedv$1 up"
	echo "addr add $BED_NET.$1/24 dev bedv$1"
}

# A node answers for its own address only, and takes packets from another address of this
# machine.
bed_sysctls() {
	local conf=/proc/sys/net/ipv4/conf/bedv$1
	echo 1 >"$conf/accept_local"
	echo 0 >"$conf/rp_filter"
	echo 1 >"$conf/arp_ignore"
	echo 2 >"$conf/arp_announce"
}

# Not for "iif lo" only: the lookup of rdma_cm itself has no interface.
bed_routes() {
	local table=$((BED_TABLE + $1))
	echo "rule add pref $BED_PREF_IN iif bedv$1 lookup local"
	echo "rule add pref $BED_PREF_OUT from $BED_NET.$1 to $BED_NET.0/24 lookup $table"
	bed_route "$1"
}

bed_route() {
	echo "route replace $BED_NET.0/24 dev bedv$1 src $BED_NET.$1 table $((BED_TABLE + $1))"
}

# Without these the first connection takes 3 seconds.
bed_neighbours() {
	local j node=$1 nodes=$2
	for ((j = 1; j <= nodes; j++)); do
		[ "$node" = "$j" ] ||
			echo "neigh replace $BED_NET.$j lladdr $(bed_mac "$j") dev bedv$node nud permanent"
	done
}

# --------------------------------------------------------------------------

# One qdisc for each direction. The limit is for delays: more packets than that, and some
# get lost.
bed_netem() {
	local node=$1 side
	shift
	for side in v p; do
		tc qdisc replace dev "bed$side$node" root netem limit 10000 "$@" || return
	done
}

bed_cut() {
	bed_netem "$1" loss 100%
}

# bed_neighbour I J NODE: to node J, node I's packets go where node NODE would be.
bed_neighbour() {
	ip neigh replace "$BED_NET.$2" lladdr "$(bed_mac "$3")" dev "bedv$1" nud permanent
}

bed_part() {
	bed_neighbour "$1" "$2" 255 && bed_neighbour "$2" "$1" 255
}

bed_meet() {
	bed_neighbour "$1" "$2" "$2" && bed_neighbour "$2" "$1" "$1"
}

bed_unplug() {
	ip link set "bedp$1" down
}

bed_restore() {
	local side
	ip link set "bedp$1" up || return
	for side in v p; do
		tc qdisc del dev "bed$side$1" root 2>/dev/null
	done
	return 0
}

bed_disable() {
	ip link set "bedv$1" down
}

# Routes and neighbours have gone with the interface.
bed_enable() {
	{
		echo "link set bedv$1 up"
		bed_route "$1"
		bed_neighbours "$1" "$(find /sys/class/net/bedbr/brif/ -name 'bedp*' | wc -l)"
	} | ip -batch -
}

bed_remove() {
	rdma link del "bed$1"
}

bed_add() {
	bed_link "bed$1" "bedv$1" | rdma -b -
}

bed_packets() {
	cat "/sys/class/net/bedv$1/statistics/tx_packets"
}

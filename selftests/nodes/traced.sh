# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For counts_test: what forwarders copy.
#
# shellcheck disable=SC2034,SC2154 # the script's

copied_by_all() {
	local id sum=0
	for id in "${ids[@]}"; do
		sum=$((sum + $(copied "$id")))
	done
	echo $sum
}

# copies OP BYTES [WANTED]: what forwarders copy meanwhile; nothing without WANTED.
copies() {
	local before what="$1 of $2 bytes"
	before=$(copied_by_all)
	play "move $1 0 $2 schedule=hypercube" &&
		same "bytes that forwarders copy" $(($(copied_by_all) - before)) "${3:-0}"
}

# No forwarder copies blocks of 4 KiB or more: eager blocks, pulled ones, and some of each. In a v
# form, blocks have fifths of the most bytes. Short blocks are copied wherever they are passed on.
forwarders_copy() {
	local op bytes passed_on node here status=0
	node_of 0
	here=${index[$node]}
	for op in scatter gather; do
		for bytes in 4096 5000 8192 8193 16384 20000 65536 300000; do
			copies $op $bytes || status=1
		done
		copies ${op}v 20480 || status=1
		bundles=() sums=()
		lengths=8 calls=1 bytes_of_calls=8
		expect $op "$node" hypercube
		passed_on=$(($(printf '%s + ' "${sums[@]}") 0))
		# The blocks of its own leave a node once.
		copies $op 8 $((passed_on - (size - counts[here]) * 8)) || status=1
	done
	return $status
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What the nodes of a cluster ask the host for (selftests/nodes/ask), and when they boot.
# A node waits for the answer, so it has one request at a time.
#
# shellcheck disable=SC2154 # variables are shared with cluster

readonly BOOT_AT_ONCE=2

# Of each node: waiting (for others to boot), booting, running, killed, ended
declare -a state=()
# The barrier that a node waits at, or nothing.
declare -a barrier=()

# One line of what node $1 says becomes one line among those of all.
hear_node() {
	local line
	while read -r line; do
		echo "$1 $line" >&"$events"
	done <"$tmp/channel$1.out"
}

# The pipe is there even if the machine is not any more.
answer() {
	echo "$2" 1<>"$tmp/channel$1.in"
}

# Until all have ended.
serve_requests() {
	local node request word left=$nodes
	mkfifo "$tmp/events"
	exec {events}<>"$tmp/events"
	for ((node = 1; node <= nodes; node++)); do
		state[node]=waiting barrier[node]=''
	done
	boot_some
	while [ "$left" -gt 0 ]; do
		read -r node request word <&"$events"
		case $request in
		ended)
			left=$((left - 1))
			[ "${state[node]}" = killed ] || state[node]=ended
			;;
		booted) state[node]=running && answer "$node" ok ;;
		barrier) barrier[node]=$word ;;
		*) perform "$node" "$request" "$word" ;;
		esac
		boot_some
		open_barrier
	done
}

# What a node says at any time, this is said of another one that runs.
perform() {
	local node=$1 request=$2 of=$3
	if [[ ! $of =~ ^[1-9][0-9]*$ ]] || [ "${state[$of]:-}" != running ]; then
		answer "$node" "there is no node $of that runs"
		return
	fi
	case $request in
	cut | unplug | restore | kill) ;;
	*)
		answer "$node" "no such request"
		return
		;;
	esac
	# Before the end of its machine is noticed.
	[ "$request" != kill ] || state[of]=killed
	if "segment_$request" "$of"; then
		answer "$node" ok
	else
		answer "$node" failed
	fi
}

boot_some() {
	local node booting=0
	for ((node = 1; node <= nodes; node++)); do
		[ "${state[node]}" != booting ] || booting=$((booting + 1))
	done
	for ((node = 1; node <= nodes && booting < BOOT_AT_ONCE; node++)); do
		if [ "${state[node]}" = waiting ]; then
			state[node]=booting
			start_node "$node"
			booting=$((booting + 1))
		fi
	done
}

# What those at a barrier are told; nothing as long as others may still come.
barrier_answer() {
	local node name='' all=1 differ=''
	for ((node = 1; node <= nodes; node++)); do
		case ${state[node]} in
		killed) continue ;;
		ended) echo "node $node has ended"; return ;;
		esac
		if [ -z "${barrier[node]}" ]; then
			all=''
		else
			[ "${name:-${barrier[node]}}" = "${barrier[node]}" ] || differ=1
			name=${barrier[node]}
		fi
	done
	if [ -n "$differ" ]; then
		echo "others are at another barrier"
	elif [ -n "$all" ]; then
		echo ok
	fi
}

open_barrier() {
	local node said
	said=$(barrier_answer)
	[ -n "$said" ] || return 0
	for ((node = 1; node <= nodes; node++)); do
		if [ -n "${barrier[node]}" ]; then
			barrier[node]=''
			answer "$node" "$said"
		fi
	done
}

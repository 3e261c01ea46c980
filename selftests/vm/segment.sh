# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The network segment of a cluster: a QEMU without a machine is the hub, and each node's
# QEMU connects to a socket of its own. No packet leaves this machine, and no root is
# needed.
#
# shellcheck disable=SC2034,SC2154 # variables are shared with cluster

# How long a QEMU may think about a command.
readonly QMP_SECONDS=60

# The file descriptors of the pipes of each QEMU that was asked anything.
declare -A qmp_in=() qmp_out=()

# A pipe of QEMU is two of ours.
make_pipe() {
	mkfifo "$1.in" "$1.out"
}

# What QEMU calls by that id.
chardev() {
	echo "pipe,id=$1,path=${2//,/,,}"
}

start_segment() {
	local node arguments=()
	for ((node = 1; node <= nodes; node++)); do
		arguments+=(
			-netdev "stream,id=s$node,server=on,addr.type=unix,addr.path=$tmp/socket$node"
			-netdev "hubport,id=h$node,hubid=0,netdev=s$node"
		)
	done
	make_pipe "$tmp/hub"
	qemu-system-x86_64 -machine none -nodefaults -no-user-config -display none \
		-chardev "$(chardev qmp "$tmp/hub")" -mon chardev=qmp,mode=control \
		"${arguments[@]}" </dev/null >"$tmp/hub.log" 2>&1 &
	hub_pid=$!
	# It answers when its sockets are there.
	qmp_open "$tmp/hub" || die "the hub does not start: $(<"$tmp/hub.log")"
}

segment_pipes() {
	make_pipe "$tmp/qmp$1"
	make_pipe "$tmp/channel$1"
}

# Adds what node $1 has of the segment to the arguments of run.
segment_arguments() {
	local word mac
	mac=$(printf '52:54:00:00:5c:%02x' "$1")
	for word in \
		-netdev "stream,id=net0,server=off,addr.type=unix,addr.path=$tmp/socket$1" \
		-device "virtio-net-pci,netdev=net0,mac=$mac,romfile=" \
		-chardev "$(chardev qmp "$tmp/qmp$1")" -mon chardev=qmp,mode=control \
		-chardev "$(chardev channel "$tmp/channel$1")" -serial chardev:channel \
		-pidfile "$tmp/pid$1"; do
		arguments+=(--qemu "$word")
	done
}

# QMP ----------------------------------------------------------------------

# qmp PIPE COMMAND: waits for the answer, past greetings and events; fails if it is an
# error.
qmp() {
	local line
	printf '%s\n' "$2" >&"${qmp_in[$1]}"
	while read -r -t "$QMP_SECONDS" line <&"${qmp_out[$1]}"; do
		case $line in
		*'"return"'*) return 0 ;;
		*'"error"'*) say "$2: $line"; return 1 ;;
		esac
	done
	say "$2: no answer"
	return 1
}

qmp_open() {
	local fd
	[ -z "${qmp_in[$1]:-}" ] || return 0
	exec {fd}<>"$1.in"
	qmp_in[$1]=$fd
	exec {fd}<>"$1.out"
	qmp_out[$1]=$fd
	qmp "$1" '{"execute": "qmp_capabilities"}'
}

# set_link PIPE NAME true|false
set_link() {
	qmp_open "$1" && qmp "$1" "{\"execute\": \"set_link\",
		\"arguments\": {\"name\": \"$2\", \"up\": $3}}"
}

# What nodes ask for --------------------------------------------------------

segment_cut() {
	set_link "$tmp/hub" "s$1" false
}

segment_unplug() {
	set_link "$tmp/qmp$1" net0 false
}

segment_restore() {
	set_link "$tmp/hub" "s$1" true && set_link "$tmp/qmp$1" net0 true
}

# When this returns the process is gone, and its socket with it.
segment_kill() {
	local pid
	pid=$(cat "$tmp/pid$1")
	kill -KILL "$pid" && timeout 20 tail --pid="$pid" -s 0.05 -f /dev/null
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Forwarders, for moves_test: members f0 to f3, on nodes 1 to 4. In a mesh of four nodes with root f0 the
# node of f2 passes on what goes to f3 and what comes from there, whatever the process of f2 does.
#
# shellcheck disable=SC2154 # the script's

# How often the forwarder's process has given its CPU away, and how often the CPU was taken from it.
switches_of() {
	awk '/ctxt_switches/ { print $2 }' "/proc/${member_pid[$1]}/status" | xargs
}

# The kernel says which call a process is in only when the process is off its CPU.
is_off() {
	local call
	read -r call _ <"/proc/${member_pid[$1]}/syscall" && [ "$call" != running ] &&
		[ "$(awk '/^State:/ { print $2 }' "/proc/${member_pid[$1]}/status")" = "$2" ]
}

is_computing() {
	local -a now
	read -r -a now <"/proc/${member_pid[$1]}/stat" && [ "${now[13]}" -gt "$2" ]
}

# keep_busy HOW WHO: from here on, until let_go, the process is blocked outside of all calls of
# scatter, or stopped, or computes.
keep_busy() {
	local -a now
	case $1 in
	idle) within $((PATIENCE * 1000)) is_off "$2" S ;;
	stopped) signalled STOP "$2" && within $((PATIENCE * 1000)) is_off "$2" T ;;
	computing)
		read -r -a now <"/proc/${member_pid[$2]}/stat" && says_to "$2" compute &&
			within $((PATIENCE * 1000)) is_computing "$2" "${now[13]}"
		;;
	esac
}

let_go() {
	case $1 in
	stopped) signalled CONT "$2" ;;
	computing) signalled USR1 "$2" && hears "$2" compute ;;
	esac
}

# has_slept HOW BEFORE AFTER: the process has not run in between, or has gone on computing: then
# kernel threads may have taken its CPU.
has_slept() {
	[ "$1" != computing ] || set -- "$1" "${2%% *}" "${3%% *}"
	[ "$2" = "$3" ] && return
	echo "# $1: context switches of the forwarder: $2, then $3"
	return 1
}

passed() {
	crossed 3 | awk '{ sum += $3 } END { print sum }'
}

# has_passed BEFORE BYTES: the forwarder has sent so many bytes of blocks of others.
has_passed() {
	local now
	now=$(passed)
	[ $((now - $1)) -ge "$2" ] && return
	echo "# the forwarder has passed on $((now - $1)) bytes, not $2"
	return 1
}

# has_copied_none BEFORE: of the bytes that the forwarder has sent since then.
has_copied_none() {
	local now
	now=$(copied 3)
	[ "$now" -eq "$1" ] && return
	echo "# the forwarder had copied $1 bytes, and then $now"
	return 1
}

# passes HOW BYTES COMMAND "WHO...": f0, f1 and f3 begin it, and some of them end it; so many bytes go
# through the forwarder, and its process does nothing.
passes() {
	local before after bytes op=${3#move } status=0
	keep_busy "$1" f2 || status=1
	before=$(switches_of f2)
	bytes=$(passed)
	tell "f0 f1 f3" "$3" && told "$4" "${op%% *}" || status=1
	after=$(switches_of f2)
	has_slept "$1" "$before" "$after" || status=1
	has_passed "$bytes" "$2" || status=1
	let_go "$1" f2 && return $status
}

# Likewise of a gather in which the forwarder's process sleeps: its node takes the block from its
# memory. The process may be woken to begin with, and to say that the call is over.
passes_inside() {
	local before after bytes
	tell f2 "move gather 0 $1 schedule=mesh:4" &&
		within $((PATIENCE * 1000)) is_off f2 S || return
	before=$(switches_of f2)
	bytes=$(passed)
	tell "f0 f1 f3" "move gather 0 $1 schedule=mesh:4" && told "f0 f1 f2 f3" gather &&
		within $((PATIENCE * 1000)) is_off f2 S || return
	after=$(switches_of f2)
	[ $((${after%% *} - ${before%% *})) -le 3 ] && has_passed "$bytes" $((2 * $1)) && return
	echo "# inside: context switches of the forwarder: $before, then $after"
	return 1
}

# seed_of CALL: of a v form, in which block 2 is empty then: see member/goods.c.
seed_of() {
	echo $(((5 - $1 % 3) % 3))
}

# start_line NAME
start_line() {
	local rank
	for rank in 0 1 2 3; do
		start f$rank $((rank + 1)) "$1" 4 $rank || return
	done
	for rank in 3 2 1 0; do
		hears f$rank "joined $rank" || return
	done
}

# In a scatter the forwarder's member has not called yet; in a gather it has returned, since its block is
# empty, and that of f3 has a fifth of the most bytes or more.
forwards() {
	local bytes how call=0 move before status=0
	start_line forwards || return
	for bytes in 4096 1000000; do
		for how in idle computing stopped; do
			move="move scatter 0 $bytes schedule=mesh:4"
			before=$(copied 3)
			passes $how "$bytes" "$move" "f1 f3" || status=1
			has_copied_none "$before" || status=1
			tell f2 "$move" && told "f0 f2" scatter || return
			move="move gatherv 0 $bytes schedule=mesh:4 seed=$(seed_of $((call + 1)))"
			tell f2 "$move" && told f2 gatherv || return
			passes $how $((bytes / 5)) "$move" "f0 f1 f3" || status=1
			call=$((call + 2))
		done
	done
	before=$(copied 3)
	passes_inside 1000000 && has_copied_none "$before" || status=1
	stop f0 f1 f2 f3
	return $status
}

# For all long blocks of a group together members may ask for 1 MiB; and until the device has forgotten
# the keys of what the next node has read, that is kept, too: see cluster.rst.
readonly KEPT_MOST=$((2 << 20))

# What nodes keep at a time for another one while 64 MiB are scattered, and gathered.
keeps_little() {
	local node kept status=0
	start_line kept && tell "f0 f1 f2 f3" "move scatter 0 $((64 << 18)) schedule=mesh:4" &&
		told "f0 f1 f2 f3" scatter &&
		tell "f0 f1 f2 f3" "move gather 0 $((64 << 18)) schedule=mesh:4" &&
		told "f0 f1 f2 f3" gather || return
	for node in 1 2 3 4; do
		kept=$(group_of $node kept kept_bytes)
		echo "# node $node: at most $kept bytes at a time"
		# What the node's own member pulls is not for others.
		[ "$kept" -gt 0 ] && [ "$kept" -le $KEPT_MOST ] || status=1
	done
	stop f0 f1 f2 f3
	return $status
}

# full CELL WHO: the process is in a new control group, which has no byte left.
full() {
	mkdir -p "$work/cells" && mount -t cgroup2 none "$work/cells" &&
		echo +memory >"$work/cells/cgroup.subtree_control" && mkdir "$1" &&
		echo "${member_pid[$2]}" >"$1/cgroup.procs" &&
		cat "$1/memory.current" >"$1/memory.max"
}

# How often something wanted to have more than that.
overdrawn() {
	awk '$1 == "max" { print $2 }' "$1/memory.events"
}

# charges_nobody CELL LIMIT BYTES: while the control group of the forwarder's member is full, and its
# user may have nothing more.
charges_nobody() {
	local move="move scatter 0 $3 schedule=mesh:4" before after status=0
	before=$(overdrawn "$1")
	passes idle "$3" "$move" "f1 f3" || status=1
	after=$(overdrawn "$1")
	if [ "$before" != "$after" ]; then
		echo "# the control group was full $before times, then $after"
		status=1
	fi
	# The member's own block is for its control group and its user.
	echo max >"$1/memory.max" && echo 0 >"$2" && tell f2 "$move" && told "f0 f2" scatter &&
		cat "$1/memory.current" >"$1/memory.max" && echo 1 >"$2" && return $status
}

# Who forwards pays with the memory of the node.
forwards_free() {
	local cell=$work/cells/full limit=/sys/module/scatter/parameters/user_bytes bytes was status=0
	was=$(<"$limit")
	start_line free && full "$cell" f2 && echo 1 >"$limit" || return
	for bytes in 8 4096 1000000 $((64 << 18)); do
		charges_nobody "$cell" "$limit" "$bytes" || status=1
	done
	echo "$was" >"$limit"
	stop f0 f1 f2 f3
	within $((PATIENCE * 1000)) rmdir "$cell" && umount "$work/cells" || status=1
	return $status
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# A member whose task does not run, and has the lock of its group: for scripts that have read nodes.sh
# and members.sh.
#
#   slow_down WHO      from now on its task has one CPU, and next to nothing of that while loops run. The
#                      loops have the greatest weight: with less, they stop the task for moments only
#   stopped_within WHO lets the task run, until the loops stop it where it has the lock of its group. It
#                      has to call one operation after the other. Sets "place"
#   moved_on WHO PLACE the task has run meanwhile
#   speed_up           ends the loops

loops=() place=''

# shellcheck disable=SC2154 # members.sh's
slow_down() {
	chrt -i -p 0 "${member_pid[$1]}" && taskset -p 2 "${member_pid[$1]}" >/dev/null || return
	while [ ${#loops[@]} -lt 4 ]; do
		taskset 2 nice -n -20 bash -c 'kill -STOP $$; while :; do :; done' &
		loops+=($!)
	done
}

# holding WHO: where in the kernel its task is, if it has the lock of its group there: beneath
# scatter_edge_push().
holding() {
	local -a lines
	mapfile -t lines <"/proc/${member_pid[$1]}/stack" 2>/dev/null
	[[ ${lines[*]} = *'[scatter]'*scatter_edge_push* ]] && echo "${lines[*]}"
}

stopped_within() {
	local at tries
	for ((tries = 1; tries <= 1000; tries++)); do
		kill -CONT "${loops[@]}"
		# Until the task has come to where it can be stopped.
		within 20 false
		if at=$(holding "$1") && ! within 100 moved_on "$1" "$at"; then
			place=$at
			echo "# stopped at the attempt $tries: $place"
			return
		fi
		kill -STOP "${loops[@]}"
	done
	echo "# never stopped where it has the lock"
	return 1
}

moved_on() {
	[ "$(holding "$1")" != "$2" ]
}

speed_up() {
	kill -KILL "${loops[@]}"
	wait "${loops[@]}" 2>/dev/null
	loops=()
}

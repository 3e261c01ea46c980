# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Groups for moves_test, after nodes.sh and members.sh.
#
#   use "NODE..."       groups are placed like this from now on. Sets "places", "units": the members
#                       of each node, or each member if all are on one node, and "roots": ranks on
#                       the first, a middle and the last unit. If the group has three nodes or more,
#                       "along" is the schedule of a move along a line of nodes
#   form [SIDE_0]       makes a group if there is none; an inter-group, if members of side 0 are told
#   drop                kills all members
#   play COMMAND...     all members get all moves, and each is right. With SCATTER_LOUD the first
#                       one that is not gets named if nothing else tells
#   tell "WHO..." COMMAND
#   told "WHO..." ANSWER
#   rest_of "WHO..."    prints all other members
#   interrupted WHO ANSWER   a signal ends its call
#
# shellcheck disable=SC2034,SC2154 # the script's

places='' units=() roots='' along='' groups=0

use() {
	local node rank=0 middle last
	local -A on=()
	places=$1
	for node in $places; do
		on[$node]+=" r$rank"
		rank=$((rank + 1))
	done
	units=()
	for node in $(printf '%s\n' "${!on[@]}" | sort -n); do
		units+=("${on[$node]# }")
	done
	along=''
	[ ${#units[@]} -lt 3 ] || along=schedule=mesh:${#units[@]}
	[ ${#units[@]} -gt 1 ] || IFS=' ' read -r -a units <<<"${units[0]}"
	middle=${units[${#units[@]} / 2]%% *} last=${units[-1]##* }
	roots=$(printf '%s\n' "${units[0]%% *}" "$middle" "$last" | tr -d r | uniq)
}

form() {
	[ -z "$members" ] || return 0
	groups=$((groups + 1))
	if [ $# -gt 0 ]; then
		placed_sides "$1" "$places" "moves$groups"
	else
		placed "$places" "moves$groups"
	fi
}

drop() {
	local who
	for who in $members; do
		[ -z "${member_pid[$who]:-}" ] || killed "$who"
	done
	members=''
}

tell() {
	local who
	for who in $1; do
		says_to "$who" "$2"
	done
}

told() {
	local who status=0
	for who in $1; do
		hears "$who" "$2" || status=1
	done
	return $status
}

# All but the last command are quiet, so that only what goes wrong is read here. The commands fit into
# the pipes: nobody waits for this script.
play() {
	local who command op commands=("$@") last=$(($# - 1)) status=0
	[ -n "${SCATTER_LOUD:-}" ] || commands=("${commands[@]/%/ quiet}")
	commands[last]=${commands[last]% quiet}
	for who in $members; do
		printf '%s\n' "${commands[@]}" >&"${member_in[$who]}"
	done
	for who in $members; do
		for command in "${commands[@]}"; do
			op=${command#move }
			if [[ $command = *\ quiet ]] || hears "$who" "${op%% *}"; then
				continue
			fi
			echo "# $who, of '$command'"
			status=1
			break
		done
	done
	return $status
}

rest_of() {
	local who
	for who in $members; do
		[[ " $1 " = *" $who "* ]] || echo -n "$who "
	done
}

# The first signal may come before the call. The time may be up in the midst of the answer.
interrupted() {
	local line='' part tries status
	for ((tries = 0; tries < 10 * PATIENCE; tries++)); do
		kill -USR1 "${member_pid[$1]}"
		read -r -t 0.1 part <&"${member_out[$1]}"
		status=$?
		line+=$part
		[ $status != 0 ] || break
	done
	# shellcheck disable=SC2053 # a pattern
	[[ $line = $2 ]] && return
	echo "# $1 says '$line', not '$2'"
	return 1
}

# signalled SIGNAL "WHO..."
signalled() {
	local who
	for who in $2; do
		kill "-$1" "${member_pid[$who]}" || return
	done
}

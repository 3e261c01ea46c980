#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The examples of the manual do what they say. Prints TAP. As root, where the module is
# loaded (selftests/vm/run -- selftests/kselftest/examples_test.sh).

set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/selftests/kselftest}
examples=$top/build/examples

# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"

# Members of example_poll.
readonly SIZE=3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# members SIZE COMMAND...: so many processes of one group; what they print is in $work/said. Fails
# if one of them does, but for the $may_die-th, which has to.
members() {
	local size=$1 pids=() i bad=0
	shift
	for ((i = 0; i < size; i++)); do
		SCATTER_GROUP=example-$$ SCATTER_SIZE=$size "$@" >"$work/$i" 2>&1 &
		pids+=($!)
	done
	for ((i = 0; i < size; i++)); do
		wait "${pids[i]}"
		case $? in
		0) ;;
		137) ((died++)) ;;
		*) bad=1 ;;
		esac
	done
	cat "$work"/[0-9]* >"$work/said"
	rm "$work"/[0-9]*
	[ $bad = 0 ]
}

# says TEXT: that, and nothing else
says() {
	diff <(printf '%s\n' "$1") "$work/said" | sed 's/^/# /'
	[ "${PIPESTATUS[0]}" = 0 ]
}

squares() {
	"$top/build/scatterctl" run -n 4 -- "$examples/example" >"$work/said" &&
		says "$(for ((i = 1; i <= 12; i++)); do echo $((i * i)); done)"
}

columns() {
	"$top/build/scatterctl" run -n 3 -- "$examples/columns" | xargs >"$work/said" &&
		says "0 1 1002 1003 2004 2005 6 7 1008 1009 2010 2011 12 13 1014 1015 2016 2017"
}

# survives RANK WHO...: RANK dies in the third round, and WHO do the rest.
survives() {
	local rank=$1 all='0 1 2 3' round lines=()
	shift
	for ((round = 0; round < 6; round++)); do
		[ $round = 2 ] && all=$*
		lines+=("round $round: $all")
	done
	died=0
	members 4 "$examples/survive" "$rank" && [ $died = 1 ] &&
		grep -a '^round' "$work/said" | sort -u >"$work/sorted" &&
		mv "$work/sorted" "$work/said" &&
		says "$(printf '%s\n' "${lines[@]}")"
}

container() {
	"$examples/container" >"$work/said" 2>&1 &&
		grep -q '^outside: process [0-9]*, user 0$' "$work/said" &&
		grep -q '^inside: process 1, user 65534$' "$work/said"
}

# hears NUMBER PATTERN: so many lines with the pattern come out of the pipe, one after the
# other, and are in $work/heard.
hears() {
	local line
	: >"$work/heard"
	while [ "$(wc -l <"$work/heard")" -lt "$1" ]; do
		read -r -t 60 line <&3 || { echo "# no more than: $(<"$work/heard")"; return 1; }
		grep -E "$2" <<<"$line" >>"$work/heard"
	done
}

# Rank 0 tells the process IDs of all; one of them is killed.
notices_death() {
	local pids=() killed rank pid status=0
	mkfifo "$work/pipe" && exec 3<>"$work/pipe" || return
	for ((rank = 0; rank < SIZE; rank++)); do
		SCATTER_GROUP=poll SCATTER_SIZE=$SIZE "$examples/example_poll" >&3 3>&- &
		pids+=($!)
	done
	hears $SIZE '^rank [0-2] is process [0-9]+$' || status=1
	killed=$(sed -n 's/^rank 2 is process //p' "$work/heard")
	kill -KILL "${killed:-${pids[0]}}"
	hears $((SIZE - 1)) '^rank 2 is dead$' || status=1
	for pid in "${pids[@]}"; do
		wait "$pid" || [ "$pid" = "$killed" ] || status=1
	done
	exec 3>&-
	return $status
}

tap_test "example: squares" squares
tap_test "columns: a matrix by columns" columns
tap_test "example_poll: joins, gathers and notices a death" notices_death
tap_test "survive: a leaf dies" survives 2 0 1 3
tap_test "survive: the root dies" survives 0 1 2 3
tap_test "container: a group over a UNIX socket" container
tap_end

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The examples of the manual do what it says. Prints TAP. Where the module is loaded
# (selftests/vm/run -- selftests/kselftest/example_test.sh).

set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/selftests/kselftest}

# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"

readonly SIZE=3
export SCATTER_GROUP=example SCATTER_SIZE=$SIZE

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

compiles() {
	gcc -Wall -Wextra -Werror -std=gnu11 -I"$top/lib" -I"$top/uapi" -o "$1" \
		"$top/Documentation/man/$1.c" "$top/build/libscatter.a"
}

squares() {
	"$top/build/scatterctl" run -n 4 -- ./example >squares &&
		diff <(seq 12 | awk '{ print $1 * $1 }') squares
}

# Rank 0 has said who they all are.
until_group() {
	local try
	for try in {1..300}; do
		cat said.? >said.all
		[ "$(grep -cE '^rank [0-2] is process [0-9]+$' said.all)" = $SIZE ] && return
		sleep 0.1
	done
	echo "# not complete after $try looks"
	return 1
}

# Members whose process IDs rank 0 has printed; one of them is killed.
notices_death() {
	local pids=() killed rank pid status=0
	for ((rank = 0; rank < SIZE; rank++)); do
		./example_poll >"said.$rank" &
		pids+=($!)
	done
	until_group || status=1
	pid=$(sed -n 's/^rank 2 is process //p' said.all)
	kill -KILL "${pid:-${pids[0]}}"
	killed=${pid:-none}
	for pid in "${pids[@]}"; do
		[ "$pid" = "$killed" ] && continue
		wait "$pid" || status=1
	done
	cat said.? >said.all
	[ "$(grep -cx 'rank 2 is dead' said.all)" = $((SIZE - 1)) ] && return $status
	sed 's/^/# /' said.all
	return 1
}

tap_test "example.c compiles" compiles example
tap_test "example.c squares" squares
tap_test "example_poll.c compiles" compiles example_poll
tap_test "example_poll.c joins, gathers and notices a death" notices_death
tap_end

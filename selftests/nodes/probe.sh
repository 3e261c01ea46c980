# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The probe's parameters, for scripts: selftests/nodes/probe/main.c tells what they do.

readonly PROBE=/sys/module/scatter_probe/parameters

probe_listen() {
	echo "$1" >"$PROBE/listen"
}

probe_seconds() {
	echo "$1" >"$PROBE/seconds"
}

# probe_run FROM TO ROUNDS [here]: says how it went.
probe_run() {
	local status=0
	echo "$*" >"$PROBE/run" || status=1
	echo "# $1 to $2: $(<"$PROBE/run")"
	return $status
}

# probe_result NAME: of the last run: connect_us, rounds, rounds_us, error.
probe_result() {
	sed -n "s/.*\<$1 \(-\?[0-9]*\).*/\1/p" "$PROBE/run"
}

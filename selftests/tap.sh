# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For scripts whose tests are commands: a line of TAP for each.

tap_tests=0 tap_failures=0

# tap_test DESCRIPTION COMMAND...: what it says stands before its line; so do its seconds, if they
# are many.
tap_test() {
	local description=$1 began=$SECONDS status=0
	shift
	tap_tests=$((tap_tests + 1))
	"$@" || status=$?
	[ $((SECONDS - began)) -lt 5 ] || echo "# $((SECONDS - began)) s:"
	if [ $status = 0 ]; then
		echo "ok $tap_tests - $description"
	else
		echo "not ok $tap_tests - $description"
		tap_failures=$((tap_failures + 1))
	fi
}

# The last line; fails if a test did.
tap_end() {
	echo "1..$tap_tests"
	[ "$tap_failures" = 0 ]
}

# tap_quiet COMMAND...: fails if the command does, or if it says anything, since
# compilers write warnings and succeed.
tap_quiet() {
	local said status=0
	said=$("$@" 2>&1) || status=$?
	[ -z "$said" ] || printf '%s\n' "$said"
	[ "$status" = 0 ] && [ -z "$said" ]
}

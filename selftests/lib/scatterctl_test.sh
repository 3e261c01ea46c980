#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Test the library, and scatterctl: each option, used well and badly. Prints TAP. Needs
# what "make lib" and "make kselftest-programs" build, and for most of it the module, so
# selftests/vm/run.
#
#   scatterctl_test.sh [library|usage|run|device|data|output|stream|groups|
#       nodes|failures]...
#
# Without names all of them, two at a time where that is possible.
#
# SCATTER_TOOL names another scatterctl, such as one built with sanitizers.

set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/selftests/lib}
self=$here/${BASH_SOURCE[0]##*/}

# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/lib/expect.sh
. "$here/expect.sh"
# shellcheck source=selftests/lib/scatterctl/library.sh
. "$here/scatterctl/library.sh"
# shellcheck source=selftests/lib/scatterctl/usage.sh
. "$here/scatterctl/usage.sh"
# shellcheck source=selftests/lib/scatterctl/run.sh
. "$here/scatterctl/run.sh"
# shellcheck source=selftests/lib/scatterctl/device.sh
. "$here/scatterctl/device.sh"
# shellcheck source=selftests/lib/scatterctl/data.sh
. "$here/scatterctl/data.sh"
# shellcheck source=selftests/lib/scatterctl/stream.sh
. "$here/scatterctl/stream.sh"
# shellcheck source=selftests/lib/scatterctl/groups.sh
. "$here/scatterctl/groups.sh"
# shellcheck source=selftests/lib/scatterctl/nodes.sh
. "$here/scatterctl/nodes.sh"
# shellcheck source=selftests/lib/scatterctl/failures.sh
. "$here/scatterctl/failures.sh"

work=$(mktemp -d "${TMPDIR:-/tmp}/scatterctl-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
# Others than root use it too.
chmod 755 "$work"
install -m 755 "${SCATTER_TOOL:-$top/build/scatterctl}" "$work/scatterctl" || exit 1
# A member that is no scatterctl.
install -m 755 "$top/build/kselftest/hold" "$work/member" || exit 1
cd "$work" || exit 1

PATH=$work:$PATH
unset SCATTER_GROUP SCATTER_FD SCATTER_RANK SCATTER_SIZE SCATTER_SIDES SCATTER_SIDE
umask 022

# wait_for COMMAND...: until it succeeds, but not for ever.
wait_for() {
	local i
	for ((i = 0; i < 200; i++)); do
		"$@" && return
		sleep 0.1
	done
	echo "# gave up waiting for: $*"
	return 1
}

in_state() {
	[ "$(ps -o s= -p "$1")" = "$2" ]
}

# Whether a process sleeps inside an ioctl.
in_ioctl() {
	in_state "$1" S && grep -q '^16 ' "/proc/$1/syscall"
}

in_write() {
	in_state "$1" S && grep -q '^1 ' "/proc/$1/syscall"
}

json() {
	if type -P python3 >/dev/null && python3 -c '' 2>/dev/null; then
		python3 -c 'import json, sys; [json.loads(l) for l in sys.stdin]' <"$1"
	fi
}

gone() {
	! pgrep -f "$1" >/dev/null
}

# What a script starts in the background ignores the signals of a terminal; not so
# this.
fresh() {
	exec env --default-signal=INT,QUIT "$@"
}

# A member that waits for another one.
write_lonely() {
	cat >lonely <<-'END'
		#!/bin/sh
		exec scatterctl scatter --group lonely --size 2 --rank 1 --root 1 \
			--timeout 60 "$@"
	END
	chmod 755 lonely
}

main() {
	local group
	write_lonely
	write_there_and_back
	head -c 1048579 /dev/urandom >data
	head -c 9 data >in.9
	for group in "$@"; do
		case $group in
		library | usage | run) "test_$group" ;;
		*) with_module "test_$group" ;;
		esac
	done
	tap_end
}

with_module() {
	if [ -c /dev/scatter ]; then
		"$@"
	else
		tap_tests=$((tap_tests + 1))
		echo "ok $tap_tests - $1 # SKIP no /dev/scatter"
	fi
}

# In namespaces of its own: groups are named, and processes found, there only. What it says
# comes when it has ended, in one piece.
apart() {
	local status=0
	unshare --net --pid --fork --mount-proc "$self" "$1" >"$work/$1.tap" 2>&1 || status=$?
	flock "$self" cat "$work/$1.tap"
	return $status
}

# Those before the last one, which looks at the module's references, two at a time.
side_by_side() {
	local status=0
	printf '%s\n' "${@:1:$#-1}" | xargs -P 2 -n 1 "$self" --apart || status=1
	apart "${*: -1}" || status=1
	return $status
}

case ${1-} in
--apart)
	apart "$2"
	exit
	;;
?*)
	main "$@"
	exit
	;;
esac
set -- library usage run device data output stream groups nodes failures
if [ "$(id -u)" = 0 ] && [ -c /dev/scatter ]; then
	side_by_side "$@"
else
	main "$@"
fi

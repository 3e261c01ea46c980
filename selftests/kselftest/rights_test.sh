#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Who may use the device: the group that the snippets for systemd and udev give it to,
# and members in other namespaces. Prints TAP. As root, where the module is loaded, on
# a system that may be changed (selftests/vm/run -- selftests/kselftest/rights_test.sh).

set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/selftests/kselftest}
PATH=$PATH:/usr/sbin:/sbin

# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"

readonly DEVICE=/dev/scatter NOBODY=65534
export SCATTERCTL=$top/build/scatterctl

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# as_group GROUP COMMAND...
as_group() {
	setpriv --reuid=$NOBODY --regid="$1" --clear-groups "${@:2}" 2>/dev/null
}

group_exists() {
	systemd-sysusers "$top/lib/sysusers.d/scatter.conf" &&
		grep -q '^scatter:' /etc/group
}

# What the node is after "chgrp root" and COMMAND...
gives_away() {
	chgrp root $DEVICE && chmod 0600 $DEVICE && "$@" >/dev/null &&
		[ "$(stat -c '%a %U %G' $DEVICE)" = "660 root scatter" ]
}

# Nobody runs udevd here; udevadm tells what a rule would do.
rule_applies() {
	mkdir -p /run/udev/rules.d
	cp "$top/lib/udev/60-scatter.rules" /run/udev/rules.d
	udevadm test --action=add /sys/class/misc/scatter >"$work/said" 2>&1
	if ! grep -qE "60-scatter.rules.*GROUP $(getent group scatter | cut -d : -f 3)\b" \
		"$work/said" || ! grep -qE '60-scatter.rules.*MODE 0?660' "$work/said"; then
		sed 's/^/# /' "$work/said"
		return 1
	fi
}

# pair NAME COMMAND...: rank 0 here, rank 1 by the command; both get their halves.
pair() {
	local name=$1 other
	shift
	printf 'first.second' >"$work/in"
	"$@" "$SCATTERCTL" scatter --group "$name" --size 2 --rank 1 --timeout 60 \
		--output "$work/second" &
	other=$!
	"$SCATTERCTL" scatter --group "$name" --size 2 --rank 0 --timeout 60 \
		--file "$work/in" --output "$work/first" || return
	wait "$other" && [ "$(cat "$work/first" "$work/second")" = first.second ]
}

in_namespaces() {
	unshare --user --map-root-user --pid --fork --mount --mount-proc "$@"
}

# A name lives in the network namespace of whoever opened the file.
in_another_network() {
	! unshare --net "$SCATTERCTL" scatter --group away --size 2 --rank 1 --timeout 1 \
		--output "$work/away" 2>"$work/said" && grep -q 'not all members' "$work/said"
}

# hold ends with its input.
held_here() {
	local line
	mkfifo "$work/input" "$work/held"
	"$top/build/kselftest/hold" away 2 <"$work/input" >"$work/held" &
	exec 3>"$work/input"
	read -r -t 20 line <"$work/held" && [ "$line" = joined ]
}

tap_test "sysusers makes the group" group_exists
tap_test "tmpfiles gives it the device" \
	gives_away systemd-tmpfiles --create "$top/lib/tmpfiles.d/scatter.conf"
tap_test "so does the rule for udev" rule_applies
# shellcheck disable=SC2016 # the ranks expand it
tap_test "the group may use it" as_group scatter "$SCATTERCTL" run -n 2 -- \
	sh -c 'exec "$SCATTERCTL" scatter --file /proc/self/exe --output /dev/null'
tap_test "others may not" eval "! as_group $NOBODY cat $DEVICE"
tap_test "root may" pair root env
tap_test "a member in another user, pid and mount namespace" pair apart in_namespaces
tap_test "a name is held here" held_here
tap_test "and unknown in another network namespace" in_another_network
exec 3>&-
wait
tap_end

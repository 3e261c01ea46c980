#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Load, unload and parameters of the module. Prints TAP. As root, where the module is
# loaded (selftests/vm/run -- selftests/kselftest/load_test.sh); leaves it loaded with
# default parameters.
#
#   SCATTER_MODULE   the module's file; that of modprobe if it is not set

set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/selftests/kselftest}
PATH=$PATH:/usr/sbin:/sbin

# In the kernel's own tree all is in this directory.
tap=$here/../tap.sh hold=$top/build/kselftest/hold
[ -e "$tap" ] || tap=$here/tap.sh hold=$here/hold
# shellcheck source=selftests/tap.sh
. "$tap"

readonly DEVICE=/dev/scatter
readonly PARAMETERS=/sys/module/scatter/parameters
readonly SCATTERCTL=$top/build/scatterctl
readonly HOLD=$hold
readonly OBJECTS="group home meeting member node operation peer pin ring slot user"

# Module -------------------------------------------------------------------

is_loaded() {
	[ -d /sys/module/scatter ]
}

load() {
	insmod "$module" "$@" && [ -c $DEVICE ]
}

unload() {
	rmmod scatter && ! is_loaded && [ ! -e $DEVICE ]
}

reload() {
	unload && load "$@"
}

# Whatever a test has left.
restore() {
	exec 3>&-
	! is_loaded || rmmod scatter
	insmod "$module"
	rm -rf "$work"
}

# Members ------------------------------------------------------------------

# An operation of three members, or what comes nearest to it without the tool. Those
# that hold a group end with their standard input.
# shellcheck disable=SC2016 # the ranks expand it
works() {
	if [ ! -x "$SCATTERCTL" ]; then
		"$HOLD" works 1 </dev/null | grep -qx joined
		return
	fi
	export SCATTERCTL
	"$SCATTERCTL" run -n 3 -- sh -c 'exec "$SCATTERCTL" scatter \
		--file /proc/self/exe --output /dev/null --timeout 60'
}

is_refused() {
	local said
	if said=$(rmmod scatter 2>&1); then
		echo "# it was unloaded"
		return 1
	fi
	[[ $said == *"in use"* ]] && is_loaded && [ -c $DEVICE ] && return
	echo "# rmmod: $said"
	return 1
}

open_file() {
	local result=0
	exec 3<>$DEVICE || return
	is_refused || result=1
	works || result=1
	exec 3>&-
	return $result
}

# hold_group SIZE: one of SIZE members.
hold_group() {
	local line='' result=0 input pid
	coproc member { exec "$HOLD" load "$1"; }
	# shellcheck disable=SC2154 # coproc sets it
	pid=$member_PID
	input=${member[1]}
	read -r -t 20 line <&"${member[0]}"
	[ "$line" = joined ] || result=1
	is_refused || result=1
	works || result=1
	# It ends with its input.
	exec {input}>&-
	wait "$pid" || result=1
	return $result
}

test_use() {
	tap_test "an operation runs" works
	tap_test "an open file keeps the module" open_file
	tap_test "a group that forms keeps it" hold_group 2
	tap_test "a complete group keeps it" hold_group 1
	tap_test "nothing keeps it when they are gone" reload
	tap_test "it works as before" works
	tap_test "a second one is not loaded" second_load
}

second_load() {
	! insmod "$module" 2>/dev/null && [ -c $DEVICE ]
}

# Modes --------------------------------------------------------------------

# mode_is FILE MODE
mode_is() {
	local mode
	mode=$(stat -c %a "$1") && [ "$mode" = "$2" ] && return
	echo "# $1 has mode $mode"
	return 1
}

as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@" 2>/dev/null
}

test_modes() {
	local name
	tap_test "the device is for owner and group" mode_is $DEVICE 660
	tap_test "others cannot open it" eval "! as_nobody cat $DEVICE"
	for name in ring_bytes eager_limit gather_limit window startup_ns gap_ns spin_ns \
		peer_groups user_groups user_members user_refused user_bytes; do
		tap_test "all may read $name" mode_is "$PARAMETERS/$name" 644
	done
	tap_test "test hooks are in no build for users" eval \
		"! ls $PARAMETERS | grep -E 'drop_edge|number_max|choices_max|mute|mutants'"
}

# Parameters ---------------------------------------------------------------

# value_is NAME VALUE: in sysfs, and as INFO tells if it does.
value_is() {
	local value info
	value=$(<"$PARAMETERS/$1")
	if [ "$value" != "$2" ]; then
		echo "# $1 is $value"
		return 1
	fi
	[ -x "$SCATTERCTL" ] || return 0
	case $1 in ring_bytes | eager_limit | gather_limit | window | user_bytes) ;; *) return 0 ;; esac
	info=$("$SCATTERCTL" info --json)
	grep -qE "\"$1\": ?$2[,}]" <<<"$info" && return
	echo "# $info"
	return 1
}

write() {
	printf '%s' "$2" 2>/dev/null >"$PARAMETERS/$1"
}

# Fails if any is accepted.
refused_at_load() {
	local parameter result=0
	unload || return
	for parameter in "$@"; do
		! insmod "$module" "$parameter" 2>/dev/null && ! is_loaded &&
			[ ! -e $DEVICE ] && continue
		echo "# accepted: $parameter"
		rmmod scatter
		result=1
	done
	load && return $result
}

refused_later() {
	local parameter name before result=0
	for parameter in "$@"; do
		name=${parameter%%=*}
		before=$(<"$PARAMETERS/$name")
		! write "$name" "${parameter#*=}" &&
			[ "$(<"$PARAMETERS/$name")" = "$before" ] && continue
		echo "# accepted: $parameter"
		result=1
	done
	return $result
}

accepted_at_load() {
	local parameter result=0
	for parameter in "$@"; do
		reload "$parameter" &&
			value_is "${parameter%%=*}" "${parameter#*=}" && continue
		echo "# not accepted: $parameter"
		is_loaded || load
		result=1
	done
	reload && return $result
}

accepted_later() {
	local parameter name before result=0
	for parameter in "$@"; do
		name=${parameter%%=*}
		before=$(<"$PARAMETERS/$name")
		write "$name" "${parameter#*=}" &&
			value_is "$name" "${parameter#*=}" || result=1
		write "$name" "$before" || result=1
	done
	return $result
}

# Whether it is the turn of the next parameter: with KSELFTEST_SAMPLE=N one in N is tested,
# by KSELFTEST_SEED.
parameters=0
in_sample() {
	parameters=$((parameters + 1))
	[ $(((parameters + ${KSELFTEST_SEED:-0}) % ${KSELFTEST_SAMPLE:-1})) = 0 ]
}

# test_parameter NAME "GOOD..." "BAD...": good ones are written as sysfs shows them.
test_parameter() {
	local good bad
	in_sample || return 0
	read -r -a good <<<"$2"
	read -r -a bad <<<"$3 -1 x"
	good=("${good[@]/#/$1=}")
	bad=("${bad[@]/#/$1=}")
	tap_test "$1: bad ones are refused at load" refused_at_load "${bad[@]}" "$1=" "$1"
	tap_test "$1: bad ones are refused later" refused_later "${bad[@]}" \
		"$1=1x" "$1=0x" "$1=4294967296" "$1=18446744073709551616"
	tap_test "$1: good ones are accepted at load" accepted_at_load "${good[@]}"
	tap_test "$1: good ones are accepted later" accepted_later "${good[@]}"
}

# An eighth, at most 1 GiB; MemTotal lacks what the kernel itself took.
user_bytes_by_memory() {
	local bytes eighth
	reload user_bytes=0 || return
	bytes=$(<$PARAMETERS/user_bytes)
	eighth=$(awk '$1 == "MemTotal:" { print $2 * 128 }' /proc/meminfo)
	[ "$eighth" -lt $((1 << 30)) ] || eighth=$((1 << 30))
	[ "$bytes" -ge $((eighth - eighth / 10)) ] && [ "$bytes" -le $((eighth + eighth / 10)) ] &&
		return
	echo "# user_bytes $bytes, expected about $eighth"
	return 1
}

test_parameters() {
	test_parameter ring_bytes "4096 4194304" "0 1 2048 4095 65537 98304 8388608"
	test_parameter eager_limit "0 1048576" "1048577"
	test_parameter gather_limit "0 1048576" "1048577"
	test_parameter window "1 1048576" "0 1048577"
	test_parameter startup_ns "1 1000000000" "0 1000000001"
	test_parameter gap_ns "1 1000000000" "0 1000000001"
	test_parameter peer_groups "0 4294967295" ""
	test_parameter user_groups "0 4294967295" ""
	test_parameter user_members "0 4294967295" ""
	test_parameter user_refused "0 4294967295" ""
	tap_test "user_bytes: bad ones are refused" refused_later user_bytes=x \
		user_bytes=1x user_bytes=18446744073709551616
	tap_test "user_bytes: good ones are accepted" accepted_later user_bytes=0 \
		user_bytes=18446744073709551615
	tap_test "user_bytes is by the machine's memory" user_bytes_by_memory
	test_parameter spin_ns "0 1000000" "1000001"
}

# Cycles -------------------------------------------------------------------

# balanced MARK: what unloading logged after MARK: one line for each kind of object.
balanced() {
	local lines kinds
	lines=$(dmesg | sed "1,/$1\$/d" | grep -o 'scatter: unload: .*')
	kinds=$(cut -d ' ' -f 3 <<<"$lines" | sort | xargs)
	[ "$kinds" = "$OBJECTS" ] &&
		! awk '$(NF - 2) != $NF { bad = 1 } END { exit !bad }' <<<"$lines" &&
		awk '$3 == "group" || $3 == "member" { if (!$NF) exit 1 }' <<<"$lines" &&
		return
	echo "# ${lines//$'\n'/$'\n'# }"
	return 1
}

cycle() {
	local mark="load_test $$: cycle $1" result=0
	works || result=1
	echo "$mark" >/dev/kmsg
	unload || result=1
	balanced "$mark" || result=1
	load && return $result
}

test_cycles() {
	local i
	for i in 1 2 3; do
		tap_test "cycle $i balances" cycle "$i"
	done
	tap_test "an unused one balances" idle_cycles
	tap_test "it works after all that" works
}

idle_cycles() {
	local i
	for i in {1..5}; do
		reload || return
	done
}

# --------------------------------------------------------------------------

main() {
	if ! is_loaded; then
		tap_tests=1
		echo "ok 1 - load and unload # SKIP the module is not loaded"
		tap_end
		return
	fi
	# It is loaded a hundred times: without what only debuggers read of it.
	work=$(mktemp -d) || return
	module=$work/scatter.ko
	trap restore EXIT
	cp "${SCATTER_MODULE:-$(modinfo -n scatter)}" "$module" || return
	strip --strip-debug "$module" 2>/dev/null
	test_use
	test_modes
	test_parameters
	test_cycles
	tap_end
}

main

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of scatterctl: what scatter and gather say when others fail. A part of
# scatterctl_test.sh.

# So many files of the device are open.
references() {
	[ "$(cat /sys/module/scatter/refcnt)" = "$1" ]
}

is_full() {
	[[ $(scatterctl scatter --group "$1" --size 2 --timeout 0.1 2>&1) == *EUSERS* ]]
}

# A complete group of NAME: its root, rank 0, waits for standard input; rank 1 for it.
hold() {
	rm -f held
	mkfifo held
	scatterctl scatter --group "$1" --size 2 --rank 0 --timeout 60 \
		<held >/dev/null 2>&1 &
	root=$!
	exec 8>held
	scatterctl scatter --group "$1" --size 2 --rank 1 --timeout 60 \
		>peer.out 2>peer.err 8>&- &
	peer=$!
	wait_for references 2
	wait_for is_full "$1"
}

release() {
	exec 8>&-
	wait "$root" "$peer" 2>/dev/null
}

group_full() {
	local result=0
	hold full || return
	expect 1 '' 'the group is full: choose another --group.*EUSERS' \
		scatterctl gather --group full --size 2 || result=1
	release
	return $result
}

root_dies() {
	local status=0
	hold death || return
	kill -KILL $root
	wait "$root" 2>/dev/null
	wait $peer || status=$?
	exec 8>&-
	[ $status = 1 ] && grep -q 'rank 0 died.*ECONNRESET' peer.err
}

# A mapped file that is cut short while its member waits for the root.
file_cut_short() {
	local pid result=0
	head -c 1000000 data >short
	rm -f held
	mkfifo held
	scatterctl gather --group cut --size 2 --rank 0 --timeout 60 <held >/dev/null 2>root.err &
	pid=$!
	exec 8>held
	scatterctl gather --group cut --size 2 --rank 1 --timeout 60 --file short 2>cut.err 8>&- &
	wait_for references 2
	wait_for is_full cut
	wait_for in_ioctl $!
	truncate -s 10 short
	exec 8>&-
	wait $pid && result=1
	wait $! && result=1
	grep -q 'rank 1 could not access its own buffer.*EREMOTEIO' root.err &&
		grep -q 'cut short while it was read.*EFAULT' cut.err && return $result
	sed 's/^/# /' root.err cut.err
	return 1
}

# A signal that is no reason to end: stopped and continued.
stop_does_no_harm() {
	hold stop || return
	wait_for in_ioctl $peer
	kill -STOP $peer
	wait_for in_state $peer T
	kill -CONT $peer
	wait_for in_ioctl $peer
	echo data >&8
	exec 8>&-
	wait $peer && [ "$(cat peer.out)" = a ]
}

# The others fail at once, because of it.
first_is_reported() {
	local i
	for ((i = 0; i < 5; i++)); do
		# shellcheck disable=SC2016 # expanded by the ranks
		expect 137 '' 'rank 3 .*killed by signal 9' ranks 6 \
			'[ $SCATTER_RANK = 3 ] && exec member "$SCATTER_GROUP" 6 3 die
			exec scatterctl gather --file in.9' || return
	done
}

# One member waits; what the other one is told.
second_member() {
	local pid pattern=$1 result=0
	shift
	./lonely --file in.9 >/dev/null 2>&1 &
	pid=$!
	wait_for in_ioctl $pid
	expect 1 '' "$pattern" scatterctl scatter --group lonely --timeout 3 "$@" || result=1
	kill $pid
	wait $pid 2>/dev/null
	return $result
}

# disagree COMMAND0 COMMAND1: both members must be told.
disagree() {
	local status
	rm -f err.*
	scatterctl run -n 2 sh -c "
		[ \$SCATTER_RANK = 0 ] && exec scatterctl $1 --file in.9 2>err.0
		exec scatterctl $2 --file in.9 2>err.1" >/dev/null 2>&1
	status=$?
	[ $status = 1 ] && grep -q 'called something else.*EPROTO' err.0 err.1 && return
	sed 's/^/# /' err.*
	return 1
}

times_out() {
	local pid result=0
	rm -f held
	mkfifo held
	scatterctl scatter --group late --size 2 --rank 0 --timeout 60 \
		<held >/dev/null 2>&1 &
	pid=$!
	exec 8>held
	wait_for references 1
	expect 1 '' 'timed out without rank 0: give a longer --timeout' \
		scatterctl scatter --group late --size 2 --rank 1 --timeout 2 || result=1
	exec 8>&-
	wait $pid
	[ $? = 1 ] && return $result
}

# With --deadline-all the one that comes late is told, too.
times_out_for_all() {
	local pid result=0
	rm -f held
	mkfifo held
	scatterctl scatter --group late --size 2 --rank 0 --deadline-all --timeout 60 \
		<held >/dev/null 2>root.err &
	pid=$!
	exec 8>held
	wait_for references 1
	expect 1 '' 'scatter: timed out without rank 0: give a longer --timeout.*ETIME\)' \
		scatterctl scatter --group late --size 2 --rank 1 --deadline-all --timeout 2 ||
		result=1
	echo data >&8
	exec 8>&-
	wait $pid
	[ $? = 1 ] && grep -q 'scatter: .*(ETIME)' root.err && return $result
	sed 's/^/# /' root.err
	return 1
}

# with_member ACTION PATTERN [COMMAND]: what rank 1 is told about a rank 0 that is no
# scatterctl.
with_member() {
	local pid result=0
	rm -f member.in
	mkfifo member.in
	member mixed 2 0 "$1" <member.in &
	pid=$!
	exec 7>member.in
	# shellcheck disable=SC2086 # words
	expect 1 '' "$2" scatterctl ${3:-scatter --size 2 --rank 1} --group mixed --timeout 20 \
		7>&- || result=1
	exec 7>&-
	wait $pid
	return $result
}

mode_decides() {
	local pid result=0
	chmod 666 /dev/scatter
	./lonely --file in.9 >/dev/null 2>&1 &
	pid=$!
	wait_for in_ioctl $pid
	expect 1 '' 'mode bits do not admit you.*EACCES' \
		as_nobody scatterctl scatter --group lonely --owner 0 --size 2 --root 1 || result=1
	kill $pid
	wait $pid 2>/dev/null
	wait_for references 0
	(umask 0; exec ./lonely --mode 606 --file in.9 >/dev/null) &
	pid=$!
	wait_for in_ioctl $pid
	as_nobody scatterctl scatter --group lonely --owner 0 --size 2 --root 1 --timeout 20 >out &&
		wait $pid && head -c 5 in.9 | cmp - out || result=1
	chmod 660 /dev/scatter
	return $result
}

# with_relay COMMAND: what the root of an inter-group is told of the rounds must be what it
# has told the other side.
with_relay() {
	rm -f never
	SIDES='1 1 1' \
		with_member "relay-of-$1" 'rank 1 runs another program' \
		"$1 --sides 1,1 --side 0 --root root --file in.9 --output never" && [ ! -e never ]
}

test_failures() {
	tap_test "group full" group_full
	tap_test "rank taken" second_member 'rank is taken: .*--rank.*EADDRINUSE' \
		--size 2 --rank 1
	tap_test "another size" second_member 'same --size.*EPROTO' --size 3 --rank 0
	tap_test "join timed out" expect 1 '' 'not all members have joined.*--timeout' \
		./lonely --timeout 0.2 --file in.9
	tap_test "operation timed out" times_out
	tap_test "--deadline-all: operation timed out" times_out_for_all
	tap_test "a member died" root_dies
	tap_test "run: the first failure counts" first_is_reported
	tap_test "a member was stopped and continued" stop_does_no_harm
	tap_test "a file cut short" file_cut_short
	tap_test "a member left" with_member leave 'rank 0 left the group.*ESHUTDOWN'
	tap_test "a member revoked the group" \
		with_member revoke 'rank 0 revoked the group.*ECANCELED'
	tap_test "a member is another program" with_member scatter 'rank 0 runs another program'
	tap_test "a gather that lies about its rounds" with_relay gather
	tap_test "a scatter that lies about its rounds" with_relay scatter
	tap_test "scatter and gather" disagree scatter gather
	tap_test "different roots" disagree 'scatter --root 0' 'scatter --root 1'
	tap_test "different algorithms" disagree 'gather --algorithm linear' \
		'gather --algorithm hypercube'
	tap_test "different --uniform" disagree 'gather --uniform' gather
	tap_test "different --deadline-all" disagree scatter 'scatter --deadline-all'
	tap_test "--mode" mode_decides
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of scatterctl: the data and files of scatter and gather. A part of
# scatterctl_test.sh.

# Round trips ----------------------------------------------------------------

# Each rank: its part, then back again in a second group.
write_there_and_back() {
	cat >there-and-back <<-'END'
		#!/bin/sh
		# there-and-back ALGORITHM ROOT [OPTION OF THE ROOT]...
		algorithm=$1 root=$2
		shift 2
		scatterctl scatter --algorithm $algorithm --root $root "$@" \
			--output part.$SCATTER_RANK &&
		scatterctl gather --algorithm $algorithm --root $root \
			--group "$SCATTER_GROUP.back" --file part.$SCATTER_RANK --output back
	END
	chmod 755 there-and-back
}

# parts_are_even LENGTH RANKS: the remainder is spread over the first ones.
parts_are_even() {
	local rank length
	for ((rank = 0; rank < $2; rank++)); do
		length=$(stat -c %s "part.$rank")
		[ "$length" = $(($1 / $2 + (rank < $1 % $2))) ] && continue
		echo "# $1 bytes, $2 ranks: part $rank has $length bytes"
		return 1
	done
}

# round_trip LENGTH RANKS ALGORITHM ROOT HOW: HOW is file or pipe.
round_trip() {
	rm -f part.* back
	head -c "$1" data >"in.$1"
	if [ "$5" = file ]; then
		scatterctl run -n "$2" ./there-and-back "$3" "$4" --file "in.$1"
	else
		head -c "$1" data | scatterctl run -n "$2" ./there-and-back "$3" "$4"
	fi && parts_are_even "$1" "$2" && cmp "in.$1" back
}

round_trips() {
	local bytes ranks algorithm options
	for ranks in 1 2 3 8; do
		for bytes in 0 1 7 8 9 1048579; do
			for algorithm in linear hypercube irregular; do
				tap_test "round trip: $bytes bytes, $ranks ranks, $algorithm" \
					round_trip $bytes $ranks $algorithm 0 file
			done
		done
	done
	for algorithm in or-broadcast 'mesh --dims 2x4' 'torus --dims 8' 'knomial --ports 3' rotated \
		balanced; do
		tap_test "round trip: 8 ranks, $algorithm" \
			round_trip 1048579 8 "$algorithm" 3 file
	done
	for options in --uniform '--deadline-all --timeout 60' \
		'--uniform --deadline-all --timeout 60'; do
		for bytes in 0 1048579; do
			tap_test "round trip: $bytes bytes, 4 ranks, $options" \
				round_trip $bytes 4 "auto $options" 1 file
		done
	done
	for bytes in 0 9 196608 1048579; do
		tap_test "round trip: $bytes bytes through a pipe, root 2 of 3" \
			round_trip $bytes 3 auto 2 pipe
	done
	tap_test "round trip: a file that can be divided" \
		round_trip 1048576 8 auto 5 file
}

# The rest of standard input only, as it is a file.
reads_from_where_it_is() {
	printf 'first\nsecond\n' >lines
	{ read -r _; scatterctl scatter --group g --size 1; } <lines >out &&
		[ "$(cat out)" = second ] || return
	{ read -r _; scatterctl gather --group g --size 1; } <lines >out &&
		[ "$(cat out)" = second ]
}

# Parts of different lengths, a mapped file padded among them.
gathers_unequal() {
	: >u.0
	head -c 70001 data >u.1
	head -c 1 data >u.2
	head -c 4096 data >u.3
	# shellcheck disable=SC2016 # expanded by the ranks
	ranks 4 'scatterctl gather --root 3 --file u.$SCATTER_RANK --output all' &&
		cat u.0 u.1 u.2 u.3 | cmp - all || return
	# shellcheck disable=SC2016 # expanded by the ranks
	ranks 4 'cat u.$SCATTER_RANK | scatterctl gather' | cmp - all
}

reads_proc() {
	[ "$(scatterctl scatter --group g --size 1 --file /proc/version)" = \
		"$(cat /proc/version)" ]
}

# counters OPTION PATTERN: of 8 ranks; the root's line must match.
counters() {
	expect 0 '' "$2" scatterctl run -n 8 sh -c \
		"[ \$SCATTER_RANK = 0 ] || exec scatterctl scatter --algorithm hypercube >/dev/null
		exec scatterctl scatter --algorithm hypercube --file in.9 $1 >/dev/null"
}

test_data() {
	round_trips
	tap_test "standard input from where it is" reads_from_where_it_is
	tap_test "gather: parts of any length" gathers_unequal
	tap_test "a file of procfs" reads_proc
	tap_test "--file -, --output -" expect 0 '' '' \
		scatterctl scatter --group g --size 1 --file - --output -
	# Two operations with edges: the header and the data.
	tap_test "--verbose" counters --verbose '^rank 0 total: startups 14 .* rounds 3 '
	tap_test "--json" counters --json '"total":\{"startups":14,.*"rounds":3,'
	tap_test "--json is JSON" json err
	# shellcheck disable=SC2016 # expanded by the ranks
	tap_test "any rank" ranks 4 'SCATTER_RANK= scatterctl gather --file in.9 >/dev/null'
	tap_test "--rank any" ranks 4 'scatterctl gather --rank any --file in.9 >/dev/null'
	# shellcheck disable=SC2016 # expanded by the ranks
	tap_test "--rank" ranks 4 'scatterctl gather --rank $((3 - SCATTER_RANK)) --file in.9 >/dev/null'
	tap_test "options instead of run" options_alone
}

options_alone() {
	scatterctl scatter --group g --size 2 --rank 1 --output one &
	scatterctl scatter --group g --size 2 --rank 0 --file in.9 --output zero --timeout 9 &&
		wait $! && cat zero one | cmp - in.9
}

# Output files ---------------------------------------------------------------

no_parts_left() {
	[ -z "$(find . -name '*.part-*')" ]
}

keeps_the_old() {
	local pid
	echo old >kept
	./lonely --file in.9 --output kept &
	pid=$!
	wait_for in_ioctl $pid
	kill -TERM $pid
	wait $pid 2>/dev/null
	[ $? = 143 ] && [ "$(cat kept)" = old ] && no_parts_left || return
	expect 1 '' 'timed out' ./lonely --file in.9 --output kept --timeout 0.2 &&
		[ "$(cat kept)" = old ] && no_parts_left
}

# without_proc COMMAND...: a file cannot get its name later, so it has one at once.
without_proc() {
	# shellcheck disable=SC2016 # expanded by the shell inside
	exec unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"
}

named_too() {
	local pid
	echo old >kept
	(without_proc ./lonely --file in.9 --output kept) &
	pid=$!
	wait_for eval 'ls kept.part-* >/dev/null 2>&1' && wait_for in_ioctl $pid
	kill -TERM $pid
	wait $pid 2>/dev/null
	[ $? = 143 ] && [ "$(cat kept)" = old ] && no_parts_left || return
	rm -f kept
	(without_proc scatterctl scatter --group alone --size 1 --file in.9 --output kept) &&
		cmp kept in.9 && no_parts_left
}

# SIGKILL too: there is no name to leave behind.
nameless() {
	local pid
	rm -f fresh.file
	./lonely --file in.9 --output fresh.file &
	pid=$!
	wait_for in_ioctl $pid
	kill -KILL $pid
	wait $pid 2>/dev/null
	[ ! -e fresh.file ] && no_parts_left
}

# A file that came while the data was under way is replaced, as with rename().
came_meanwhile() {
	local pid
	rm -f late
	mkfifo slow
	alone_from slow --output late &
	pid=$!
	exec 8>slow
	wait_for references 1
	echo other >late
	echo data >&8
	exec 8>&-
	wait $pid && [ "$(cat late)" = data ] && no_parts_left
}

alone_from() {
	exec scatterctl scatter --group alone --size 1 --file "$@"
}

# What is behind the names of descriptors is written where it is.
writes_descriptors() {
	local path
	for path in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
		echo first >descriptor
		alone --output $path >>descriptor || return
		{ echo first; cat in.9; } | cmp - descriptor || return
	done
	expect 1 '' '/dev/fd/77: Bad file' alone --output /dev/fd/77 &&
		expect 1 '' '/dev/fd/x: No such' alone --output /dev/fd/x
}

name_too_long() {
	local name
	name=$(printf '%0250d' 0)
	expect 1 '' 'File name too long' alone --output "$name" &&
		: >"$name" && expect 1 '' 'File name too long' alone --output "$name"
}

alone() {
	scatterctl scatter --group alone --size 1 --file in.9 "$@"
}

replaces_whole() {
	local inode
	echo old >target
	chmod 640 target
	ln -s target link
	inode=$(stat -c %i target)
	alone --output link && cmp target in.9 && [ -L link ] &&
		[ "$(stat -c %a target)" = 640 ] && [ "$(stat -c %i target)" != "$inode" ]
}

new_file_mode() {
	(umask 027; alone --output fresh.file) && [ "$(stat -c %a fresh.file)" = 640 ]
}

writes_devices() {
	alone --output /dev/null && [ -c /dev/null ] && [ -z "$(ls /dev/null.*  2>/dev/null)" ]
}

test_output() {
	tap_test "--output: interrupted or failed, the old file stays" keeps_the_old
	tap_test "--output: with a temporary name" named_too
	tap_test "--output: killed, nothing stays" nameless
	tap_test "--output: a file that came meanwhile" came_meanwhile
	tap_test "--output: descriptors" writes_descriptors
	tap_test "--output: a name that is too long" name_too_long
	tap_test "--output: replaces a file at once, through a link" replaces_whole
	tap_test "--output: mode of a new file" new_file_mode
	tap_test "--output: a device" writes_devices
	tap_test "--output: no space" expect 1 '' '/dev/full: No space' alone --output /dev/full
	tap_test "--output: no directory" expect 1 '' 'no/where: No such file' \
		alone --output no/where
	tap_test "--output: a directory" expect 1 '' 'Is a directory' alone --output .
	tap_test "--file: missing" expect 1 '' 'missing: No such file' \
		./lonely --file missing
	tap_test "--file: a directory" expect 1 '' 'Is a directory' \
		scatterctl gather --group g --size 1 --file .
	tap_test "full standard output of a part" full_part
}

full_part() {
	local status=0
	alone >/dev/full 2>err || status=$?
	[ $status = 1 ] && grep -q 'No space left' err
}

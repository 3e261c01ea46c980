# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of scatterctl: data in chunks, what interrupted runs leave, progress. A part of
# scatterctl_test.sh, which sets $work.
#
# shellcheck disable=SC2154

# Chunks ---------------------------------------------------------------------

# Each rank: its part, and back into a file and, in a third group, into a pipe.
write_in_chunks() {
	cat >in-chunks <<-'END'
		#!/bin/sh
		# in-chunks CHUNK [OPTION OF THE ROOT]...
		chunk=$1
		shift
		scatterctl scatter --chunk $chunk "$@" --output part.$SCATTER_RANK &&
		scatterctl gather --chunk $chunk --group "$SCATTER_GROUP.file" \
			--file part.$SCATTER_RANK --output back || exit
		[ $SCATTER_RANK = 0 ] || exec scatterctl gather \
			--group "$SCATTER_GROUP.pipe" --file part.$SCATTER_RANK
		scatterctl gather --chunk $chunk --group "$SCATTER_GROUP.pipe" \
			--file part.0 | cat >back.pipe
	END
	chmod 755 in-chunks
}

# in_chunks LENGTH RANKS CHUNK HOW: HOW is file or pipe.
in_chunks() {
	rm -f part.* back back.pipe
	head -c "$1" data >"in.$1"
	if [ "$4" = file ]; then
		scatterctl run -n "$2" ./in-chunks "$3" --file "in.$1"
	else
		head -c "$1" data | scatterctl run -n "$2" ./in-chunks "$3"
	fi && parts_are_even "$1" "$2" && cmp "in.$1" back && cmp "in.$1" back.pipe
}

chunks() {
	local bytes how
	for how in file pipe; do
		for bytes in 0 1 3 99 100 101 299 300 301 303 1000; do
			tap_test "chunks of 100: $bytes bytes, 3 ranks, from a $how" \
				in_chunks $bytes 3 100 $how
		done
		# Long enough to be mapped.
		for bytes in 65536 131071 131072 131073 1048579; do
			tap_test "chunks of 64K: $bytes bytes, 2 ranks, from a $how" \
				in_chunks $bytes 2 64K $how
		done
	done
	tap_test "chunks of 65537 bytes" in_chunks 1048579 4 65537 file
	tap_test "chunks of 1 byte" in_chunks 99 4 1 file
	tap_test "chunks of 1G" in_chunks 1048579 2 1G file
	tap_test "the default chunk" default_chunk
	tap_test "parts of different lengths in chunks" unequal_chunks
	tap_test "an input with an offset in chunks" offset_chunks
}

# More than 4 MiB for each rank.
default_chunk() {
	head -c 9437189 /dev/urandom >large
	# shellcheck disable=SC2016 # expanded by the ranks
	ranks 2 'scatterctl scatter --file large --output part.$SCATTER_RANK --json' 2>err &&
		cat part.0 part.1 | cmp - large || return
	# The header, two rounds, the end.
	[ "$(grep -c '"operations":4,' err)" = 2 ]
}

unequal_chunks() {
	: >u.0
	head -c 170001 data >u.1
	head -c 1 data >u.2
	head -c 65536 data >u.3
	# shellcheck disable=SC2016 # expanded by the ranks
	ranks 4 'scatterctl gather --chunk 64K --root 2 --file u.$SCATTER_RANK --output all' &&
		cat u.0 u.1 u.2 u.3 | cmp - all || return
	# shellcheck disable=SC2016 # expanded by the ranks
	ranks 4 'cat u.$SCATTER_RANK | scatterctl gather --chunk 1000' | cat >all &&
		cat u.0 u.1 u.2 u.3 | cmp - all
}

offset_chunks() {
	{ head -c 1001 >/dev/null; scatterctl scatter --group g --size 1 --chunk 64K; } \
		<data >out && tail -c +1002 data | cmp - out
}

# counts_operations NUMBER OPTION...
counts_operations() {
	expect 0 '' "\"operations\":$1," scatterctl scatter --group g --size 1 \
		--file in.9 --json --output nine "${@:2}" && cmp nine in.9
}

# Memory ---------------------------------------------------------------------

# limited KIB RANKS SCRIPT: with so little address space for each process.
limited() {
	(ulimit -v "$1" && ranks "$2" "$3")
}

# 96 MiB with 24 MiB, of which the programs and their libraries take most.
larger_than_memory() {
	local result=0
	truncate -s 96M huge
	for ((i = 0; i < 96; i += 5)); do
		dd if=data of=huge bs=1M seek=$i count=1 conv=notrunc status=none
	done
	echo end >>huge
	# shellcheck disable=SC2016 # expanded by the ranks
	limited 24000 2 'scatterctl scatter --chunk 1M --file huge --output part.$SCATTER_RANK &&
		scatterctl gather --chunk 1M --group $SCATTER_GROUP.back \
			--file part.$SCATTER_RANK --output back' &&
		rm part.[01] && cmp huge back && rm back || result=1
	# shellcheck disable=SC2016 # expanded by the ranks
	limited 24000 1 'cat huge | scatterctl scatter --chunk 1M | cmp - huge' || result=1
	rm -f huge back part.[01]
	return $result
}

too_large_chunk() {
	(ulimit -v 24000 && expect 1 '' 'out of memory: .*smaller --chunk' \
		scatterctl scatter --group g --size 1 --chunk 1G --file "$1" --output out.1) &&
		[ ! -e out.1 ] && no_parts_left
}

# Streams are kept in files.
spools() {
	local directory=$work/spool
	mkdir -p "$directory"
	mount -t tmpfs -o size=64k none "$directory" || return
	expect 1 '' "$directory, to keep .*: No space.*TMPDIR" \
		env TMPDIR="$directory" scatterctl scatter --group g --size 1 --file <(cat data) &&
		[ -z "$(ls -A "$directory")" ] &&
		head -c 50000 data | TMPDIR=$directory scatterctl scatter --group g --size 1 |
		cmp -n 50000 - data && [ -z "$(ls -A "$directory")" ]
	local result=$?
	umount "$directory"
	[ $result = 0 ] && expect 1 '' '/no/where, to keep .*: No such file' \
		env TMPDIR=/no/where scatterctl scatter --group g --size 1 || return
	# Memory will do where there is nothing else.
	# shellcheck disable=SC2016 # expanded by the shell inside
	unshare -m sh -c 'mount -t tmpfs -o ro none /var/tmp && mount --bind "$PWD" /mnt &&
		mount -t tmpfs -o ro none /tmp && cd /mnt &&
		head -c 300000 data | ./scatterctl scatter --group g --size 1 |
		cmp -n 300000 - data'
}

# Interruptions --------------------------------------------------------------

# Whether a process has written so many bytes.
has_written() {
	local bytes
	bytes=$(sed -n 's/^wchar: //p' "/proc/$1/io") && [ "$bytes" -ge "$2" ]
}

dead() {
	[[ $(ps -o s= -p "$1") = [Z]* ]] || ! kill -0 "$1" 2>/dev/null
}

# A scatter of 3, the middle one of which can write no more: members 0 and 2 wait.
stuck_scatter() {
	rm -f stuck new.2
	mkfifo stuck
	exec 8<>stuck
	echo old >kept
	fresh scatterctl scatter --group stuck --size 3 --rank 0 --file data \
		--chunk 64K --output kept >/dev/null 2>err.0 8>&- &
	members=($!)
	fresh scatterctl scatter --group stuck --size 3 --rank 1 --output stuck 2>err.1 8>&- &
	members+=($!)
	fresh scatterctl scatter --group stuck --size 3 --rank 2 --output new.2 2>err.2 8>&- &
	members+=($!)
	wait_for in_write "${members[1]}" && wait_for in_ioctl "${members[0]}" &&
		wait_for in_ioctl "${members[2]}"
}

# Of 2, in so small chunks that it takes long.
slow_gather() {
	echo old >kept
	fresh scatterctl gather --group slow --size 2 --rank 0 --file data \
		--chunk 1 --output kept 2>err.0 &
	members=($!)
	fresh scatterctl gather --group slow --size 2 --rank 1 --file data 2>err.1 &
	members+=($!)
	wait_for has_written "${members[0]}" 20
}

# interrupted WHAT RANK SIGNAL: it dies of it, all the others fail, no file changes.
interrupted() {
	local rank status
	"$1" || return
	kill -s "$3" "${members[$2]}"
	wait_for dead "${members[$2]}"
	# Nobody reads any more: the one that is stuck, and awaited, dies of SIGPIPE.
	exec 8>&-
	for ((rank = 0; rank < ${#members[@]}; rank++)); do
		[ $rank = 1 ] && [ "$1" = stuck_scatter ] && continue
		status=0
		wait "${members[rank]}" 2>/dev/null || status=$?
		[ $rank != "$2" ] || status=$((status - 128 - $(kill -l "$3") + 1))
		[ $status = 1 ] && continue
		echo "# rank $rank: status $status"
		return 1
	done
	wait
	[ "$(cat kept)" = old ] && [ ! -e new.2 ] && no_parts_left || return
	cat err.* | grep -q 'rank [012] died.*ECONNRESET'
}

# Nobody's file gets its name if one cannot write.
one_cannot_write() {
	local result
	rm -f part.*
	mkdir -p small
	mount -t tmpfs -o size=64k none small || return
	# shellcheck disable=SC2016 # expanded by the ranks
	expect 1 '' 'small/part: No space left' ranks 3 \
		'[ $SCATTER_RANK = 1 ] && exec scatterctl scatter --output small/part
		exec scatterctl scatter --file data --output part.$SCATTER_RANK' &&
		[ -z "$(ls -A small)" ] && ! ls part.* 2>/dev/null && no_parts_left
	result=$?
	umount small
	[ $result = 0 ] || return
	# shellcheck disable=SC2016 # expanded by the ranks
	expect 1 '' 'standard output: No space left' ranks 3 \
		'[ $SCATTER_RANK = 1 ] && exec scatterctl scatter >/dev/full
		exec scatterctl scatter --file in.9 --output part.$SCATTER_RANK' &&
		! ls part.* 2>/dev/null && no_parts_left
}

# The space is taken before anything is moved.
no_space_to_gather() {
	local result
	mkdir -p small
	mount -t tmpfs -o size=64k none small || return
	expect 1 '' 'small/all: No space left' \
		ranks 2 'exec scatterctl gather --file data --output small/all' &&
		[ -z "$(ls -A small)" ]
	result=$?
	umount small
	return $result
}

too_large_file() {
	local status=0
	rm -f limited
	(ulimit -f 8 && exec scatterctl gather --group g --size 1 --file data \
		--output limited) 2>err || status=$?
	[ $status != 0 ] && [ ! -e limited ] && no_parts_left
}

# Progress -------------------------------------------------------------------

# on_terminal COMMAND: what the terminal gets, a line for each time it is written.
on_terminal() {
	terminal "$1" </dev/null | tr -s '\r' '\n' >typescript
}

shows() {
	matches typescript "$1" && return
	sed 's/^/# /' typescript
	return 1
}

shows_progress() {
	on_terminal "scatterctl run -n 3 sh -c 'scatterctl scatter --chunk 64K --file data \
		--output part.\$SCATTER_RANK'"
	shows '^scatter +0% \[>? *\] 0 B of 1.0 MiB, 0 B/s, ETA -:--' &&
		shows '^scatter 100% \[=+\] 1.0 MiB of 1.0 MiB, [0-9.]+ .i?B/s, took 0:' ||
		return
	# Only the root's.
	[ "$(grep -c '^scatter 100%' typescript)" = 1 ] || return
	on_terminal "scatterctl run -n 3 sh -c 'scatterctl gather --file part.\$SCATTER_RANK \
		--output back'"
	shows '^gather 100% .*1.0 MiB of 1.0 MiB, ' && cmp back data
}

shows_reading() {
	on_terminal "cat data | scatterctl scatter --group g --size 1 --output read"
	shows '^reading 0 B, ' && shows '^scatter 100%' && cmp read data
}

updates_seldom() {
	local updates began=${EPOCHREALTIME/./} took_ms
	on_terminal "head -c 20000 data >few; scatterctl scatter --group g --size 1 \
		--chunk 1 --file few --output read"
	took_ms=$(((${EPOCHREALTIME/./} - began) / 1000))
	updates=$(grep -c ETA typescript)
	[ "$updates" -le $((took_ms / 100 + 1)) ] && cmp read few && return
	echo "# $updates updates in $took_ms ms"
	return 1
}

fits_the_terminal() {
	local line
	on_terminal "stty cols 40; scatterctl scatter --group g --size 1 --file data --output read"
	shows '^scatter 100% 1.0 MiB of 1.0 MiB' || return
	while IFS= read -r line; do
		[ ${#line} -lt 40 ] || return
	done <typescript
}

# A message has a line of its own.
gives_way() {
	on_terminal "scatterctl scatter --group g --size 1 --file data --output /dev/full"
	shows '^ *$' && shows '^scatterctl scatter: /dev/full: No space' &&
		! grep -q 100% typescript
}

is_quiet() {
	on_terminal "scatterctl $1 --group g --size 1 --file data --output read $2"
	[ ! -s typescript ] && cmp read data
}

# Errors are not what it silences.
quiet_about_progress() {
	expect 1 '' 'missing: No such file' scatterctl gather --quiet --group g --size 1 \
		--file missing
}

test_stream() {
	local members signal
	write_in_chunks
	chunks
	# The header, each chunk, the end.
	tap_test "--chunk 4: operations" counts_operations 5 --chunk 4
	tap_test "--chunk 9: operations" counts_operations 3 --chunk 9
	tap_test "--chunk 1K: operations" counts_operations 3 --chunk 1K
	tap_test "files larger than memory" larger_than_memory
	head -c 67108864 /dev/zero >zeros
	tap_test "a chunk larger than memory" too_large_chunk zeros
	rm zeros
	tap_test "streams are kept in TMPDIR" spools
	for signal in INT TERM HUP KILL; do
		tap_test "scatter: the root dies of SIG$signal" \
			interrupted stuck_scatter 0 $signal
		tap_test "scatter: another rank dies of SIG$signal" \
			interrupted stuck_scatter 2 $signal
		tap_test "gather: the root dies of SIG$signal" \
			interrupted slow_gather 0 $signal
		tap_test "gather: another rank dies of SIG$signal" \
			interrupted slow_gather 1 $signal
	done
	tap_test "scatter: one rank has no space" one_cannot_write
	tap_test "gather: the root has no space" no_space_to_gather
	tap_test "gather: a file too large for ulimit -f" too_large_file
	tap_test "progress on a terminal" shows_progress
	tap_test "progress while a stream is read" shows_reading
	tap_test "progress ten times a second" updates_seldom
	tap_test "progress on a narrow terminal" fits_the_terminal
	tap_test "progress gives way to messages" gives_way
	tap_test "no progress without a terminal" expect 0 '' '' \
		scatterctl scatter --group g --size 1 --file data --output read
	tap_test "scatter --quiet" is_quiet scatter --quiet
	tap_test "gather --quiet" is_quiet gather --quiet
	tap_test "--quiet: errors" quiet_about_progress
}

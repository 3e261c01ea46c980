# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of scatterctl: groups that are descriptors, those that have sides, and --vector.
# A part of scatterctl_test.sh.

# Descriptors ------------------------------------------------------------------

# by_descriptor LENGTH RANKS OPTIONS: there by one descriptor and back by another.
by_descriptor() {
	rm -f part.* back
	head -c "$1" data >in.fd
	# shellcheck disable=SC2016 # expanded by the ranks
	ranks "$2" "scatterctl scatter $3 --file in.fd --output part.\$SCATTER_RANK" \
		--descriptor &&
		parts_are_even "$1" "$2" &&
		ranks "$2" "scatterctl gather $3 --file part.\$SCATTER_RANK --output back" \
			--descriptor && cmp in.fd back
}

descriptor_environment() {
	# shellcheck disable=SC2016 # expanded by the ranks
	SCATTER_GROUP=x ranks 2 'echo "${SCATTER_GROUP-none} $SCATTER_SIZE $((SCATTER_FD > 9))"' \
		--descriptor >out && [ "$(uniq out)" = 'none 2 1' ] || return
	# shellcheck disable=SC2016 # expanded by the ranks
	SCATTER_FD=9 SCATTER_SIDES=1,1 SCATTER_SIDE=1 \
		ranks 2 'echo ${SCATTER_FD-none}${SCATTER_SIDES-none}${SCATTER_SIDE-none}' >out
	[ "$(uniq out)" = nonenonenone ]
}

# The group ends with its ranks: a name has nothing to join it by, nor has the tool.
descriptor_is_closed() {
	wait_for references 0
}

# Who has the descriptor needs no right to the device.
descriptor_without_device() {
	rm -f back
	# shellcheck disable=SC2016 # expanded by the ranks
	scatterctl run -n 3 --descriptor -- setpriv --reuid=65534 --regid=65534 \
		--clear-groups sh -c '! scatterctl info 2>/dev/null &&
			scatterctl gather --file in.9' >back && cat in.9 in.9 in.9 | cmp - back
}

# The group has a name although there is a descriptor, and the other way round.
descriptor_or_name() {
	# shellcheck disable=SC2016 # expanded by the ranks
	ranks 2 'SCATTER_GROUP=named scatterctl gather --file in.9 --json' --descriptor \
		>/dev/null 2>err && [ "$(grep -c '"group":"named"' err)" = 2 ] || return
	# shellcheck disable=SC2016 # expanded by the ranks
	ranks 2 'SCATTER_GROUP=named scatterctl gather --fd $SCATTER_FD --file in.9 --json' \
		--descriptor >/dev/null 2>err && [ "$(grep -c '"group":null' err)" = 2 ]
}

# of_descriptor RANK OPTIONS COMMAND: what one rank prints of its descriptor; before RANK
# its side, if there are any.
of_descriptor() {
	# shellcheck disable=SC2086 # a list of words
	scatterctl run $2 --descriptor -- sh -c "
		[ \$SCATTER_SIDE\$SCATTER_RANK != $1 ] || exec $3"
}

test_descriptors() {
	local bytes
	tap_test "run --descriptor: environment" descriptor_environment
	for bytes in 0 9 1048579; do
		tap_test "run --descriptor: $bytes bytes there and back" \
			by_descriptor $bytes 4 '--root 2'
	done
	tap_test "run --descriptor: is closed in the end" descriptor_is_closed
	tap_test "run --descriptor: without the device" descriptor_without_device
	tap_test "a name or a descriptor" descriptor_or_name
	tap_test "run --descriptor: no device" expect 1 '' \
		'cannot create a group: no /dev/scatter.*ENOENT' \
		other_dev : 'scatterctl run -n 2 --descriptor -- echo never'
	tap_test "run --descriptor: no permission" expect 1 '' \
		'cannot create a group: .*add yourself to group scatter.*EACCES' \
		as_nobody scatterctl run -n 2 --descriptor -- echo never
	# shellcheck disable=SC2016 # expanded by the ranks
	tap_test "--fd: the rank is taken" expect 1 '' \
		'cannot join by descriptor [0-9]+: the rank is taken.*EADDRINUSE' \
		ranks 2 'scatterctl gather --rank 0 --file in.9 --timeout 60 >/dev/null' --descriptor
	# shellcheck disable=SC2016 # expanded by the ranks
	tap_test "--fd: the group was complete" expect 1 '' 'the group is full.*EUSERS' \
		scatterctl run -n 1 --descriptor -- sh -c \
		'scatterctl gather --file in.9 >/dev/null && scatterctl gather --file in.9'
	tap_test "--fd: another size" expect 2 '' '--size 3: the group of descriptor [0-9]+ has 1' \
		of_descriptor 0 '-n 1' 'scatterctl gather --size 3 --file in.9'
	tap_test "--fd: no such rank" expect 2 '' 'rank 1: a group of 1' \
		of_descriptor 0 '-n 1' 'scatterctl gather --rank 1 --file in.9'
	tap_test "--fd: --mode" expect 2 '' '--mode is for groups that have a name' \
		of_descriptor 0 '-n 1' 'scatterctl gather --mode 600 --file in.9'
	tap_test "--fd: not open" expect 1 '' 'descriptor 33: .*EBADF' \
		scatterctl gather --fd 33
	tap_test "--fd: another file" expect 1 '' 'not one of /dev/scatter' \
		scatterctl gather --fd 0
	tap_test "--fd: the device" expect 1 '' 'descriptor 9: it has not joined a group, and is none' \
		bash -c 'scatterctl scatter --fd 9 9<>/dev/scatter'
	tap_test "--fd: a member's" expect 1 '' "descriptor [0-9]+: it is a member's, not a group's" \
		member fd 1 0 run scatterctl gather
	# shellcheck disable=SC2016 # expanded by the ranks
	tap_test "status --fd: a group" expect 0 '^rank +-$' '' of_descriptor 0 '-n 2' \
		'scatterctl status --fd $SCATTER_FD'
	tap_test "status --fd: nobody has joined" \
		eval "grep -qE '^state +forming' out && grep -qE '^missing +0-1$' out"
	tap_test "status --fd: the group's id, and no counters of its own" \
		eval "grep -qE '^id +[0-9a-f]{32}$' out && grep -q '^own: startups 0 ' out"
	# shellcheck disable=SC2016 # expanded by the ranks
	tap_test "status --fd --json: a group" expect 0 \
		'"rank":null,"size":2,"side":null,"sides":null,"joined":0,' '' of_descriptor 0 '-n 2' \
		'scatterctl status --json --fd $SCATTER_FD'
	tap_test "status --fd --json is JSON of a group" json out
}

# Owners -----------------------------------------------------------------------

# Another user waits in a group that everybody may join; then COMMAND... runs.
while_nobody_waits() {
	local waiter status=0
	chmod 666 /dev/scatter
	# Not as_nobody: that would be a process of its own in front of the tool.
	setpriv --reuid=65534 --regid=65534 --clear-groups sh -c 'umask 0
		exec scatterctl scatter --group shared --size 2 --rank 0 --mode 666 --file in.9 \
			--timeout 60' >part.0 &
	waiter=$!
	wait_for in_ioctl $waiter && "$@" || status=$?
	kill $waiter 2>/dev/null
	wait $waiter
	chmod 660 /dev/scatter
	return $status
}

as_rank_1() {
	scatterctl scatter --group shared --size 2 --rank 1 "$@"
}

# owned_by USER: both get their halves.
owned_by() {
	as_rank_1 --owner "$1" --timeout 60 >part.1 && wait "$waiter" &&
		cat part.0 part.1 | cmp - in.9
}

# What a member of root's waits in, which root cannot create.
not_exclusive() {
	local waiter status=0
	./lonely >/dev/null &
	waiter=$!
	wait_for in_ioctl $waiter && expect 1 '' 'you have such a group: .*EEXIST' \
		scatterctl gather --group lonely --size 2 --exclusive --file in.9 || status=$?
	kill $waiter
	wait $waiter
	return $status
}

gathers_alone() {
	scatterctl gather --group g --size 1 --file in.9 "$@" | cmp - in.9
}

test_owners() {
	tap_test "a name of another user's is another group" while_nobody_waits \
		expect 1 '' 'not all members have joined.*ETIMEDOUT' as_rank_1 --timeout 1
	tap_test "--owner: by name" while_nobody_waits owned_by nobody
	tap_test "--owner: by number" while_nobody_waits owned_by 65534
	tap_test "--owner: no such group" expect 1 '' 'the owner has no such group: .*ENOENT' \
		scatterctl gather --group g --size 1 --owner 4711 --file in.9
	tap_test "--owner: oneself" gathers_alone --owner 0
	tap_test "--exclusive" gathers_alone --exclusive
	tap_test "--exclusive: the name is in use" not_exclusive
	tap_test "--local, on a node without peers" gathers_alone --local
	tap_test "--fd: --local" expect 2 '' '--local is for groups that have a name' \
		of_descriptor 0 '-n 1' 'scatterctl gather --local --file in.9'
	tap_test "--fd: --owner" expect 2 '' '--owner is for groups that have a name' \
		of_descriptor 0 '-n 1' 'scatterctl gather --owner 0 --file in.9'
	tap_test "--fd: --exclusive" expect 2 '' '--exclusive is for groups that have a name' \
		of_descriptor 0 '-n 1' 'scatterctl gather --exclusive --file in.9'
}

# Sides ------------------------------------------------------------------------

# across LENGTH SIDES ROOT OPTIONS [OPTION OF RUN]: from rank ROOT of side 0 to the other
# side, and back; ranks of its side write nothing.
across() {
	rm -f part.* back side.*
	head -c "$1" data >in.sides
	cat >across.sh <<-END
		root=null
		[ \$SCATTER_SIDE = 0 ] || root=$3
		[ \$SCATTER_SIDE\$SCATTER_RANK != 0$3 ] || root=root
		case \$root in
		[0-9]*) file=part.\$SCATTER_RANK ;;
		*) file=never ;;
		esac
		case \$1 in
		there) exec scatterctl scatter --root \$root $4 --file in.sides --output \$file ;;
		back) exec scatterctl gather --root \$root $4 --file \$file --output back ;;
		esac
	END
	scatterctl run --sides "$2" "${@:5}" -- sh across.sh there &&
		parts_are_even "$1" "${2#*,}" && [ ! -e never ] &&
		scatterctl run --sides "$2" "${@:5}" -- sh across.sh back && cmp in.sides back
}

sides_environment() {
	# shellcheck disable=SC2016 # expanded by the ranks
	scatterctl run --sides 1,2 -- sh -c \
		'echo $SCATTER_SIDES/$SCATTER_SIDE/$SCATTER_RANK/$SCATTER_SIZE' >out &&
		[ "$(sort out | xargs)" = '1,2/0/0/3 1,2/1/0/3 1,2/1/1/3' ]
}

# The same without run.
sides_by_options() {
	local first second
	scatterctl scatter --group s --sides 1,2 --side 1 --root 0 --timeout 60 >part.a &
	first=$!
	scatterctl scatter --group s --sides 1,2 --side 1 --rank 1 --root 0 --size 3 \
		--timeout 60 >part.b &
	second=$!
	scatterctl scatter --group s --sides 1,2 --side 0 --root root --timeout 60 --json \
		<in.9 >part.root 2>err && wait $first && wait $second &&
		cat part.a part.b | cmp - in.9 && [ ! -s part.root ] &&
		grep -q '"rank":0,"side":0,"size":3,"root":"root",' err
}

# different_roots ROOT0 ROOT1 ERRNO: of two sides with a rank each; both must be told.
different_roots() {
	local status=0
	rm -f err.*
	scatterctl run --sides 1,1 -- sh -c "
		[ \$SCATTER_SIDE = 0 ] &&
			exec scatterctl gather --timeout 60 --root $1 --file in.9 2>err.0
		exec scatterctl gather --timeout 60 --root $2 --file in.9 2>err.1" \
		>/dev/null 2>&1 || status=$?
	[ $status = 1 ] && grep -q EPROTO err.0 err.1 && return
	sed 's/^/# /' err.*
	return 1
}

test_sides() {
	local sides bytes
	tap_test "run --sides: environment" sides_environment
	for sides in 1,1 1,4 4,1 3,3; do
		for bytes in 0 7 1048579; do
			tap_test "sides $sides: $bytes bytes across and back" \
				across $bytes $sides 0 ''
		done
	done
	tap_test "sides: another root" across 1048579 3,4 2 ''
	tap_test "sides: in chunks" across 1048579 3,3 1 '--chunk 64K'
	tap_test "sides: --uniform" across 1048579 2,3 1 --uniform
	tap_test "sides: an algorithm" across 1048579 2,3 1 '--algorithm balanced'
	tap_test "sides: run --descriptor" across 1048579 2,3 1 '' --descriptor
	tap_test "sides: --sides, --side" sides_by_options
	tap_test "sides: roots on both sides" different_roots root root
	tap_test "sides: no root" different_roots null 0
	tap_test "sides: everybody names a root" different_roots 0 0
	# shellcheck disable=SC2016 # expanded by the ranks
	tap_test "sides: of a descriptor" expect 0 '^side +- of 2 and 1$' '' of_descriptor 01 \
		'--sides 2,1' 'scatterctl status --fd $SCATTER_FD'
	# shellcheck disable=SC2016 # expanded by the ranks
	tap_test "sides: of a descriptor, --json" expect 0 '"side":null,"sides":\[2,1\]' '' \
		of_descriptor 01 '--sides 2,1' 'scatterctl status --json --fd $SCATTER_FD'
	tap_test "sides: other ones than the descriptor's" expect 2 '' \
		'--sides 1,2: the group of descriptor [0-9]+ has 2,1' \
		of_descriptor 01 '--sides 2,1' 'scatterctl gather --sides 1,2 --root 0'
	tap_test "sides: a descriptor without" expect 2 '' '--side 1: the group has no sides' \
		of_descriptor 0 '-n 1' 'scatterctl gather --side 1'
	tap_test "sides: which root?" expect 2 '' 'which root\?' \
		scatterctl run --sides 1,1 -- scatterctl scatter
}

# Vectors ----------------------------------------------------------------------

# elements LENGTH FILE: each on a line of its own, in hexadecimal digits.
elements() {
	od -An -v -tx1 -w"$1" "$2"
}

# columns ROWS COLUMNS FROM TO: those columns of the matrix whose elements are standard input.
columns() {
	awk -v rows="$1" -v columns="$2" -v from="$3" -v to="$4" '
		{ element[NR - 1] = $0 }
		END {
			for (c = from; c < to; c++)
				for (r = 0; r < rows; r++)
					print element[r * columns + c]
		}'
}

# by_columns ROWS COLUMNS LENGTH RANKS OPTIONS HOW: a matrix there and back, from a file or
# through pipes.
by_columns() {
	local rows=$1 columns=$2 length=$3 ranks=$4 rank from=0 to
	local vector="$rows,$length,$((columns * length)),$length"
	rm -f part.* back
	head -c $((rows * columns * length)) data >matrix
	if [ "$6" = file ]; then
		ranks "$ranks" "scatterctl scatter --vector $vector $5 --file matrix \
			--output part.\$SCATTER_RANK" &&
			ranks "$ranks" "scatterctl gather --vector $vector $5 \
				--file part.\$SCATTER_RANK --output back"
	else
		ranks "$ranks" "scatterctl scatter --vector $vector $5 \
			--output part.\$SCATTER_RANK" <<<'' 2>/dev/null && return 1
		# shellcheck disable=SC2002 # a pipe, not a file
		cat matrix | ranks "$ranks" "scatterctl scatter --vector $vector $5 \
			--output part.\$SCATTER_RANK" &&
			ranks "$ranks" "scatterctl gather --vector $vector $5 \
				--file part.\$SCATTER_RANK" | cat >back
	fi && cmp matrix back || return
	for ((rank = 0; rank < ranks; rank++)); do
		to=$((from + columns / ranks + (rank < columns % ranks)))
		elements "$length" part.$rank >part.elements || return
		elements "$length" matrix | columns "$rows" "$columns" $from $to |
			cmp - part.elements || return
		from=$to
	done
}

# A matrix that begins within a page of standard input.
vector_offset() {
	{ head -c 1001 >/dev/null; scatterctl scatter --group g --size 1 --vector 2,1,3,1; } \
		<<<"$(head -c 1001 /dev/zero | tr '\0' x)abcdef" >out 2>err
	# The newline is too much.
	grep -q '7 bytes are no number of elements of 2' err || return
	{ head -c 1001 /dev/zero; printf abcdef; } >offset
	{ head -c 1001 >/dev/null; scatterctl scatter --group g --size 1 --vector 2,1,3,1; } \
		<offset >out && [ "$(cat out)" = adbecf ]
}

# vector_alone COMMAND OPTIONS...: of nine bytes, in a group of one.
vector_alone() {
	scatterctl "$1" --group g --size 1 --file in.9 "${@:2}"
}

# The others are told, and no file gets its name. They ignore the SIGTERM that scatterctl run
# sends them when the root has ended: it may come before they know.
vector_breaks() {
	rm -f part.*
	# shellcheck disable=SC2016 # expanded by the ranks
	expect 1 '' 'rank 0 died.*ECONNRESET' ranks 2 \
		'[ $SCATTER_RANK = 1 ] || exec scatterctl scatter --vector 2,1,1,1 --file in.9
		trap "" TERM
		scatterctl scatter --output part.1' && [ ! -e part.1 ]
}

test_vectors() {
	local how
	for how in file pipe; do
		tap_test "--vector: 12 x 7 numbers, 3 ranks, $how" by_columns 12 7 3 3 '' $how
		tap_test "--vector: in chunks, $how" by_columns 12 7 3 4 '--chunk 5 --root 2' $how
	done
	tap_test "--vector: fewer columns than ranks" by_columns 9 2 8 4 '' file
	tap_test "--vector: pages" by_columns 256 64 64 3 '--chunk 64K' file
	tap_test "--vector: --uniform --algorithm" by_columns 12 7 3 4 \
		'--uniform --algorithm hypercube' file
	tap_test "--vector: across sides" across 1048572 2,3 1 '--vector 2,1,524286,1 --chunk 100000'
	tap_test "--vector: from where standard input is" vector_offset
	tap_test "--vector: nothing" eval "[ -z \"\$(: | scatterctl scatter --group g --size 1 \
		--vector 2,1,3,1)\" ]"
	tap_test "--vector: no number of elements" expect 1 '' \
		'--vector: 9 bytes are no number of elements of 2' \
		vector_alone scatter --vector 2,1,1,1
	for how in 3,1,4,1 3,1,3,2 3,1,1,1 3,1,1,2 3,1,2,1 3,1,3,3 1,3,1,2 9,1,2,1 \
		3,1,4611686018427387904,4611686018427387904; do
		tap_test "--vector: scatter --vector $how" expect 1 '' \
			'--vector: [139] elements are not each of 9 bytes once' \
			vector_alone scatter --vector $how
		tap_test "--vector: gather --vector $how" expect 1 '' \
			'--vector: [139] elements are not each of 9 bytes once' \
			vector_alone gather --vector $how
	done
	for how in 3,1,1,3 3,1,3,1 1,3,1,3 1,1,7,1 9,1,1,1 1,9,1,1 9,1,1,5; do
		tap_test "--vector: $how" eval "[ \$(vector_alone scatter --vector $how | wc -c) = 9 ]"
	done
	tap_test "--vector: the others of a root that fails" vector_breaks
}

test_groups() {
	test_descriptors
	test_owners
	test_sides
	test_vectors
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Members of groups on nodes, for scripts that have read nodes.sh.
#
#   [as=UID] start WHO NODE WORD...   a member, as selftests/nodes/member/member.c says
#   says_to WHO COMMAND      it gets a command
#   hears WHO ANSWER         its next answer is this, or matches it as a pattern
#   all_of "WHO..." COMMAND ANSWER   all get a command, then all answer
#   say "WHO..." COMMAND     all get a command
#   hear "WHO..." ANSWER     all have that answer
#   alike "WHO..." PATTERN   all have an answer like this with the same last word, which "named" is
#                            from now on
#   all_but WHO              sets "others" to the members without this one
#   stop WHO...              they end without LEAVE; so does everybody in end_members
#   lost_seat "WHO..."       poll() has told them that there will be no group, and all else says so,
#                            until they end
#   inside WHO...            they are in a call, an ioctl
#   stop_all                 all members end without LEAVE
#   back NODE                a node that was deleted is there again
#   killed WHO               by SIGKILL
#   placed "NODE..." NAME [WORD]...   as many members as nodes, which are called r0, r1 and so on: by
#                            their ranks. Sets "members"
#   placed_sides N "NODE..." NAME   likewise, of an inter-group: the first N are side 0

# shellcheck disable=SC2154 # the script's
member=${here%/selftests/nodes}/build/nodes/member/member
declare -A member_in=() member_out=() member_pid=()
members='' others='' named=''

start() {
	local who=$1 in out
	mkfifo "$work/in.$who" "$work/out.$who" || return
	(
		# The input of another one ends when this script closes it.
		for fd in "${member_in[@]}" "${member_out[@]}"; do
			exec {fd}>&-
		done
		exec ip netns exec "$(bed_namespace "$2")" setpriv --reuid="${as:-0}" \
			--regid="${as:-0}" --clear-groups "$member" "${@:3}" \
			<"$work/in.$who" >"$work/out.$who" 2>&1
	) &
	member_pid[$who]=$!
	exec {in}>"$work/in.$who" {out}<"$work/out.$who"
	rm "$work/in.$who" "$work/out.$who"
	member_in[$who]=$in
	member_out[$who]=$out
}

says_to() {
	echo "$2" >&"${member_in[$1]}"
}

hears() {
	local line=''
	read -r -t "${3:-$PATIENCE}" line <&"${member_out[$1]}"
	# shellcheck disable=SC2053 # a pattern
	[[ $line = $2 ]] && return
	echo "# $1 says '$line', not '$2'"
	return 1
}

say() {
	local who
	for who in $1; do
		says_to "$who" "$2"
	done
}

hear() {
	local who status=0
	for who in $1; do
		hears "$who" "$2" || status=1
	done
	return $status
}

all_of() {
	say "$1" "$2"
	hear "$1" "$3"
}

alike() {
	local who line
	named=''
	for who in $1; do
		line=''
		read -r -t "$PATIENCE" line <&"${member_out[$who]}"
		# shellcheck disable=SC2053 # a pattern
		[[ $line = $2 ]] && [ "${named:=${line##* }}" = "${line##* }" ] && continue
		echo "# $who says '$line', not '$2' with $named"
		return 1
	done
}

all_but() {
	# shellcheck disable=SC2034 # the script's
	others=${members/ $1/}
}

forget_member() {
	local fd=${member_in[$1]}
	exec {fd}>&-
	fd=${member_out[$1]}
	exec {fd}<&-
	wait "${member_pid[$1]}" 2>/dev/null
	unset "member_in[$1]" "member_out[$1]" "member_pid[$1]"
}

stop_all() {
	# shellcheck disable=SC2086 # words
	stop $members
}

back() {
	meet "$1" keep=yes uids=same && all_up
}

# POLLHUP is 10 in hex.
lost_seat() {
	local call
	hear "$1" 'poll 10' && all_of "$1" poll 'poll 10' || return
	for call in status counters 'counters 1' credentials; do
		all_of "$1" "$call" "${call% 1} ENOTCONN -1" || return
	done
	for call in barrier dup shrink agree revoke leave; do
		all_of "$1" $call "$call EIO -1" || return
	done
	# shellcheck disable=SC2086 # words
	stop $1
}

is_inside() {
	local call
	read -r call _ <"/proc/${member_pid[$1]}/syscall" && [ "$call" = 16 ]
}

inside() {
	local who
	for who; do
		within $((PATIENCE * 1000)) is_inside "$who" || return
	done
}

stop() {
	local who
	for who; do
		forget_member "$who"
	done
	return 0
}

killed() {
	kill -KILL "${member_pid[$1]}"
	forget_member "$1"
}

end_members() {
	stop "${!member_pid[@]}"
}

placed() {
	local node rank=0 size
	size=$(wc -w <<<"$1")
	members=''
	for node in $1; do
		members+=" r$rank"
		start "r$rank" "$node" "$2" "$size" "$rank" "${@:3}" || return
		rank=$((rank + 1))
	done
	for ((rank--; rank >= 0; rank--)); do
		hears "r$rank" "joined $rank" || return
	done
}

placed_sides() {
	local near=$1 node rank=0 size side
	size=$(wc -w <<<"$2")
	members=''
	for node in $2; do
		members+=" r$rank"
		side=$((rank >= near))
		start "r$rank" "$node" "$3" "$size" $((rank - side * near)) \
			"sides=$near,$((size - near))" "side=$side" || return
		rank=$((rank + 1))
	done
	for ((rank--; rank >= 0; rank--)); do
		hears "r$rank" "joined *" || return
	done
}

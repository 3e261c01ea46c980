# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer that proves who it is, and is in groups, but no node: for scripts that have read nodes.sh,
# members.sh and hostile.sh.
#
#   set_up_liar   nodes 1 and 2, and peer 3 of both, on a bed of four. Sets connects, of node 2 at node
#                 1, and cluster
#   cluster_of I  what node I has as the digest of its peers and itself
#   named I       sets "name" to another one, which node I keeps
#   [seats=N] meet_liar   member a of node "host" waits in a group of two, or N, whose name that node
#                 keeps. Sets name and id
#   [seats=N] joining   the words by which a peer gets rank 1 of that group; JOINED is what it hears
#   [seats=N] liar_begins I WORDS   peer I joins, and the group completes
#   [seats=N] liar_joins I WORDS    likewise, but the peer says WORDS at once
#   has_said TEXT   what that peer has printed is this
#   liar_ends     lets the peer say WORDS and end; what it has heard is in $work/said. Returns as the
#                 peer does

# shellcheck disable=SC2034,SC2154 # the script's, and hostile.sh's
readonly JOINED="up welcome credit seated:fine attach formed places"
cluster='' id='' name='' lies=0 ids='1 2 3' terms=(--uids same) liar='' go=''

set_up_liar() {
	bed_up inner 4 && make_node 1 && make_node 2 && chmod 0666 /dev/scatter &&
		know 1 2 --keep yes --uids same && know 2 1 --keep yes --uids same &&
		know 1 3 --uids same && know 2 3 --uids same && becomes 1 2 state up &&
		connects=$(field 1 2 connects) &&
		cluster=$(cluster_of 1)
}

cluster_of() {
	node "$1" info --json | jq -r .cluster | sed -E \
		's/(..)(..)(..)(..)(..)(..)(..)(..)/\8\7\6\5\4\3\2\1/'
}

# keeper NAME: which of the nodes "ids" is the registrar of root's name, see wire/rendezvous.c: 64-bit
# FNV-1a of name, owner and id, and the mix of SplitMix64. Joining to find out takes seconds.
keeper() {
	local digest=$((0xcbf29ce484222325)) id mixed most='' kept=0 i byte
	local -r prime=$((0x100000001b3))
	for ((i = 0; i < ${#1}; i++)); do
		printf -v byte %d "'${1:i:1}"
		digest=$(((digest ^ byte) * prime))
	done
	# The owner is 0.
	digest=$((digest * prime * prime * prime * prime))
	for id in $ids; do
		mixed=$(((digest ^ id) * prime))
		for ((i = 1; i < 8; i++)); do mixed=$((mixed * prime)); done
		mixed=$(((mixed ^ (mixed >> 30 & 0x3ffffffff)) * 0xbf58476d1ce4e5b9))
		mixed=$(((mixed ^ (mixed >> 27 & 0x1fffffffff)) * 0x94d049bb133111eb))
		mixed=$((mixed ^ (mixed >> 31 & 0x1ffffffff)))
		# Compared without a sign.
		mixed=$((mixed ^ 1 << 63))
		[ -n "$most" ] && [ $mixed -le "$most" ] || most=$mixed kept=$id
	done
	echo "$kept"
}

named() {
	until lies=$((lies + 1)) name=lies$lies && [ "$(keeper "$name")" = "$1" ]; do :; done
}

# shellcheck disable=SC2154 # hostile.sh's
meet_liar() {
	named "$host"
	start a "$host" "$name" "${seats:-2}" 0 nonblock && hears a 'joined 0' &&
		[ "$(group_of "$host" "$name" registrar)" = "$host" ] &&
		id=$(group_of "$host" "$name" group)
}

is_formed() {
	local line
	# shellcheck disable=SC2154 # members.sh's
	says_to a status && read -r -t "$PATIENCE" line <&"${member_out[a]}" && [[ $line = "status 1 "* ]]
}

joining() {
	local size
	printf -v size %02x "${seats:-2}"
	echo "connect ${hello:-hello} hear proof credit?" \
		"join@32=$cluster@60=$size@76=01000000@128=$(in_hex "$name")00 hear hear hear hear"
}

# The peer says, too, that the group is one of its own.
liar_joins() {
	mkfifo "$work/go" || return
	impostor "$1" "$(joining) attach@24=$id@40=00@48=02 $2" <"$work/go" >"$work/said" &
	liar=$!
	exec {go}>"$work/go"
	rm "$work/go"
	within $((PATIENCE * 1000)) is_formed
}

liar_begins() {
	liar_joins "$1" "wait $2"
}

has_said() {
	[ "$(trim "$(<"$work/said")")" = "$(trim "$1")" ]
}

liar_ends() {
	[ -n "$liar" ] || return
	exec {go}>&-
	wait "$liar"
	set -- $?
	liar=''
	return "$1"
}

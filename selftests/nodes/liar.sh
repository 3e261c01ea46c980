# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer that proves who it is, and is in groups, but no node: for scripts that have read nodes.sh,
# members.sh and hostile.sh.
#
#   set_up_liar   nodes 1 and 2, and peer 3 of both. Sets connects, of node 2 at node 1, and cluster
#   meet_liar     member a of node 1 waits in a group of two whose name node 1 keeps. Sets name and id
#   is_formed     that group is complete

# shellcheck disable=SC2034 # the script's, and hostile.sh's
cluster='' id='' name='' lies=0 terms=(--uids same)

set_up_liar() {
	bed_up inner 3 && make_node 1 && make_node 2 && chmod 0666 /dev/scatter &&
		know 1 2 --keep yes --uids same && know 2 1 --keep yes --uids same &&
		know 1 3 --uids same && know 2 3 --uids same && becomes 1 2 state up &&
		connects=$(field 1 2 connects) &&
		cluster=$(node 1 info --json | jq -r .cluster | sed -E \
			's/(..)(..)(..)(..)(..)(..)(..)(..)/\8\7\6\5\4\3\2\1/')
}

# keeper NAME: which of nodes 1 to 3 is the registrar of root's name, see wire/rendezvous.c: 64-bit
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
	for id in 1 2 3; do
		mixed=$(((digest ^ id) * prime))
		for ((i = 1; i < 8; i++)); do mixed=$((mixed * prime)); done
		mixed=$(((mixed ^ (mixed >> 30 & 0x3ffffffff)) * 0xbf58476d1ce4e5b9))
		mixed=$(((mixed ^ (mixed >> 27 & 0x1fffffffff)) * 0x94d049bb133111eb))
		mixed=$((mixed ^ (mixed >> 31 & 0x1ffffffff)))
		# Compared without a sign.
		mixed=$((mixed ^ 1 << 63))
		[ -n "$most" ] && [ $mixed -le "$most" ] || most=$mixed kept=$id
	done
	echo $kept
}

meet_liar() {
	until lies=$((lies + 1)) name=lies$lies && [ "$(keeper "$name")" = 1 ]; do :; done
	start a 1 "$name" 2 0 nonblock && hears a 'joined 0' &&
		[ "$(group_of 1 "$name" registrar)" = 1 ] && id=$(group_of 1 "$name" group)
}

is_formed() {
	local line
	# shellcheck disable=SC2154 # members.sh's
	says_to a status && read -r -t "$PATIENCE" line <&"${member_out[a]}" && [[ $line = "status 1 "* ]]
}

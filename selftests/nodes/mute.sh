# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer that keeps its line alive and says nothing else: for scripts that have read nodes.sh,
# members.sh, hostile.sh and liar.sh.
#
#   beside          another group of nodes 1 and 2 goes on, with members p and q
#   mute_begins I [WORDS]   peer I joins the group of member a and says WORDS. From then on the peer
#                   is mute, until liar_ends
#   mute CALL AGAIN LAST [WORDS HEARD]   member a makes CALL, whose time is up soon, and goes on with
#                   AGAIN and a number of ms. A deadline ends the call four times, and a signal four
#                   times: three of each in less than MUTE_MS, or longer on a debug kernel. Then no
#                   memory is pinned. HEARD is what the peer hears while it says WORDS. LAST is what
#                   the member says when the peer is gone

# shellcheck disable=SC2154 # the script's, and what is read before
readonly MUTE_MS=150 MUTE_TRIES=4

mute_begins() {
	liar_joins "$1" "${2:-} mute"
}

beside() {
	[ -n "${member_pid[q]:-}" ] || {
		named 1
		start p 1 "$name" 2 0 nonblock && hears p 'joined 0' && start q 2 "$name" 2 1 &&
			hears q 'joined 1' && says_to p poll && hears p 'poll 4' || return
	}
	all_of "p q" 'barrier 3' barrier && ping 1 2
}

# out_of_time CALL AGAIN, signalled CALL AGAIN: one try. Sets "late".
late=0
out_of_time() {
	local begun
	begun=$(now_ms)
	says_to a "$2 300" && hears a "$1 ETIMEDOUT *" || return
	late=$(($(now_ms) - begun - 300))
	# A deadline never comes early.
	[ $late -ge 0 ]
}

signalled() {
	local begun
	says_to a "$2 60000" && inside a || return
	begun=$(now_ms)
	kill -USR1 "${member_pid[a]}" && hears a "$1 EINTR *" || return
	late=$(($(now_ms) - begun))
}

# ends_soon TRY CALL AGAIN: the machine may stand still, but not in two of four tries.
ends_soon() {
	local tries fast=0 all='' most=$MUTE_MS
	! has_kasan || most=$(paced $MUTE_MS)
	for ((tries = 0; tries < MUTE_TRIES; tries++)); do
		"$1" "$2" "$3" || return
		all+=" $late"
		[ "$late" -ge "$most" ] || fast=$((fast + 1))
	done
	echo "# ${1//_/ }:$all ms late, of $most"
	[ $fast -ge $((MUTE_TRIES - 1)) ]
}

# The line of the peer is up all the time. Another group loses nothing.
mute() {
	local op=${1%% *} status=0
	[ "$op" != move ] || op=${1#move } op=${op%% *}
	beside && meet_liar && fresh 3 && mute_begins 3 "$(filled "${4:-}" "$id")" &&
		says_to a "$1" && hears a "$op ETIMEDOUT *" || return
	ends_soon out_of_time "$op" "$2" &&
		within $((PATIENCE * 1000)) has_said "$JOINED ${5:-}" &&
		ends_soon signalled "$op" "$2" && no_pins || status=1
	is 1 3 state up && is 1 3 connects 1 && beside || status=1
	liar_ends
	answers "$(trim "$JOINED ${5:-}")" "$(trim "$(<"$work/said")")" && says_to a "$2 60000" &&
		hears a "$3" && all_of a barrier 'barrier ECONNRESET 1' && stop a && return $status
}

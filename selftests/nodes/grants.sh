# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer that grants something else than a PULL asks for: for scripts that have read nodes.sh,
# members.sh, hostile.sh, liar.sh and mute.sh.
#
#   granted WORDS HEARD SAID   member a is the root of a gather. Peer 3 says WORDS when node 1 has
#                 asked for the peer's block. HEARD is what the peer hears then, and SAID what the
#                 member says: if that is ETIMEDOUT, the line stays up, and the call waits until the
#                 peer is gone. The member then looks at each byte around its buffers, too
#   asks_little   member a is the root of a gather, and peer 3 announces a long block. Node 1 asks for
#                 no more than ASKED_BYTES until the peer grants any
#   taken WORDS HEARD   member a is the root of a scatter. Peer 3 says WORDS when node 1 has granted
#                 the first TAKEN_BYTES of the peer's block, and hears HEARD. No other group notices

# shellcheck disable=SC2154 # the script's, and what is read before

# The block of the peer.
readonly GRANTS_BYTES=65536

# Node 1 cannot read some GRANTs, which ends the line. A GRANT of a block that does not come by way
# of the peer breaks the protocol. Bytes that are not the next ones that node 1 has asked for are
# dropped. A GRANT has its number (40), offset (48), rank (56), token (64), address (72) and
# key (80).
# shellcheck disable=SC2034 # the script's
readonly GRANTS='
as asked                   | grant=pulled                                | got             | gather
in two parts               | grant=pulled,0,4096 grant=pulled,4096,61440 | got             | gather
as asked, and once more    | grant=pulled*2                              | got             | gather
again, with the same token | grant=pulled until=got grant=pulled@64=01 ping until=pong | got pong | gather
too short                  | grant=pulled,0,65535                        | got             | ETIMEDOUT
too long                   | grant=pulled,0,65537                        | got             | ETIMEDOUT
too long, then as asked    | grant=pulled,0,131072 grant=pulled          | got             | gather
a second part too long     | grant=pulled,0,4096 grant=pulled,4096,61441 | got             | ETIMEDOUT
parts in another order     | grant=pulled,4096,61440 grant=pulled,0,4096 | got             | ETIMEDOUT
what is behind the block   | grant=pulled@48=00000100                    | got             | ETIMEDOUT
the block of rank 0        | grant=pulled@56=00                          | bye:message end | gather ECONNRESET 1
the block of rank 2        | grant=pulled@56=02                          | bye:message end | gather ECONNRESET 1
of a later operation       | grant=pulled@40=01                          | got             | ETIMEDOUT
memory with another key    | grant=pulled@80=77777777                    | end end         | gather ECONNRESET 1
memory at another address  | grant=pulled@72=0010000000000000            | end end         | gather ECONNRESET 1
'

readonly TAKEN_BYTES=131072
# What a member asks for of a block at a time, in a linear schedule: kernel/span/sink.c.
readonly ASKED_BYTES=524288

# Nobody reads what was not granted, or is granted no more, and nobody writes. A device that was asked for
# that ends the line.
# shellcheck disable=SC2034 # the script's
readonly TAKEN="
as granted            | take                            | took
twice                 | take take                       | took took
a part of it          | take=4096,8                     | took
after GOT             | take got listens take           | took pong refused
what is behind it     | take=0,$((TAKEN_BYTES + 1))     | refused
what is before it     | take=-1,8                       | refused
by WRITE              | put                             | refused
on another line       | again take                      | again refused
"

# announced BLOCK: the length of the peer's block, in hex as in messages. A BUNDLE has its id (24), block
# (48), asked (56), op (64), flags (68) and root (72).
announced() {
	local -a schedule=(1)
	# The schedule that the member asks for, linear: algorithm, ports, dims, extents.
	while [ ${#schedule[@]} -lt 44 ]; do schedule+=(0); done
	echo "bundle=0@24=$id@48=$1@56=$(byte_digest "${schedule[@]}")@64=01@68=02@72=00"
}

granted() {
	local call="move gather 0 $GRANTS_BYTES schedule=linear" words=$1 status=0
	[[ $words = *until* ]] || words+=' until=got'
	beside && meet_liar && fresh 3 && mute_begins 3 "$(announced 0000010000000000) until=pull $words" ||
		return
	[ "$3" != ETIMEDOUT ] || call+=' ms=200'
	says_to a "$call" || return
	# The READ is over, or the line is.
	within $((PATIENCE * 1000)) has_said "$JOINED pull $2" || status=1
	if [ "$3" = ETIMEDOUT ]; then
		hears a 'gather ETIMEDOUT *' && says_to a 'resume 200' && hears a 'gather ETIMEDOUT *' &&
			is 1 3 state up || status=1
	else
		hears a "$3" || status=1
	fi
	beside || status=1
	liar_ends
	answers "$JOINED pull $2" "$(trim "$(<"$work/said")")" || return
	[ "$3" != ETIMEDOUT ] || { says_to a 'resume 60000' && hears a 'gather ECONNRESET 1'; } || return
	all_of a barrier 'barrier ECONNRESET 1' && beside && no_pins && stop a && return $status
}

asks_little() {
	local status=0 said="$JOINED pull pong asked:$ASKED_BYTES"
	beside && meet_liar && fresh 3 && liar_joins 3 "$(announced 0000400000000000) until=pull \
		rest=300 ping until=pong asked wait" &&
		says_to a 'move gather 0 4194304 schedule=linear' || return
	within $((PATIENCE * 1000)) has_said "$said" && beside || status=1
	liar_ends
	answers "$said" "$(trim "$(<"$work/said")")" && hears a 'gather ECONNRESET 1' &&
		beside && no_pins && stop a && return $status
}

taken() {
	local status=0 said="$JOINED bundle:plain grant $2"
	beside && meet_liar && fresh 3 &&
		liar_joins 3 "until=bundle:plain pull@24=$id@56=01@60=00000200 until=grant $1 wait" &&
		says_to a 'move scatter 0 4000000 schedule=linear' || return
	within $((PATIENCE * 1000)) has_said "$said" && beside || status=1
	liar_ends
	# Nobody needs the peer, once it is lost.
	answers "$said" "$(trim "$(<"$work/said")")" && hears a scatter &&
		all_of a barrier 'barrier ECONNRESET 1' && beside && no_pins && stop a && return $status
}

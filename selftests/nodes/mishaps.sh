# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What goes wrong for one member, for moves_test: its words faults, signals, deadlines, late,
# stopped and root-returns, and their v forms. The member cannot access its buffer, is paused in
# its call, is late or is stopped; the others get what they are to get, and the group goes on.
#
# AUTO is linear up to 8 nodes: then no node passes on blocks of others. So these words, and some
# of moves_test, also ask for a line of nodes.
#
#   each_way COMMAND...     does it as AUTO has it; and along_line, if the group has a line. "unit"
#                           is whom it is about: the last one
#   along_line COMMAND...   does it with the line in "asked". "unit" is in the middle: it passes on
#                           what is for the nodes behind it, and what comes from there, if the root
#                           is on the first node
#   other_way               sets "ask" to nothing and to the line by turns; or to "asked", if that is
#                           not empty
#
# shellcheck disable=SC2154 # the script's

# In these, v forms if "v" is v, with the words in "asked".
v='' asked='' ask='' unit=''

along_line() {
	local asked=$along unit=${units[${#units[@]} / 2]}
	"$@"
}

each_way() {
	local asked='' unit=${units[-1]}
	"$@" && { [ -z "$along" ] || along_line "$@"; }
}

other_way() {
	if [ -n "$asked" ]; then
		ask=$asked
	elif [ -n "$ask" ]; then
		ask=''
	else
		ask=$along
	fi
}

# faulty OP ROOT BYTES WHO ANSWER: it cannot access its buffer; this is what the rest answers.
faulty() {
	local others move="move $1 $2 $3 $asked"
	others=$(rest_of "$4")
	tell "$others" "$move" && says_to "$4" "$move fault" || return
	hears "$4" "$1 EFAULT *" || return
	if [ "$1" = gather ] && [ "$4" != "r$2" ]; then
		hears "r$2" "gather EREMOTEIO ${4#r}" && told "${others/r$2 /}" gather
	else
		told "$others" "$5"
	fi
}

# faulty_each OPS ANSWER BYTES...: each root, and a leaf, of a scatter and of a gather; then OPS succeed.
# ANSWER is that of the rest if it is the root of a gather, ROOT.
faulty_each() {
	local bytes root leaf
	for bytes in "${@:3}"; do
		for root in $roots; do
			leaf=r$(((root + 1) % $(wc -w <<<"$places")))
			faulty scatter "$root" "$bytes" "r$root" "scatter EREMOTEIO $root" &&
				faulty scatter "$root" "$bytes" "$leaf" scatter &&
				faulty gather "$root" "$bytes" "$leaf" '' &&
				faulty gather "$root" "$bytes" "r$root" "${2/ROOT/$root}" || return
			# shellcheck disable=SC2086 # a word, or none
			table "$1" "$bytes" $asked || return
		done
	done
}

# failure moves_test faults
#   when: a buffer cannot be read or written
#   sees: as on one node: EFAULT; members that need that block: EREMOTEIO (its rank)
faults() {
	faulty_each "scatter gather" 'gather?( EREMOTEIO ROOT)' 8 100000
}

# breaks_off HOW WHO COMMAND: it is paused in a call.
breaks_off() {
	local op=${3#move }
	op=${op%% *}
	if [ "$1" = signal ]; then
		says_to "$2" "$3" && interrupted "$2" "$op EINTR *"
	else
		says_to "$2" "$3 ms=100" && hears "$2" "$op ETIMEDOUT *"
	fi
}

# A receiver that is paused holds back nobody but the root; senders hold back the root, too. Then
# the root is paused. No block of the second length is short.
# failure moves_test signals
#   when: a call is paused, by a signal or a deadline
#   sees: as on one node; others wait only for members that have to send, and the root of a large
#     scatter for members that have to take
paused() {
	local bytes root=${roots%%$'\n'*} leaf=${unit%% *} others move
	for bytes in 8 500000; do
		others=$(rest_of "r$root $leaf")
		move="move scatter$v $root $bytes filled=${leaf#r} $asked"
		breaks_off "$1" "$leaf" "$move" && tell "$others r$root" "$move" &&
			told "$others" "scatter$v" && says_to "$leaf" 'resume 20000' &&
			told "$leaf r$root" "scatter$v" || return
		move="move gather$v $root $bytes filled=${leaf#r} $asked"
		breaks_off "$1" "r$root" "$move" && tell "$others $leaf" "$move" &&
			says_to "r$root" 'resume 20000' && told "$members" "gather$v" || return
	done
	breaks_off "$1" "$leaf" "$move" && tell "$others r$root" "$move" &&
		says_to "$leaf" 'resume 20000' && told "$members" "gather$v"
}

# Units that do not have the first root.
other_units() {
	local unit
	for unit in "${units[@]}"; do
		[[ " $unit " = *" r${roots%%$'\n'*} "* ]] || echo "$unit"
	done
}

# holds_up "WHO..." BEFORE AFTER BYTES...: all but them and the root get what they are to get, between
# one command and the other.
holds_up() {
	local bytes op root=${roots%%$'\n'*} others move first=${1%% *}
	others=$(rest_of "$1 r$root")
	for bytes in "${@:4}"; do
		for op in "scatter$v" "gather$v"; do
			[ "$op $bytes" != "gather$v 300000" ] || continue
			move="move $op $root $bytes filled=${first#r} $asked"
			"$2" "$1" "$move" && tell "$others r$root" "$move" && told "$others" "$op" &&
				"$3" "$1" "$move" && told "$1 r$root" "$op" || return
		done
	done
}

nothing() {
	:
}

# failure moves_test late
#   when: a member does not call yet, or is stopped
#   sees: others wait for it only if they need its block; its node forwards blocks of others
late() {
	local unit
	while read -r unit; do
		holds_up "$unit" nothing tell 8 4096 300000 || return
	done < <(other_units)
}

stop_first() {
	signalled STOP "$1" && tell "$1" "$2"
}

# Some are inside the call by then.
stop_inside() {
	tell "$1" "$2" && sleep 0.05 && signalled STOP "$1"
}

go_on() {
	signalled CONT "$1"
}

# A node forwards though all of its members are stopped.
stopped() {
	local unit
	while read -r unit; do
		holds_up "$unit" stop_first go_on 8 300000 &&
			holds_up "$unit" stop_inside go_on 8 300000 || return
	done < <(other_units)
}

# failure moves_test root-returns
#   when: the root of a scatter of short blocks has called, and no other member
#   sees: the root: 0, at once; the others: 0, when they call
root_returns() {
	local op bytes root
	for op in scatter scatterv; do
		for bytes in 8 256; do
			for root in $roots; do
				all_of "r$root" "move $op $root $bytes" "$op" &&
					all_of "$(rest_of "r$root")" "move $op $root $bytes" "$op" ||
					return
			done
		done
	done
}

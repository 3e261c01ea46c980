# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# OR-broadcasts of groups on several nodes, for moves_test: its words that begin with "or-". All
# members wait for each other in an OR-broadcast, and all nodes have a part in each block.
#
# shellcheck disable=SC2154 # the script's

readonly OR=schedule=or-broadcast

or_broadcast() {
	schedule or-broadcast && table "$OPS" "0 8088 20000" $OR in_place &&
		table "$OPS" "1 8089" $OR layout &&
		play "move any any 40000 n=60 vary $OR seed=$SEED" \
			"move any any 100 n=60 vary $OR seed=$SEED"
}

# In between other calls, and nobody waits in between.
or_turns() {
	local i commands=() one
	for i in {1..10}; do
		# shellcheck disable=SC2086 # words
		one_of $OPS
		commands+=("move $one any 5000 n=3 vary $OR seed=$((SEED + i))")
		one_of scatter gather
		commands+=("move $one any 5000 n=2 seed=$((SEED + i))")
	done
	play "${commands[@]}"
}

# failure moves_test or-faults
#   when: a buffer of an OR-broadcast cannot be read or written
#   sees: EFAULT; members that need that block: EREMOTEIO (its rank); the others go on
or_faults() {
	asked=$OR faulty_each "$OPS" gather 8 20000
}

# Who is late holds back all others, until their own deadlines.
or_late() {
	local others
	others=$(rest_of "$1")
	all_of "$others" "$2 ms=150" "* ETIMEDOUT *" && says_to "$1" "$2" &&
		tell "$others" 'resume 20000' && told "$members" "@(scatter|gatherv)"
}

# or_breaks HOW WHO COMMAND [early]: it has called, so the others get on as long as it has nothing to
# give, and little to take.
or_breaks() {
	local others
	others=$(rest_of "$2")
	breaks_off "$1" "$2" "$3" && tell "$others" "$3" || return
	if [ $# -gt 3 ]; then
		told "$others" scatter || return
		others=''
	fi
	says_to "$2" 'resume 20000' && told "$2 $others" "@(scatter|gatherv)"
}

# failure moves_test or-paused
#   when: a member of an OR-broadcast is late, or its call is paused
#   sees: all others wait, until their own deadlines
or_paused() {
	local how bytes op leaf=${units[-1]%% *} root=${roots%%$'\n'*} move
	for op in scatter gatherv; do
		for bytes in 8 70001; do
			move="move $op $root $bytes $OR"
			or_late "$leaf" "$move" && or_late "r$root" "$move" || return
			for how in deadline signal; do
				or_breaks "$how" "r$root" "$move" || return
				# Members of one node end together.
				if [ "$op $bytes $(wc -w <<<"${units[-1]}")" = "scatter 8 1" ]; then
					or_breaks "$how" "$leaf" "$move" early || return
				else
					or_breaks "$how" "$leaf" "$move" || return
				fi
			done
		done
	done
}

# A member on the last unit calls something else than all others.
# failure moves_test or-differs
#   when: members on different nodes call different OR-broadcasts, or lengths
#   sees: EPROTO (a rank that differs) on all nodes
or_differs() {
	local root=${roots%%$'\n'*} other=${units[-1]##* } rest command
	for command in "move gather $root 8 $OR" "move scatter ${other#r} 8 $OR" \
		"move scatter $root 16 $OR" "move scatter $root 8" "move scatter $root 8 schedule=linear" \
		"barrier" "move scatterv $root 8 $OR"; do
		form || return
		rest=$(rest_of "$other")
		tell "$rest" "move scatter $root 8 $OR" && tell "$other" "$command" &&
			told "$rest" "scatter EPROTO *" && hears "$other" "* EPROTO *" &&
			all_of "$members" "move gather $root 8 $OR" "gather EPROTO *" || return
		drop
	done
	# Only the root knows what it expects. In every third call of a v form a block is empty.
	form || return
	[ $((${other#r} % 3)) != 1 ] ||
		all_of "$members" "move gather $root 0" gather || return
	rest=$(rest_of "$other")
	tell "$rest" "move gatherv $root 300 $OR" && tell "$other" "move gatherv $root 310 $OR" &&
		told "$members" "gatherv EPROTO ${other#r}" &&
		all_of "$members" "move gather $root 8 $OR" "gather EPROTO ${other#r}" || return
	drop
}

# Nobody gets on without anybody: who has not called, who is paused, and who is in the midst.
# failure moves_test or-dies
#   when: a member of an OR-broadcast dies before its call is over, or its node is deleted
#   sees: all others: ECONNRESET (dead, or the node's lowest rank)
or_dies() {
	local victim op others answer
	for op in $OPS; do
		for victim in "r${roots%%$'\n'*}" "${units[-1]##* }"; do
			form || return
			others=$(rest_of "$victim")
			tell "$others" "move $op 0 8 $OR" && killed "$victim" &&
				told "$others" "$op ECONNRESET ${victim#r}" || return
			drop
			form || return
			breaks_off deadline "$victim" "move $op 0 70001 $OR" &&
				tell "$others" "move $op 0 70001 $OR" && killed "$victim" || return
			answer="$op ECONNRESET ${victim#r}"
			# A leaf that has called, and has little to take, or an empty block to give, holds
			# back nobody elsewhere.
			[ "$op" != scatterv ] && [ "$op $((${victim#r} % 3))" != "gatherv 1" ] ||
				[ "$victim" = "r${roots%%$'\n'*}" ] ||
				answer="$op?( ECONNRESET ${victim#r})"
			told "$others" "$answer" &&
				all_of "$others" barrier "barrier ECONNRESET ${victim#r}" || return
			drop
			form || return
			tell "$members" "move $op 0 30000 n=1000000 vary seed=$SEED $OR"
			sleep "0.$((1 + RANDOM % 4))"
			killed "$victim" && told "$others" "$op ECONNRESET ${victim#r}" || return
			drop
		done
	done
}

or_node_goes() {
	local unit=${units[-1]} others node rank
	rank=${unit%% *}
	node=$(xargs -n 1 <<<"$places" | sort -n | tail -n 1)
	form || return
	others=$(rest_of "$unit")
	tell "$members" "move gather ${roots%%$'\n'*} 70001 n=1000000 $OR"
	sleep 0.2
	node "$node" node del && told "$others" "gather ECONNRESET ${rank#r}" &&
		told "$unit" "gather ECONNRESET *" || return
	drop
	meet "$node" uids=same && is_back "$node"
}

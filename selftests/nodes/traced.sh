# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For counts_test: what the tracepoints between nodes tell, and what forwarders copy.
#
# shellcheck disable=SC2034,SC2154 # the script's

readonly TRACED=/sys/kernel/tracing/instances/counts

trace_on() {
	local event
	mountpoint -q /sys/kernel/tracing || mount -t tracefs none /sys/kernel/tracing || return
	mkdir $TRACED || return
	for event in bundle pulled cell; do
		echo 1 >"$TRACED/events/scatter/scatter_$event/enable" || return
	done
}

trace_off() {
	rmdir $TRACED
}

# Lines "EVENT FROM TO TREE BLOCKS BYTES BEGINS" of the trace: - for what an event does not have.
events() {
	awk '/: scatter_(bundle|pulled|cell): / {
		delete value
		for (i = 1; i <= NF; i++)
			if (split($i, word, "=") == 2)
				value[word[1]] = word[2]
			else if ($i ~ /^scatter_.*:$/)
				value["event"] = substr($i, 9, length($i) - 9)
		print value["event"], value["from"], value["to"],
			"tree" in value ? value["tree"] : "-",
			"blocks" in value ? value["blocks"] : "-", value["bytes"],
			"begins" in value ? value["begins"] : "-"
	}' $TRACED/trace
}

# total NUMBER...
total() {
	local number sum=0
	for number in "$@"; do
		sum=$((sum + number))
	done
	echo $sum
}

# sum_events: sets "new_bundles" and "new_bytes" as count() does, from the events of the trace.
sum_events() {
	local event from to tree blocks bytes begins
	new_bundles=() new_bytes=()
	for from in "${ids[@]}"; do
		for ((to = 1; to <= NODES; to++)); do
			[ "$from" != "$to" ] || continue
			new_bundles["$from $to"]=0 new_bytes["$from $to"]=0
		done
	done
	while read -r event from to tree blocks bytes begins; do
		[ "$event" = bundle ] || [ "$begins" = 1 ] &&
			new_bundles["$from $to"]=$((new_bundles["$from $to"] + 1))
		new_bytes["$from $to"]=$((new_bytes["$from $to"] + bytes))
	done < <(events)
}

# tells SCHEDULE OP: the events of one scatter or gather of each length.
tells() {
	local root=${roots##*$'\n'} commands=() bytes node what="trace of $1, $2"
	node_of "$root"
	bundles=() sums=()
	measure "$1" && expect "$2" "$node" "$1"
	for bytes in $lengths; do
		commands+=("move $2 $root $bytes schedule=$1")
	done
	: >$TRACED/trace && play "${commands[@]}" && sum_events && as_planned
}

# Each bundle has as many blocks as the plan says, and those of a tree that there is.
tells_blocks() {
	local what="blocks of bundles" root=${roots##*$'\n'} node status=0
	node_of "$root"
	bundles=() sums=()
	# Blocks of one byte: as many bytes as blocks.
	lengths=1 calls=1 bytes_of_calls=1
	expect scatter "$node" hypercube
	: >$TRACED/trace && play "move scatter $root 8 schedule=hypercube" || return
	same blocks "$(events | awk '{ sum += $5 } END { print sum }')" \
		"$(total "${sums[@]}")" || status=1
	same bytes "$(events | awk '$6 != 8 * $5 { print }')" "" || status=1
	: >$TRACED/trace && play "move scatter $root 24 schedule=rotated" || return
	same trees "$(events | awk '{ print $4 }' | sort -u | xargs)" "0 1 2" || status=1
	return $status
}

# The events of schedules of all kinds. An event that is off tells nothing.
traces() {
	local op schedule status=0
	trace_on || return
	for schedule in hypercube rotated or-broadcast; do
		for op in scatter gather; do
			tells $schedule $op || status=1
		done
	done
	tells_blocks || status=1
	echo 0 >$TRACED/events/scatter/enable
	: >$TRACED/trace
	play "move scatter 0 8" && [ -z "$(events)" ] || status=1
	trace_off && return $status
}

# What the forwarders of all nodes have copied, and had copied when somebody looked last.
copied_by_all() {
	local id
	for id in "${ids[@]}"; do
		node "$id" stats --json
	done | jq -s 'map(.[0].forward_copied) | add'
}

copied_before=0

# copies OP BYTES [WANTED]: what forwarders copy meanwhile; nothing without WANTED.
copies() {
	local now what="$1 of $2 bytes" status=0
	play "move $1 0 $2 schedule=hypercube" && now=$(copied_by_all) || return
	same "bytes that forwarders copy" $((now - copied_before)) "${3:-0}" || status=1
	copied_before=$now
	return $status
}

# No forwarder copies blocks of 4 KiB or more: eager blocks, pulled ones, and some of each. In a v
# form, blocks have fifths of the most bytes. Short blocks are copied wherever they are passed on.
forwarders_copy() {
	local op bytes passed_on node here status=0
	node_of 0
	here=${index[$node]} copied_before=$(copied_by_all)
	for op in scatter gather; do
		for bytes in 4096 5000 8192 8193 16384 20000 65536 300000; do
			copies $op $bytes || status=1
		done
		copies ${op}v 20480 || status=1
		bundles=() sums=()
		lengths=8 calls=1 bytes_of_calls=8
		expect $op "$node" hypercube
		passed_on=$(total "${sums[@]}")
		# The blocks of its own leave a node once.
		copies $op 8 $((passed_on - (size - counts[here]) * 8)) || status=1
	done
	return $status
}

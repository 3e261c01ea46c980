# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Nodes in namespaces of one machine, for scripts that run as root where scatter is loaded:
# selftests/nodes/peers. Node I has the id I, and the address and the namespace of node I of
# bed.sh, which is read, too. Its wire is in the namespace of the script.
#
#   node I WORD...        scatterctl in node I's namespace
#   begin KIND N [OPTION]...  a bed, and N nodes that know each other, with options of "peer"
#   end                   takes nodes and bed away
#   make_node I [KEY]     makes one node, that knows nobody
#   know I J [OPTION]...  J is a peer of I
#   meet I [WORD]...      makes node I, if it is not there, and all others its peers
#   disown I J            J is no peer of I any more, and keeps I off for a moment only
#   reclaim I J           it is again, and both are connected
#
#   field I J NAME        prints a field of peer J at node I
#   becomes I J NAME VALUE...   it does so before long
#   within MS COMMAND...  COMMAND succeeds; asked again until it does. Sets "took_ms"
#   paced MS      prints how long what takes at most MS elsewhere may take here and now
#   ping I J [OPTION]...  says nothing if all is well
#   group_of I NAME FIELD prints what node I knows of a group
#   crossed I             prints "PEER BUNDLES BYTES" of each peer: the blocks that node I has sent
#   copied I              prints how many bytes node I has copied to pass them on
#   tune_all OPTION...    at all nodes
#   all_up                all nodes are connected to all others
#   live_objects, wire_objects   what the modules have of each kind
#   no_pins               the modules hold no memory of members, before long
#   one_line_each         of the nodes that "begin" made: no line is still on its way out
#   nothing_left          the modules have what is in "objects" and "wires", before long
#   has_kasan             this is a debug kernel, which is slow
#
# Tests that run only in part where time is short. The seed chooses which, and whichever the seed
# chooses, one of so many that follow each other runs:
#
#   due [MOST]     succeeds one time in SCATTER_SHARE, but at least one time in MOST. A script asks
#                  before each row of a long table
#   sampled NAME COMMAND...    a test that is one of many: at least one in SCATTER_MOST runs, or one
#                  in two without SCATTER_MOST
#   seldom_left_out NAME COMMAND...    a test unlike all others: at least one in SCATTER_MOST runs,
#                  or all without SCATTER_MOST
#
#   SCATTER_SHARE    one in so many tests runs (1: all)
#   SCATTER_MOST     the most that SCATTER_SHARE is, for all tests but the rows of long tables
#   KSELFTEST_SEED   which tests run
#   WIRE             scatter_rdma.ko

# Seconds that anything may take here, unless a test is about the time.
readonly PATIENCE=30
readonly PEER_FIELDS="id state reason since_ns addresses uids uid flags incarnation connects
	refusals sent received bytes_sent bytes_received resent keepalives bad refused
	bundles_sent bundle_bytes_sent waits_sent forward_copied"

# shellcheck disable=SC2154 # the script's
tool=${here%/selftests/nodes}/build/scatterctl
nodes=0
took_ms=0
turns_due=${KSELFTEST_SEED:-0}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=selftests/nodes/bed.sh
. "$here/bed.sh"

due() {
	local share=${SCATTER_SHARE:-1}
	[ "$share" -le "${1:-$share}" ] || share=$1
	turns_due=$((turns_due + 1))
	[ $((turns_due % share)) = 0 ]
}

sampled() {
	! due "${SCATTER_MOST:-2}" || tap_test "$@"
}

seldom_left_out() {
	! due "${SCATTER_MOST:-1}" || tap_test "$@"
}

has_kasan() {
	grep -qw kasan_report /proc/kallsyms
}

node() {
	bed_in "$1" "$tool" "${@:2}"
}

new_key() {
	head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >"$1"
	chmod 600 "$1"
}

# load_wire: with what it needs, and the key of all nodes.
load_wire() {
	modprobe -qa rdma_cm ib_uverbs hmac sha256_generic
	[ -e "$work/key" ] || new_key "$work/key"
	insmod "$WIRE" && return
	dmesg | tail -n 3 | sed 's/^/# /'
	return 1
}

make_node() {
	node "$1" node set --id "$1" --address "$(bed_address "$1")" \
		--key-file "${2:-$work/key}" --netns /proc/1/ns/net </dev/null
}

know() {
	node "$1" peer add --id "$2" --address "$(bed_address "$2")" "${@:3}"
}

meet() {
	local node=$1 j
	shift
	{
		echo "node id=$node address=$(bed_address "$node") key-file=$work/key" \
			"netns=/proc/1/ns/net"
		for ((j = 1; j <= nodes; j++)); do
			[ "$node" = "$j" ] || echo "peer id=$j address=$(bed_address "$j") $*"
		done
	} >"$work/plan$node"
	node "$node" apply "$work/plan$node"
}

disown() {
	node "$2" tune set --hold-ms 500 && node "$1" peer del --id "$2"
}

reclaim() {
	know "$1" "$2" --uids same && within $((PATIENCE * 1000)) ping "$2" "$1" >/dev/null &&
		node "$2" tune set --hold-ms 30000
}

# forget I: node I knows no peers any more.
forget() {
	grep ^node "$work/plan$1" >"$work/alone$1" && node "$1" apply "$work/alone$1"
}

begin() {
	local i
	bed_up "$1" "$2" || return
	nodes=$2
	for ((i = 1; i <= nodes; i++)); do
		meet "$i" "${@:3}" || return
	done
}

end() {
	local i
	for ((i = 1; i <= nodes; i++)); do
		node "$i" node del || return
	done
	bed_down
}

# Without programs: it is called again and again. A field that is absent is "-".
field() {
	local name values
	IFS=$'\t' read -r -a values < <(node "$1" peer dump --id "$2") || return
	for name in $PEER_FIELDS; do
		[ "$name" != "$3" ] || { echo "${values[0]}"; return; }
		values=("${values[@]:1}")
	done
	return 1
}

now_ms() {
	local now=$EPOCHREALTIME
	echo $((${now/[.,]/} / 1000))
}

within() {
	local ms=$1 begun
	shift
	begun=$(now_ms)
	until "$@"; do
		took_ms=$(($(now_ms) - begun))
		[ $took_ms -lt "$ms" ] || return
	done
	took_ms=$(($(now_ms) - begun))
	[ $took_ms -lt "$ms" ]
}

# What ten programs take on an idle debug kernel without KVM. No machine is slow enough to wait for ever.
readonly USUAL_MS=500 TIMES_MOST=20
paced() {
	local begun took i
	begun=$(now_ms)
	for ((i = 0; i < 10; i++)); do
		/bin/true
	done
	took=$(($(now_ms) - begun))
	[ $took -gt $USUAL_MS ] || took=$USUAL_MS
	[ $took -lt $((TIMES_MOST * USUAL_MS)) ] || took=$((TIMES_MOST * USUAL_MS))
	echo $(($1 * took / USUAL_MS))
}

# is I J NAME VALUE...: one of them.
is() {
	local now value
	now=$(field "$1" "$2" "$3" 2>/dev/null)
	for value in "${@:4}"; do
		[ "$now" != "$value" ] || return 0
	done
	return 1
}

becomes() {
	within $((PATIENCE * 1000)) is "$@" && return
	echo "# node $1 sees of peer $2: $3 $(field "$1" "$2" "$3"), not ${*:4}"
	node "$1" peer show | sed 's/^/# /'
	return 1
}

ping() {
	node "$1" peer ping --id "$2" "${@:3}" >"$work/out" 2>&1 && return
	sed "s/^/# $1 to $2: /" "$work/out"
	return 1
}

# fails COMMAND...: says so only if it does not.
fails() {
	"$@" >"$work/failed" 2>&1 || return 0
	sed 's/^/# /' "$work/failed"
	echo "# does not fail: $*"
	return 1
}

# says WORD COMMAND...: it fails, and says that.
says() {
	fails "${@:2}" && grep -q "$1" "$work/failed" && return
	sed 's/^/# /' "$work/failed"
	return 1
}

# each COMMAND...: for each pair of two nodes, both ways.
each() {
	local i j
	for ((i = 1; i <= nodes; i++)); do
		for ((j = 1; j <= nodes; j++)); do
			[ "$i" = "$j" ] || "$1" "$i" "$j" "${@:2}" || return
		done
	done
}

tune_all() {
	local i
	for ((i = 1; i <= nodes; i++)); do
		node "$i" tune set "$@" || return
	done
}

# group_of NODE NAME FIELD: of the group's record.
group_of() {
	node "$1" group --json | jq -r ".[] | select(.name == \"$2\") | .$3"
}

# Without programs, too.
crossed() {
	local name values
	while IFS=$'\t' read -r -a values; do
		for name in $PEER_FIELDS; do
			case $name in
			id | bundles_sent) echo -n "${values[0]} " ;;
			bundle_bytes_sent) echo "${values[0]}" ;;
			esac
			values=("${values[@]:1}")
		done
	done < <(node "$1" peer dump)
}

copied() {
	node "$1" stats --json | jq '.[0].forward_copied'
}

# How many connections of all nodes are up.
nr_up() {
	local i
	for ((i = 1; i <= nodes; i++)); do
		node "$i" stats dump
	done | awk -F '\t' 'NF > 3 { up += $2 } END { print up + 0 }'
}

is_all_up() {
	[ "$(nr_up)" = $((nodes * (nodes - 1))) ]
}

all_up() {
	within $((PATIENCE * 1000)) is_all_up && return
	echo "# $(nr_up) are up of $((nodes * (nodes - 1)))"
	for ((i = 1; i <= nodes; i++)); do
		node "$i" peer show | sed "s/^/# $i: /"
	done
	return 1
}

# What the wire has of its devices. A line has as many memory regions as it has needed at a time, and
# they have to go before its protection domain can.
wire_objects() {
	local what
	for what in qp cm_id cq pd; do
		echo "$what $(rdma resource show $what | grep -c scatter_rdma)"
	done
}

# How many objects of each kind the module has: "NAME COUNT" lines.
live_objects() {
	"$tool" stats dump | awk -F '\t' 'NF == 3 { print $1, $2 - $3 }'
}

nr_pins() {
	live_objects | awk '$1 == "pin" { print $2 }'
}

has_no_pins() {
	[ "$(nr_pins)" = 0 ]
}

no_pins() {
	within $((PATIENCE * 1000)) has_no_pins && return
	echo "# $(nr_pins) pins"
	return 1
}

# Each line has two completion queues.
one_line_each() {
	local now
	now=" $(wire_objects | xargs) "
	# A node listens, too.
	[[ $now = *" cq $((2 * nodes * (nodes - 1))) "* && $now = *" cm_id $((nodes * nodes)) "* ]]
}

# shellcheck disable=SC2154 # the script's
are_as_before() {
	[ "$(live_objects)" = "$objects" ] && [ "$(wire_objects)" = "$wires" ]
}

nothing_left() {
	within 60000 are_as_before && return
	diff <(echo "$objects"; echo "$wires") <(live_objects; wire_objects) | sed 's/^/# /'
	return 1
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of scatterctl: nodes, peers, tuning, groups seen from outside, events. A part of
# scatterctl_test.sh. As root.

# make_key FILE
make_key() {
	(umask 077 && head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >"$1")
}

# field NAME COMMAND...: its value in JSON, of the first record.
field() {
	local name=$1
	shift
	"$@" --json | jq -r "(if type == \"array\" then .[0] else . end).$name"
}

make_node() {
	scatterctl node del 2>/dev/null
	make_key key
	scatterctl node set --id 5 --address 192.0.2.1 --key-file key
}

node_usage() {
	usage node what && usage node set what && usage node set --id &&
		usage node set --id 0 && usage node set --id x && usage node set --id 0x &&
		usage node set --address 1.2.3 && usage node set --address 192.0.2.1:0 &&
		usage node set --address '[::1' && usage node set --address fe80::1%none &&
		usage node set --uids same && usage node show --id 1 && usage node dump --json &&
		usage node set --key2-file /dev/null --no-key2
}

peer_usage() {
	usage peer add && usage peer add --id 2 && usage peer set && usage peer del &&
		usage peer fence && usage peer fence --id 2 --keep yes &&
		usage peer ping && usage peer add --id 2 --address 192.0.2.2 --uids all &&
		usage peer set --id 2 --uids same --uid 7 && usage peer set --id 2 --keep maybe &&
		usage peer ping --id 2 --bytes 65537 && usage tune set && usage tune what &&
		usage tune set --buffers x && usage stats set && usage group --owner 7 &&
		usage group --name a/b && usage monitor what && usage apply &&
		usage apply a b && usage apply --what
}

node_help() {
	local command
	for command in node peer tune stats group monitor apply; do
		expect 0 "usage: scatterctl $command" '' scatterctl "$command" --help || return
	done
}

node_is_made() {
	make_node || return
	expect 0 '^id +5$' '' scatterctl node && expect 0 '^addresses +192.0.2.1:7471$' '' \
		scatterctl node show && [ "$(scatterctl node dump | cut -f1,2)" = \
		"$(printf '5\t192.0.2.1:7471')" ] && [ "$(field id scatterctl node)" = 5 ] &&
		expect 0 '^node +5$' '' scatterctl info &&
		expect 1 '' 'another one.*EEXIST' scatterctl node set --id 6
}

# Nothing that the tool prints has the key.
key_is_never_shown() {
	make_node || return
	{ scatterctl node; scatterctl node dump; scatterctl node --json; scatterctl peer; } >shown
	! grep -qiF "$(cat key)" shown
}

key_files_are_private() {
	make_node || return
	make_key other
	chmod 640 other && expect 2 '' 'chmod 600' scatterctl node set --key-file other || return
	chmod 600 other && expect 0 '' '' scatterctl node set --key-file other || return
	expect 2 '' 'No such file' scatterctl node set --key-file none &&
		expect 2 '' 'not a regular file' scatterctl node set --key-file /dev/null &&
		echo 12 >short && chmod 600 short &&
		expect 2 '' '64 hexadecimal digits' scatterctl node set --key-file short &&
		{ cat other; echo; } | scatterctl node set --key2-file - &&
		expect 0 '' '' scatterctl node set --no-key2
}

addresses() {
	make_node || return
	scatterctl node set --address '[2001:db8::1]:99' --address 2001:db8::2 \
		--address 127.0.0.1:1 --address '[fe80::1%lo]:7' || return
	[ "$(scatterctl node dump | cut -f2)" = \
		'[2001:db8::1]:99,[2001:db8::2]:7471,127.0.0.1:1,[fe80::1%lo]:7' ] &&
		[ "$(scatterctl node --json | jq '.addresses | length')" = 4 ] &&
		expect 1 '' 'not an IPv4 or IPv6 address.*EINVAL' \
			scatterctl node set --address 224.0.0.1
}

peers() {
	make_node || return
	scatterctl peer add --id 0x10 --address 192.0.2.16 --uids squash --uid 7 --keep yes &&
		scatterctl peer add --id 2 --address 192.0.2.2 || return
	expect 0 '^16 +down +none +192.0.2.16:7471 +squash +7 +keep$' '' scatterctl peer &&
		[ "$(scatterctl peer dump | cut -f1 | xargs)" = '2 16' ] &&
		[ "$(scatterctl peer --json | jq -c 'map(.id)')" = '[2,16]' ] &&
		expect 0 '^uids +refuse$' '' scatterctl peer --id 2 &&
		scatterctl peer set --id 16 --uids same --keep no &&
		[ "$(scatterctl peer dump --id 16 | cut -f6-8)" = "$(printf 'same\t-\t-')" ] &&
		expect 1 '' 'already.*EEXIST' \
			scatterctl peer add --id 2 --address 192.0.2.3 &&
		expect 1 '' 'has one of them.*EADDRINUSE' \
			scatterctl peer add --id 3 --address 192.0.2.2 &&
		expect 1 '' 'EOPNOTSUPP|EHOSTUNREACH' scatterctl peer ping --id 2 &&
		expect 0 '' '' scatterctl peer fence --id 2 &&
		expect 1 '' 'no such peer.*ENOENT' scatterctl peer fence --id 3 &&
		scatterctl peer del --id 2 &&
		expect 1 '' 'no such peer.*ENOENT' scatterctl peer del --id 2
}

# has_counter NAME COMMAND...: the table and JSON have it, and nothing has been counted.
has_counter() {
	expect 0 "^$1 +0$" '' "${@:2}" && [ "$(field "$@")" = 0 ]
}

peer_counters() {
	local name
	make_node && scatterctl peer add --id 2 --address 192.0.2.2 || return
	for name in connects refusals sent received bytes_sent bytes_received resent keepalives \
		bad bundles_sent bundle_bytes_sent waits_sent forward_copied; do
		has_counter "$name" scatterctl peer --id 2 &&
			has_counter "$name" scatterctl stats || return
	done
	[ "$(scatterctl peer dump | cut -f10- | xargs)" = '0 0 0 0 0 0 0 0 0 none 0 0 0 0' ] &&
		[ "$(scatterctl stats dump | head -n 1 | xargs)" = '1 0 0 0 0 0 0 0 0 0 0 0 0 0 0' ]
}

tuning() {
	make_node || return
	scatterctl tune set --keepalive-ms 200 --half-open 3 --segment-bytes 8192 || return
	expect 0 '^keepalive_ms +200$' '' scatterctl tune &&
		[ "$(scatterctl tune dump | xargs)" = '200 30000 5000 64 3 5000 8192' ] &&
		[ "$(field half_open scatterctl tune)" = 3 ] &&
		expect 1 '' 'buffers: .*ERANGE' scatterctl tune set --buffers 3 &&
		expect 1 '' 'segment_bytes: .*ERANGE' scatterctl tune set --segment-bytes 4095
}

statistics() {
	make_node && scatterctl peer add --id 2 --address 192.0.2.2 || return
	expect 0 '^peers +1$' '' scatterctl stats &&
		[ "$(field peers scatterctl stats)" = 1 ] &&
		[ "$(scatterctl stats dump | head -n 1 | cut -f1,2)" = "$(printf '1\t0')" ]
}

write_conf() {
	cat >conf <<-'END'
		# a cluster
		node id=5 address=192.0.2.1 key-file=key

		tune keepalive-ms=300	# short
		peer id=2 address=192.0.2.2 uids=same keep=yes
		peer id=3 address=192.0.2.3 address=[2001:db8::3]:9
	END
}

apply_is_idempotent() {
	local incarnation
	make_node && scatterctl peer add --id 9 --address 192.0.2.3 || return
	incarnation=$(field incarnation scatterctl node)
	write_conf
	expect 0 '' '' scatterctl apply conf && scatterctl peer dump | cut -f1,5-9 >once &&
		expect 0 '' '' scatterctl apply - <conf || return
	scatterctl apply conf && scatterctl peer dump | cut -f1,5-9 | cmp - once &&
		[ "$(cut -f1 once | xargs)" = '2 3' ] &&
		[ "$(field incarnation scatterctl node)" = "$incarnation" ] &&
		[ "$(field keepalive_ms scatterctl tune)" = 300 ]
}

# bad_conf LINE PATTERN: nothing changes.
bad_conf() {
	write_conf
	echo "$1" >>conf
	expect 2 '' "$2" scatterctl apply conf && expect 1 '' 'no node' scatterctl node
}

apply_reads_all_first() {
	make_key key
	scatterctl node del 2>/dev/null
	bad_conf 'peer id=2 address=192.0.2.9' 'twice' && bad_conf 'peer id=7' 'needs id' &&
		bad_conf 'what' 'line 7' && bad_conf 'tune buffers=9' 'twice' &&
		bad_conf 'peer id=7 address=192.0.2.7 key-file=key' 'not for this' &&
		expect 1 '' 'No such file' scatterctl apply nothing
}

# A group, which waits for a second member.
with_group() {
	scatterctl gather --group seen --size 2 --rank 0 --root 0 --file in.9 \
		--timeout 60 >/dev/null 2>&1 &
	wait_for group_is_there && "$@"
	local status=$?
	kill $! 2>/dev/null
	wait $! 2>/dev/null
	return $status
}

group_is_there() {
	scatterctl group dump | grep -q '^seen'
}

look_at_group() {
	expect 0 '^seen +0 +[0-9]+ +forming +2 +1 ' '' scatterctl group &&
		expect 0 '^0 +present +0 +0 +[0-9]+ +0 +65536 +-$' '' \
			scatterctl group --name seen --owner 0 &&
		expect 0 '^1 +missing ' '' scatterctl group show --name seen &&
		[ "$(scatterctl group --name seen --json | jq -c 'map(.rank)')" = '[0,1]' ] &&
		expect 1 '' 'no group' scatterctl group --name other &&
		expect 1 '' 'no group' scatterctl group --name seen --owner 77 &&
		[ -z "$(as_nobody scatterctl \
			group dump)" ]
}

groups_are_seen() {
	with_group look_at_group
}

# Anew each time: a monitor that does not listen yet hears of none, or of its end alone.
group_is_told() {
	with_group true
	grep -q 'join name seen uid 0 rank 0' events && grep -q 'leave name seen' events &&
		grep -q join events.json && grep -q leave events.json
}

events_are_printed() {
	local monitors status
	scatterctl monitor >events 2>&1 &
	monitors=$!
	scatterctl monitor --json >events.json 2>&1 &
	monitors+=" $!"
	wait_for group_is_told
	status=$?
	# shellcheck disable=SC2086 # a list of numbers
	kill $monitors && wait $monitors
	[ $status = 0 ] && json events.json
}

users_may_only_look() {
	make_node || return
	local user=(as_nobody scatterctl)
	expect 0 '^id +5$' '' "${user[@]}" node && expect 0 'buffers' '' "${user[@]}" tune &&
		expect 1 '' EPERM "${user[@]}" node del &&
		expect 1 '' EPERM "${user[@]}" peer del --id 2 &&
		expect 1 '' EPERM "${user[@]}" tune set --buffers 8 &&
		expect 1 '' EPERM "${user[@]}" monitor
}

# Those of a placement, as this node knows the cluster: it is the second of two.
# shellcheck disable=SC2016 # the ranks expand it
ranks_of_this_node() {
	make_node && scatterctl peer add --id 2 --address 192.0.2.2 || return
	local each sides
	# shellcheck disable=SC2016 # for the ranks
	each='echo $SCATTER_RANK of $SCATTER_SIZE in $SCATTER_GROUP'
	# shellcheck disable=SC2016 # for the ranks
	sides='echo $SCATTER_SIDE.$SCATTER_RANK'
	[ "$(scatterctl run --nodes 2x2 --group g sh -c "$each" | sort | xargs)" = \
		'2 of 4 in g 3 of 4 in g' ] &&
		[ "$(scatterctl run --nodes 1,0,1 --group g sh -c "$each" | sort | xargs)" = \
			'0 of 3 in g 2 of 3 in g' ] &&
		[ "$(scatterctl run --nodes 2x2 --sides 3,1 --group g sh -c "$sides" |
			sort | xargs)" = '0.2 1.0' ] &&
		expect 0 '' '' scatterctl run --nodes 1x4 --group g echo what &&
		expect 3 '' 'rank 1 .*status 3' scatterctl run --nodes 2x1 --group g sh -c 'exit 3' &&
		expect 1 '' "'3x1': there is no node 2: the cluster has 2," \
			scatterctl run --nodes 3x1 --group g echo what &&
		scatterctl node del &&
		expect 1 '' 'no node.*ENOENT' scatterctl run --nodes 1x1 --group g echo what
}

node_is_deleted() {
	make_node && scatterctl node del && expect 1 '' 'no node.*ENOENT' scatterctl node &&
		expect 0 '^node +0$' '' scatterctl info
}

test_nodes() {
	tap_test "node: wrong usage" node_usage
	tap_test "peer, tune and the others: wrong usage" peer_usage
	tap_test "their help" node_help
	tap_test "node: is made" node_is_made
	tap_test "node: keys are never shown" key_is_never_shown
	tap_test "node: key files are private" key_files_are_private
	tap_test "node: addresses" addresses
	tap_test "peer: add, set, del, show" peers
	tap_test "counters of peers" peer_counters
	tap_test "tune" tuning
	tap_test "stats" statistics
	tap_test "apply: again changes nothing" apply_is_idempotent
	tap_test "apply: a wrong line changes nothing" apply_reads_all_first
	tap_test "group: groups are seen from outside" groups_are_seen
	tap_test "monitor: events" events_are_printed
	tap_test "run --nodes: the ranks of this node" ranks_of_this_node
	tap_test "users may only look" users_may_only_look
	tap_test "node: is deleted" node_is_deleted
}

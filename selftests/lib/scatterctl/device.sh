# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of scatterctl: info, status, and what is said about the device. A part of
# scatterctl_test.sh.

# other_dev COMMAND SCRIPT: COMMAND sets up another /dev before SCRIPT.
other_dev() {
	unshare -m sh -c "mount -t tmpfs none /dev && $1 && $2"
}

as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

unreadable_parameter() {
	local parameter=/sys/module/scatter/parameters/window status=0
	chmod 600 $parameter
	expect 1 'window \(unreadable\)' EACCES as_nobody scatterctl status || status=1
	chmod 644 $parameter
	return $status
}

# group_id: that of a new group, if both of its members tell the same.
group_id() {
	# shellcheck disable=SC2016 # expanded by the ranks
	scatterctl run -n 2 -- sh -c 'exec member "$SCATTER_GROUP" 2 "$SCATTER_RANK" \
		run scatterctl status' </dev/null >ids &&
		sed -n 's/^id  *//p' ids | uniq -c | awk '$1 == 2 { print $2 }'
}

ids_differ() {
	local first second
	first=$(group_id) && second=$(group_id) && [[ $first$second =~ ^[0-9a-f]{64}$ ]] &&
		[ "$first" != "$second" ] && return
	echo "# '$first' and '$second'"
	return 1
}

test_device() {
	tap_test "info" expect 0 '^operations +scatter gather barrier' '' scatterctl info
	tap_test "info: limits" expect 0 '^size_max +1024' '' scatterctl info
	tap_test "info: alone" eval "grep -qE '^node +0\$' out && grep -qE '^cluster +0{16}\$' out"
	tap_test "info --json" expect 0 '^\{"operations":\["scatter",.*\}$' '' \
		scatterctl info --json
	tap_test "info --json is JSON" json out
	tap_test "info --json: alone" grep -q '"node":0,"cluster":"0\{16\}"}' out
	tap_test "status" expect 0 '^device +/dev/scatter usable' '' scatterctl status
	tap_test "status: parameters" expect 0 '^parameter +ring_bytes [0-9]+' '' \
		scatterctl status
	tap_test "status --json" expect 0 '"usable":true,"error":null' '' \
		scatterctl status --json
	tap_test "status --json is JSON" json out
	tap_test "status: unreadable parameter" unreadable_parameter

	tap_test "no device" expect 1 '' 'modprobe scatter.*ENOENT' \
		other_dev : 'scatterctl info'
	tap_test "no device: status" expect 1 'scatter absent$' 'modprobe scatter' \
		other_dev : 'scatterctl status'
	tap_test "no device: scatter" expect 1 '' 'cannot join group g: no /dev/scatter' \
		other_dev : 'scatterctl scatter --group g --size 1'
	tap_test "no driver" expect 1 '' 'no driver.*modprobe scatter.*ENXIO' \
		other_dev 'mknod /dev/scatter c 511 1048575' 'scatterctl info'
	tap_test "another device" expect 1 '' 'differ in version.*ENOTTY' \
		other_dev 'mknod /dev/scatter c 1 3' 'scatterctl info'
	tap_test "no permission" expect 1 '' 'add yourself to group scatter.*EACCES' \
		as_nobody scatterctl info
	tap_test "no permission: status" expect 1 'scatter EACCES' 'usermod -aG scatter' \
		as_nobody scatterctl status
	tap_test "no permission: gather" expect 1 '' 'cannot join.*add yourself' \
		as_nobody scatterctl gather --group g --size 1

	tap_test "status --fd" expect 0 '^state +active' '' \
		member fd 1 0 run scatterctl status
	tap_test "status --fd: rank and size" \
		eval "grep -qE '^rank +0' out && grep -qE '^size +1$' out"
	tap_test "status --fd: both members have their group's id" ids_differ
	tap_test "status --fd: creator" grep -qE '^creator +uid 0 gid 0 mode 600$' out
	tap_test "status --fd: members" grep -qE '^member 0 +uid 0 gid 0 pid [1-9][0-9]*$' out
	tap_test "status --fd --json" expect 0 '"state":"active","rank":0,"size":1,' '' \
		member fd 1 0 run scatterctl status --json
	tap_test "status --fd --json is JSON" json out
	tap_test "status --fd --json: id" grep -qE '"id":"[0-9a-f]{32}"' out
	tap_test "status --fd --json: credentials" grep -qE \
		'"creator":\{"uid":0,"gid":0,"mode":"600"\},"credentials":\[\{"rank":0,"uid":0,"gid":0,"pid":[1-9][0-9]*\}\]' \
		out
	tap_test "status --fd: no schedule" grep -q '"algorithm":"auto","ports":0,"dims":\[\],' out
	tap_test "status --fd: a mesh" expect 0 '^algorithm +mesh --dims 1x1x1$' '' \
		env SCHEDULE='3 0 3 1 1 1' member fd 1 0 run scatterctl status
	tap_test "status --fd: ports" expect 0 '^algorithm +knomial --ports 2$' '' \
		env SCHEDULE='5 2' member fd 1 0 run scatterctl status
	tap_test "status --fd --json: a torus" expect 0 '"algorithm":"torus","ports":0,"dims":\[1,1\],' \
		'' env SCHEDULE='4 0 2 1 1' member fd 1 0 run scatterctl status --json
	tap_test "status --fd --json is JSON with a schedule" json out
	tap_test "status --fd: not open" expect 1 '' 'descriptor 33: .*EBADF' \
		scatterctl status --fd 33
	tap_test "status --fd: another file" expect 1 '' 'not one of /dev/scatter' \
		scatterctl status --fd 0
	tap_test "status --fd: not joined" expect 1 '' 'not joined a group' \
		bash -c 'scatterctl status --fd 9 9<>/dev/scatter'
}

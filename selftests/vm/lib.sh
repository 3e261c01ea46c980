# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Small things that every part of the VM harness uses.
#
# shellcheck disable=SC2034,SC2154 # variables are shared with run

# Exit codes; run --help documents them.
readonly EXIT_SETUP=123 EXIT_DEADLINE=124 EXIT_KERNEL=125

say() {
	printf 'vm: %s\n' "$*" >&2
}

die() {
	say "$*"
	exit "$EXIT_SETUP"
}

need_programs() {
	local entry missing=''
	for entry in qemu-system-x86_64:qemu-system-x86 busybox:busybox-static \
		cpio:cpio modprobe:kmod; do
		type -P "${entry%%:*}" >/dev/null || missing+=" ${entry#*:}"
	done
	[ -z "$missing" ] || die "missing packages; as root: apt-get install$missing" \
		"(or $here/deps)"
	# The path of the dynamic linker stands near the beginning of a program.
	if bytes_at "$(type -P busybox)" 0 1024 | grep -q ld-linux; then
		die "busybox is not static; as root: apt-get install busybox-static"
	fi
}

# $3 bytes at offset $2 of file $1.
bytes_at() {
	dd if="$1" bs=1M iflag=skip_bytes,count_bytes skip="$2" count="$3" status=none
}

# A short name for what comes on standard input.
digest() {
	sha256sum | cut -c 1-16
}

# The cache: files that depend on nothing but a kernel and this directory.
find_cache() {
	for cache in "${SCATTER_CACHE:-/var/cache/scatter}/vm" \
		"${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/scatter/vm"; do
		if mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ]; then
			return
		fi
	done
	# A slow start is better than none.
	cache=$tmp/cache
	mkdir "$cache"
}

# cached NAME COMMAND...: sets cached_file to the path of a file of the cache, which
# COMMAND, given a path, makes if it is not there. Parallel runs may both make it;
# the rename keeps either from seeing half of it.
cached() {
	local path=$cache/$1
	shift
	if [ -s "$path" ]; then
		touch -c "$path" 2>/dev/null || true
	else
		unfinished=$(mktemp "$path.XXXXXX")
		"$@" "$unfinished"
		chmod 0644 "$unfinished"
		mv "$unfinished" "$path"
		unfinished=''
		# Of old kernels, and of old versions of these scripts.
		find "$cache" -maxdepth 1 -type f -mtime +30 -delete
	fi
	cached_file=$path
}

# begin_machine SECONDS ARGUMENT...: start QEMU, for end_machine. Even if this script is killed with
# SIGKILL, timeout(1) ends the machine.
begin_machine() {
	local seconds=$1
	shift
	timeout -k 5 "$seconds" qemu-system-x86_64 "${QEMU_BASE[@]}" "$@" \
		</dev/null >"$tmp/qemu.log" 2>&1 &
	machine_pid=$!
}

# Wait until QEMU has ended; sets machine_status.
end_machine() {
	machine_status=0
	# Without the words of the shell about a QEMU that crashed.
	wait "$machine_pid" 2>/dev/null || machine_status=$?
	machine_pid=''
}

start_machine() {
	begin_machine "$@"
	end_machine
}

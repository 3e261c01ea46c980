# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What both demos do before they boot anything, for scripts that have set "top" and define usage
# and default_file, which prints the path of a file.
#
#   no_words "$@"     the script takes no words but --help
#   start             makes the directory "tmp", which goes when the script ends
#   prepare           builds the programs, into the directory "built". Sets "version" of the kernel,
#                     "file" and its length "bytes"
#   choose_memory MACHINES MB   sets "memory" of each machine, in MB, from what it needs without the
#                     file
#   kernel image|file   prints the path of what the machine boots, or of the kernel as installed
#   expected_hashes   prints the hashes that the ranks should find: of each part, then of all
#
# shellcheck disable=SC2034,SC2154 # variables are shared with the scripts

readonly RANKS=8
# So many times the file: the blocks, what they were scattered from or are gathered to, and the file
# in the page cache.
readonly COPIES=3

file='' bytes=0 version='' memory=0 tmp=''
built=$top/${BUILD:-build}/demo

die() {
	echo "demo: $*" >&2
	exit 1
}

# What boots is the uncompressed image, if the kernel has one that boots.
kernel() (
	here=$top/selftests/vm
	# shellcheck source=selftests/vm/lib.sh
	. "$here/lib.sh"
	# shellcheck source=selftests/vm/kernel.sh
	. "$here/kernel.sh"
	# shellcheck source=selftests/vm/accel.sh
	. "$here/accel.sh"
	unfinished='' machine_pid=''
	trap 'rm -rf "$unfinished"' EXIT
	need_programs
	find_cache
	resolve_kernel "$version"
	find_initramfs
	find_image
	case $1 in
	image) echo "$kernel_image" ;;
	file) echo "$kernel_file" ;;
	esac
)

bytes_of() {
	stat -L -c %s -- "$1"
}

choose_file() {
	file=${DEMO_FILE-}
	[ -n "$file" ] || file=$(default_file)
	[ -e "$file" ] || die "DEMO_FILE: no file $file"
	[ -f "$file" ] || die "DEMO_FILE: not a regular file: $file"
	[ -r "$file" ] || die "DEMO_FILE: not readable: $file"
	file=$(realpath -- "$file")
	case $file in
	/proc/* | /sys/*) die "DEMO_FILE: the machine has files of its own there; copy $file" ;;
	esac
	bytes=$(bytes_of "$file")
}

choose_memory() {
	local available
	memory=$(($2 + (bytes * COPIES >> 20)))
	available=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) >> 10))
	[ $((memory * $1)) -le "$available" ] ||
		die "$file needs $((memory * $1)) MB for machines, and $available MB are free here"
}

expected_hashes() {
	local block=$(((bytes + RANKS - 1) / RANKS)) rank
	for ((rank = 0; rank < RANKS; rank++)); do
		dd if="$file" bs=1M iflag=skip_bytes,count_bytes skip=$((rank * block)) \
			count="$block" status=none | sha256sum
	done | cut -d ' ' -f 1
	sha256sum <"$file" | cut -d ' ' -f 1
}

# The flags of a make that called us are not for this one.
build() {
	(
		unset MAKEFLAGS MFLAGS MAKELEVEL
		cd "$top" || exit
		make -s -f selftests/demo/build.mk demo-programs
	)
}

prepare() {
	[ -f "$top/scatter.ko" ] || die "no scatter.ko: make module"
	version=$(modinfo -F vermagic "$top/scatter.ko")
	version=${version%% *}
	build
	choose_file
}

no_words() {
	case ${1-} in
	'') ;;
	--help) usage; exit ;;
	*) usage >&2; exit 2 ;;
	esac
}

start() {
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/scatter-demo.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# From the name of a kernel to what a machine boots: image and initramfs.
#
# shellcheck disable=SC2034,SC2154 # variables are shared with run

# resolve_kernel NAME sets
#   kernel_file     vmlinuz, bzImage or vmlinux
#   kernel_release  what uname -r will say
#   kernel_modules  .../lib/modules/RELEASE, or nothing if all is built in
# New ways to name a kernel belong here and nowhere else.
resolve_kernel() {
	local name=$1
	if [ -f "$name" ]; then
		kernel_file=$(realpath "$name")
	elif [ -d "$name" ]; then
		kernel_file=$(image_in "$(realpath "$name")")
	else
		kernel_file=$(named_kernel "$name")
	fi
	kernel_release=$(image_release "$kernel_file")
	kernel_modules=$(modules_of "$kernel_file" "$kernel_release")
}

# What selftests/vm/kernel provides.
readonly PROVIDED_KERNELS="6.1 6.12 debug"

# Only kernels that are there; "kernel" gets them.
named_kernel() {
	if [ -z "$1" ]; then
		installed_kernel ''
	elif [[ " $PROVIDED_KERNELS " = *" $1 "* ]]; then
		provided_kernel "$1"
	else
		(installed_kernel "$1") 2>/dev/null || provided_kernel "$1"
	fi
}

provided_kernel() {
	local said name release version image kdir modules
	said=$("$here/kernel" --cached "$1")
	eval "$said"
	echo "$image"
}

# The newest installed kernel whose release is $1 or begins with it.
installed_kernel() {
	local release
	while read -r release; do
		case $release in
		"${1:-$release}" | "$1"[.-]*)
			if [ -f "/boot/vmlinuz-$release" ]; then
				echo "/boot/vmlinuz-$release"
				return
			fi
			;;
		esac
	done < <(printf '%s\n' /lib/modules/* | sed 's:.*/::' | sort -rV)
	die "no installed kernel${1:+ $1}; as root: apt-get install linux-image-amd64" \
		"(or $here/deps)"
}

image_in() {
	local file
	for file in "$1"/{vmlinux,vmlinuz,bzImage} "$1"/{,boot/}vmlinuz-*; do
		if [ -f "$file" ]; then
			echo "$file"
			return
		fi
	done
	die "no kernel image in $1"
}

# Modules lie where modules_install puts them: below the directory of the image,
# below its parent (an unpacked package has boot/ and lib/), or below /.
modules_of() {
	local dir
	dir=$(dirname "$1")
	for dir in "$dir" "$(dirname "$dir")" /; do
		if [ -d "${dir%/}/lib/modules/$2" ]; then
			echo "${dir%/}/lib/modules/$2"
			return
		fi
	done
}

# Images -------------------------------------------------------------------

# An unsigned little-endian number of $3 bytes at offset $2 of file $1.
number_at() {
	od -A n -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

is_elf() {
	[ "$(bytes_at "$1" 0 4 | tr -d '\0')" = $'\x7fELF' ]
}

is_bzimage() {
	[ "$(bytes_at "$1" $((0x202)) 4 | tr -d '\0')" = HdrS ]
}

image_release() {
	local text
	if is_elf "$1"; then
		text=$(LC_ALL=C grep -a -o -m 1 'Linux version [^ ]*' "$1")
		text=${text%%$'\n'*}
		text=${text#Linux version }
	elif is_bzimage "$1"; then
		# kernel_version of the boot protocol: offset from 0x200
		text=$(bytes_at "$1" $(($(number_at "$1" $((0x20e)) 2) + 0x200)) 64 | tr '\0' ' ')
		text=${text%% *}
	else
		die "not a kernel image: $1"
	fi
	[ -n "$text" ] || die "no release in $1"
	echo "$text"
}

# Sets kernel_image. QEMU enters an uncompressed vmlinux directly (PVH); that boots
# in half the time, since the decompressor is slow under emulation.
find_image() {
	local name
	kernel_image=$kernel_file
	if ! is_elf "$kernel_file"; then
		# Size and time tell a rebuilt image without reading it.
		name=$(stat -c '%n %s %Y' "$kernel_file" | digest)
		cached "image-$kernel_release-$name" extract_vmlinux "$kernel_file"
		kernel_image=$cached_file
	fi
}

# extract_vmlinux IMAGE TO: the boot protocol (2.08) says where in a bzImage the
# compressed vmlinux is. Not every kernel can be entered directly: it may have no
# PVH, and with KASAN 6.1 dies of it. Such an image boots as it is.
extract_vmlinux() {
	local start length payload=$tmp/payload
	start=$((($(number_at "$1" $((0x1f1)) 1) + 1) * 512 + $(number_at "$1" $((0x248)) 4)))
	length=$(number_at "$1" $((0x24c)) 4)
	bytes_at "$1" "$start" "$length" >"$payload"
	if ! unpack "$payload" >"$2" || ! is_elf "$2" || ! probe tcg 60 "$2"; then
		cp "$1" "$2"
	fi
	rm -f "$payload"
}

# All but gzip are followed by the size of the contents, 4 bytes that their tools
# would take for garbage.
unpack() {
	case $(od -A n -t x1 -N 4 "$1" | tr -d ' \n') in
	1f8b*) gzip -dc "$1" ;;
	fd377a58) head -c -4 "$1" | xz -dc ;;
	28b52ffd) head -c -4 "$1" | zstd -dc ;;
	02214c18) head -c -4 "$1" | lz4 -dc ;;
	5d0000*) head -c -4 "$1" | xz --format=lzma -dc ;;
	425a68*) head -c -4 "$1" | bzip2 -dc ;;
	*) return 1 ;;
	esac
}

# Initramfs ----------------------------------------------------------------

# What the machine needs to reach its root file system.
readonly INITRAMFS_MODULES="virtio_pci 9pnet_virtio 9p overlay"
readonly INITRAMFS_APPLETS="sh cat mkdir mount insmod switch_root reboot ln"

# Sets initramfs. Its name has all that it is made of.
find_initramfs() {
	local key
	key=$({
		cat "$here/kernel.sh" "$here/guest-early" "$(type -P busybox)"
		[ -z "$kernel_modules" ] || stat -c '%n %Y' "$kernel_modules/modules.dep"
	} | digest)
	cached "initramfs-$kernel_release-$key" make_initramfs
	initramfs=$cached_file
}

make_initramfs() {
	local out=$1 dir=$tmp/initramfs applet
	mkdir -p "$dir"/{bin,modules,proc,sys,dev,lower,upper,newroot}
	cp "$(type -P busybox)" "$dir/bin/busybox"
	for applet in $INITRAMFS_APPLETS; do
		ln -s busybox "$dir/bin/$applet"
	done
	install -m 0755 "$here/guest-early" "$dir/init"
	: >"$dir/modules/order"
	[ -z "$kernel_modules" ] || copy_modules "$dir/modules"
	(cd "$dir" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) >"$out"
	rm -rf "$dir"
}

# modprobe -D prints the insmod commands for a module and all it needs, in order;
# for what is built in it prints another word.
copy_modules() {
	local to=$1 base=${kernel_modules%/lib/modules/*} name action file plain
	for name in $INITRAMFS_MODULES; do
		modprobe -d "$base/" -S "$kernel_release" -D "$name"
	done | while read -r action file _; do
		[ "$action" = insmod ] || continue
		plain=$(basename "$file")
		plain=${plain%.ko*}.ko
		[ ! -e "$to/$plain" ] || continue
		unpack_module "$file" >"$to/$plain"
		echo "$plain" >>"$to/order"
	done
}

unpack_module() {
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.zst) zstd -dc "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac
}

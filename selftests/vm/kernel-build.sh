# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The debug kernel: from Debian's newest source package and debug.config.
#
# shellcheck disable=SC2034,SC2154 # variables are shared with kernel

# To be increased when the same source and options give another result.
readonly BUILD_RECIPE=1
readonly BUILD_PACKAGES=(gcc make flex bison bc libc6-dev libelf-dev libssl-dev perl
	python3-minimal xz-utils cpio kmod)
readonly BUILD_SUITES=(trixie-backports sid)

# Options of the fragment, without what only people read.
debug_options() {
	grep '^CONFIG_' "$here/debug.config"
}

build_kernel() {
	local version package source=$work/source log=$work/build.log
	need_packages "${BUILD_PACKAGES[@]}"
	find_source
	if [ -n "$update" ] && is_current debug "$version"; then
		return
	fi
	compile_source
	collect_build
	publish debug "$version"
}

# Source -------------------------------------------------------------------

# Sets package (a file) and version. One that was once downloaded is good until
# --update, so that another debug.config needs no network.
find_source() {
	local name file
	file=$(printf '%s\n' "$kernels"/source/linux-source-*.deb | sort -V | tail -n 1)
	if [ -n "$update" ] || [ ! -e "$file" ]; then
		private_apt "${BUILD_SUITES[@]}"
		read -r name version < <(newest_package '^linux-source-[0-9.]+$') ||
			die "found no package linux-source-* in ${BUILD_SUITES[*]}"
		file=$kernels/source/${name}_${version}_all.deb
		[ -e "$file" ] || download_source "$name=$version" "$file"
	fi
	package=$file
	version=$(dpkg-deb -f "$file" Version)
}

download_source() {
	say "fetching $1"
	rm -rf "$work/packages"
	download "$work/packages" "$1"
	rm -f "$kernels"/source/linux-source-*.deb
	mv "$work/packages"/*.deb "$2"
}

# Leaves a tree of an earlier run alone if it was complete and is of this version.
unpack_source() {
	if [ "$(cat "$source/.scatter-version" 2>/dev/null)" = "$version" ]; then
		return
	fi
	rm -rf "$source"
	mkdir "$source"
	dpkg-deb --fsys-tarfile "$package" |
		tar -xO --wildcards './usr/src/linux-source-*.tar.xz' | xz -dT0 |
		tar -x -C "$source" --strip-components=1
	echo "$version" >"$source/.scatter-version"
}

# Build --------------------------------------------------------------------

compile_source() {
	local resumed=''
	[ ! -e "$source/vmlinux.o" ] && [ ! -e "$source/kernel/fork.o" ] || resumed=1
	: >"$log"
	unpack_source
	say "building Linux $version${resumed:+, going on}; this takes a while; see $log"
	if compile; then
		return
	fi
	[ -n "$resumed" ] || build_failed
	# Whatever interrupted it may have left half a file.
	say "starting afresh"
	rm -rf "$source"
	unpack_source
	compile || build_failed
}

build_failed() {
	tail -n 20 "$log" >&2
	die "the debug kernel does not build; see $log"
}

compile() {
	debug_options >"$work/options"
	logged make -C "$source" KCONFIG_ALLCONFIG="$work/options" allnoconfig || return
	check_options "$source/.config"
	logged make -C "$source" -j"$(nproc)" vmlinux modules
}

# An option that does not exist, or that another forbids, is dropped by kconfig
# without a word.
check_options() {
	local option dropped=()
	while IFS= read -r option; do
		case $option in
		*=n) ! grep -q "^${option%=n}=" "$1" || dropped+=("$option") ;;
		*) grep -qxF -e "$option" "$1" || dropped+=("$option") ;;
		esac
	done < <(debug_options)
	[ ${#dropped[@]} -eq 0 ] ||
		die "Linux $version does not take these lines of debug.config: ${dropped[*]}"
}

# What is kept -------------------------------------------------------------

# The kernel, and of the tree only what modules are built with.
collect_build() {
	local new=$work/new
	rm -rf "$new"
	mkdir -p "$new/build"
	(cd "$source" && module_build_files | cpio --quiet -pdlm "$new/build")
	cp "$log" "$new/build.log"
	mv "$source/vmlinux" "$new/vmlinux"
	ln -s ../vmlinux "$new/build/vmlinux"
}

module_build_files() {
	printf '%s\n' .config Module.symvers System.map Makefile tools/objtool/objtool
	find scripts include arch/x86/include arch/x86/Makefile* -type f \
		! -name '*.o' ! -name '.*.cmd' -o -type l
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the library, compiled against what is installed. A part of
# scatterctl_test.sh, which sets $top and $work.
#
# shellcheck disable=SC2154

compiler() {
	"${CC:-cc}" -Wall -Wextra -Werror "$@"
}

installed() {
	make -s -C "$top" lib-install DESTDIR="$work/root" PREFIX=/usr BUILD=build \
		>make.out 2>&1 || { sed 's/^/# /' make.out; return 1; }
	lib=$work/root/usr/lib
	compiler -I root/usr/include -o library_test \
		"$top/selftests/lib/library_test.c" -L "$lib" -lscatter
}

library_part() {
	LD_LIBRARY_PATH=$lib ./library_test "$1"
}

# Only what scatter.h declares, and each with its version.
symbols_are_public() {
	nm -D --defined-only "$lib/libscatter.so" | awk '$2 == "T" { print $3 }' |
		sed 's/@@SCATTER_1\.0$//' | sort >exported
	sed -n 's/^[a-z].*[ *]\(scatter_[a-z_]*\)(.*/\1/p' "$top/lib/scatter.h" |
		sort >declared
	diff exported declared
}

soname() {
	readelf -d "$lib/libscatter.so" | grep -qF '[libscatter.so.1]' &&
		[ -e "$lib/libscatter.so.1" ]
}

static_too() {
	compiler -I root/usr/include -o static_test \
		"$top/selftests/lib/library_test.c" "$lib/libscatter.a" &&
		./static_test arguments
}

# Programs in C++ may include the header.
cplusplus() {
	printf '#include <scatter.h>\nint main(void) { return scatter_leave(0); }\n' >plus.cc
	"${CXX:-c++}" -Wall -Wextra -Werror -I root/usr/include -o plus plus.cc \
		-L "$lib" -lscatter && LD_LIBRARY_PATH=$lib ./plus
}

test_library() {
	local name
	tap_test "library: a program compiles against it" installed || return
	tap_test "library: exports what is declared" symbols_are_public
	tap_test "library: soname" soname
	tap_test "library: static" static_too
	if type -P "${CXX:-c++}" >/dev/null; then
		tap_test "library: C++" cplusplus
	fi
	for name in $(LD_LIBRARY_PATH=$lib ./library_test); do
		if [ -c /dev/scatter ] || [ "$name" = arguments ]; then
			tap_test "library: $name" library_part "$name"
		fi
	done
}

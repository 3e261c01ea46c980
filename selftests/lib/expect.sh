# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# For tests of scatterctl: what a command prints, and how it ends. The script that reads
# this file sets $work, a directory of its own, and $top.
#
# shellcheck disable=SC2154

# expect STATUS OUT ERR COMMAND...: OUT and ERR are what must match standard output and
# error, a line of it, as extended regular expressions; empty: there must be none.
expect() {
	local wanted=$1 out=$2 err=$3 status=0
	shift 3
	"$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	[ "$status" = "$wanted" ] && matches "$work/out" "$out" &&
		matches "$work/err" "$err" && return
	echo "# $*: status $status, not $wanted, or other output than '$out' '$err':"
	sed 's/^/#   /' "$work/out" "$work/err"
	return 1
}

# matches FILE PATTERN: a line of it. No process: they are slow under emulation.
matches() {
	local line
	if [ -z "$2" ]; then
		[ ! -s "$1" ]
		return
	fi
	while IFS= read -r line || [ -n "$line" ]; do
		[[ $line =~ $2 ]] && return
	done <"$1"
	return 1
}

# usage COMMAND...: wrong usage, and where to read about it.
usage() {
	expect 2 '' "Try 'scatterctl|an argument|unrecognized|invalid option" \
		scatterctl "$@"
}

# The manual page has each option of --help, and --help each of the page's.
documented() {
	local page=$top/Documentation/man/scatterctl.1.rst
	scatterctl "$1" --help | grep -oE '^  (-., )?--[a-z-]+' |
		grep -oE -e '--[a-z-]+' |
		sort >listed
	sed -n "/^$2\$/,/^$3\$/s/^\(\`\`-[a-zA-Z]\`\`, \)*\`\`\(--[a-z-]*\)\`\`.*/\2/p" "$page" |
		sort | diff listed - | sed 's/^/# /' >different
	[ -s listed ] && [ ! -s different ] && return
	cat different
	return 1
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every command of Documentation/tracing.rst, and what it tells. Prints TAP. As root,
# where the module is loaded (selftests/vm/run -- selftests/kselftest/tracing_test.sh).

set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/selftests/kselftest}

# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"

readonly RANKS=4

# The page's commands are tried where all variants are.
if [ "${KSELFTEST_SAMPLE:-1}" != 1 ]; then
	echo "1..0 # SKIP a sampled run"
	exit 0
fi
for needed in perf trace-cmd /sys/kernel/tracing/events/scatter; do
	type "$needed" >/dev/null 2>&1 || [ -d "$needed" ] || {
		echo "1..0 # SKIP no $needed"
		exit 0
	}
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
head -c 8000 /dev/zero >big
cat >job <<END
#!/bin/sh
exec $top/build/scatterctl run -n $RANKS -- \
	$top/build/scatterctl scatter --file big --output /dev/null
END
chmod 755 job

# The lines of the page that begin with one of the tools.
recipes() {
	grep -P '^\t(perf|trace-cmd) ' "$top/Documentation/tracing.rst" | cut -f 2
}

recipe_runs() {
	timeout 100 bash -c "$1" >output 2>&1 </dev/null && return
	sed 's/^/# /' output
	return 1
}

# has_lines FILE NUMBER PATTERN
has_lines() {
	local count
	count=$(grep -cE "$3" "$1")
	[ "$count" = "$2" ] && return
	echo "# $1 has $count lines with '$3', not $2:"
	sed 's/^/# /' "$1"
	return 1
}

has_counted() {
	grep -qE '[1-9][0-9]* +scatter:scatter_wake' stat.txt &&
		grep -qE '[1-9][0-9]* +scatter:scatter_copy' stat.txt
}

# Operations of a scatter of four parts: how long they are, and they.
tells_all() {
	local posts
	posts=$(grep -c scatter_post "$1")
	[ "$posts" -ge $RANKS ] && has_lines "$1" $RANKS 'scatter_join: ' &&
		has_lines "$1" "$posts" 'scatter_complete: .* error=0 culprit=-1' &&
		has_lines "$1" "$(grep -c scatter_edge "$1")" scatter_receive &&
		has_lines "$1" $RANKS 'scatter_death: .* left=1'
}

tells_of_calls() {
	has_lines live.txt "$(grep -c scatter_post all.txt)" scatter_complete
}

while read -r recipe; do
	tap_test "$recipe" recipe_runs "$recipe"
done < <(recipes)
tap_test "perf stat counts" has_counted
tap_test "perf script tells all" tells_all all.txt
tap_test "nobody ended with an error" has_lines errors.txt 0 scatter_complete
tap_test "perf trace tells of calls" tells_of_calls
tap_test "trace-cmd report tells all" tells_all report.txt
tap_end

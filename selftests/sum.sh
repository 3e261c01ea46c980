# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Run rings of tests and sum up their TAP. The script that reads this file has a
# function run_ring, which prints the TAP of the ring that it is given; its exit status
# is 0 if all tests passed, 1 if one failed, any other if the ring itself did. Its
# functions goes_beside and needs_quiet say whether a ring runs beside others, and whether
# none may run beside it.

beside_pid=''
all_passed=0 all_failed=0 all_skipped=0
declare -A summary=()

# From a log to "PASSED FAILED SKIPPED PROBLEM". A log may hold the output of several
# programs, each with a plan of its own. Lines that are indented are subtests of a
# test whose own line follows. TODO marks a failure that is expected.
count_tests() {
	tr -d '\r\0' <"$1" | LC_ALL=C awk '
		/^1\.\.[0-9]+/ { plans++; planned += substr($1, 4) }
		/^Bail out!/ && !problem { problem = $0 }
		!/^(not )?ok($|[ \t])/ { next }
		{ seen++; directive = toupper($0) }
		directive ~ /# *SKIP/ { skipped++; next }
		/^ok/ || directive ~ /# *TODO/ { passed++; next }
		{ failed++ }
		END {
			# What notices that a program broke off says so in a
			# line of its own, which no plan has.
			if (!problem && !seen)
				problem = "no tests"
			else if (!problem && !failed && !plans)
				problem = "no plan"
			else if (!problem && !failed && seen != planned)
				problem = seen " tests of " planned
			print passed + 0, failed + 0, skipped + 0, problem
		}'
}

# judge RING STATUS SECONDS: adds a line to the summary and the tests to the totals; the
# counts are also left beside the log.
judge() {
	local ring=$1 status=$2 passed failed skipped problem
	read -r passed failed skipped problem < <(count_tests "$logs/$ring.log")
	case $status in
	0) ;;
	1) [ "$failed" -gt 0 ] || problem="${problem:+$problem, }exit status 1" ;;
	*) problem="${problem:+$problem, }exit status $status" ;;
	esac
	[ -z "$problem" ] || failed=$((failed + 1))
	echo "$passed $failed $skipped $3" >"$logs/$ring.count"
	all_passed=$((all_passed + passed))
	all_failed=$((all_failed + failed))
	all_skipped=$((all_skipped + skipped))
	summary[$ring]=$(printf '%-20s %4d s   %s' "$ring" "$3" \
		"$(totals "$passed" "$failed" "$skipped")${problem:+ (broke: $problem)}")
}

totals() {
	echo "$1 passed, $2 failed$([ "$3" = 0 ] || echo ", $3 skipped")"
}

# The failures once more, where they are not lost among thousands of lines, with the
# comments next to them; of a ring that broke, how it ended.
show_failures() {
	local ring
	for ring in "$@"; do
		LC_ALL=C awk -v ring="$ring: " '
			/^not ok/ && toupper($0) !~ /# *(TODO|SKIP)/ {
				for (i = kept > 5 ? kept - 5 : 0; i < kept; i++)
					print ring comment[i]
				print ring $0
				kept = 0
				after = 20
				next
			}
			!/^#/ { after = kept = 0; next }
			after { after--; print ring $0; next }
			{ comment[kept++] = $0 }' "$logs/$ring.log"
		[[ ${summary[$ring]} != *'(broke: '* ]] ||
			tail -n 40 "$logs/$ring.log" | sed "s/^/$ring ended: /"
	done
}

# And in short at the very end, since often only that is kept of a long output: the last comments
# before each, or the failures of tests within it, and its name; of a ring that broke, what the
# machine says of that, and where its kernel was.
name_failures() {
	local ring
	for ring in "$@"; do
		LC_ALL=C awk -v ring="failed: $ring: " '
			/^#[# ]*(not ok|.*:Expected )/ && named++ < 4 { within = within ring $0 "\n" }
			/^#/ { before = last; last = ring $0 "\n"; next }
			/^not ok/ && toupper($0) !~ /# *(TODO|SKIP)/ {
				printf "%s", (named ? within : before last) ring $0 "\n"
			}
			{ before = last = within = named = "" }' "$logs/$ring.log"
		[[ ${summary[$ring]} != *'(broke: '* ]] ||
			LC_ALL=C awk -v ring="failed: $ring: " '
				!/^vm: / { next }
				/from the first of these on/ { story = 1; next }
				/Call Trace:/ { traced = 12 }
				!story && shown++ < 5 || story && /RIP: 0010:/ || traced-- > 0 ||
				/^vm: note: of / {
					print ring $0
				}' "$logs/$ring.log"
	done | head -n 40
}

# one_ring RING: its TAP goes to its log, and to standard output; how it ended, beside it.
one_ring() {
	local ring=$1 start=$SECONDS status
	echo "# ring $ring"
	run_ring "$ring" </dev/null 2>&1 | tee "$logs/$ring.log"
	status=${PIPESTATUS[0]}
	echo "$status $((SECONDS - start))" >"$logs/$ring.ended"
}

# Rings that run beside others, one after another, in a process group of their own.
start_beside() {
	set -m
	{
		for ring in "$@"; do
			one_ring "$ring"
		done
	} </dev/null >"$logs/beside" 2>&1 &
	beside_pid=$!
	set +m
}

# Says what those said.
end_beside() {
	[ -n "$beside_pid" ] || return 0
	wait "$beside_pid"
	beside_pid=''
	cat "$logs/beside"
}

kill_beside() {
	[ -z "$beside_pid" ] || kill -- "-$beside_pid" 2>/dev/null
}

# check_rings LOGS RING...: one after another; the logs go to that directory. From the
# first one on that goes_beside the script says so of, all of those run beside the others,
# until one comes that needs_quiet.
check_rings() {
	local logs=$1 ring status seconds
	local -a beside=() others=()
	shift
	mkdir -p "$logs"
	for ring in "$@"; do
		if goes_beside "$ring"; then beside+=("$ring"); else others+=("$ring"); fi
	done
	for ring in "$@"; do
		if [ ${#others[@]} = 0 ] || ! goes_beside "$ring"; then
			! needs_quiet "$ring" || end_beside
			one_ring "$ring"
		elif [ "$ring" = "${beside[0]}" ]; then
			start_beside "${beside[@]}"
		fi
	done
	end_beside
	for ring in "$@"; do
		read -r status seconds <"$logs/$ring.ended"
		judge "$ring" "$status" "$seconds"
	done
}

# sum_up LOGS RING...: of those that were checked, in this order.
sum_up() {
	local logs=$1 ring
	shift
	echo
	show_failures "$@"
	for ring in "$@"; do
		echo "${summary[$ring]}"
	done
	name_failures "$@"
	totals "$all_passed" "$all_failed" "$all_skipped"
	[ "$all_failed" = 0 ]
}

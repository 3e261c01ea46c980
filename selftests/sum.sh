# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Run rings of tests and sum up their TAP. The script that reads this file has a
# function run_ring, which prints the TAP of the ring that it is given; its exit status
# is 0 if all tests passed, 1 if one failed, any other if the ring itself did. Its function
# waits_for says whether a ring runs only after another one.

# So many rings run at a time.
readonly LANES=2

all_passed=0 all_failed=0 all_skipped=0
declare -A summary=()
# Rings that run, with their processes; the one whose output is shown as it comes; those that have
# ended and were not shown.
declare -A running=()
shown='' unshown=()

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
			/^# [0-9]+ s:$/ { next }
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

# one_ring RING: its TAP goes to its log; how it ended, beside it.
one_ring() {
	local ring=$1 start=$SECONDS status
	run_ring "$ring" 2>&1 | tee "$logs/$ring.log"
	status=${PIPESTATUS[0]}
	echo "$status $((SECONDS - start))" >"$logs/$ring.ended"
}

# start RING, in a process group of its own, which writes its name to the pipe when it ends,
# however it does. What one ring says is shown at once.
start() {
	local output
	if [ -z "$shown" ]; then
		shown=$1
		echo "# ring $1"
		exec {output}>&1
	else
		exec {output}>/dev/null
	fi
	set -m
	{
		# shellcheck disable=SC2064 # the name that it has now
		trap "echo $1 >&$ends" EXIT
		one_ring "$1"
	} </dev/null >&"$output" &
	set +m
	exec {output}>&-
	running[$1]=$!
}

# Prints the name of the next ring that ends; fails if the time of all is over before. A ring that
# was killed may not have written its name, so next_end looks at the processes every 30 s.
next_end() {
	local ring left
	while :; do
		left=30
		[ -z "${CHECK_SECONDS:-}" ] || left=$((started + CHECK_SECONDS - SECONDS))
		[ "$left" -gt 0 ] || return
		if read -r -t $((left < 30 ? left : 30)) ring <&"$ends"; then
			[ -n "${running[$ring]:-}" ] || continue
			echo "$ring"
			return
		fi
		for ring in "${!running[@]}"; do
			kill -0 "${running[$ring]}" 2>/dev/null && continue
			echo "$ring"
			return
		done
	done
}

# Wait until a ring ends. What others said meanwhile is shown when that of one has come to its
# end, so that each stands in one piece. If the time of all is over, those that run are made to end.
end_one() {
	local ring
	if ! ring=$(next_end); then
		time_is_over
		return
	fi
	unset "running[$ring]"
	[ -e "$logs/$ring.ended" ] || has_no_time "$ring"
	if [ "$ring" = "$shown" ]; then
		shown=''
	else
		unshown+=("$ring")
	fi
	[ -n "$shown" ] || show_others
}

show_others() {
	local ring
	shown=''
	for ring in "${unshown[@]}"; do
		echo "# ring $ring"
		cat "$logs/$ring.log"
	done
	unshown=()
}

# kill_rings [-SIGNAL]
kill_rings() {
	local pid
	for pid in "${running[@]}"; do
		kill "${1:--TERM}" -- "-$pid" 2>/dev/null
	done
}

# Those that wait do not begin, and those that run end, if need be by force.
time_is_over() {
	local ring
	local -a late=("${queue[@]}" "${!running[@]}")
	kill_rings
	while [ ${#running[@]} -gt 0 ] && read -r -t 10 ring <&"$ends"; do
		unset "running[$ring]"
	done
	kill_rings -KILL
	for ring in "${late[@]}"; do
		[ -e "$logs/$ring.ended" ] || has_no_time "$ring"
	done
	queue=() running=()
	show_others
}

# has_no_time RING: it failed.
has_no_time() {
	printf '\nBail out! no time is left\n' >>"$logs/$1.log"
	echo "0 $((SECONDS - started))" >"$logs/$1.ended"
}

# may_start RING BEFORE...: it waits for none of those, and does not disturb one that runs.
may_start() {
	local ring=$1 other
	[ ${#running[@]} -lt $LANES ] || return
	for other in "${@:2}" "${!running[@]}"; do
		! waits_for "$ring" "$other" || return
	done
	for other in "${!running[@]}"; do
		! waits_for "$other" "$ring" || return
	done
}

# check_rings LOGS RING...: each as soon as it may; the logs go to that directory. CHECK_SECONDS
# later those that have not ended have failed: who called us has an end of its own, but knows less.
check_rings() {
	local logs=$1 i ring status seconds ends started=$SECONDS
	local -a queue=("${@:2}")
	shift
	mkdir -p "$logs"
	for ring in "$@"; do
		rm -f "$logs/$ring.ended" "$logs/$ring.log"
	done
	rm -f "$logs/ends"
	mkfifo "$logs/ends" && exec {ends}<>"$logs/ends" || return
	while [ ${#queue[@]} -gt 0 ] || [ ${#running[@]} -gt 0 ]; do
		for ((i = 0; i < ${#queue[@]}; i++)); do
			! may_start "${queue[@]:i:1}" "${queue[@]:0:i}" || break
		done
		if [ "$i" -lt ${#queue[@]} ]; then
			start "${queue[i]}"
			queue=("${queue[@]:0:i}" "${queue[@]:i + 1}")
		else
			end_one
		fi
	done
	exec {ends}>&-
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

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of scatterctl: run. A part of scatterctl_test.sh.

# ranks N SCRIPT [OPTION]...: SCRIPT as each of N ranks.
ranks() {
	scatterctl run -n "$1" "${@:3}" -- sh -c "$2"
}

# shellcheck disable=SC2016 # expanded by the ranks
environment_is_set() {
	ranks 3 'echo $SCATTER_RANK/$SCATTER_SIZE >$SCATTER_RANK.env' &&
		[ "$(cat 0.env 1.env 2.env | xargs)" = "0/3 1/3 2/3" ] || return
	[ "$(ranks 2 'echo $SCATTER_GROUP' --group 'a b' | uniq)" = 'a b' ] || return
	[ "$(ranks 2 'echo $SCATTER_GROUP' | uniq | wc -l)" = 1 ] || return
	# Not the one of another run.
	[ "$(ranks 1 'echo $SCATTER_GROUP')" != "$(ranks 1 'echo $SCATTER_GROUP')" ]
}

# What a failed rank leaves behind is ended too.
leaves_nothing() {
	rm -f ready.*
	# shellcheck disable=SC2016 # expanded by the ranks
	expect 3 '' 'rank 1 .process [0-9]+. exited with status 3' \
		ranks 3 '[ $SCATTER_RANK != 1 ] || {
				until [ -e ready.0 ] && [ -e ready.2 ]; do sleep 0.01; done
				exit 3
			}
			sleep 7777 & >ready.$SCATTER_RANK; sleep 7776; true' &&
		gone 'sleep 777[67]'
}

# A background process of ranks that succeed is none of its business.
spares_the_quiet() {
	ranks 2 'sleep 7775 >/dev/null 2>&1 &' && ! gone 'sleep 7775' && pkill -f 'sleep 7775'
}

# Who was stopped cannot end by itself.
ends_the_stopped() {
	rm -f pid.0
	# shellcheck disable=SC2016 # expanded by the ranks
	expect 4 '' 'rank 1 .*status 4' timeout 20 scatterctl run -n 2 sh -c \
		'[ $SCATTER_RANK = 1 ] || { echo $$ >pid.0; kill -STOP $$; }
		until grep -qs "^State:.T" "/proc/$(cat pid.0)/status"; do sleep 0.01; done
		exit 4'
}

# passes_on SIGNAL: every rank gets it once. They have no terminal.
passes_on() {
	local pid got
	rm -f got.* ready.*
	# shellcheck disable=SC2016 # expanded by the ranks
	fresh scatterctl run -n 3 sh -c \
		'trap "echo x >>got.$SCATTER_RANK" '"$1"'; >ready.$SCATTER_RANK
		while [ ! -e over ]; do sleep 0.1; done' &
	pid=$!
	wait_for test -e ready.0 -a -e ready.1 -a -e ready.2
	kill -s "$1" $pid
	wait_for test -e got.0 -a -e got.1 -a -e got.2
	: >over
	wait $pid || return
	rm over
	got=$(cat got.* | wc -l)
	[ "$got" = 3 ] || { echo "# got $got"; return 1; }
}

# dies_of SIGNAL: as its ranks do, without a report, so that shells take notice.
dies_of() {
	local pid status=0
	rm -f ready.*
	# shellcheck disable=SC2016 # expanded by the ranks
	fresh scatterctl run -n 3 sh -c '>ready.$SCATTER_RANK; exec sleep 7774' 2>err &
	pid=$!
	wait_for test -e ready.0 -a -e ready.1 -a -e ready.2
	kill -s "$1" $pid
	wait $pid 2>/dev/null || status=$?
	[ $status = $((128 + $(kill -l "$1"))) ] && [ ! -s err ] && gone 'sleep 7774'
}

ignores_what_was_ignored() {
	local pid
	rm -f ready.0
	(trap '' HUP; exec scatterctl run -n 1 sh -c \
		'>ready.0; while [ ! -e over ]; do sleep 0.1; done') &
	pid=$!
	wait_for test -e ready.0
	kill -HUP $pid
	: >over
	wait $pid && rm over
}

dies_with_the_tool() {
	local pid
	scatterctl run -n 3 sleep 7773 &
	pid=$!
	wait_for pgrep -f '^sleep 7773' >/dev/null
	kill -KILL $pid
	wait $pid 2>/dev/null
	wait_for gone '^sleep 7773'
}

# What it burns in two seconds, in clock ticks, of which there are 100 in a second.
waits_idly() {
	local pid stat
	scatterctl run -n 2 sleep 1000 &
	pid=$!
	sleep 2
	read -ra stat <"/proc/$pid/stat"
	kill $pid
	wait $pid 2>/dev/null
	[ $((stat[13] + stat[14])) -lt 30 ]
}

# terminal COMMAND: in one of its own; what is typed is standard input.
terminal() {
	script -qec "$1" /dev/null
}

# ^C in a terminal: once for each rank.
interrupted_once() {
	local got
	rm -f got.* ready.*
	# shellcheck disable=SC2016 # expanded by the ranks
	printf '%s\n' 'trap "echo x >>got.$SCATTER_RANK" INT; >ready.$SCATTER_RANK' \
		'while [ ! -e over ]; do sleep 0.1; done' >rank.sh
	{
		wait_for test -e ready.0 -a -e ready.1 -a -e ready.2
		printf '\003'
		wait_for test -e got.0 -a -e got.1 -a -e got.2 >/dev/null
		: >over
		# Its input ends when it has.
		wait_for gone '^scatterctl run -n 3 sh rank.sh' >/dev/null
	} | terminal 'scatterctl run -n 3 sh rank.sh' >/dev/null
	rm over
	got=$(cat got.* | wc -l)
	[ "$got" = 3 ] || { echo "# got $got"; return 1; }
}

states() {
	local pid
	for pid in $(pgrep -f "$1"); do
		sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$pid/status"
	done 2>/dev/null | sort | uniq -c | xargs
}

are() {
	[ "$(states "$1")" = "$2" ]
}

# ^Z stops all, fg continues all, and then ^C ends all.
stops_and_continues() {
	{
		echo 'scatterctl run -n 2 sleep 7772'
		wait_for are '^(scatterctl run -n 2 )?sleep 7772' '3 S'
		printf '\032'
		wait_for are '^(scatterctl run -n 2 )?sleep 7772' '3 T' && : >stopped
		echo fg
		wait_for are '^(scatterctl run -n 2 )?sleep 7772' '3 S' && : >continued
		printf '\003'
		wait_for gone '^sleep 7772'
		echo 'echo status=$?; exit'
		wait_for gone '^bash --norc --noprofile -i' >/dev/null
	} | terminal 'exec bash --norc --noprofile -i' >terminal.out 2>&1
	[ -e stopped ] && [ -e continued ] && gone '^sleep 7772' &&
		grep -q 'status=130' terminal.out
}

few_files() {
	# shellcheck disable=SC2016 # expanded by the ranks
	(ulimit -Sn 64 && scatterctl run -n 100 sh -c '[ "$(ulimit -Sn)" = 64 ]')
}

too_few_files() {
	# shellcheck disable=SC2016 # expanded by the ranks
	(ulimit -n 64 && expect 1 '' 'no process for rank [0-9]+: .*ulimit -n' \
		scatterctl run -n 100 sleep 7771) && gone 'sleep 7771'
}

test_run() {
	local signal
	tap_test "run: environment" environment_is_set
	tap_test "run: --ranks, no --" expect 0 '^a$' '' scatterctl run --ranks 2 echo a
	tap_test "run: options end at the command" expect 0 '^a -n 5 --help$' '' \
		scatterctl run -n 2 echo a -n 5 --help
	# shellcheck disable=SC2016 # expanded by the ranks
	tap_test "run: status of the first that fails" expect 7 '' \
		'^scatterctl run: rank 2 \(process [0-9]+\) exited with status 7$' \
		ranks 4 '[ $SCATTER_RANK != 2 ] || exit 7; exec sleep 7770'
	# shellcheck disable=SC2016 # expanded by the ranks
	tap_test "run: 128 + signal" expect 137 '' \
		'^scatterctl run: rank 1 \(process [0-9]+\) was killed by signal 9 ' \
		ranks 3 '[ $SCATTER_RANK != 1 ] || kill -9 $$; exec sleep 7770'
	tap_test "run: the others were ended" gone 'sleep 7770'
	# shellcheck disable=SC2016 # expanded by the ranks
	tap_test "run: --grace" expect 5 '' 'rank 0 .*did not end by itself' \
		timeout 20 scatterctl run -n 2 --grace 0.5 sh -c \
		'[ $SCATTER_RANK = 0 ] || {
			until [ -e deaf.0 ]; do sleep 0.01; done
			exit 5
		}
		trap "" TERM; >deaf.0; while :; do sleep 1; done'
	tap_test "run: no such command" expect 127 '' \
		'^scatterctl run: cannot start no-such-command: No such file' \
		scatterctl run -n 3 no-such-command
	tap_test "run: no program" expect 126 '' 'cannot start /etc/passwd: Permission' \
		scatterctl run -n 3 /etc/passwd
	tap_test "run: nothing left behind" leaves_nothing
	tap_test "run: background processes stay" spares_the_quiet
	tap_test "run: stopped ranks end" ends_the_stopped
	for signal in HUP INT QUIT TERM USR1 USR2; do
		tap_test "run: passes on SIG$signal" passes_on $signal
	done
	for signal in HUP INT TERM; do
		tap_test "run: dies of SIG$signal" dies_of $signal
	done
	tap_test "run: nohup" ignores_what_was_ignored
	tap_test "run: SIGKILL" dies_with_the_tool
	tap_test "run: waits without a busy loop" waits_idly
	tap_test "run: ^C" interrupted_once
	tap_test "run: ^Z, fg, ^C" stops_and_continues
	tap_test "run: more ranks than the soft limit of files" few_files
	tap_test "run: more ranks than the hard limit of files" too_few_files
	tap_test "run: most ranks" expect 0 '' '' scatterctl run -n 1024 true
}

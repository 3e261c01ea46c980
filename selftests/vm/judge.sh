# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Did the run pass? Reads what the guest left in $tmp/control and the console.
#
# shellcheck disable=SC2154 # variables are shared with run

# Text of a kernel that complains. The kernel writes it in this case; the boot
# messages of a sane kernel have none of it ("Firmware Bug", "kasan: ... enabled").
readonly SPLAT='WARNING: |(^|[^A-Za-z])BUG: |kernel BUG at|\] BUG [^ ]+ \(|Oops|general protection|double fault
KASAN: |KCSAN: |KFENCE: |UBSAN: |ODEBUG: |refcount_t: |usercopy: |DEBUG_LOCKS_WARN_ON
INFO: task .* blocked|INFO: rcu.*stall|rcu.*INFO: .*stall|INFO: trying to register non-static key
soft lockup|hard LOCKUP|Kernel panic|stack-protector: |kernel stack overflow
possible recursive locking|possible circular locking|possible irq lock inversion|possible deadlock
inconsistent lock state|suspicious RCU usage|bad unlock balance|lock held when returning to user space
sleeping function called from invalid context|scheduling while atomic|Invalid wait context
list_(add|del) corruption|held lock freed|unreferenced object|new suspected memory leaks'

# Such words, and no complaint: what the command line of the kernel says, what it says about
# mitigations of the CPU, and a defect of rxe that kernel/rdma/read.c gets round.
readonly HARMLESS='ommand line:|command line parameters|Spectre V2 : |/rxe_comp\.c:[0-9]+ rxe_completer\+'

# From /dev/kmsg ("6,12,345678,-;text", properties on lines that begin with a
# space) to what dmesg prints.
format_kernel_log() {
	awk -F ';' '/^ / { next }
		/^[0-9]+,[0-9]+,[0-9]+,/ {
			split($1, field, ",")
			text = substr($0, length($1) + 2)
			gsub(/\\x0a/, "\n", text)
			printf "[%5d.%06d] %s\n", field[3] / 1000000, field[3] % 1000000, text
		}' "$1"
}

# Lines of a log that complain, with their numbers.
splats() {
	LC_ALL=C grep -a -n -E -- "$SPLAT" "$1" | LC_ALL=C grep -a -v -E -- "$HARMLESS"
}

show() {
	sed 's/^/vm:   /' >&2
}

complaint() {
	say "$1"
	complaints=$((complaints + 1))
}

# complaint_file TEXT FILE: a complaint if there is such a file, and what it says.
complaint_file() {
	if [ -e "$2" ]; then
		complaint "$1"
		show <"$2"
	fi
}

# The lines that complain, then the whole story from the first of them on.
judge_log() {
	local log=$1 first
	splats "$log" >"$tmp/splats" || return 0
	complaint "the kernel complained:"
	cut -d : -f 2- "$tmp/splats" | show
	say "from the first of these on:"
	first=$(sed 's/:.*//;q' "$tmp/splats")
	sed -n "$first,$((first + 60))p" "$log" | show
}

# "scatter: unload: NOUN created N destroyed N", of all kinds of objects.
judge_balance() {
	local log=$1
	if LC_ALL=C grep -a -o -E 'scatter: unload: .* created [0-9]+ destroyed [0-9]+' \
		"$log" >"$tmp/balance"; then
		awk '$(NF - 2) != $NF' "$tmp/balance" >"$tmp/unbalanced"
		[ ! -s "$tmp/unbalanced" ] || complaint_file \
			"created and destroyed do not balance:" "$tmp/unbalanced"
	elif [ "$(basename "$module")" = scatter.ko ]; then
		complaint 'the module printed no "scatter: unload:" lines'
	fi
}

# The module is gone by now, and so are its symbols: addresses need its base.
judge_leaks() {
	[ -s "$1/kmemleak" ] || return 0
	complaint_file "kmemleak found:" "$1/kmemleak"
	say "the module was at:"
	show <"$1/module_address"
}

# A log that overflowed does not begin with record 0. What it lost, the console still
# has, as far as it was a warning or worse.
judge_overflow() {
	local number
	IFS=, read -r _ number _ <"$1"
	if [ "$number" != 0 ] && [ ! -s "$tmp/splats" ]; then
		say "note: the kernel log overflowed"
		tr -d '\r' <"$tmp/console" >"$tmp/console.log"
		judge_log "$tmp/console.log"
	fi
}

judge_finished() {
	local control=$tmp/control
	format_kernel_log "$control/kmsg" >"$tmp/kernel.log"
	judge_log "$tmp/kernel.log"
	judge_overflow "$control/kmsg"
	complaint_file "the module was not loaded:" "$control/insmod.err"
	complaint_file "the module was not unloaded:" "$control/rmmod.err"
	judge_leaks "$control"
	[ -e "$control/insmod.err" ] || [ -e "$control/rmmod.err" ] ||
		judge_balance "$tmp/kernel.log"
	if [ -e "$control/leftovers" ]; then
		say "note: the command left processes behind:"
		show <"$control/leftovers"
	fi
}

phase_of_guest() {
	cat "$tmp/control/phase" 2>/dev/null || echo "booting"
}

# All that is left of a machine that did not finish is its console.
judge_console() {
	tr -d '\r' <"$tmp/console" >"$tmp/kernel.log"
	judge_log "$tmp/kernel.log"
	if [ ! -s "$tmp/splats" ] && [ -s "$tmp/kernel.log" ]; then
		say "the end of the console:"
		tail -n 40 "$tmp/kernel.log" | show
	fi
}

judge_died() {
	if [ "$machine_status" -ne 0 ] && [ ! -e "$tmp/control/phase" ]; then
		show <"$tmp/qemu.log"
		die "QEMU failed with status $machine_status"
	fi
	complaint "the machine died while $(phase_of_guest)"
	show <"$tmp/qemu.log"
	judge_console
}

judge_deadline() {
	complaint "the deadline of $timeout s passed while $(phase_of_guest)"
	judge_console
	if [ -s "$tmp/control/waiting" ]; then
		say "waiting shortly before that:"
		show <"$tmp/control/waiting"
	fi
}

# timeout(1) says 124, or 137 if QEMU did not react to SIGTERM.
passed_deadline() {
	[ "$machine_status" -eq 124 ] ||
		{ [ "$machine_status" -eq 137 ] && [ "$SECONDS" -ge "$timeout" ]; }
}

# Seconds that all CPUs of the host have had, and those that its own host gave to others.
host_seconds() {
	awk -v hertz="$(getconf CLK_TCK)" '$1 == "cpu" {
		printf "%d %d\n", ($2 + $3 + $4 + $5 + $6 + $7 + $8 + $9) / hertz, $9 / hertz
	}' /proc/stat
}

# A host that stands still makes CPUs of the machine look stuck.
tell_host() {
	local all stolen
	read -r all stolen < <(host_seconds)
	say "note: of $((all - ${host_began% *})) s of the host's CPUs others took" \
		"$((stolen - ${host_began#* })) s; its load is $(cut -d ' ' -f 1-3 /proc/loadavg)"
}

judge() {
	local status=$EXIT_KERNEL said=$tmp/control/command_status
	complaints=0
	if passed_deadline; then
		judge_deadline
		status=$EXIT_DEADLINE
	elif [ -e "$tmp/control/finished" ]; then
		judge_finished
	else
		judge_died
	fi
	if [ -n "$results" ]; then
		cp "$tmp/kernel.log" "$results/$logs/kernel.log"
		cp "$tmp/console" "$results/$logs/console.log"
	fi
	if [ "$complaints" -gt 0 ]; then
		tell_host
		[ ! -s "$said" ] || say "the command itself ended with status $(cat "$said")"
		exit "$status"
	fi
	exit "$(cat "$said")"
}

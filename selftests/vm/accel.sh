# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# How a machine runs: what all of them have in common, and KVM or emulation.
#
# shellcheck disable=SC2034,SC2154 # variables are shared with run

readonly QEMU_BASE=(
	-machine q35 -nodefaults -no-user-config -no-reboot -display none
)

# panic=-1 and oops=panic with -no-reboot: a machine that broke ends at once, with
# the trace on its console, instead of limping on with locks held by the dead.
# tsc=reliable: emulated CPUs are not in step, the kernel would drop the TSC.
# secretmem.enable: memfd_secret() is off by default before 6.5.
# hung_task_panic: a machine where a task waits for another that spins would cost the whole deadline;
# what the CPUs do then is on the console.
readonly KERNEL_PARAMETERS="console=ttyS0 quiet panic=-1 oops=panic mitigations=off \
no_timer_check tsc=reliable log_buf_len=4M secretmem.enable=1 \
sysctl.kernel.hung_task_panic=1 sysctl.kernel.hung_task_all_cpu_backtrace=1"

accel_option() {
	case $1 in
	kvm) echo kvm ;;
	icount) echo tcg,thread=single ;;
	*) echo tcg,thread=multi ;;
	esac
}

# The clock of the machine counts instructions, and skips the time that its CPU is idle.
accel_clock() {
	[ "$1" != icount ] || printf '%s\n' -icount shift=0,sleep=off
}

# Emulated ERMS makes the kernel's memcpy ten times slower.
accel_cpu() {
	case $1 in
	kvm) echo host ;;
	*) echo max,-erms,-fsrm ;;
	esac
}

# probe ACCEL SECONDS IMAGE: does a machine get as far as its initramfs?
probe() {
	local said=$tmp/probe
	rm -f "$said"
	start_machine "$2" -accel "$(accel_option "$1")" -cpu "$(accel_cpu "$1")" \
		-smp 2 -m 512 -kernel "$3" -initrd "$initramfs" \
		-append "$KERNEL_PARAMETERS scatter_vm_probe" \
		-serial null -serial "file:${said//,/,,}"
	grep -qs ok "$said"
}

# Sets accel. /dev/kvm alone proves nothing: in a nested host the guest may hang
# before its first message. So try it, once per boot of the host.
choose_accel() {
	accel=tcg
	if [ -w /dev/kvm ]; then
		cached "accel-$(cat /proc/sys/kernel/random/boot_id)" probe_kvm
		accel=$(cat "$cached_file")
	fi
}

# A machine that works under KVM needs one second to answer.
probe_kvm() {
	say "trying KVM, once per boot of this machine"
	if probe kvm 8 "$kernel_image"; then echo kvm; else echo tcg; fi >"$1"
}

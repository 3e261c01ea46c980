# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Ranks of MPI programs, for scripts that run in a machine of selftests/vm/run and have set "top" and
# "MPI", openmpi or mpich.
#
#   ranks N COMMAND...     what they print goes to the file /run/said, too
#   quiet COMMAND...       what it prints is no TAP of ours
#   served N COMMAND...    the device must serve
#   said PATTERN           the last ranks did
#   finalized COMMAND...   it runs test "finalize" of behave.c, which has its say after MPI_Finalize()
#   test_between COMMAND...  what ranks on two nodes have to pass; "COMMAND N PROGRAM..." runs them
#   last_dies N PRELOADED  the last of N ranks does, and the first one is told
#
#   survive    options of the launcher
#
#   SCATTER_MPI_SEED      of the random cases (1)
#   SCATTER_MPI_BETWEEN   how many there are between nodes (25)

# shellcheck disable=SC2034,SC2154 # the script's
readonly SHIM=$top/build/libscatter-mpi-$MPI.so PROGRAMS=$top/build/mpi/$MPI
# No run of ranks takes longer than this, in seconds.
readonly LONGEST=${LONGEST:-150}
unset SCATTER_MPI SCATTER_MPI_VERBOSE
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=cma OMPI_MCA_plm_rsh_agent=true

ranks() {
	local count=$1 options=()
	shift
	case $MPI in
	openmpi) options=(--oversubscribe --bind-to none) ;;
	esac
	# shellcheck disable=SC2086 # words
	timeout "$LONGEST" "mpirun.$MPI" "${options[@]}" ${survive:-} -n "$count" "$@" 2>&1 |
		grep -v 'yaksa: .* leaked' | tee /run/said
	return "${PIPESTATUS[0]}"
}

quiet() {
	"$@" | sed 's/^/# /'
	return "${PIPESTATUS[0]}"
}

served() {
	quiet ranks "$1" env LD_PRELOAD="$SHIM" SCATTER_MPI=require "${@:2}"
}

said() {
	grep -q "$1" /run/said
}

finalized() {
	"$@" && said '^ok .* finalize: '
}

test_between() {
	tap_test "served: a rank on each node" "$@" 2 "$PROGRAMS/behave" served
	tap_test "what a program may rely on: two ranks on each node" finalized "$@" 4 \
		"$PROGRAMS/behave" served truncate errors progress threads nothing addresses \
		overlap finalize
	tap_test "random calls like messages: two ranks on each node" "$@" 4 "$PROGRAMS/compare" \
		"${SCATTER_MPI_SEED:-1}" "${SCATTER_MPI_BETWEEN:-25}"
}

# The launcher must let the others live.
last_dies() {
	local survive=-disable-auto-cleanup began=$SECONDS
	[ "$MPI" = mpich ] || survive='--enable-recovery'
	quiet ranks "$1" env LD_PRELOAD="$2" "$PROGRAMS/behave" dead
	said 'dead: error yes' && [ $((SECONDS - began)) -lt 60 ]
}

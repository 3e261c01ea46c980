# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of scatterctl: command lines, right and wrong. A part of scatterctl_test.sh,
# which sets $top.

# refused: command lines of standard input.
refused() {
	local words
	while read -r words; do
		# shellcheck disable=SC2086 # a list of words
		tap_test "usage: $words" usage $words
	done
}

wrong_words() {
	refused <<-'END'
		nonsense
		help nonsense
		help info run
		info more
		status more
		status --fd
		status --fd -1
		status --fd x
		status --fd 99999999999
		run
		run true
		run -n
		run -n 2
		run -n 0 true
		run -n 1025 true
		run -n -1 true
		run -n 2x true
		run -n 2 --grace 0 true
		run -n 2 --grace x true
		run -n 2 --group a/b true
		run -n 2 --descriptor --group g true
		run -n 2 --descriptor=1 true
		run --sides 2 true
		run --sides 0,2 true
		run --sides 2,0 true
		run --sides 2, true
		run --sides ,2 true
		run --sides 1,2,3 true
		run --sides 1,1024 true
		run --sides 1024,1 true
		run --sides 18446744073709551617,1 true
		run --sides 1,2
		run -n 4 --sides 1,2 true
		run --nodes 2x2 true
		run --nodes 2x2 --group g
		run --nodes --group g true
		run --nodes 2 --group g true
		run --nodes x2 --group g true
		run --nodes 0x2 --group g true
		run --nodes 2x2: --group g true
		run --nodes 2x2:diagonal --group g true
		run --nodes 2x2+ --group g true
		run --nodes 0,,1 --group g true
		run --nodes 33x32 --group g true
		run --nodes 2x2 --sides 1,2 --group g true
		run --nodes 2x2 --descriptor true
		run --nodes 2x2 --group g --descriptor true
		run -n 4 --nodes 2x2 --group g true
	END
}

# Which group, and as what.
wrong_groups() {
	refused <<-'END'
		scatter
		scatter --fd
		scatter --fd -1
		scatter --fd x
		scatter --fd 2147483648
		scatter --fd 0 --group g
		scatter --group g --size 2 --side 0
		scatter --group g --size 2 --root root
		scatter --group g --size 2 --root null
		scatter --group g --sides 1,2
		scatter --group g --sides 1,2 --side 2 --root 0
		scatter --group g --sides 1,2 --side 0
		scatter --group g --sides 1,2 --side 0 --root 2
		scatter --group g --sides 1,2 --side 1 --root 1
		scatter --group g --sides 1,2 --side 0 --rank 1 --root 0
		scatter --group g --sides 1,2 --side 0 --root none
		scatter --group g --sides 1,2 --side 0 --root -3
		scatter --group g --sides 1 --side 0 --root root
		scatter --group g --sides 1,0 --side 0 --root root
		scatter --group g --sides 1,2 --side 0 --root root --size 4
		scatter --group g
		scatter --size 2
		gather --group g
		scatter --group g --size 2 more
		scatter --group a/b --size 2
		scatter --group 0123456789012345678901234567890123456789012345678901234567890123 --size 2
		scatter --group g --size 0
		scatter --group g --size 1025
		scatter --group g --size 18446744073709551617
		scatter --group g --size 2 --rank 2
		scatter --group g --size 2 --rank -1
		scatter --group g --size 2 --rank some
		scatter --group g --size 2 --root 2
		scatter --group g --size 2 --root any
		scatter --group g --size 2 --owner
		scatter --group g --size 2 --owner -1
		scatter --group g --size 2 --owner 4294967295
		scatter --group g --size 2 --owner no/such/user
		scatter --group g --size 2 --owner 0 --exclusive
		scatter --group g --size 2 --exclusive=yes
	END
}

# How to move the data.
wrong_transfers() {
	refused <<-'END'
		scatter --group g --size 2 --algorithm fast
		scatter --group g --size 2 --algorithm 1
		scatter --group g --size 2 --timeout 0
		scatter --group g --size 2 --timeout -1
		scatter --group g --size 2 --timeout 1.x
		scatter --group g --size 2 --timeout 99999999999
		scatter --group g --size 2 --uniform=yes
		gather --group g --size 2 --deadline-all 5
		scatter --group g --size 2 --mode 0
		scatter --group g --size 2 --mode 1000
		scatter --group g --size 2 --mode 680
		scatter --group g --size 2 --file
		scatter --group g --size 2 --vector
		scatter --group g --size 2 --vector 1,1,1
		scatter --group g --size 2 --vector 1,1,1,1,1
		scatter --group g --size 2 --vector 1,1,1,
		scatter --group g --size 2 --vector 0,1,1,1
		scatter --group g --size 2 --vector 1,0,1,1
		scatter --group g --size 2 --vector 1,1,-1,1
		gather --group g --size 2 --vector 1,1,1,0
		gather --group g --size 2 --vector 1,1,1,18446744073709551615
		gather --group g --size 2 --vector 2305843009213693953,2,1,1
		scatter --group g --size 2 --chunk
		scatter --group g --size 2 --chunk 0
		scatter --group g --size 2 --chunk -1
		scatter --group g --size 2 --chunk 4k
		scatter --group g --size 2 --chunk 4KB
		scatter --group g --size 2 --chunk M
		scatter --group g --size 2 --chunk 2G
		scatter --group g --size 2 --chunk 1073741825
		gather --group g --size 2 --chunk 18446744073709551617
		gather --group g --size 2 --chunk 99999999999999999999999999
		gather --group g --size 2 --quiet=yes
		scatter --group g --size 2 --algorithm broadcast
		scatter --group g --size 2 --dims 0
		scatter --group g --size 2 --dims 2x
		scatter --group g --size 2 --dims 2x2x2x2x2x2x2x2x2
		scatter --group g --size 2 --dims 2048
		gather --group g --size 2 --ports 0
		gather --group g --size 2 --ports 1025
	END
}

# shellcheck disable=SC2154 # the script's top
# offers WORD... WANTED: of a line with these words bash offers the wanted one, and not "never".
offers() (
	local -a words=(scatterctl "${@:1:$#-1}")
	# shellcheck source=lib/bash-completion/scatterctl
	. "$top/lib/bash-completion/scatterctl"
	# shellcheck disable=SC2034 # the completion's
	COMP_WORDS=("${words[@]}") COMP_CWORD=$((${#words[@]} - 1)) COMPREPLY=()
	_scatterctl
	[[ " ${COMPREPLY[*]} " = *" ${!#} "* && " ${COMPREPLY[*]} " != *" never "* ]] && return
	echo "# offered: ${COMPREPLY[*]}"
	return 1
)

completes() {
	offers sc scatter && offers '' apply && offers scatter --lo --local &&
		offers run --descr --descriptor && offers peer '' ping && offers peer pi ping &&
		offers node '' set && offers tune set --hold --hold-ms && offers group '' dump &&
		offers peer set --uids sq squash && offers peer set --keep '' no &&
		offers plan --op bar barrier && ! offers gather --owne --own >/dev/null &&
		! offers peer never ping >/dev/null
}

test_usage() {
	local command
	tap_test "no command" expect 2 '' '^usage: scatterctl COMMAND' scatterctl
	tap_test "help" expect 0 '^  gather ' '' scatterctl help
	tap_test "--help" expect 0 '^  gather ' '' scatterctl --help
	tap_test "--version" expect 0 '^scatterctl [0-9]+\.[0-9]' '' \
		scatterctl --version
	for command in info plan run scatter gather status; do
		tap_test "help $command" expect 0 "^usage: scatterctl $command" '' \
			scatterctl help $command
		tap_test "$command --help" expect 0 "^usage: scatterctl $command" '' \
			scatterctl $command --help
		tap_test "$command --nonsense" expect 2 '' \
			"^scatterctl $command: unrecognized" \
			scatterctl $command --nonsense
	done
	tap_test "plan: each option is documented" documented plan plan info
	tap_test "run: each option is documented" documented run run 'scatter and gather'
	tap_test "scatter: each option is documented" documented scatter 'scatter and gather' plan
	tap_test "gather: each option is documented" documented gather 'scatter and gather' plan
	tap_test "bash completes commands, verbs, options and their words" completes
	wrong_words
	wrong_groups
	wrong_transfers
	tap_test "usage: --file ''" usage scatter --group g --size 2 --file ''
	tap_test "usage: --output ''" usage gather --group g --size 2 --output ''
	tap_test "usage: --group ''" usage run -n 2 --group '' true
	tap_test "usage: bad SCATTER_GROUP" expect 2 '' 'SCATTER_GROUP=a/b' \
		env SCATTER_GROUP=a/b scatterctl scatter --size 2
	tap_test "usage: bad SCATTER_SIZE" expect 2 '' 'SCATTER_SIZE=x' \
		env SCATTER_SIZE=x scatterctl scatter --group g
	tap_test "usage: bad SCATTER_RANK" expect 2 '' 'SCATTER_RANK=-2' \
		env SCATTER_RANK=-2 scatterctl scatter --group g --size 2
	tap_test "usage: bad SCATTER_FD" expect 2 '' 'SCATTER_FD=x' \
		env SCATTER_FD=x scatterctl scatter
	tap_test "usage: bad SCATTER_SIDES" expect 2 '' 'SCATTER_SIDES=2' \
		env SCATTER_SIDES=2 scatterctl scatter --group g
	tap_test "usage: bad SCATTER_SIDE" expect 2 '' 'SCATTER_SIDE=2' \
		env SCATTER_SIDES=2,2 SCATTER_SIDE=2 scatterctl scatter --group g
	tap_test "full standard output" full_output
}

full_output() {
	local status=0
	scatterctl help >/dev/full 2>err || status=$?
	[ $status = 1 ] && grep -q 'No space left' err
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# A program that is peer 3, or another one, of node "host", 1, and no node: selftests/nodes/impostor.
# For scripts that have read nodes.sh; terms are options of that peer.

# shellcheck disable=SC2154 # the script's
readonly IMPOSTOR=${here%/selftests/nodes}/build/nodes/impostor/impostor
terms=() host=1

# table TABLE COMMAND...: with the columns of each row.
table() {
	local what words answer state
	while IFS='|' read -r what words answer state; do
		[ -z "$what" ] ||
			"${@:2}" "$(trim "$what")" "$(trim "$words")" "$(trim "$answer")" \
				"$(trim "$state")"
	done <<<"$1"
}

trim() {
	local -a all
	read -r -a all <<<"$1"
	echo "${all[*]}"
}

# in_hex TEXT
in_hex() {
	printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'
}

# impostor I WORDS...: what it prints.
# shellcheck disable=SC2154 # nodes.sh sets work
impostor() {
	local own=$1
	local -a all
	read -r -a all <<<"${*:2}"
	"$IMPOSTOR" "$(bed_address "$own")" "$(bed_address "$host")" "$own" "$host" "$work/key" \
		"${all[@]}" 2>"$work/complaint" || sed 's/^/# /' "$work/complaint" >&2
}

# answers ANSWER SAID: the program has.
answers() {
	[ "$(trim "$2")" = "$1" ] && return
	echo "# not: $1"
	echo "# but: $2"
	return 1
}

# fresh I [PORT]: peer I of node "host" begins anew: nothing waits for it.
fresh() {
	node "$host" peer del --id "$1" &&
		node "$host" peer add --id "$1" --address "$(bed_address "$1")${2:+:$2}" "${terms[@]}"
}

# saying WORDS ANSWER STATE
saying() {
	local words=${1/UP/hello HELLO2} answer=${2/UP/welcome credit} said
	fresh 3 || return
	said=$(impostor 3 "connect ${words/HELLO2/hear proof credit?}")
	answers "$(trim "up $answer")" "$said" || return
	refused "$words" "$answer" || return
	case $3 in
	held)
		becomes 1 3 state held || return
		[[ $answer != *bye:message* ]] || becomes 1 3 reason message
		;;
	down) becomes 1 3 state down ;;
	esac
}

# refused WORDS ANSWER: node 1 tells which of the two has refused the other, and counts it.
refused() {
	local why=none count=0
	case " $1 $2 " in
	*refuse:*) why=${2##*refuse:} count=1 ;;
	*' refuse '*) why=busy count=1 ;;
	esac
	becomes 1 3 refused "$why" && is 1 3 refusals $count
}

# row COMMAND WHAT WORD...: a test, if it is to be run; rows do not need each other.
row() {
	local command=$1 what=$2
	shift 2
	# shellcheck disable=SC2053 # a pattern
	[[ $what = *@(${SCATTER_LIES:-})* ]] && due || return 0
	tap_test "$command: $what" "$command" "$@"
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What members of selftests/nodes/member/outlast.c may say, for scripts whose members' output is in
# files: of rank 3 in a file whose name ends with ".3".
#
#   ended_well "RANK..." FILE...   each member has ended by its own word, or is one of these ranks, which
#                                  were killed; says which has not
#   one_verdict FILE...            of all members of a storm: each verdict is the same for all that are
#                                  told it, and each rank of a new group has one member

ended_well() {
	awk -v killed=" $1 " '
		function say(file, what) {
			sub(/.*\./, "", file)
			print "# rank " file ": " what
			bad = 1
		}
		!/^(joined|verdict|seat|call|end$|cut$)/ { say(FILENAME, $0) }
		{ last[FILENAME] = $0 }
		END {
			for (i = 1; i < ARGC; i++) {
				rank = ARGV[i]
				sub(/.*\./, "", rank)
				if (last[ARGV[i]] !~ /^(end|cut)$/ && !index(killed, " " rank " "))
					say(ARGV[i], "ends with \"" last[ARGV[i]] "\"")
			}
			exit bad
		}' "${@:2}"
}

one_verdict() {
	cat "$@" | awk '
		$1 == "verdict" {
			key = $2 " " $3 " " $4
			value = $0
			sub(/^verdict [^ ]+ [^ ]+ [^ ]+ /, "", value)
			if (key in told && told[key] != value) {
				print "# two verdicts of " key ": " told[key] "; " value
				bad = 1
			}
			told[key] = value
		}
		$1 == "seat" && seated[$2 " " $3]++ { print "# two have " $0; bad = 1 }
		END { exit bad }'
}

# SPDX-License-Identifier: GPL-2.0
#
# The kselftests and what they are made of, by name. build.mk reads this, and the Makefile for
# the kernel's own tree; both say first which directory it is in.

kselftest_programs := $(patsubst $(kselftest_dir)/%.c,%,$(wildcard $(kselftest_dir)/*_test.c))
# Programs that tests start.
kselftest_helpers := hold

# Objects of all tests, of helpers, and of some tests.
kselftest_shared := common pace race worker crew call absent death inject events regroup sample \
	shape user
kselftest_shared_hold := common pace
kselftest_fuse := exit_test stuck_test unserved_test
kselftest_only = $(if $(filter $1,$(kselftest_fuse)),fuse) $(kselftest_only_$1)
kselftest_only_outcomes_test := outcomes
kselftest_only_at_most_test := room
kselftest_only_netlink_test := netlink
kselftest_only_netlink_groups_test := netlink
kselftest_only_storm_test := storm verdict cargo
kselftest_only_plan_test := planned formula
kselftest_only_inter_test := planned formula
# They compare what the module does with what its own code plans.
kselftest_planning := plan_test inter_test

kselftest_flags := -Wall -Wextra -std=gnu11 -D_GNU_SOURCE -pthread

# SPDX-License-Identifier: GPL-2.0
#
# A member of a group that scripts drive, and programs that make many groups. From the top
# directory, included after lib/build.mk or on its own:
#   make -f selftests/nodes/member/build.mk member

ifndef LIB_TARGETS
include lib/build.mk
endif

member_out := $(BUILD)/nodes/member

member: $(member_out)/member $(member_out)/storm $(member_out)/measure \
	$(member_out)/sweep

$(member_out)/%: selftests/nodes/member/%.c $(BUILD)/libscatter.a
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Ilib $(CFLAGS) $(LIB_CFLAGS) $(LDFLAGS) -o $@ $^

.PHONY: member

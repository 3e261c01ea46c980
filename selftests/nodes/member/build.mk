# SPDX-License-Identifier: GPL-2.0
#
# A member of a group that scripts drive, and programs that make many groups. From the top
# directory, included after lib/build.mk or on its own:
#   make -f selftests/nodes/member/build.mk member

ifndef LIB_TARGETS
include lib/build.mk
endif

member_out := $(BUILD)/nodes/member

# Data, layouts and what makes allocations fail are those of the kselftests.
member_objs := $(addprefix $(member_out)/,member.o move.o goods.o shape.o)
inject_objs := $(addprefix $(member_out)/,inject.o sample.o common.o pace.o)

member: $(member_out)/member $(member_out)/storm $(member_out)/measure \
	$(member_out)/sweep $(member_out)/outlast $(member_out)/crowd

$(member_out)/%.o: selftests/nodes/member/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIB_CFLAGS) -Ilib -Iselftests/kselftest -c -o $@ $<

$(member_out)/%.o: selftests/kselftest/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIB_CFLAGS) -c -o $@ $<

$(member_out)/sweep: $(inject_objs)

$(member_out)/member: $(member_objs) $(inject_objs) $(BUILD)/libscatter.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

$(member_out)/%: $(member_out)/%.o $(BUILD)/libscatter.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

.PHONY: member

-include $(wildcard $(member_out)/*.d)

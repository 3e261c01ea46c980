# SPDX-License-Identifier: GPL-2.0
#
# The kselftests. From the top directory, included or on its own:
#   make -f selftests/kselftest/build.mk kselftest

BUILD ?= build
LIBSCATTER ?= $(BUILD)/libscatter.a
# The kernel's test harness is in Debian's linux-source packages only.
KSELFTEST_INCLUDE ?= $(shell selftests/linux-source)/tools/testing/selftests

kselftest_dir := selftests/kselftest
kselftest_out := $(BUILD)/kselftest

include $(kselftest_dir)/programs.mk

kselftest_objects = $(patsubst %,$(kselftest_out)/%.o,$1)
kselftest_tests := $(addprefix $(kselftest_out)/,$(kselftest_programs))
# What the module runs, to compare it with what it does.
kselftest_pure := $(patsubst %.c,$(kselftest_out)/%.o,$(wildcard kernel/schedule/*.c))

KSELFTEST_CFLAGS ?= -O2 -g
KSELFTEST_CFLAGS += $(kselftest_flags) -MMD -MP -Iuapi -Ilib -isystem $(KSELFTEST_INCLUDE)

# The manual's, which examples_test.sh runs.
kselftest_examples := $(patsubst Documentation/man/%.c,$(BUILD)/examples/%, \
	$(wildcard Documentation/man/*.c))

kselftest: $(kselftest_tests) $(addprefix $(kselftest_out)/,$(kselftest_helpers)) \
	$(kselftest_examples)

$(kselftest_out):
	mkdir -p $@

$(kselftest_out)/%.o: $(kselftest_dir)/%.c | $(kselftest_out)
	$(CC) $(KSELFTEST_CFLAGS) -c -o $@ $<

$(kselftest_pure): $(kselftest_out)/%.o: %.c
	mkdir -p $(@D)
	$(CC) $(KSELFTEST_CFLAGS) -c -o $@ $<

$(foreach test,$(kselftest_programs),$(eval \
	$(kselftest_out)/$(test): $(call kselftest_objects,$(call kselftest_only,$(test)))))
$(addprefix $(kselftest_out)/,$(kselftest_planning)): $(kselftest_pure)
$(kselftest_out)/planned.o: KSELFTEST_CFLAGS += -iquote kernel

$(kselftest_tests): %: %.o $(call kselftest_objects,$(kselftest_shared)) $(LIBSCATTER)
	$(CC) -pthread -o $@ $^

$(kselftest_out)/hold: $(call kselftest_objects,hold $(kselftest_shared_hold))
	$(CC) -o $@ $^

$(kselftest_examples): $(BUILD)/examples/%: Documentation/man/%.c $(LIBSCATTER)
	mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g -Wall -Wextra -Iuapi -Ilib -o $@ $^

# What selftests/style asks.
kselftest-names:
	@printf '%s\n' $(kselftest_programs) $(kselftest_helpers)

-include $(wildcard $(kselftest_out)/*.d)

.PHONY: kselftest kselftest-names
.SECONDARY: $(kselftest_tests:=.o)

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
kselftest_tests := $(patsubst $(kselftest_dir)/%.c,$(kselftest_out)/%, \
	$(wildcard $(kselftest_dir)/*_test.c))
kselftest_common := $(patsubst %,$(kselftest_out)/%.o,common worker crew inject edges shape)
# What the module runs, to compare it with what it does.
kselftest_pure := $(patsubst %.c,$(kselftest_out)/%.o,$(wildcard kernel/schedule/*.c))
kselftest_helpers := $(kselftest_out)/hold

KSELFTEST_CFLAGS ?= -O2 -g
KSELFTEST_CFLAGS += -Wall -Wextra -std=gnu11 -D_GNU_SOURCE -pthread -MMD -MP \
	-Iuapi -Ilib -isystem $(KSELFTEST_INCLUDE)

kselftest: $(kselftest_tests) $(kselftest_helpers)

$(kselftest_out):
	mkdir -p $@

$(kselftest_out)/%.o: $(kselftest_dir)/%.c | $(kselftest_out)
	$(CC) $(KSELFTEST_CFLAGS) -c -o $@ $<

$(kselftest_pure): $(kselftest_out)/%.o: %.c
	mkdir -p $(@D)
	$(CC) $(KSELFTEST_CFLAGS) -c -o $@ $<

$(kselftest_out)/plan_test: $(kselftest_out)/planned.o $(kselftest_pure)
$(kselftest_out)/planned.o: KSELFTEST_CFLAGS += -iquote kernel

$(kselftest_tests): %: %.o $(kselftest_common) $(LIBSCATTER)
	$(CC) -pthread -o $@ $^

$(kselftest_helpers): %: %.o $(kselftest_out)/common.o
	$(CC) -o $@ $^

-include $(wildcard $(kselftest_out)/*.d)

.PHONY: kselftest
.SECONDARY: $(kselftest_tests:=.o)

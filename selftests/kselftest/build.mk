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
kselftest_common := $(patsubst %,$(kselftest_out)/%.o,common pace race worker crew death inject \
	edges events regroup sample shape user)
# What the module runs, to compare it with what it does.
kselftest_pure := $(patsubst %.c,$(kselftest_out)/%.o,$(wildcard kernel/schedule/*.c))
kselftest_helpers := $(kselftest_out)/hold

KSELFTEST_CFLAGS ?= -O2 -g
KSELFTEST_CFLAGS += -Wall -Wextra -std=gnu11 -D_GNU_SOURCE -pthread -MMD -MP \
	-Iuapi -Ilib -isystem $(KSELFTEST_INCLUDE)

# The manual's, which examples_test.sh runs.
kselftest_examples := $(patsubst Documentation/man/%.c,$(BUILD)/examples/%, \
	$(wildcard Documentation/man/*.c))

kselftest: $(kselftest_tests) $(kselftest_helpers) $(kselftest_examples)

$(kselftest_out):
	mkdir -p $@

$(kselftest_out)/%.o: $(kselftest_dir)/%.c | $(kselftest_out)
	$(CC) $(KSELFTEST_CFLAGS) -c -o $@ $<

$(kselftest_pure): $(kselftest_out)/%.o: %.c
	mkdir -p $(@D)
	$(CC) $(KSELFTEST_CFLAGS) -c -o $@ $<

$(kselftest_out)/plan_test $(kselftest_out)/inter_test: $(kselftest_out)/planned.o $(kselftest_out)/formula.o \
	$(kselftest_pure)
$(patsubst %,$(kselftest_out)/%,exit_test stuck_test unserved_test): $(kselftest_out)/fuse.o
$(kselftest_out)/storm_test: $(patsubst %,$(kselftest_out)/%.o,storm verdict cargo)
$(kselftest_out)/planned.o: KSELFTEST_CFLAGS += -iquote kernel

$(kselftest_tests): %: %.o $(kselftest_common) $(LIBSCATTER)
	$(CC) -pthread -o $@ $^

$(kselftest_helpers): %: %.o $(kselftest_out)/common.o $(kselftest_out)/pace.o
	$(CC) -o $@ $^

$(kselftest_examples): $(BUILD)/examples/%: Documentation/man/%.c $(LIBSCATTER)
	mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g -Wall -Wextra -Iuapi -Ilib -o $@ $^

-include $(wildcard $(kselftest_out)/*.d)

.PHONY: kselftest
.SECONDARY: $(kselftest_tests:=.o)

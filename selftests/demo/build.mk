# SPDX-License-Identifier: GPL-2.0
#
# The program of the demo. From the top directory, included after lib/build.mk or
# on its own:
#   make -f selftests/demo/build.mk demo-program

ifndef LIB_TARGETS
include lib/build.mk
endif

demo_out := $(BUILD)/demo
# The reader of tracefs is that of the kselftests.
demo_objs := $(patsubst selftests/demo/%.c,$(demo_out)/%.o,\
	$(wildcard selftests/demo/*.c)) $(addprefix $(demo_out)/,events.o common.o pace.o)

demo-program: $(demo_out)/demo

$(demo_out)/%.o: selftests/demo/%.c | $(demo_out)
	$(CC) $(CFLAGS) $(LIB_CFLAGS) -Iselftests/kselftest -c -o $@ $<

$(demo_out)/%.o: selftests/kselftest/%.c | $(demo_out)
	$(CC) $(CFLAGS) $(LIB_CFLAGS) -Iselftests/kselftest -c -o $@ $<

$(demo_out)/demo: $(demo_objs) $(BUILD)/libscatter.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(demo_out):
	mkdir -p $@

.PHONY: demo-program

-include $(demo_objs:.o=.d)

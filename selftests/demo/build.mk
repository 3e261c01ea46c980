# SPDX-License-Identifier: GPL-2.0
#
# The programs of the demos. From the top directory, included after lib/build.mk or
# on its own:
#   make -f selftests/demo/build.mk demo-programs

ifndef LIB_TARGETS
include lib/build.mk
endif

demo_out := $(BUILD)/demo
demo_shared := $(addprefix $(demo_out)/,hashes.o job.o rank.o sha256.o)
# The reader of tracefs is that of the kselftests.
demo_objs := $(addprefix $(demo_out)/,demo.o edges.o events.o common.o pace.o) $(demo_shared)
demo_cluster_objs := $(demo_out)/cluster.o $(demo_shared)

demo-programs: $(demo_out)/demo $(demo_out)/cluster

$(demo_out)/%.o: selftests/demo/%.c | $(demo_out)
	$(CC) $(CFLAGS) $(LIB_CFLAGS) -Iselftests/kselftest -c -o $@ $<

$(demo_out)/%.o: selftests/kselftest/%.c | $(demo_out)
	$(CC) $(CFLAGS) $(LIB_CFLAGS) -Iselftests/kselftest -c -o $@ $<

$(demo_out)/demo: $(demo_objs) $(BUILD)/libscatter.a
$(demo_out)/cluster: $(demo_cluster_objs) $(BUILD)/libscatter.a

$(demo_out)/demo $(demo_out)/cluster:
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(demo_out):
	mkdir -p $@

.PHONY: demo-programs

-include $(sort $(demo_objs:.o=.d) $(demo_cluster_objs:.o=.d))

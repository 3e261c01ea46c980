# SPDX-License-Identifier: GPL-2.0
#
# The program that nodes have to bear. From the top directory, included after lib/build.mk
# or on its own:
#   make -f selftests/nodes/impostor/build.mk impostor

ifndef LIB_TARGETS
include lib/build.mk
endif

impostor_out := $(BUILD)/nodes/impostor
# The description of all fields is that of the unit tests, and data are those of the kselftests.
impostor_objs := $(patsubst %.c,$(impostor_out)/%.o,$(wildcard kernel/wire/*.c) \
	$(wildcard selftests/nodes/impostor/*.c) $(wildcard kernel/tests/*messages.c) \
	selftests/kselftest/common.c selftests/kselftest/pace.c)

impostor: $(impostor_out)/impostor

$(impostor_out)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIB_CFLAGS) -iquote kernel -c -o $@ $<

$(impostor_out)/impostor: $(impostor_objs) $(BUILD)/libscatter.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lrdmacm -libverbs

.PHONY: impostor

-include $(impostor_objs:.o=.d)

# SPDX-License-Identifier: GPL-2.0
#
# The programs of the benchmark. From the top directory:
#   make -f selftests/bench/build.mk bench-programs       needs both MPI libraries
#   make -f selftests/bench/build.mk bench-test-programs  needs none

ifndef LIB_TARGETS
include lib/build.mk
endif

bench_out := $(BUILD)/bench
bench_cflags := $(CFLAGS) $(LIB_CFLAGS)

# A rank is rank.o, board.o and a contender; the benchmark is all the rest.
bench_objs := $(patsubst %,$(bench_out)/%.o,\
	bench board cell csv group options plan report stats syscopy wire)
rank_objs := $(patsubst %,$(bench_out)/%.o,rank board)

bench-programs: bench-test-programs $(bench_out)/bench-ours \
	$(bench_out)/bench-openmpi $(bench_out)/bench-mpich $(MPI_LIBRARIES)

bench-test-programs: $(bench_out)/bench $(bench_out)/bench-copy \
	$(bench_out)/bench-wrong $(bench_out)/stats_test

$(bench_out)/%.o: selftests/bench/%.c | $(bench_out)
	$(CC) $(bench_cflags) -c -o $@ $<

$(bench_out)/bench: $(bench_objs)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

$(bench_out)/stats_test: $(addprefix $(bench_out)/,stats_test.o plan.o stats.o wire.o)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

$(bench_out)/bench-ours: $(rank_objs) $(bench_out)/ours.o $(BUILD)/libscatter.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(bench_out)/bench-copy: $(rank_objs) $(bench_out)/copy.o
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(bench_out)/bench-wrong: $(rank_objs) $(bench_out)/wrong.o
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# The headers of MPI are not ours to warn about.
$(bench_out)/bench-openmpi: $(rank_objs) selftests/bench/mpi.c \
		selftests/bench/contender.h selftests/bench/wire.h
	OMPI_CC="$(CC)" $(MPICC_OPENMPI) $(filter-out -MMD -MP,$(bench_cflags)) \
		$(LDFLAGS) -o $@ $(filter-out %.h,$^)

$(bench_out)/bench-mpich: $(rank_objs) selftests/bench/mpi.c \
		selftests/bench/contender.h selftests/bench/wire.h
	MPICH_CC="$(CC)" $(MPICC_MPICH) $(filter-out -MMD -MP,$(bench_cflags)) \
		$(LDFLAGS) -o $@ $(filter-out %.h,$^)

$(bench_out):
	mkdir -p $@

.PHONY: bench-programs bench-test-programs

-include $(wildcard $(bench_out)/*.d)

# SPDX-License-Identifier: GPL-2.0
#
# MPI programs that know nothing of the shim, for each MPI library that is there, and a test of the
# shim's own parts. From the top directory: make -f selftests/mpi/build.mk mpi-programs

ifndef LIB_TARGETS
include lib/build.mk
endif

MPIF_openmpi := OMPI_FC="$(FC)" mpifort.openmpi
MPIF_mpich := MPICH_FC="$(FC)" mpifort.mpich
FC := gfortran

mpi_out := $(BUILD)/mpi
mpi_cflags := $(CFLAGS) $(filter-out -MMD -MP,$(LIB_CFLAGS))

# MPICH's header makes GCC believe that MPI_STATUSES_IGNORE is an array.
define mpi_programs
$(mpi_out)/$(1)/%: selftests/mpi/%.c selftests/mpi/draw.c selftests/mpi/draw.h
	@mkdir -p $$(@D)
	$(MPI_WRAPPER_$(1)) $(mpi_cflags) -Wno-stringop-overflow $(LDFLAGS) -o $$@ \
		$$(filter %.c,$$^) -lpthread

$(mpi_out)/$(1)/shapes: selftests/mpi/shapes.c selftests/mpi/draw.c selftests/mpi/draw.h \
		$(BUILD)/libscatter-mpi-$(1).so
	@mkdir -p $$(@D)
	$(MPI_WRAPPER_$(1)) $(mpi_cflags) $(LDFLAGS) -o $$@ $$(filter %.c,$$^) \
		$(patsubst %,$(BUILD)/mpi.o/$(1)/%.o,decode form host life registry self shape) -lpthread

$(mpi_out)/$(1)/cost: selftests/mpi/cost.c $(BUILD)/libscatter.a
	@mkdir -p $$(@D)
	$(MPI_WRAPPER_$(1)) $(mpi_cflags) $(LDFLAGS) -o $$@ $$^

$(mpi_out)/$(1)/behave-linked: selftests/mpi/behave.c $(BUILD)/libscatter-mpi-$(1).so
	@mkdir -p $$(@D)
	$(MPI_WRAPPER_$(1)) $(mpi_cflags) -Wno-stringop-overflow $(LDFLAGS) -o $$@ $$^ \
		-Wl,-rpath,$(CURDIR)/$(BUILD) -lpthread

$(mpi_out)/$(1)/%.so: selftests/mpi/%.c
	@mkdir -p $$(@D)
	$(MPI_WRAPPER_$(1)) $(mpi_cflags) -Wno-missing-prototypes $(LDFLAGS) -fPIC -shared -o $$@ $$<

$(mpi_out)/$(1)/fortran%: selftests/mpi/fortran.F90
	@mkdir -p $$(@D)
	$(MPIF_$(1)) $(CFLAGS) -DINTERFACE=$$* -o $$@ $$<
endef
$(foreach mpi,$(MPI_FOUND),$(eval $(call mpi_programs,$(mpi))))

mpi-programs: $(foreach mpi,$(MPI_FOUND),$(addprefix $(mpi_out)/$(mpi)/,\
	compare behave behave-linked cost spawn shapes tool.so node.so fortran1 fortran2 fortran3 \
	$(if $(filter mpich,$(mpi)),session))) $(MPI_LIBRARIES)

.PHONY: mpi-programs

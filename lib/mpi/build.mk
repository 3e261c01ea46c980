# SPDX-License-Identifier: GPL-2.0
#
# libscatter-mpi, once for each MPI library whose compiler wrapper is there. Included by
# lib/build.mk; paths are from the top.

MPICC_OPENMPI ?= mpicc.openmpi
MPICC_MPICH ?= mpicc.mpich

# By name: openmpi, mpich.
MPI_WRAPPER_openmpi := OMPI_CC="$(CC)" $(MPICC_OPENMPI)
MPI_WRAPPER_mpich := MPICH_CC="$(CC)" $(MPICC_MPICH)
MPI_FOUND := $(if $(shell command -v $(MPICC_OPENMPI)),openmpi) \
	$(if $(shell command -v $(MPICC_MPICH)),mpich)

MPI_SOURCES := $(wildcard lib/mpi/*.c)
MPI_LIBRARIES := $(foreach mpi,$(MPI_FOUND),$(BUILD)/libscatter-mpi-$(mpi).so)

# Compiled by the wrapper, for its headers; linked without, as the program brings the library.
define mpi_library
$(BUILD)/mpi.o/$(1)/%.o: lib/mpi/%.c
	@mkdir -p $$(@D)
	$(MPI_WRAPPER_$(1)) $(CFLAGS) $(LIB_CFLAGS) -fPIC -fvisibility=hidden -c -o $$@ $$<

$(BUILD)/libscatter-mpi-$(1).so: \
		$(MPI_SOURCES:lib/mpi/%.c=$(BUILD)/mpi.o/$(1)/%.o) lib/mpi/libscatter-mpi.map
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$$(@F) -Wl,-z,defs \
		-Wl,-Bsymbolic-functions -Wl,--version-script,lib/mpi/libscatter-mpi.map \
		-o $$@ $$(filter %.o,$$^)
endef
$(foreach mpi,$(MPI_FOUND),$(eval $(call mpi_library,$(mpi))))

mpi-libraries: $(MPI_LIBRARIES)

.PHONY: mpi-libraries

-include $(wildcard $(BUILD)/mpi.o/*/*.d)

# SPDX-License-Identifier: GPL-2.0
#
# Everything is made from here; "make help" lists it. The kernel's build reads Kbuild.

VERSION := 0.1.0

# Headers to build the module with: of the newest kernel that has any. What uname -r
# names need not be installed, and in a container it is not even a kernel of the
# distribution.
KDIR ?= $(patsubst %/Makefile,%,$(shell printf '%s\n' $(or \
	$(wildcard /lib/modules/*/build/Makefile),\
	$(wildcard /usr/src/linux-headers-*-amd64/Makefile)) | sort -V | tail -n 1))

# What modules_install installs for, as uname -r says it, and below which directory. Debian's
# kernels have another name in include/config/kernel.release.
RELEASE = $(shell cut -d '"' -f 2 $(KDIR)/include/generated/utsrelease.h)
INSTALL_MOD_PATH ?= $(DESTDIR)
DEPMOD_HERE = $(if $(INSTALL_MOD_PATH),,depmod -a "$(RELEASE)")

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include

# make kselftest: only these tests, on this kernel
T ?=
KERNEL ?= 6.1

all: module lib tools

include lib/build.mk

tools: $(BUILD)/scatterctl

module: have-kdir
	+$(MAKE) -C $(KDIR) M=$(CURDIR) modules

have-kdir:
	@test -e "$(KDIR)/Makefile" || { \
		echo "No kernel headers$(KDIR:%= in %). As root:" \
			"apt-get install linux-headers-amd64 (or make KDIR=...)" >&2; \
		exit 1; }

# Pages in HTML and man pages, and whether they are complete.
docs:
	@selftests/docs

# What is installed here is found at once; a package does that when it is installed.
install: lib-install
	$(if $(DESTDIR),,@[ "$$(id -u)" != 0 ] || ldconfig)

uninstall: lib-uninstall
	$(if $(DESTDIR),,@[ "$$(id -u)" != 0 ] || ldconfig)

# Both modules, or scatter.ko alone where the kernel has no RDMA. The same for depmod: the
# kernel's build would skip it for want of a System.map. It would also sign, with a key
# that only those have who built the kernel.
modules_install: module
	+$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(INSTALL_MOD_PATH) DEPMOD=true \
		$(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=) \
		modules_install
	$(DEPMOD_HERE)

# From wherever kernels put them, compressed or not; dkms has a directory of its own.
modules_uninstall: have-kdir
	rm -f $(foreach name,scatter scatter_rdma,$(foreach dir,extra updates,\
		$(INSTALL_MOD_PATH)/lib/modules/$(RELEASE)/$(dir)/$(name).ko*))
	$(DEPMOD_HERE)

# Without headers there is nothing that kbuild could have made.
clean:
	$(if $(wildcard $(KDIR)/Makefile),+$(MAKE) -C $(KDIR) M=$(CURDIR) clean)
	rm -rf $(BUILD)

# Tests --------------------------------------------------------------------

check:
	@selftests/check

check-full:
	@selftests/check --full

check-quick:
	@KSELFTEST_SAMPLE=$${KSELFTEST_SAMPLE:-8} selftests/check programs unit module-6.1 kselftest-6.1

style unit:
	@selftests/check $@

kselftest:
	@T="$(T)" selftests/check programs module-$(KERNEL) kselftest-$(KERNEL)

# The README's table of kernels, from the last check.
readme:
	@selftests/kernels --write

kselftest-programs: $(BUILD)/libscatter.a
	+source=$$(selftests/linux-source) && \
	$(MAKE) -f selftests/kselftest/build.mk \
		KSELFTEST_INCLUDE=$$source/tools/testing/selftests kselftest

impostor member:
	+@$(MAKE) -s -f selftests/nodes/$@/build.mk $@

# Root's may have to install headers, which the rest of this file looks for: the module
# is another make's.
demo:
	@[ "$$(id -u)" != 0 ] || selftests/vm/deps
	+@$(MAKE) -s module
	@selftests/demo/run

demo-cluster:
	@[ "$$(id -u)" != 0 ] || selftests/vm/deps
	+@$(MAKE) -s module tools
	@selftests/demo/run_cluster

# Root's installs what it needs, beyond what the tests need.
bench:
	@KERNEL="$(KERNEL)" selftests/bench/run

# On a kernel that suits it, if none is named.
bench-cluster:
	@KERNEL="$(if $(filter file,$(origin KERNEL)),,$(KERNEL))" selftests/bench/run --cluster

deps:
	@selftests/vm/deps

# --------------------------------------------------------------------------

# What scripts ask.
kdir: have-kdir
	@echo $(KDIR)

version:
	@echo $(VERSION)

help:
	@sed -n 's/^# help: //p' Makefile

# help: make                   module, library and tool
# help:   module               scatter.ko; KDIR=... names the kernel's headers
# help:   lib, tools           build/libscatter.*, build/scatterctl
# help:   docs                 build/docs/html and build/man, checked
# help:   install              library, headers, tool, man pages if there are any; DESTDIR,
# help:                        PREFIX, LIBDIR, MANDIR
# help:   modules_install      scatter.ko, and scatter_rdma.ko if the kernel has RDMA; DESTDIR
# help:   uninstall, modules_uninstall
# help:   clean
# help:
# help: make check             all tests, on all kernels; as root, installs what they need
# help: make check-full        the same, and all variants of all tests on all kernels
# help: make check-quick       unit tests, and kselftests on one kernel, sampled
# help:   style                what can be checked without running it
# help:   unit                 tests of the pure code
# help:   kselftest            tests of the module in a virtual machine; T="NAME..." and
# help:                        KERNEL=6.1|6.12|debug
# help:   readme               put the table of kernels of the last check into README
# help:   deps                 install the Debian packages that all this needs
# help: make bench             against Open MPI and MPICH; BENCH=quick or count, KERNEL=...
# help: make bench-cluster     between nodes, against Open MPI over RDMA and TCP; BENCH=quick
# help: make demo              scatter and gather a real file; DEMO_FILE=...
# help: make demo-cluster      the same among four machines; DEMO_FILE=...

.PHONY: all tools module have-kdir docs install uninstall \
	modules_install modules_uninstall clean check check-full \
	check-quick style unit kselftest kselftest-programs impostor member readme demo demo-cluster \
	bench bench-cluster deps kdir version help

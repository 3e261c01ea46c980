# SPDX-License-Identifier: GPL-2.0
#
# Library and tool. Included by the top Makefile, which may set BUILD, CC, AR,
# CFLAGS, LDFLAGS, VERSION, PREFIX and LIBDIR; paths are from the top.

BUILD ?= build
VERSION ?= 0.1
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
CFLAGS ?= -O2 -g

LIB_CFLAGS := -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Wall -Wextra -Wshadow \
	-Wmissing-prototypes -Wstrict-prototypes -Iuapi -MMD -MP

# The real name of the shared library; its soname; the name for linking.
LIB_SOVERSION := 1
LIB_REAL := libscatter.so.$(LIB_SOVERSION).0
LIB_SONAME := libscatter.so.$(LIB_SOVERSION)

SCATTERCTL_OBJS := $(patsubst lib/scatterctl/%.c,$(BUILD)/scatterctl.o/%.o,\
	$(wildcard lib/scatterctl/*.c))

# What the module schedules with, the simulator and the prediction, for scatterctl plan.
# With -iquote, as <link.h> is not the module's.
PLAN_OBJS := $(patsubst %.c,$(BUILD)/plan.o/%.o,$(wildcard kernel/schedule/*.c) \
	$(wildcard lib/plan/*.c))
ENGINE := -iquote kernel -iquote lib

# Netlink, for the tool alone.
NL_CFLAGS ?= $(shell pkg-config --cflags libnl-genl-3.0)
NL_LIBS ?= $(shell pkg-config --libs libnl-genl-3.0)

include lib/mpi/build.mk

LIB_TARGETS := $(BUILD)/libscatter.so $(BUILD)/libscatter.a \
	$(BUILD)/libscatter.pc $(BUILD)/scatterctl $(MPI_LIBRARIES)

$(BUILD)/libscatter.o: lib/scatter.c | $(BUILD)
	$(CC) $(CFLAGS) $(LIB_CFLAGS) -fPIC -c -o $@ $<

$(BUILD)/libscatter.a: $(BUILD)/libscatter.o
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/$(LIB_REAL): $(BUILD)/libscatter.o lib/libscatter.map
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(LIB_SONAME) \
		-Wl,--version-script,lib/libscatter.map -Wl,-z,defs -o $@ $<

$(BUILD)/libscatter.so: $(BUILD)/$(LIB_REAL)
	ln -sf $(LIB_REAL) $(BUILD)/$(LIB_SONAME)
	ln -sf $(LIB_SONAME) $@

# Made anew each time, as PREFIX may differ; install makes it with its own.
$(BUILD)/libscatter.pc: lib/libscatter.pc.in FORCE | $(BUILD)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@VERSION@|$(VERSION)|' $< >$@

$(BUILD)/scatterctl.o/%.o: lib/scatterctl/%.c | $(BUILD)/scatterctl.o
	$(CC) $(CFLAGS) $(LIB_CFLAGS) -DSCATTER_VERSION='"$(VERSION)"' \
		$(ENGINE) $(NL_CFLAGS) -c -o $@ $<

$(BUILD)/plan.o/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LIB_CFLAGS) -Wpedantic $(ENGINE) -c -o $@ $<

# All of the tool but the program, for whom a 32-bit libnl is not there.
tool-objects: $(SCATTERCTL_OBJS) $(PLAN_OBJS)

# With the library inside, so that it runs from where it is.
$(BUILD)/scatterctl: $(SCATTERCTL_OBJS) $(PLAN_OBJS) $(BUILD)/libscatter.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(NL_LIBS)

$(BUILD) $(BUILD)/scatterctl.o:
	mkdir -p $@

lib: $(LIB_TARGETS)

# Made anew each time, too.
$(BUILD)/scatter.service: lib/systemd/scatter.service.in FORCE | $(BUILD)
	sed -e 's|@PREFIX@|$(PREFIX)|' $< >$@

# What is installed: MODE:FILE:WHERE. Links and the manual come on top.
SYSTEMD_DIR := $(PREFIX)/lib/systemd/system
COMPLETIONS := $(PREFIX)/share/bash-completion/completions
DOC_DIR := $(PREFIX)/share/doc/scatter
INSTALLED := \
	755:$(BUILD)/$(LIB_REAL):$(LIBDIR)/$(LIB_REAL) \
	644:$(BUILD)/libscatter.a:$(LIBDIR)/libscatter.a \
	644:$(BUILD)/libscatter.pc:$(LIBDIR)/pkgconfig/libscatter.pc \
	644:lib/scatter.h:$(INCLUDEDIR)/scatter.h \
	644:uapi/linux/scatter.h:$(INCLUDEDIR)/linux/scatter.h \
	644:uapi/linux/scatter_coll.h:$(INCLUDEDIR)/linux/scatter_coll.h \
	644:uapi/linux/scatter_netlink.h:$(INCLUDEDIR)/linux/scatter_netlink.h \
	755:$(BUILD)/scatterctl:$(PREFIX)/bin/scatterctl \
	644:lib/udev/60-scatter.rules:$(PREFIX)/lib/udev/rules.d/60-scatter.rules \
	644:lib/bash-completion/scatterctl:$(COMPLETIONS)/scatterctl \
	644:lib/sample/node.conf.sample:$(DOC_DIR)/node.conf.sample \
	644:$(BUILD)/scatter.service:$(SYSTEMD_DIR)/scatter.service \
	644:lib/sysusers.d/scatter.conf:$(PREFIX)/lib/sysusers.d/scatter.conf \
	644:lib/tmpfiles.d/scatter.conf:$(PREFIX)/lib/tmpfiles.d/scatter.conf \
	$(foreach library,$(MPI_LIBRARIES),755:$(library):$(LIBDIR)/$(notdir $(library)))
LIB_LINKS := $(LIB_SONAME) libscatter.so

# The pages that "make docs" has made, if it has, likewise; and all that it would make.
MAN_MADE = $(foreach page,$(patsubst $(BUILD)/man/%,%,$(wildcard $(BUILD)/man/man?/*)),\
	644:$(BUILD)/man/$(page):$(MANDIR)/$(page))
MAN_ALL = $(shell sed -nE '/^\w+\([0-9]\).* - /{s/ - .*//;s/,//g;\
	s/(\w+)\(([0-9])\)/man\2\/\1.\2/g;p}' Documentation/man/*.rst)

define install_file
	install -D -m $(word 1,$(1)) $(word 2,$(1)) $(DESTDIR)$(word 3,$(1))

endef

lib-install: $(LIB_TARGETS) $(BUILD)/scatter.service
	$(foreach entry,$(INSTALLED) $(MAN_MADE),$(call install_file,$(subst :, ,$(entry))))
	cp -P $(LIB_LINKS:%=$(BUILD)/%) $(DESTDIR)$(LIBDIR)

# What users wrote, such as /etc/scatter, stays.
lib-uninstall:
	rm -f $(foreach entry,$(INSTALLED),$(DESTDIR)$(word 3,$(subst :, ,$(entry)))) \
		$(LIB_LINKS:%=$(DESTDIR)$(LIBDIR)/%) $(MAN_ALL:%=$(DESTDIR)$(MANDIR)/%)
	[ ! -d $(DESTDIR)$(DOC_DIR) ] || \
		rmdir --ignore-fail-on-non-empty $(DESTDIR)$(DOC_DIR)

libraries: $(filter-out $(BUILD)/scatterctl $(MPI_LIBRARIES),$(LIB_TARGETS))

.PHONY: lib libraries tool-objects lib-install lib-uninstall FORCE

-include $(BUILD)/libscatter.d $(SCATTERCTL_OBJS:.o=.d) $(PLAN_OBJS:.o=.d)

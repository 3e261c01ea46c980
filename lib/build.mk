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

LIB_TARGETS := $(BUILD)/libscatter.so $(BUILD)/libscatter.a \
	$(BUILD)/libscatter.pc $(BUILD)/scatterctl

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

lib-install: $(LIB_TARGETS)
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/bin \
		$(DESTDIR)$(INCLUDEDIR)/linux
	install -m 755 $(BUILD)/$(LIB_REAL) $(DESTDIR)$(LIBDIR)
	cp -P $(BUILD)/$(LIB_SONAME) $(BUILD)/libscatter.so $(DESTDIR)$(LIBDIR)
	install -m 644 $(BUILD)/libscatter.a $(DESTDIR)$(LIBDIR)
	install -m 644 $(BUILD)/libscatter.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 lib/scatter.h $(DESTDIR)$(INCLUDEDIR)
	install -m 644 uapi/linux/scatter.h uapi/linux/scatter_coll.h \
		uapi/linux/scatter_netlink.h $(DESTDIR)$(INCLUDEDIR)/linux
	install -m 755 $(BUILD)/scatterctl $(DESTDIR)$(PREFIX)/bin
	install -D -m 644 lib/udev/60-scatter.rules \
		$(DESTDIR)$(PREFIX)/lib/udev/rules.d/60-scatter.rules
	install -D -m 644 lib/bash-completion/scatterctl \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/scatterctl
	install -D -m 644 lib/sample/node.conf.sample \
		$(DESTDIR)$(PREFIX)/share/doc/scatter/node.conf.sample
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed -e 's|@PREFIX@|$(PREFIX)|' lib/systemd/scatter.service.in \
		>$(DESTDIR)$(PREFIX)/lib/systemd/system/scatter.service
	for dir in sysusers.d tmpfiles.d; do \
		install -D -m 644 lib/$$dir/scatter.conf \
			$(DESTDIR)$(PREFIX)/lib/$$dir/scatter.conf || exit; \
	done
	for page in $(patsubst $(BUILD)/man/%,%,$(wildcard $(BUILD)/man/man?/*)); do \
		install -D -m 644 $(BUILD)/man/$$page $(DESTDIR)$(MANDIR)/$$page || exit; \
	done

libraries: $(filter-out $(BUILD)/scatterctl,$(LIB_TARGETS))

.PHONY: lib libraries tool-objects lib-install FORCE

-include $(BUILD)/libscatter.d $(SCATTERCTL_OBJS:.o=.d) $(PLAN_OBJS:.o=.d)

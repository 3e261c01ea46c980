# SPDX-License-Identifier: GPL-2.0
KDIR ?= $(lastword $(sort $(wildcard /lib/modules/*/build)))

all: module

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	rm -rf build

.PHONY: all module clean

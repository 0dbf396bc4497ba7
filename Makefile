# SPDX-License-Identifier: GPL-2.0
# User space, tests and the emulated machine. The kernel module is in Kbuild.
#
#   make TARGET=riscv64 all     cross-build into build/riscv64
#   make SANITIZE=1 all         ASan and UBSan, into build/host-asan

TARGET ?= host
SANITIZE ?=
V ?=

ifeq ($(TARGET),riscv64)
CC := riscv64-linux-gnu-gcc
AR := riscv64-linux-gnu-ar
# Debian riscv64 packages, unpacked by tools/machine
SYSROOT ?= build/sysroot
PKG_CONFIG := PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/riscv64-linux-gnu/pkgconfig:$(SYSROOT)/usr/share/pkgconfig pkg-config
TARGET_CFLAGS := --sysroot=$(SYSROOT)
TARGET_LDFLAGS := --sysroot=$(SYSROOT) -Wl,-rpath-link,$(SYSROOT)/usr/lib/riscv64-linux-gnu
else
CC ?= gcc
AR ?= ar
PKG_CONFIG := pkg-config
endif

B := build/$(TARGET)$(if $(SANITIZE),-asan)

CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow=local
ALL_CFLAGS = -std=gnu11 $(WARNINGS) -D_GNU_SOURCE -Iinclude -Iinclude/uapi -I. $(TARGET_CFLAGS) $(CFLAGS) -MMD -MP
ALL_LDFLAGS = $(TARGET_LDFLAGS) $(LDFLAGS)
ifneq ($(SANITIZE),)
ALL_CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
ALL_LDFLAGS += -fsanitize=address,undefined
endif

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

# Every program is a name in `programs`, its sources in NAME_src, what it
# links beside librvtrace in NAME_libs (pkg-config names) or NAME_ldlibs.
programs :=
unit_tests :=
lib_src :=
encode_src :=
model_src :=
lib_pkgs := libelf json-c libudev

include $(sort $(wildcard */build.mk */*/build.mk */*/*/build.mk))

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))

$(B)/obj/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $($(basename $(notdir $<))_cflags) $(if $(lib_pkgs),$(shell $(PKG_CONFIG) --cflags $(lib_pkgs) 2>/dev/null)) -c -o $@ $<

define archive
$(B)/$(1).a: $(call obj,$(2))
	$$(call say,AR,$$@)
	@mkdir -p $$(@D)
	$$(Q)rm -f $$@ && $(AR) rcs $$@ $$^
endef
$(eval $(call archive,librvtrace,$(lib_src)))
$(eval $(call archive,libencode,$(encode_src)))
$(eval $(call archive,libmodel,$(model_src)))

# $(1) program, $(2) folder under $(B), $(3) more archives, $(4) more pkg-config names
define program
$(B)/$(2)/$(1): $(call obj,$($(1)_src)) $(3) $(B)/libencode.a $(B)/librvtrace.a
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$(CC) -o $$@ $$^ $$(ALL_LDFLAGS) $($(1)_ldlibs) $$(shell $(PKG_CONFIG) --libs $(lib_pkgs) $($(1)_libs) $(4))
endef
$(foreach p,$(programs),$(eval $(call program,$(p),bin)))
$(foreach p,$(unit_tests),$(eval $(call program,$(p),unit,$(B)/libmodel.a,cmocka)))

lib: $(B)/librvtrace.a
programs: $(addprefix $(B)/bin/,$(programs))
unit-tests: $(addprefix $(B)/unit/,$(unit_tests))
all: lib programs $(if $(filter host,$(TARGET)),unit-tests)

clean:
	rm -rf $(B)

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

.PHONY: all lib programs unit-tests clean

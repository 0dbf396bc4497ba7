# SPDX-License-Identifier: GPL-2.0
# User space, tests and the emulated machine. The kernel module is in Kbuild.
#
#   make help                   print this
#   make all                    library, programs and unit tests, into build/host
#   make TARGET=riscv64 all     cross-build into build/riscv64
#   make SANITIZE=1 all         ASan and UBSan, into build/host-asan
#   make tools                  only tracectl and rvtraced
#   make programs               these, and the programs of the tests
#   make install                [DESTDIR= prefix=/usr/local], MODULE=driver/rvtrace.ko too if built
#   make uninstall              the same arguments; keeps settings that were changed
#
#   make demo                   trace a running Linux on the emulated machine, prove it
#   make check                  every test at reduced scale
#   make check-full             every test at full scale; goes on where it stopped
#   make check-debug            the kselftests, KUnit and failing allocations on the debug kernel
#   make bench [ONLY=name]      figures
#   make machine                QEMU, kernel, root image
#   make debug-kernel           a kernel with KASAN, lockdep, kmemleak, KUnit, fault injection
#   make realtime-kernel        a kernel with PREEMPT_RT, to measure how long interrupts are off
#   make module                 rvtrace.ko for the machine's kernel
#   make registers              docs/registers.md, from the driver's tables
#   make abi                    selftests/abi/librvtrace.abi, from the library
#   make shell                  a shell on the machine
#   make clean                  removes build/host

TARGET ?= host
SANITIZE ?=
V ?=
prefix ?= /usr/local
DESTDIR ?=
MODULE ?= driver/rvtrace.ko

ifeq ($(TARGET),riscv64)
CC := riscv64-linux-gnu-gcc
AR := riscv64-linux-gnu-ar
OBJCOPY := riscv64-linux-gnu-objcopy
# Debian riscv64 packages, unpacked by tools/machine
SYSROOT ?= build/sysroot
PKG_CONFIG := PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/riscv64-linux-gnu/pkgconfig:$(SYSROOT)/usr/share/pkgconfig pkg-config
TARGET_CFLAGS := --sysroot=$(SYSROOT)
TARGET_LDFLAGS := --sysroot=$(SYSROOT) -Wl,-rpath-link,$(SYSROOT)/usr/lib/riscv64-linux-gnu
else
CC ?= gcc
AR ?= ar
OBJCOPY ?= objcopy
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

# What another clone compiled is not compiled again.
CCACHE := $(if $(findstring ccache,$(CC)),,$(shell command -v ccache))
ifneq ($(CCACHE),)
export CCACHE_BASEDIR := $(CURDIR)
ALL_CFLAGS += -fdebug-prefix-map=$(CURDIR)=.
endif

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

# Every program is a name in `programs`, its sources in NAME_src, what it
# links in addition to librvtrace in NAME_libs (pkg-config names) or NAME_ldlibs.
# Files that are installed with the programs are FILE:FOLDER in
# install_files, see tools/install. Programs in guest_programs have rules of
# their own; they are built for riscv64 only.
programs :=
guest_programs :=
unit_tests :=
install_files :=
lib_src :=
encode_src :=
model_src :=
lib_pkgs := libelf json-c libudev libxxhash

include $(sort $(wildcard */build.mk */*/build.mk */*/*/build.mk))

# Asked once, not per object. A package that is not there fails only what
# needs it.
pkgs := $(sort $(lib_pkgs) cmocka $(foreach p,$(programs) $(unit_tests),$($(p)_libs)))
lib_cflags := $(foreach p,$(lib_pkgs),$(shell $(PKG_CONFIG) --cflags $(p) 2>/dev/null))
$(foreach p,$(pkgs),$(eval libs_$(p) := $(shell $(PKG_CONFIG) --libs $(p) 2>/dev/null)))
libs = $(foreach p,$(1),$(or $(libs_$(p)),$(warning pkg-config does not find $(p))))

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))

$(B)/obj/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CCACHE) $(CC) $(ALL_CFLAGS) $($(basename $(notdir $<))_cflags) $(lib_cflags) -c -o $@ $<

# What decodes for hours is optimized across files. Archives can be linked either way.
whole_programs := tracectl rvtraced bench-decode
whole := $(if $(SANITIZE),,-flto=auto)
$(call obj,$(lib_src)): ALL_CFLAGS += $(if $(whole),$(whole) -ffat-lto-objects)
# Public headers say what the library exports: see rvtrace/decls.h.
$(call obj,$(lib_src)): ALL_CFLAGS += -fPIC -fvisibility=hidden -fno-semantic-interposition

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
	$$(Q)$(CC) -o $$@ $$^ $(if $(filter $(1),$(whole_programs)),$(whole),-fno-lto) $$(ALL_LDFLAGS) $($(1)_ldlibs) $$(call libs,$(lib_pkgs) $($(1)_libs) $(4))
endef
$(foreach p,$(programs),$(eval $(call program,$(p),bin)))
$(foreach p,$(unit_tests),$(eval $(call program,$(p),unit,$(B)/libmodel.a,cmocka)))

# What users need of the programs
tools: $(addprefix $(B)/bin/,tracectl rvtraced)

# The lines above, up to the first empty one
help:
	@sed -n '/^#   /s/^#   //p; /^$$/q' $(firstword $(MAKEFILE_LIST))

lib: $(B)/librvtrace.a $(B)/librvtrace.so
programs: $(addprefix $(B)/bin/,$(programs) $(if $(filter riscv64,$(TARGET)),$(guest_programs)))
unit-tests: $(addprefix $(B)/unit/,$(unit_tests))
all: lib programs $(if $(filter host,$(TARGET)),unit-tests)

# For programs of others. The soname changes when they have to be compiled again.
$(B)/librvtrace.so.0: $(call obj,$(lib_src)) tools/lib/librvtrace.map
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -fno-lto -Wl,-soname,$(@F) -Wl,--version-script=tools/lib/librvtrace.map -o $@ \
		$(filter %.o,$^) $(ALL_LDFLAGS) $(call libs,$(lib_pkgs))

$(B)/librvtrace.so: $(B)/librvtrace.so.0
	$(Q)ln -sf $(<F) $@

abi: $(B)/librvtrace.so.0
	@selftests/abi/dump $< > selftests/abi/librvtrace.abi

# The archive for programs of others is one object, so that names which only the library's own
# files share become local. Programs and unit tests of this tree link the other archive.
$(B)/install/librvtrace.a: $(call obj,$(lib_src))
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -r -nostdlib -fno-lto -o $(@:.a=.o) $^
	$(Q)$(OBJCOPY) --localize-hidden -R '.gnu.lto_*' -R '.gnu.debuglto_*' $(@:.a=.o)
	$(Q)rm -f $@ && $(AR) rcs $@ $(@:.a=.o)

installed_bin = $(filter tracectl,$(programs))
installed_sbin = $(filter rvtraced,$(programs))
# The index of docs/ would have the name of the other README.md.
documents := README.md SECURITY.md $(filter-out docs/README.md,$(wildcard docs/*.md))
installed_lib = $(B)/install/librvtrace.a $(B)/librvtrace.so.0 $(B)/librvtrace.so
installed = $(installed_bin:%=755:$(B)/bin/%:bin) $(installed_sbin:%=755:$(B)/bin/%:sbin) \
	$(install_files:%=644:%) $(installed_lib:%=644:%:lib) 644:tools/lib/librvtrace.pc.in:lib/pkgconfig \
	$(patsubst %,644:%:include/rvtrace,$(wildcard include/rvtrace/*.h)) \
	$(patsubst %,644:%:include/linux,$(wildcard include/uapi/linux/*.h)) \
	$(documents:%=644:%:share/doc/rvtrace) $(patsubst %,644:%:share/doc/rvtrace/boards,$(wildcard docs/boards/*)) \
	$(patsubst %,644:%:share/doc/rvtrace/ABI,$(wildcard docs/ABI/*)) \
	$(patsubst %,644:%:share/doc/rvtrace/images,$(wildcard docs/images/*)) \
	$(patsubst %,644:%:share/doc/rvtrace/dts,$(wildcard dts/*.dtso)) \
	$(patsubst %,644:%:share/doc/rvtrace/dts/bindings/riscv,$(wildcard dts/bindings/riscv/*))

install uninstall: export prefix := $(prefix)
install uninstall: export DESTDIR := $(DESTDIR)
install uninstall: export MODULE := $(MODULE)

install: $(addprefix $(B)/bin/,$(installed_bin) $(installed_sbin)) $(installed_lib)
	@tools/install $(installed)

uninstall:
	@tools/install --remove $(installed)

# The emulated machine. Its scripts do nothing, quickly, when nothing changed.
machine-base:
	@tools/machine/setup
	@tools/machine/guest/kernel
	@tools/machine/guest/sysroot
	@tools/machine/guest/rootfs

machine: machine-base
	@tools/machine/qemu/build

machine-plain: machine-base
	@tools/machine/qemu/build --plain

module: machine-base
	@tools/machine/guest/module

debug-kernel:
	@tools/machine/setup
	@tools/machine/guest/compile-kernel debug

realtime-kernel:
	@tools/machine/setup
	@tools/machine/guest/compile-kernel realtime

# What the guest has of ours, put over its root image at every boot
guest_tests = $(addprefix build/riscv64/bin/,$(filter-out $(installed_bin) $(installed_sbin),$(programs)) $(guest_programs))
guest-tree: module
	@$(MAKE) -s --no-print-directory TARGET=riscv64 programs
	@tools/machine/guest/tree $(guest_tests)

# Only what the demo runs: all programs take longer to compile than it takes itself.
demo_tests = $(addprefix build/riscv64/bin/,rvtrace-mark rvtrace-workload)
demo: machine module
	@$(MAKE) -s -j$(shell nproc) --no-print-directory TARGET=riscv64 $(demo_tests)
	@tools/machine/guest/tree $(demo_tests)
	@$(MAKE) -s -j$(shell nproc) --no-print-directory $(addprefix build/host/bin/,tracectl rvtrace-compare)
	@tools/machine/demo

shell: machine guest-tree
	@tools/machine/shell

# What suites build themselves is there before they run in parallel.
tested: machine guest-tree
	@$(MAKE) -s -j$(shell nproc) --no-print-directory programs unit-tests
	@$(MAKE) -s -j$(shell nproc) --no-print-directory SANITIZE=1 programs unit-tests

check: tested
	@selftests/run

check-full: tested
	@selftests/run --full --resume

check-debug: tested debug-kernel
	@selftests/run --debug-kernel debug-kernel

bench: machine machine-plain guest-tree
	@$(MAKE) -s --no-print-directory programs
	@selftests/bench/run $(ONLY)

clean:
	rm -rf $(B)

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

.PHONY: all help tools lib abi programs unit-tests clean install uninstall machine-base machine machine-plain module guest-tree demo shell tested check check-full check-debug debug-kernel realtime-kernel bench

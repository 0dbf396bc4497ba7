# SPDX-License-Identifier: GPL-2.0
# The command line.
programs += tracectl
tracectl_libs := libdw
tracectl_src := $(wildcard tools/tracectl/*.c)
register_names_cflags := -I$(B)/gen
$(B)/obj/tools/tracectl/register_names.o: $(B)/gen/register-names.h
$(B)/gen/register-names.h: tools/tracectl/register-names $(wildcard include/uapi/linux/rvtrace_regs*.h)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$< > $@
install_files += docs/man/tracectl.1:share/man/man1

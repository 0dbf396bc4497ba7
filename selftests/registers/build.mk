# SPDX-License-Identifier: GPL-2.0
# The driver's tables of registers on the host, and the specifications they
# are compared with.
gens := $(wildcard driver/gen_*.c)
registers_src := $(gens) $(wildcard selftests/registers/*.c)

registers_tests := test-generations test-register-headers
$(foreach t,$(registers_tests),$(eval $(t)_extra_src := $(filter-out %/print-table.c,$(registers_src))))

$(foreach g,$(gens),$(eval $(basename $(notdir $(g)))_cflags := -Iselftests/unit/kernel -Wno-unused-parameter))
$(foreach s,$(filter selftests/%,$(registers_src)) $(registers_tests),\
	$(eval $(basename $(notdir $(s)))_cflags := -Iselftests/unit/kernel -I$(B)/gen))

$(B)/obj/selftests/registers/driver-tables.o: $(B)/gen/driver-source.h
$(B)/gen/driver-source.h: selftests/registers/extract driver/kind.h driver/field.c driver/filter.c driver/sysfs.c driver/field_sysfs.c $(wildcard include/uapi/linux/rvtrace_regs*.h)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$< > $@

# docs/registers.md, from them
registers: $(B)/registers-table
	$(Q)selftests/registers/document $< > $(B)/registers.md && cp $(B)/registers.md docs/
$(B)/registers-table: $(patsubst %.c,$(B)/obj/%.o,$(registers_src))
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS)
.PHONY: registers

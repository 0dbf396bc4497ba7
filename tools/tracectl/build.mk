# SPDX-License-Identifier: GPL-2.0
# The command line.
programs += tracectl
tracectl_libs := libdw libprotobuf-c sqlite3 zlib

# Text of instructions: with the header of libopcodes, of a release (2.39 or later) that its name tells
opcodes := $(patsubst libopcodes-%,%,$(shell readlink $$($(CC) $(TARGET_CFLAGS) -print-file-name=libopcodes.so)))
opcodes := $(firstword $(subst -, ,$(opcodes)))
opcodes := $(if $(opcodes),$(shell printf '%s\n' 2.39 $(opcodes) | sort -CV && echo $(opcodes)))
tracectl_src := $(filter-out %/text_$(if $(opcodes),none,opcodes).c,$(wildcard tools/tracectl/*.c tools/tracectl/*/*.c))
text_opcodes_cflags := -DOPCODES_VERSION='"$(opcodes)"'

register_names_cflags := -I$(B)/gen
$(B)/obj/tools/tracectl/hardware/register_names.o: $(B)/gen/register-names.h
$(B)/gen/register-names.h: tools/tracectl/hardware/register-names $(wildcard include/uapi/linux/rvtrace_regs*.h)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$< > $@

# Packets of Perfetto
perfetto := $(B)/gen/perfetto.pb-c
export_perfetto_cflags := -I$(B)/gen
export_perfetto_packet_cflags := -I$(B)/gen
$(patsubst %,$(B)/obj/tools/tracectl/export/%.o,export_perfetto export_perfetto_packet): $(perfetto).h
$(perfetto).h $(perfetto).c &: tools/tracectl/export/perfetto.proto
	$(call say,GEN,$(perfetto).c)
	@mkdir -p $(@D)
	$(Q)protoc-c --c_out=$(@D) -I$(<D) $<
tracectl_src += $(perfetto).c

# What a database consists of
export_sqlite_cflags := -I$(B)/gen
$(B)/obj/tools/tracectl/export/export_sqlite.o: $(B)/gen/export-tables.h $(B)/gen/export-views.h
$(B)/gen/export-%.h: tools/tracectl/export/%.sql
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $< > $@


# The page of tracectl report --html
page_write_cflags := -I$(B)/gen
$(B)/obj/tools/tracectl/report/page_write.o: $(B)/gen/page-parts.h
$(B)/gen/page-parts.h: $(wildcard tools/tracectl/report/page/*)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)tools/tracectl/report/page/embed > $@
install_files += docs/man/tracectl.1:share/man/man1

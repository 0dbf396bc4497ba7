# SPDX-License-Identifier: GPL-2.0
# The storm: programs and libraries of the guest alone, each linked in a way of its own.
storm_libraries := $(patsubst %,rvtrace-storm-library-%,1 2 3 4)
storm_children := $(patsubst %,rvtrace-storm-%,child static plain)
guest_programs += rvtrace-storm $(storm_children) $(storm_libraries)

storm_obj := $(B)/obj/selftests/storm
storm_link = $(Q)mkdir -p $(@D) && $(CC) -o $@ $^ $(ALL_LDFLAGS) -pthread

$(B)/bin/rvtrace-storm: $(patsubst %.c,$(B)/obj/%.o,$(wildcard selftests/storm/storm*.c) tools/tracectl/record/mark.c) $(storm_obj)/announce.o
	$(call say,LD,$@)
	$(storm_link)

$(addprefix $(B)/bin/,$(storm_children)): $(storm_obj)/child.o $(storm_obj)/announce.o
	$(call say,LD,$@)
	$(storm_link) $(storm_flags_$(@F))

storm_flags_rvtrace-storm-static := -static
storm_flags_rvtrace-storm-plain := -Wl,--build-id=none

$(addprefix $(B)/bin/,$(storm_libraries)): $(B)/bin/rvtrace-storm-%: $(storm_obj)/%.o
	$(call say,LD,$@)
	$(storm_link) -shared

$(foreach n,1 2 3 4,$(eval library-$(n)_cflags := -fPIC))
# So that threads are unwound frame by frame
storm-unwind_cflags := -fexceptions

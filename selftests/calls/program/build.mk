# SPDX-License-Identifier: GPL-2.0
# Calls functions in every way there is, in C and C++. The guest has no C++ library.
guest_programs += rvtrace-calls
calls_program := $(B)/obj/selftests/calls/program

$(calls_program)/throw.o: selftests/calls/program/throw.cc
	$(call say,CXX,$<)
	$(Q)mkdir -p $(@D) && $(CXX_OF_CC) $(filter-out -std=% -Wstrict-prototypes -Wmissing-prototypes,$(ALL_CFLAGS)) -c -o $@ $<

$(B)/bin/rvtrace-calls: $(patsubst %.c,$(B)/obj/%.o,$(wildcard selftests/calls/program/*.c)) $(calls_program)/throw.o
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CXX_OF_CC) -o $@ $^ $(ALL_LDFLAGS) -static-libstdc++ -pthread

CXX_OF_CC = $(CC:%gcc=%g++)

# SPDX-License-Identifier: GPL-2.0
# Makes pin samples and formatter frames.
programs += rvtrace-pins
rvtrace-pins_src := selftests/pins.c

# Registers through /dev/mem, while no driver has them
programs += rvtrace-page
rvtrace-page_src := selftests/page.c

# What the comparison of a recording with the ground truth needs.
programs += rvtrace-mark rvtrace-workload rvtrace-filtered rvtrace-compare
rvtrace-mark_src := selftests/mark.c tools/tracectl/record/mark.c
rvtrace-workload_src := selftests/workload.c
rvtrace-workload_ldlibs := -pthread
rvtrace-filtered_src := selftests/filtered.c
# At known addresses
rvtrace-filtered_ldlibs := -no-pie -pthread
rvtrace-compare_src := $(wildcard selftests/compare*.c)
$(foreach t,test-compare test-compare-loss test-compare-filters test-compare-processes test-compare-threads,\
	$(eval $(t)_extra_src := selftests/compare-core.c selftests/compare-place.c selftests/compare-truth.c \
		selftests/unit/compare-fixture.c))
test-compare-spaces_extra_src := selftests/compare-spaces.c selftests/unit/spaces-fixture.c
test-parse_extra_src := tools/tracectl/parse.c tools/tracectl/suggest.c
# Threads for a record of who ran
programs += rvtrace-threads
rvtrace-threads_src := selftests/threads.c
rvtrace-threads_ldlibs := -pthread
programs += rvtrace-switches
rvtrace-switches_src := selftests/switches.c
# What programs say in their trace
programs += rvtrace-emit
rvtrace-emit_src := selftests/emit.c
rvtrace-emit_ldlibs := -pthread
programs += $(patsubst %,example-%,timing harts print transfer)
$(foreach p,timing harts print transfer,$(eval example-$p_src := selftests/examples/events-$p.c))
example-harts_ldlibs := -pthread
# Recordings of traces that were made elsewhere
programs += rvtrace-make-recording
rvtrace-make-recording_src := selftests/make-recording.c

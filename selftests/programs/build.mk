# SPDX-License-Identifier: GPL-2.0
# Makes pin samples and formatter frames.
programs += rvtrace-pins
rvtrace-pins_src := selftests/programs/pins.c

# Registers through /dev/mem, while no driver has them
programs += rvtrace-page
rvtrace-page_src := selftests/programs/page.c

# What is recorded and compared with the ground truth
programs += rvtrace-mark rvtrace-workload rvtrace-filtered
rvtrace-mark_src := selftests/programs/mark.c tools/tracectl/record/mark.c
rvtrace-workload_src := selftests/programs/workload.c
rvtrace-workload_ldlibs := -pthread
rvtrace-filtered_src := selftests/programs/filtered.c
# At known addresses
rvtrace-filtered_ldlibs := -no-pie -pthread

# Threads for a record of who ran
programs += rvtrace-threads
rvtrace-threads_src := selftests/programs/threads.c
rvtrace-threads_ldlibs := -pthread
programs += rvtrace-switches
rvtrace-switches_src := selftests/programs/switches.c

# What the cookbook asks about
programs += rvtrace-recipes
rvtrace-recipes_src := selftests/programs/recipes.c
rvtrace-recipes_ldlibs := -pthread

# What programs say in their trace
programs += rvtrace-emit
rvtrace-emit_src := selftests/programs/emit.c
rvtrace-emit_ldlibs := -pthread

# Recordings of traces that were made elsewhere
programs += rvtrace-make-recording
rvtrace-make-recording_src := selftests/programs/make-recording.c

# A page of threads that it invents
programs += rvtrace-make-page
rvtrace-make-page_src := selftests/programs/make-page.c $(wildcard tools/tracectl/report/page*.c) \
	tools/tracectl/out.c
rvtrace-make-page_libs := zlib

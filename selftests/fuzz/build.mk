# SPDX-License-Identifier: GPL-2.0
# Random damage to recordings.
programs += rvtrace-fuzz
rvtrace-fuzz_src := selftests/fuzz/fuzz.c selftests/fuzz/mutate.c

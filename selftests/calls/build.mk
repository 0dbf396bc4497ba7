# SPDX-License-Identifier: GPL-2.0
# Compares calls of a recording with the ground truth.
programs += rvtrace-compare-calls
rvtrace-compare-calls_src := $(wildcard selftests/calls/*.c)
rvtrace-compare-calls_libs := libelf

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: record calls, as record.sh does.
#
#   calls.sh ROUNDS [RECORD.SH OPTION...]
#
# Meanwhile functions of the kernel call the function tracer, and return to function graph tracing.
# This kernel takes no probe where a function begins, so there are no kretprobes.
set -eu

rounds=$1
shift
tracing=/sys/kernel/tracing
mkdir -p $tracing
mountpoint -q $tracing || mount -t tracefs tracefs $tracing

# A function by its number need not be looked for.
numbers()
{
	awk -v names="$*" '
		BEGIN { split(names, list); for (i in list) wanted[list[i]] = 1 }
		$1 in wanted { print NR }' /tmp/functions | tr '\n' ' '
}

# What tracing has to look for is not recorded.
cat $tracing/available_filter_functions > /tmp/functions
numbers vfs_read vfs_write do_mmap handle_mm_fault kernel_clone schedule > $tracing/set_ftrace_filter
echo function_graph > $tracing/current_tracer
mkdir $tracing/instances/calls
numbers vfs_read ksys_read ksys_write do_sys_openat2 > $tracing/instances/calls/set_ftrace_filter
echo function > $tracing/instances/calls/current_tracer

/usr/libexec/rvtrace/guest/record.sh "$@" -- rvtrace-calls "$rounds"

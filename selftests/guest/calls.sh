#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: record calls, as record.sh does.
#
#   calls.sh ROUNDS [RECORD.SH OPTION...]
#
# After calls of programs alone, functions of the kernel call the function tracer, then return to
# function graph tracing, then to kretprobes.
set -eu

rounds=$1
shift
tracing=/sys/kernel/tracing
mkdir -p $tracing
mountpoint -q $tracing || mount -t tracefs tracefs $tracing

# shellcheck disable=SC2016
script='set -e
tracing=/sys/kernel/tracing
rvtrace-calls '$rounds'
echo "vfs_read vfs_write do_mmap handle_mm_fault kernel_clone schedule" > $tracing/set_ftrace_filter
for tracer in function function_graph; do
	echo $tracer > $tracing/current_tracer
	rvtrace-calls 2 threads signals processes
done
echo nop > $tracing/current_tracer
echo "p:before vfs_write" > $tracing/kprobe_events
for function in vfs_read vfs_write do_sys_openat2 kernel_clone; do
	echo "r:$function $function" >> $tracing/kprobe_events
done
echo 1 > $tracing/events/kprobes/enable
rvtrace-calls 2 threads signals processes
echo 0 > $tracing/events/kprobes/enable
echo > $tracing/kprobe_events'

/usr/libexec/rvtrace/guest/record.sh "$@" -- bash -c "$script"

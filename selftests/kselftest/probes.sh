#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Whoever opens and closes the device all the time does not have the kernel's text patched each time.
tracing=/sys/kernel/tracing
times=300

# shellcheck source=selftests/kselftest/check.sh
. "$(dirname "$0")/check.sh"
device=/dev/$(cat /sys/bus/rvtrace_tci/devices/encoder0/sink_name 2> /dev/null)
[ -c "$device" ] || skip "no trace sink"
[ -w $tracing/set_ftrace_filter ] || skip "no function tracer in this kernel"
forget()
{
	echo nop > $tracing/current_tracer
	echo > $tracing/set_ftrace_filter
}
hits()
{
	grep -c 'tracepoint_probe_register <' $tracing/trace
}
open_and_close()
{
	: < "$device"
}
# What others opened is over.
sleep 3
trap forget EXIT
if ! echo tracepoint_probe_register > $tracing/set_ftrace_filter || ! echo function > $tracing/current_tracer; then
	skip "the function that attaches cannot be traced"
fi
open_and_close
once=$(hits)
[ "$once" -gt 0 ] || skip "nothing is attached: no scontext"
echo "1..1"
begun=$(date +%s)
i=0
while [ $i -lt $times ]; do
	open_and_close
	i=$((i + 1))
done
seconds=$(($(date +%s) - begun + 2))
most=$((2 * once * seconds))
all=$(hits)
if [ "$all" -gt $most ]; then
	echo "not ok 1 - the scheduler's probes are attached twice a second at most"
	echo "# $all times in $seconds s, $once for each"
	exit 1
fi
echo "ok 1 - the scheduler's probes are attached twice a second at most"
echo "# $all times, opened $times times in $seconds s"

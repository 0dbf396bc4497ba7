#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The driver's trace events say what a session did.
tracing=/sys/kernel/tracing
events=$tracing/events/rvtrace_tci

# shellcheck source=selftests/kselftest/check.sh
. "$(dirname "$0")/check.sh"
name=$(cat /sys/bus/rvtrace_tci/devices/encoder0/sink_name 2> /dev/null)
sink=/sys/class/rvtrace_sink/$name
[ -c "/dev/$name" ] || skip "no trace sink"
[ -d $events ] || skip "no trace events in this kernel"
size=$(cat "$sink/buffer_size")
# What is unread keeps the ring as it is.
drain()
{
	dd if="/dev/$name" of=/dev/null bs=1M iflag=nonblock 2> /dev/null
}
end()
{
	echo 0 > $events/enable
	echo 0 > "$sink/tracing"
	drain
	echo "$size" > "$sink/buffer_size"
	echo > $tracing/trace
}
trap end EXIT
# has EVENT FIELDS: of the session that was traced last
has()
{
	grep -qE "$1: .*$2" $tracing/trace
}
# The last number of what matches: value EVENT FIELD
value()
{
	sed -n "s/.*$1: .*$2=\([0-9]*\).*/\1/p" $tracing/trace | tail -n 1
}

# Nobody reads: bytes of a small ring are lost.
drain
echo 4096 > "$sink/buffer_size" || skip "the ring is in use"
echo > $tracing/trace
echo 1 > $events/enable
echo 1 > "$sink/tracing"
ls -R /usr > /dev/null
echo 0 > "$sink/tracing"
echo 0 > $events/enable
echo "1..6"
session=$(cat "$sink/session")
lost=$(cat "$sink/lost")
check "a session begins" 'has rvtrace_session_begin "sink=$name session=$session mode=stream"'
check "it ends, with what it lost" 'has rvtrace_session_end "session=$session error=0 lost=$lost"'
check "samples follow the pointer" '[ "$(value rvtrace_sample pointer)" -ge "$(cat "$sink/head")" ]'
check "a loss says where it is" '[ "$(value rvtrace_loss end)" -gt "$(value rvtrace_loss start)" ]'
check "a step says of which component it is, and how long it took" \
	'has rvtrace_step "component=encoder0 step=\"enable\" ns=[0-9]+ result=0"'
check "nothing else failed" '! has rvtrace_step "result=-"'
exit $failed

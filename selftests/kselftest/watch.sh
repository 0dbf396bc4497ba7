#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# How often the driver looks whether trace stopped on its own, and which harts look for those that wait
# for their trace.
tracing=/sys/kernel/tracing
works=$tracing/events/workqueue/workqueue_execute_start
timers=$tracing/events/timer/hrtimer_expire_entry
encoders=/sys/bus/rvtrace_tci/devices

# shellcheck source=selftests/kselftest/check.sh
. "$(dirname "$0")/check.sh"
name=$(cat $encoders/encoder0/sink_name 2> /dev/null)
sink=/sys/class/rvtrace_sink/$name
[ -c "/dev/$name" ] || skip "no trace sink"
[ -d $works ] && [ -d $timers ] || skip "no trace events of workqueues and timers in this kernel"
end()
{
	echo 0 > $works/enable
	echo 0 > $timers/enable
	echo > $tracing/trace
	echo 0 > "$sink/tracing"
	for stalls in $encoders/encoder*/inst_stall_en; do
		[ ! -e "$stalls" ] || echo 0 > "$stalls"
	done
	dd if="/dev/$name" of=/dev/null bs=1M iflag=nonblock 2> /dev/null
}
trap end EXIT
look=watch_work
# Hart and microsecond of each look
looks()
{
	sed -n "s/.*\[0*\([0-9]\+\)\] .* \([0-9]\+\)\.\([0-9]\{6\}\): .*function[ =]$look.*/\1 \2\3/p" $tracing/trace
}
# wait_for N: looks, up to a minute
wait_for()
{
	i=0
	while [ "$(looks | wc -l)" -lt "$1" ] && [ $i -lt 600 ]; do
		sleep 0.1
		i=$((i + 1))
	done
}
# Of a machine that is busy some come late.
median()
{
	looks | awk 'NR > 1 { print $2 - last } { last = $2 }' | sort -n | sed -n 5p
}

echo "1..2"
echo > $tracing/trace
echo 1 > $works/enable
echo 1 > "$sink/tracing"
wait_for 10
echo 0 > "$sink/tracing"
median=$(median)
echo "# one look every ${median:-0} us"
check "a session is looked at every 100 ms" \
	'[ "${median:-0}" -ge 50000 ] && [ "$median" -le 200000 ]'

# Any hart may be one that waits for its trace: each looks while an encoder stalls.
each()
{
	echo 1 > $encoders/encoder1/enable || return
	echo 1 > $encoders/encoder0/enable || return
	sleep 2
	echo 0 > $timers/enable
	for hart in $(sed 's/,/\n/g' /sys/devices/system/cpu/online | awk -F - '{ for (i = $1; i <= $NF; i++) print i }'); do
		looks | grep -q "^$hart " || return
	done
}
if [ "$(cat $encoders/encoder1/sink_name 2> /dev/null)" = "$name" ] &&
	grep -qw 1 $encoders/encoder0/inst_stall_en_available 2> /dev/null; then
	look=guard_timer
	echo > $tracing/trace
	echo 0 > $works/enable
	echo 1 > $timers/enable
	echo 1 > $encoders/encoder0/inst_stall_en
	check "each hart looks for harts that wait for their trace" each
else
	echo "ok 2 # SKIP no two encoders of this sink, or no hart waits for its trace"
fi
exit $failed

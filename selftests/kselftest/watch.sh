#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# How often the driver looks whether trace stopped on its own.
tracing=/sys/kernel/tracing
event=$tracing/events/workqueue/workqueue_execute_start
encoders=/sys/bus/rvtrace_tci/devices

echo "TAP version 13"
skip()
{
	echo "1..0 # SKIP $1"
	exit 4
}
name=$(cat $encoders/encoder0/sink_name 2> /dev/null)
sink=/sys/class/rvtrace_sink/$name
[ -c "/dev/$name" ] || skip "no trace sink"
[ -d $event ] || skip "no trace events of workqueues in this kernel"
end()
{
	echo 0 > $event/enable
	echo > $tracing/trace
	echo 0 > "$sink/tracing"
	dd if="/dev/$name" of=/dev/null bs=1M iflag=nonblock 2> /dev/null
}
trap end EXIT
tests=0
failed=0
check()
{
	tests=$((tests + 1))
	if eval "$2"; then
		echo "ok $tests - $1"
	else
		echo "not ok $tests - $1"
		failed=1
	fi
}
# Microsecond of each look
looks()
{
	sed -n 's/.* \([0-9]\+\)\.\([0-9]\{6\}\): .*function watch_work.*/\1\2/p' $tracing/trace
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
	looks | awk 'NR > 1 { print $1 - last } { last = $1 }' | sort -n | sed -n 5p
}

echo "1..1"
echo > $tracing/trace
echo 1 > $event/enable
echo 1 > "$sink/tracing"
wait_for 10
echo 0 > "$sink/tracing"
median=$(median)
echo "# one look every ${median:-0} us"
check "a session is looked at every 100 ms" \
	'[ "${median:-0}" -ge 50000 ] && [ "$median" -le 200000 ]'
exit $failed

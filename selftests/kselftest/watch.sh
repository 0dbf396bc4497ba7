#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# How often the driver looks whether trace stopped on its own, and on which hart.
tracing=/sys/kernel/tracing
event=$tracing/events/workqueue/workqueue_execute_start
encoders=/sys/bus/rvtrace_tci/devices

# shellcheck source=selftests/kselftest/check.sh
. "$(dirname "$0")/check.sh"
name=$(cat $encoders/encoder0/sink_name 2> /dev/null)
sink=/sys/class/rvtrace_sink/$name
[ -c "/dev/$name" ] || skip "no trace sink"
[ -d $event ] || skip "no trace events of workqueues in this kernel"
end()
{
	echo 0 > $event/enable
	echo > $tracing/trace
	echo 0 > "$sink/tracing"
	for stalls in $encoders/encoder*/inst_stall_en; do
		[ ! -e "$stalls" ] || echo 0 > "$stalls"
	done
	dd if="/dev/$name" of=/dev/null bs=1M iflag=nonblock 2> /dev/null
}
trap end EXIT
# Hart and microsecond of each look
looks()
{
	sed -n 's/.*\[0*\([0-9]\+\)\] .* \([0-9]\+\)\.\([0-9]\{6\}\): .*function watch_work.*/\1 \2\3/p' $tracing/trace
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
echo 1 > $event/enable
echo 1 > "$sink/tracing"
wait_for 10
echo 0 > "$sink/tracing"
median=$(median)
echo "# one look every ${median:-0} us"
check "a session is looked at every 100 ms" \
	'[ "${median:-0}" -ge 50000 ] && [ "$median" -le 200000 ]'

# Encoder 0 joins a session that is live. The driver may have looked on its hart before.
joins()
{
	echo 1 > $encoders/encoder1/enable || return
	for _ in 1 2 3 4; do
		echo 1 > $encoders/encoder0/enable || return
		echo > $tracing/trace
		wait_for 2
		[ "$(looks | wc -l)" -ge 2 ] && ! looks | grep "^$hart " || return
		echo 0 > $encoders/encoder0/enable
		wait_for 4
	done
}
hart=$(cat $encoders/encoder0/cpus 2> /dev/null)
case $hart in
'' | *[!0-9]*) hart=none ;;
esac
if [ "$hart" != none ] && [ "$(cat $encoders/encoder1/sink_name 2> /dev/null)" = "$name" ] &&
	grep -qw 1 $encoders/encoder0/inst_stall_en_available 2> /dev/null; then
	echo 1 > $encoders/encoder0/inst_stall_en
	check "on no hart that waits for its trace, from when it joins" joins
else
	echo "ok 2 # SKIP no two encoders of this sink, of one hart each, or no hart waits for its trace"
fi
exit $failed

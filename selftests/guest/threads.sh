#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: record threads that come, go and change their names, with the kernel's own
# trace of its scheduler beside it, on the same clock.
#
#   threads.sh RING THREADS SECONDS HART [RECORD OPTION...]
#
# HART goes offline and comes back meanwhile, over and over; - for none.
set -eu
. /usr/libexec/rvtrace/guest/daemon.sh

ring=$1 threads=$2 seconds=$3 hart=$4
shift 4

# plug UNTIL: up to a second of the clock, once at least
plug()
{
	local online=/sys/devices/system/cpu/cpu$hart/online times=0

	while [ $times -eq 0 ] || [ "$(date +%s)" -lt "$1" ]; do
		echo 0 > "$online"
		sleep 0.2
		echo 1 > "$online"
		sleep 0.8
		times=$((times + 1))
	done
	echo "hart $hart went $times times"
}

mkdir -p /sys/kernel/tracing
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
cd /sys/kernel/tracing
echo 0 > tracing_on
echo mono > trace_clock
echo 65536 > buffer_size_kb
echo 'sched_switch' > set_event
echo > trace

# So few that they come again
echo 1200 > /proc/sys/kernel/pid_max

modprobe rvtrace
echo "$ring" > /sys/class/rvtrace_sink/rvtrace0/buffer_size
begin_daemon /host/rvtraced.log '[daemon]' 'realtime = 10'

echo 1 > tracing_on
status=0 plugging=
if [ "$hart" != - ]; then
	plug $(($(date +%s) + seconds - 2)) &
	plugging=$!
fi
tracectl record -o /data/recording "$@" -- rvtrace-threads "$threads" "$seconds" || status=$?
echo 0 > tracing_on
[ -z "$plugging" ] || wait $plugging || status=1

end_daemon || status=1
cp -r /data/recording /host/
grep -v '^#' trace > /host/switches
cat per_cpu/cpu*/stats > /host/stats
exit $status

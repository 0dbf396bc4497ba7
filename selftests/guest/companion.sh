#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: `cat` reads a session while rvtraced runs, between the markers of the ground truth,
# and one that began before rvtraced. In /data/keep: t.bin and recording, its companion; files,
# programs; late.bin and late.
#
#   companion.sh COMMAND...
set -eu
. /usr/libexec/rvtrace/guest/daemon.sh

sink=/sys/class/rvtrace_sink/rvtrace0
log=/host/rvtraced.log

# wait_for COMMAND...: until it succeeds
wait_for()
{
	local i

	for ((i = 0; i < 600; i++)); do
		! "$@" > /dev/null 2>&1 || return 0
		sleep 0.5
	done
	echo "timed out: $*" >&2
	cat $log >&2
	return 1
}

# The processes that ran before are read
begun()
{
	[ -s "$(echo /var/lib/rvtrace/rvtrace0-*/images/maps.jsonl)" ]
}

ended()
{
	grep -q 'which others read, has ended' $log
}

# begin FILE; end
begin()
{
	cat /dev/rvtrace0 > "$1" &
	reader=$!
	echo 1 > $sink/tracing
}

end()
{
	echo 0 > $sink/tracing
	wait $reader
}

# keep NAME: the companion, and nothing else in that place
keep()
{
	wait_for ended
	end_daemon
	cp -r /var/lib/rvtrace/rvtrace0-* "/data/keep/$1"
	rm -r /var/lib/rvtrace/rvtrace0-*
}

# What processes map, so that the host has it, too
keep_programs()
{
	local path

	mkdir /data/keep/files
	for path in $(grep -o '"path":"/[^"]*"' /data/keep/recording/images/maps.jsonl | cut -d '"' -f 4 | sort -u) \
			"$(command -v "$1")" "$(command -v sleep)" "$(command -v rvtrace-mark)"; do
		[ ! -f "$path" ] || cp -L --parents "$path" /data/keep/files
	done
}

mkdir /data/keep
modprobe rvtrace
cat $sink/buffer_size_max > $sink/buffer_size
for encoder in /sys/bus/rvtrace_tci/devices/encoder*; do
	echo history > "$encoder/inst_mode"
	echo 1 > "$encoder/ts_enable"
done
# Code of one process is where another one has other code: no wrong process goes unnoticed
echo 0 > /proc/sys/kernel/randomize_va_space
# A static key of the scheduler: on before the session
echo 1 > /proc/sys/kernel/sched_schedstats

begin_daemon $log
wait_for grep -q 'ready$' $log
begin /data/keep/t.bin
wait_for begun
sleep 0.2
rvtrace-mark begin
sleep 0.2
"$@"
sleep 0.2
rvtrace-mark end
sleep 0.2
end
keep recording
echo "$(cat $sink/lost) bytes lost"
[ "$(cat $sink/lost)" = 0 ]
keep_programs "$@"

begin /data/keep/late.bin
begin_daemon $log
wait_for begun
end
keep late

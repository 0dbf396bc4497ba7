#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: how fast rvtraced streams a backlog to the disk while the harts
# go on being traced, and how fast dd writes as much. The backlog is what they emitted
# while rvtraced was stopped; otherwise the rate of the harts would be measured.
#
#   stream.sh ROUNDS WHAT...
#
# In each round one WHAT after the other: a SETTING of rvtraced's, or SETTING+switching while
# threads take turns on the hart that rvtraced is not on, leaves /host/ROUND.N.idx (N: of the first it is
# 1) and, if it has them, what it says of threads in ROUND.N.threads, and prints `cpu BYTES NS`: what the
# processes of rvtraced used of the processors for the backlog; dd prints `dd BYTES NS DIRECT_NS`.
set -eu
. /usr/libexec/rvtrace/guest/daemon.sh

sink=/sys/class/rvtrace_sink/rvtrace0

unread()
{
	echo $(($(< $sink/head) - $(< $sink/tail)))
}

# Nanoseconds of the processors that rvtraced has used
daemon_ns()
{
	local comm sum=0 ns

	for comm in $(grep -l '^rvtraced' /proc/[0-9]*/task/[0-9]*/comm 2> /dev/null); do
		read -r ns _ < "${comm%comm}schedstat"
		sum=$((sum + ns))
	done
	echo $sum
}

# backlog SETTING
backlog()
{
	local size drain threads='' tail ns

	size=$(< $sink/buffer_size)
	drain=$(who_drains)
	kill -STOP "$drain"
	while [ "$(unread)" -lt $((size / 8 * 7)) ]; do
		rvtrace-emit 2 100000 > /dev/null
	done
	case $1 in *+switching)
		# whom the scheduler prefers is not to be measured
		taskset -p 1 "$drain" > /dev/null
		taskset 2 rvtrace-threads 8 3600 > /dev/null &
		threads=$!
		;;
	esac
	tail=$(< $sink/tail)
	ns=$(daemon_ns)
	kill -CONT "$drain"
	while [ "$(unread)" -ge $((size / 4)) ]; do
		sleep 0.1
	done
	echo "cpu $(($(< $sink/tail) - tail)) $(($(daemon_ns) - ns))"
	[ -z "$threads" ] || { kill $threads; wait $threads || true; }
}

# stream SETTING INDEX
stream()
{
	local section='[daemon]'

	case $1 in threads*) section='[record]' ;; esac
	begin_daemon /host/rvtraced.log "$section" "${1%+switching}"
	tracectl record --quiet -o /data/stream --mode branch --copy-images none \
		--buffer-size "$size" -- "$0" backlog "$1"
	end_daemon
	cp /data/stream/rvtrace0.idx "/host/$2"
	tracectl --quiet --json threads --switches /data/stream > "/host/${2%.idx}.threads" 2> /dev/null || true
	rm -r /data/stream
	sync
}

write_zeroes()
{
	local start middle again end

	start=$(date +%s%N)
	dd if=/dev/zero of=/data/zeroes bs=4M count=$blocks conv=fsync 2> /dev/null
	middle=$(date +%s%N)
	rm /data/zeroes
	sync
	again=$(date +%s%N)
	dd if=/dev/zero of=/data/zeroes bs=4M count=$blocks oflag=direct conv=fsync 2> /dev/null
	end=$(date +%s%N)
	rm /data/zeroes
	echo "dd $((blocks * 4194304)) $((middle - start)) $((end - again))"
}

if [ "$1" = backlog ]; then
	backlog "$2"
	exit
fi

modprobe rvtrace
size=$(< $sink/buffer_size_max)
blocks=$((size / 2 / 4194304))
rounds=$1
shift
for round in $(seq "$rounds"); do
	n=0
	for what; do
		n=$((n + 1))
		if [ "$what" = dd ]; then
			write_zeroes
		else
			stream "$what" "$round.$n.idx"
		fi
	done
done

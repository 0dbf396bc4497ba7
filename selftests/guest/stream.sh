#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: how fast rvtraced streams a backlog to the disk while the harts
# go on being traced, and how fast dd writes as much. The backlog is what they
# traced while rvtraced was stopped; otherwise the rate of the harts would be
# measured. Leaves /host/stream.N.idx; prints `dd BYTES NS DIRECT_NS` per round.
set -eu

unread()
{
	echo $(($(< $sink/head) - $(< $sink/tail)))
}

sink=/sys/class/rvtrace_sink/rvtrace0
if [ "$1" = backlog ]; then
	size=$(< $sink/buffer_size)
	kill -STOP "$2"
	while [ "$(unread)" -lt $((size * 3 / 4)) ]; do
		rvtrace-workload --threads 2 --rounds 1 > /dev/null
	done
	kill -CONT "$2"
	while [ "$(unread)" -ge $((size / 4)) ]; do
		sleep 0.1
	done
	exit
fi

modprobe rvtrace
mkdir -p /run/rvtrace
rvtraced --foreground 2> /host/rvtraced.log &
daemon=$!
until [ -S /run/rvtrace/rvtraced.sock ]; do
	sleep 0.1
	kill -0 $daemon
done
size=$(< $sink/buffer_size_max)
blocks=$((size / 2 / 4194304))

for round in $(seq "$1"); do
	tracectl record --quiet -o /data/stream --mode branch --copy-images none \
		--buffer-size "$size" -- "$0" backlog $daemon
	cp /data/stream/rvtrace0.idx "/host/stream.$round.idx"
	rm -r /data/stream
	sync
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
done
kill $daemon
wait $daemon

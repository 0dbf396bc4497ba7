#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: drain a ring full of trace to the disk, against dd of as many
# bytes to the same disk. The ring is filled first, so that the drain and not
# the rate at which the harts make trace is measured. Prints `BYTES DRAIN_NS
# DD_NS LOST` per round.
set -eu

rounds=$1
sink=/sys/class/rvtrace_sink/rvtrace0

modprobe rvtrace
for encoder in /sys/bus/rvtrace/devices/encoder*; do
	echo branch > "$encoder/inst_mode"
done
cat $sink/buffer_size_max > $sink/buffer_size
size=$(cat $sink/buffer_size)
target=$((size * 3 / 4))

for _ in $(seq "$rounds"); do
	echo 1 > $sink/tracing
	while [ $(($(cat $sink/head) - $(cat $sink/tail))) -lt $target ]; do
		rvtrace-workload --threads 2 --rounds 1
	done
	echo 0 > $sink/tracing
	sync
	start=$(date +%s%N)
	cat /dev/rvtrace0 > /data/trace
	middle=$(date +%s%N)
	bytes=$(stat -c %s /data/trace)
	rm /data/trace
	sync
	again=$(date +%s%N)
	dd if=/dev/zero of=/data/zeroes bs=128k count="$bytes" iflag=count_bytes 2> /dev/null
	end=$(date +%s%N)
	rm /data/zeroes
	echo "figure $bytes $((middle - start)) $((end - again)) $(cat $sink/lost)"
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: a recording of a few hundred KiB that has every kind of file.
#
#   record-small.sh DIRECTORY
set -eu

modprobe rvtrace
mkdir -p /run/rvtrace
printf '[record]\nsegment_size = 64k\nwatermark = 64k\n[daemon]\nrealtime = 10\n' > /run/rvtrace/rvtraced.conf
rvtraced --foreground --config /run/rvtrace/rvtraced.conf 2> /host/rvtraced.log &
daemon=$!
for _ in $(seq 100); do
	[ -S /run/rvtrace/rvtraced.sock ] && break
	sleep 0.1
done
status=0
tracectl record -o /data/recording --max-size 192k --duration 200ms --mode history \
	--image /host/firmware.elf@0x80000000 -- true || status=$?
kill $daemon
wait $daemon || true
cp -r /data/recording "$1"
exit $status

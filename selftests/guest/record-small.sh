#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: a recording of a few hundred KiB that has every kind of file.
#
#   record-small.sh DIRECTORY
set -eu
. /usr/libexec/rvtrace/guest/daemon.sh

modprobe rvtrace
begin_daemon /host/rvtraced.log '[record]' 'segment_size = 64k' 'watermark = 64k' '[daemon]' 'realtime = 10'
status=0
tracectl record -o /data/recording --max-size 192k --duration 200ms --mode history \
	--image /host/firmware.elf@0x80000000 -- true || status=$?
end_daemon || status=1
cp -r /data/recording "$1"
exit $status

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: record what programs emit into their trace. COMMAND runs in /host. Leaves there
# recording, and lost: how many events each software trace port counted as lost.
#
#   events.sh [RECORD OPTION...] COMMAND
set -eu
. /usr/libexec/rvtrace/guest/daemon.sh

modprobe rvtrace
begin_daemon /host/rvtraced.log
status=0
PATH=$PATH:/usr/libexec/rvtrace tracectl record -o /data/recording --copy-images none \
	--buffer-size "$(cat /sys/class/rvtrace_sink/rvtrace0/buffer_size_max)" "${@:1:$#-1}" -- \
	bash -euc "cd /host; ${!#}" || status=$?
end_daemon || status=1
cat /sys/bus/rvtrace_tci/devices/encoder*/software_trace_lost > /host/lost
cp -r /data/recording /host/
exit $status

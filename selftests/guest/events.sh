#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest, whose kernel lets /dev/mem have what drivers have (iomem=relaxed): record what
# programs emit into their trace. COMMAND runs in /host. Leaves there recording, and lost: how many
# events each software trace port counted as lost.
#
#   events.sh OFFSET CONTROL COMMAND	OFFSET: of the registers of the port; CONTROL: for the first
set -eu
. /usr/libexec/rvtrace/guest/daemon.sh

ports()
{
	ls -d /sys/firmware/devicetree/base/soc/trace-encoder@* | sed 's/.*@/0x/'
}

if [ "$1" = traced ]; then
	for page in $(ports); do
		rvtrace-page "$page" write "$2" "$3"
	done
	PATH=$PATH:/usr/libexec/rvtrace
	cd /host
	eval "$4"
	for page in $(ports); do
		rvtrace-page "$page" read $(($2 + 4))
	done > lost
	exit
fi

modprobe rvtrace
begin_daemon /host/rvtraced.log
status=0
tracectl record -o /data/recording --copy-images none \
	--buffer-size "$(cat /sys/class/rvtrace_sink/rvtrace0/buffer_size_max)" -- \
	"$0" traced "$@" || status=$?
end_daemon || status=1
cp -r /data/recording /host/
exit $status

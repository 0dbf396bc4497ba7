#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: record the workload between the markers of the ground truth,
# and hand the trace directory to the host as /host/recording.
#
#   record.sh --ring BYTES [--sram] [--unmarked | --marked-around | --undrained] [--without-udev] [--image FILE@ADDRESS] [RECORD OPTION...] -- COMMAND...
#
# --sram: trace goes to the sink's SRAM. --unmarked: the command executes the markers itself.
# --marked-around: they are executed before tracing begins and after it has ended. --undrained:
# the ring has room for all of it: what the daemon does for a byte of trace would make more.
# --without-udev: nor does udev execute, whose files no recording of a command keeps; as with --undrained.
set -eu
. /usr/libexec/rvtrace/guest/daemon.sh

ring=
sram=
around=
undrained=
without_udev=
marked='sleep 0.2; rvtrace-mark begin; sleep 0.2; "$@"; s=$?
	sleep 0.2; rvtrace-mark end; sleep 0.2; exit $s'
options=()
while [ "$1" != -- ]; do
	case $1 in
	--ring) ring=$2; shift ;;
	--sram) sram=1 ;;
	--without-udev) without_udev=1 ;;
	--undrained)
		undrained=1 without_udev=1
		# What it takes to find them is traced, too.
		marked='read -r all < /proc/$daemon/task/$daemon/children
			for c in $all; do
				read -r name < /proc/$c/comm
				[ $name != rvtraced-record ] || p=$c
			done
			kill -STOP $p; rvtrace-mark begin; "$@"; s=$?; rvtrace-mark end
			echo 0 > $sink/tracing; kill -CONT $p; exit $s'
		;;
	--marked-around | --unmarked)
		[ "$1" = --unmarked ] || around=1
		marked='sleep 0.2; "$@"; s=$?; sleep 0.2; exit $s' ;;
	*) options+=("$1") ;;
	esac
	shift
done
shift

# Code of one process is where another one has other code: no wrong process goes unnoticed
echo 0 > /proc/sys/kernel/randomize_va_space
modprobe rvtrace
sink=/sys/class/rvtrace_sink/rvtrace0
[ -z "$ring" ] || echo "$ring" > $sink/buffer_size
if [ -n "$sram" ]; then
	owner=/sys/bus/rvtrace_tci/devices/$(cat $sink/component)
	[ -e "$owner/sink" ] && file=$owner/sink || file=$owner/ram_mode
	echo sram > "$file"
fi

# The harts are slow and the ring is small: what a tick takes to wake the
# daemon would fill it.
begin_daemon /host/rvtraced.log '[daemon]' 'realtime = 10'

[ -z "$undrained" ] || export sink daemon
# It is told that the session begins, and some seconds later it ends what it started for that.
if [ -n "$without_udev" ]; then
	udevadm settle
	udevadm control --exit
fi

# Where the ring is too small the markers must survive: it drains around them.
status=0
[ -z "$around" ] || rvtrace-mark begin
tracectl record -o /data/recording "${options[@]}" -- \
	sh -c "$marked" sh "$@" || status=$?
[ -z "$around" ] || rvtrace-mark end

end_daemon || status=1
cp -r /data/recording /host/
exit $status

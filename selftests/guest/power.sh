#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: a recording during which hart 1 goes and comes back and the system
# sleeps, first without power for trace components, then with it, and so on; handed to the
# host as /host/recording. To be executed, not called: the host's directory is left alone
# meanwhile, since 9p does not survive a sleep.
#
#   power.sh ROUNDS [RECORD OPTION...]
set -u
. /usr/libexec/rvtrace/guest/daemon.sh

hart1=/sys/devices/system/cpu/cpu1/online
transport=/sys/bus/virtio/drivers/9pnet_virtio
log=/run/power.log

# work NAME: the workload on hart 1, as a process of that name
work()
{
	cp /usr/libexec/rvtrace/rvtrace-workload "/data/$1" && taskset -c 1 "/data/$1" --threads 1 --rounds 1
}

# traced ROUNDS
traced()
{
	set -e
	work before
	for round in $(seq "$1"); do
		echo 0 > $hart1
		sleep 0.2
		echo 1 > $hart1
		work back
		insmod /run/wake.ko after=12 lose=$((round % 2))
		echo freeze > /sys/power/state
		rmmod wake
		work awake
		echo 0 > $hart1
		echo 1 > $hart1
		work again
	done
}

record()
{
	set -e
	modprobe rvtrace
	begin_daemon /run/rvtraced.log '[daemon]' 'realtime = 10'
	status=0
	tracectl record -o /data/recording --image /run/firmware.elf@0x80000000 "${@:2}" -- "$0" traced "$1" || status=$?
	end_daemon || status=1
	cat /run/rvtraced.log
	return $status
}

if [ "$1" = traced ]; then
	traced "$2"
	exit
fi
cp /host/wake.ko /host/firmware.elf /run && umount /host || exit
device=$(cd $transport && echo virtio*)
echo "$device" > $transport/unbind
(record "$@") > $log 2>&1
status=$?
echo "$device" > $transport/bind
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=none host /host || exit
cp $log /host/power.log
dmesg > /host/dmesg
cp -r /data/recording /host/ || status=1
exit $status

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: the module, compiled where another driver has its headers, beside one that has
# the names "rvtrace"; and where that holds components.
set -u
. /usr/libexec/rvtrace/tap.sh

components=/sys/bus/rvtrace_tci/devices
sink=/sys/class/rvtrace_sink/rvtrace0
platform=/sys/bus/platform

load()
{
	dmesg -C
	insmod /host/rvtrace.ko && udevadm settle
}

traces()
{
	local from

	ls $components
	from=$(cat $sink/head) && echo 1 > $sink/tracing && ls /usr/bin > /dev/null &&
		echo 0 > $sink/tracing && [ "$(cat $sink/head)" -gt "$from" ]
}

binds_all()
{
	[ "$(cd $components && echo *)" = 'encoder0 encoder1 funnel0 ramsink0' ] && traces
}

# give DEVICE: to the other driver
give()
{
	echo rvtrace > "$platform/devices/$1/driver_override" && echo "$1" > $platform/drivers/rvtrace/bind
}

# take DEVICE...: back
take()
{
	local device

	for device; do
		echo > "$platform/devices/$device/driver_override"
	done
}

said()
{
	dmesg
	dmesg | grep -qE "$1"
}

nothing_said()
{
	! dmesg | grep 'another driver'
}

tap_plan 14
! grep -q "^rvtrace " /proc/modules || modprobe -r rvtrace
for module in $(modinfo -F depends /host/rvtrace.ko | tr , ' '); do
	modprobe "$module"
done
tap_check 'the neighbour loads' insmod /host/neighbour.ko
tap_check 'the module loads after it' load
tap_check 'all is bound, and traces' binds_all
tap_check 'nothing is said' nothing_said
rmmod rvtrace

tap_check 'the neighbour takes an encoder' give 11000000.trace-encoder
tap_check 'the module loads' load
tap_check 'it says once which, and who has it' \
	said 'rvtrace: /soc/trace-encoder@11000000 is held by another driver: rvtrace$'
tap_check 'the rest traces' traces
rmmod rvtrace

tap_check 'the neighbour takes the funnel, too' give 11100000.trace-funnel
tap_check 'the module loads' load
tap_check 'it says how many more' \
	said 'rvtrace: /soc/trace-[a-z]*@11[01]00000 is held by another driver: rvtrace \(and 1 more\)$'
path_is_taken()
{
	dmesg -C
	! echo 1 > $sink/tracing 2> /dev/null && said 'leads to /soc/trace-funnel@11100000, which is held by another driver: rvtrace$'
}
tap_check 'a way that leads there is said at the start' path_is_taken
rmmod rvtrace
rmmod neighbour
take 11000000.trace-encoder 11100000.trace-funnel
tap_check 'the neighbour loads second' sh -c 'insmod /host/rvtrace.ko && insmod /host/neighbour.ko'
udevadm settle
tap_check 'all is bound, and traces' binds_all
tap_done

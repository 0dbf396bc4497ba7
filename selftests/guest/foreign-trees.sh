#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: what the driver makes of the trees of selftests/board/foreign-trees.
set -u
. /usr/libexec/rvtrace/tap.sh

components=/sys/bus/rvtrace_tci/devices
sinks=/sys/class/rvtrace_sink

# The sink that encoder N leads to
sink_of()
{
	echo "$sinks/$(cat "$components/encoder$1/sink_name")"
}

# leads N COMPONENT: an encoder, to that component's sink
leads()
{
	[ "$(cat "$(sink_of "$1")/component")" = "$2" ]
}

running()
{
	[ "$(cat "$1/state")" = running ]
}

traces()
{
	local sink

	sink=$(sink_of "$1")
	echo 1 > "$sink/tracing" && taskset -c "$1" ls /usr/bin > /dev/null && running "$sink" &&
		echo 0 > "$sink/tracing" && [ "$(cat "$sink/head")" -gt 0 ]
}

no_more_registers()
{
	local n

	for n in encoder1 ramsink1; do
		tail -n 1 "/sys/kernel/debug/rvtrace_tci/$n/registers"
		! cut -d ' ' -f 1 "/sys/kernel/debug/rvtrace_tci/$n/registers" | grep -vE '^0x0..$' || return
	done
	[ -d $components/encoder0/filter0 ] && [ ! -d $components/encoder1/filter0 ]
}

offline()
{
	echo 0 > "/sys/devices/system/cpu/cpu$1/online"
}

online()
{
	echo 1 > "/sys/devices/system/cpu/cpu$1/online"
}

# The session waits for the hart of its sink, and goes on.
follows_hart()
{
	local sink before

	sink=$(sink_of 1)
	echo 1 > "$sink/tracing" && offline 1 && running "$sink" || return
	[ "$(cat $components/encoder1/enable)" = 0 ] && before=$(cat "$sink/head") || return
	echo 1 > "$sink/flush" && cat $components/ramsink1/* > /dev/null 2>&1
	[ "$(cat "$sink/head")" -eq "$before" ] && online 1 && running "$sink" || return
	[ "$(cat $components/ramsink1/enable)" = 1 ] && taskset -c 1 ls /usr/bin > /dev/null &&
		echo 1 > "$sink/flush" && echo 0 > "$sink/tracing" && [ "$(cat "$sink/head")" -gt "$before" ]
}

# Nothing waits for registers that are gone, and the next session is as any other.
ends_without_hart()
{
	local sink

	sink=$(sink_of 1)
	echo 1 > "$sink/tracing" && offline 1 && echo 0 > "$sink/tracing" &&
		[ "$(cat "$sink/state")" != running ] && ! echo 1 2> /dev/null > "$sink/tracing" &&
		online 1 && traces 1
}

leaves_the_chip()
{
	local sink sent

	sink=$(sink_of 2)
	echo 1 > "$sink/tracing" && taskset -c 2 ls /usr/bin > /dev/null && running "$sink" || return
	echo 0 > "$sink/tracing" && sent=$(stat -c %s /host/out.atb0.atb) && [ "$sent" -gt 0 ]
}

enabled()
{
	[ "$(cat $components/encoder2/enable $components/atbbridge0/enable $components/funnel0/enable | xargs)" = "$1" ]
}

# All that traces is behind that hart: the session waits, drained.
bridge_follows_hart()
{
	local sink

	sink=$(sink_of 2)
	echo 1 > "$sink/tracing" && enabled '1 1 1' && offline 2 && running "$sink" && enabled '0 0 0' || return
	[ "$(cat $components/atbbridge0/active)" = 0 ] && online 2 && running "$sink" && enabled '1 1 1' &&
		echo 0 > "$sink/tracing" && enabled '0 0 0'
}

nothing_said()
{
	! dmesg | grep -E 'rvtrace|trace@'
}

tap_plan 13
modprobe -r rvtrace
dmesg -C
tap_check 'the module loads' modprobe rvtrace
udevadm settle
tap_check 'nothing is said' nothing_said
tap_check 'all is bound' test "$(cd $components && echo *)" = \
	'atbbridge0 encoder0 encoder1 encoder2 funnel0 ramsink0 ramsink1'
tap_check 'the posted binding: an encoder leads to the sink of its hart' leads 0 ramsink0
tap_check 'it traces' traces 0
tap_check "QEMU's: so does one in a window" leads 1 ramsink1
tap_check 'it traces' traces 1
tap_check 'registers behind the window are not there' no_more_registers
tap_check 'a sink whose hart goes waits for it' follows_hart
tap_check 'its session ends without the hart' ends_without_hart
tap_check "K3's: trace leaves behind bridge and funnel" leads 2 funnel0
tap_check 'it does' leaves_the_chip
tap_check 'a bridge whose hart goes waits for it' bridge_follows_hart
tap_done

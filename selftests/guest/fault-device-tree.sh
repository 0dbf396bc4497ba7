#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: what the driver says of the wrong nodes of selftests/board/device-tree-faults,
# and that the board's own path traces in spite of them.
set -u
. /usr/libexec/rvtrace/tap.sh

sink=/sys/class/rvtrace_sink
driver=/sys/bus/platform/drivers/rvtrace_tci
log=/run/fault.log

# What the driver says; of a device that waits, the kernel says so once, after some seconds
said()
{
	dmesg | grep rvtrace | grep -v 'deferred probe pending'
}

nothing_said()
{
	! said
}

reload()
{
	modprobe -r rvtrace || return
	dmesg -C
	modprobe rvtrace || return
	udevadm settle
	dmesg > $log
}

uptime()
{
	cut -d. -f1 /proc/uptime
}

# 10 s after the last driver Linux probes whatever waited for one, even for what is being
# unbound, and warns of that.
no_probe_comes()
{
	while [ "$(uptime)" -lt $((loaded + 12)) ]; do
		sleep 0.5
	done
}

# refused NODE TEXT: one line, about that node, that says TEXT; and no driver is bound
refused()
{
	local device

	device=$(cd /sys/bus/platform/devices && ls -d -- *[.:]"$1" 2> /dev/null || ls -d -- *[.:]"$1"@*) || return
	echo "$device"
	grep -F " $device: " $log
	[ "$(grep -cF " $device: " $log)" -eq 1 ] && grep -F " $device: " $log | grep -qF -- "$2" &&
		[ ! -e "/sys/bus/platform/devices/$device/driver" ]
}

traces()
{
	local name from

	name=$(cd $sink && grep -l '^funnel' -- */component | while read -r f; do
		[ "$(cat "${f%/*}/buffer_size_max")" != 16777216 ] || echo "${f%/*}"
	done)
	[ -n "$name" ] || { echo "no sink with the board's memory"; return 1; }
	from=$(cat "$sink/$name/head")
	echo 1 > "$sink/$name/tracing" || return
	ls /usr/bin > /dev/null
	echo 0 > "$sink/$name/tracing" || return
	[ "$(cat "$sink/$name/head")" -gt "$from" ]
}

device_of()
{
	readlink "/sys/bus/rvtrace_tci/devices/$1" | sed 's|.*/\([^/]*\)/[^/]*$|\1|'
}

# Unbind the board's three components, bind them in the order of the arguments
bind_in_order()
{
	local device

	for device; do
		echo "$device" > $driver/unbind || return
	done
	for device; do
		echo "$device" > $driver/bind || return
	done
	udevadm settle
	traces
}

tap_plan 47
modprobe rvtrace
rvtrace-fault encoder12 impl=1
tap_check "the module loads again" reload
loaded=$(uptime)
cp $log /host/device-tree.log

while read -r node text; do
	tap_check "$node: $text" refused "$node" "$text"
done <<'END'
no-port no out-port and no other sink to trace to
no-remote out-port is not connected
dangling out-port is not connected
to-disabled out-port leads to /soc/disabled@11108000, which is disabled
to-encoder out-port leads to /soc/no-port@11008000, not to a funnel
to-loop out-ports form a loop or a chain of more than 16 components
loop-1 out-ports form a loop of 2 components
loop-2 out-ports form a loop of 2 components
to-chain out-ports form a loop or a chain of more than 16 components
bad-cpu cpus: entry 0 is not a hart
dangling-cpu cpus: entry 0 is not a hart
ghost-cpu cpus: the kernel uses none of these harts
funnel-cpu cpus: entry 0 is not a hart
ram-cpu cpus: entry 0 is not a hart
pib-cpu cpus: entry 0 is not a hart
atb-cpu cpus: entry 0 is not a hart
small is less than 256 bytes of registers
no-reg reg: the page of registers is missing
twice-again is another device's already
is-funnel hardware has no mode of instruction trace: not an encoder
is-encoder is of another
other-version device tree says TCI 0.9 (version 1), hardware says version 0
no-in-port no in-port
no-region memory-region: there is no such node
unreserved-region memory-region: /unreserved is not reserved memory
nomap-region memory-region: /reserved-memory/ring@90000000 has no pages: remove its no-map
pool-region memory-region: /reserved-memory/ring@90400000 is a pool that others use, too
unaligned-region memory-region: /reserved-memory/ring@90200800 does not begin and end at a page
same-region memory-region: /reserved-memory/trace@8f000000 overlaps the ring of /soc/trace-funnel@11100000
overlapping-region memory-region: /reserved-memory/ring@8ff00000 overlaps the ring of /soc/trace-funnel@11100000
END
tap_check "nothing is said of what is right" sh -c "! grep -E '[.:](trace-encoder|trace-funnel|good|twice|unready-clock): ' $log"

dmesg -C
tap_check "the board's own path traces" traces
said > $log
tap_check "a way that ends at a refused funnel is said at the start, once" \
	test "$(grep -c '/soc/to-refused@b leads to /soc/nomap-region@11105000, which has no driver' $log)" -eq 1
tap_check "that is all that is said" sh -c "cat $log; test \$(wc -l < $log) -eq 1"
dmesg -C
cat /sys/bus/rvtrace_tci/devices/*/sink_name > /dev/null
tap_check "sysfs can be read without a word" nothing_said

tap_check "an encoder whose clock is not there yet waits" \
	grep -F unready-clock /sys/kernel/debug/devices_deferred

no_probe_comes
a='' b='' c=''
for e in /sys/bus/rvtrace_tci/devices/*; do
	case $(readlink "$e") in
	*/11000000.*) a=$(device_of "${e##*/}") ;;
	*/11001000.*) b=$(device_of "${e##*/}") ;;
	*/11100000.*) c=$(device_of "${e##*/}") ;;
	esac
done
for order in "$a $b $c" "$a $c $b" "$b $a $c" "$b $c $a" "$c $a $b" "$c $b $a"; do
	# shellcheck disable=SC2086
	tap_check "bound in the order $order" bind_in_order $order
done

other=$(cd /sys/bus/platform/devices && ls -d -- *same-region)
swap()
{
	echo "$c" > $driver/unbind || return
	echo "$other" > $driver/bind || return
	dmesg -C
	! echo "$c" > $driver/bind || return
	dmesg
	[ "$(dmesg | grep -c 'overlaps the ring of')" -eq 1 ] && [ "$(said | wc -l)" -eq 1 ] || return
	echo "$other" > $driver/unbind && echo "$c" > $driver/bind && udevadm settle && traces
}
tap_check "memory goes to who comes first, and back" swap

# The pages of a ring, where hardware does not go to reset before it is unbound
keeps_ring()
{
	local device file

	device=$(cd /sys/bus/platform/devices && ls -d -- *[.:]good) || return
	file=$(echo "/sys/bus/platform/devices/$device"/funnel*/stop_on_wrap)
	rvtrace-fault funnel8 after=0 stuck=inactive
	! echo 1 > "$file" 2> /dev/null || return
	dmesg -C
	echo "$device" > $driver/unbind || return
	rvtrace-fault funnel8 stuck=none
	dmesg
	dmesg | grep -q "$device: hardware may still write to its ring: [0-9]* bytes stay allocated$"
}
tap_check "memory that hardware may still write to is not given back" keeps_ring

by_hand()
{
	local device

	echo 0 > /sys/bus/platform/drivers_autoprobe
	modprobe -r rvtrace && modprobe rvtrace || return
	for device in "$c" "$b" "$a"; do
		[ ! -e "/sys/bus/platform/devices/$device/driver" ] || return
		echo "$device" > $driver/bind || return
	done
	echo 1 > /sys/bus/platform/drivers_autoprobe
	udevadm settle
	traces
}
tap_check "a module without devices, then devices" by_hand
modprobe -r rvtrace
tap_check "the module goes" test ! -e /sys/module/rvtrace
tap_done

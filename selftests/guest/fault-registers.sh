#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: registers that do not take what is written, or say what the hardware has not,
# where sessions begin, in one, and while a component is probed: an error, one line that
# explains it, all undone. The board's sink has memory, and SRAM of 16 KiB.
set -u
. /usr/libexec/rvtrace/tap.sh

devices=/sys/bus/rvtrace_tci/devices
driver=/sys/bus/platform/drivers/rvtrace_tci
sink=/sys/class/rvtrace_sink/rvtrace0

# Offsets of registers of the sink, and bits of its control that choose between its memories
limit=0x18 tsreset='0x40 4'
if [ -e $devices/ramsink0 ]; then
	owner=ramsink0 broken=ram0 choice=ram_mode sram=sram memory=smem
	base=0x10 wp=0x20 rp=0x28 choice_bits=0x10
	nothing=0x3000 why_nothing='hardware supports neither system memory nor SRAM'
else
	owner=funnel0 broken=funnel0 choice=sink sram=sram memory=system-memory
	base=0x10 wp=0x1c rp=0x20 choice_bits=0xf0000000
	nothing=0x90 why_nothing='no out-port and no other sink to trace to'
fi

note()
{
	echo "$*"
	return 1
}

# said TEXT: the driver says one thing
said()
{
	dmesg | sed 's/^\[[^]]*\] //' | grep -E '^rvtrace_tci ' > /run/said
	cat /run/said
	[ "$(wc -l < /run/said)" = 1 ] && grep -qE "$1" /run/said
}

session()
{
	echo 1 > $sink/tracing && ls -R /etc > /dev/null && echo 0 > $sink/tracing
}

good_session()
{
	dmesg -C
	session && [ "$(dmesg | grep -c rvtrace)" = 0 ] && [ "$(cat $devices/$owner/active)" = 0 ] ||
		note 'the next session is not good'
}

# ignore COMPONENT OFFSET BITS
ignore()
{
	rvtrace-fault "$1" at="$2" ignores="$3"
}

# begins_not COMPONENT OFFSET BITS TEXT: registers of the sink are 0 before
begins_not()
{
	local text status

	rvtrace-fault $broken events=power-loss
	ignore "$1" "$2" "$3"
	dmesg -C
	text=$( (echo 1 > $sink/tracing) 2>&1)
	status=$?
	ignore "$1" 0 0
	[ $status != 0 ] || note 'it has begun' || return
	case $text in *'Invalid argument'*) ;; *) note "$text" || return ;; esac
	said "$4" && [ "$(cat $sink/tracing)" = 0 ] && [ "$(cat $devices/encoder0/active)" = 0 ] && good_session
}

# What was not copied before is lost, and counted.
read_pointer_stops()
{
	local lost read status

	cat /dev/rvtrace0 > /dev/null
	session && cat /dev/rvtrace0 > /dev/null || return
	dmesg -C
	echo 1 > $sink/tracing && ignore $broken $rp 0xffffffff || return
	ls -lR /usr/bin > /dev/null
	echo 0 > $sink/tracing
	status=$?
	ignore $broken 0 0
	lost=$(cat $sink/lost)
	read=$(timeout 10 cat /dev/rvtrace0 | wc -c)
	echo "status $status, head $(cat $sink/head), $read read, $lost lost"
	[ "$lost" -gt 0 ] && said 'SRAM: ram_rp does not follow although the hardware is stopped' && good_session
}

# is_refused COMPONENT TEXT FAULT...: COMPONENT as rvtrace-fault calls it
is_refused()
{
	local name=$1 text=$2 device

	shift 2
	device=$(readlink -f "$devices/${name/#ram/ramsink}/..")
	device=${device##*/}
	echo "$device" > $driver/unbind
	rvtrace-fault "$name" "$@"
	dmesg -C
	! echo "$device" 2> /dev/null > $driver/bind || note 'it was taken' || return
	rvtrace-fault "$name" impl=0 at=0 ignores=0
	dmesg | grep rvtrace
	[ "$(dmesg | grep -cE "$text")" = 1 ] && echo "$device" > $driver/bind && udevadm settle &&
		for _ in {1..100}; do
			[ "$(cat $devices/encoder0/sink_name)" != rvtrace0 ] || break
			sleep 0.05
		done && echo $memory > $devices/$owner/$choice && good_session
}

# An encoder's own counter, or that of the funnel which it is a slave of
counter_goes_on()
{
	local name=encoder0 status

	echo internal 2> /dev/null > $devices/encoder0/ts_type || name=funnel0
	# shellcheck disable=SC2086
	ignore $name $tsreset
	dmesg -C
	echo 1 2> /dev/null > $devices/$name/ts_reset
	status=$?
	ignore $name 0 0
	[ $status != 0 ] && said "rvtrace_tci $name: timestamp: a reset left it at [1-9][0-9]*$" &&
		echo 1 > $devices/$name/ts_reset && echo 1 > $devices/encoder0/reset
}

tap_plan 12
modprobe -r rvtrace && modprobe rvtrace && udevadm settle
echo $memory > $devices/$owner/$choice
ring='ring: asked for 0x[0-9a-f]+ as first byte and 0x[0-9a-f]+ as last word, hardware kept'
advice='memory-region, or buffer_size, has to be what it keeps'
tap_check 'the limit of a ring' begins_not $broken $limit 0xffffffff \
	"^rvtrace_tci $owner: $ring 0x[1-9a-f][0-9a-f]* and 0x0: $advice$"
tap_check 'its first address' begins_not $broken $base 0xffffffff \
	"^rvtrace_tci $owner: $ring 0x0 and 0x[1-9a-f][0-9a-f]*: $advice$"
tap_check 'its write pointer' begins_not $broken $wp 0xffffffff \
	"^rvtrace_tci $owner: ram_wp: asked for 0x[0-9a-f]+, hardware kept 0"
tap_check 'the choice of memory' begins_not $broken 0 $choice_bits \
	"^rvtrace_tci $owner: $choice: asked for [0-9]+, hardware kept [0-9]+"
tap_check 'the mode of instruction trace' begins_not encoder0 0 0x70 \
	'^rvtrace_tci encoder0: inst_mode: asked for [0-9], hardware kept 0'
echo $sram > $devices/$owner/$choice
tap_check 'SRAM: the read pointer' begins_not $broken $rp 0xffffffff \
	"^rvtrace_tci $owner: SRAM: ram_rp: asked for 0x3ffc, hardware kept 0"
tap_check 'SRAM: some bits of it' begins_not $broken $rp 0x3000 \
	"^rvtrace_tci $owner: SRAM: ram_rp: asked for 0x3ffc, hardware kept 0xffc"
tap_check 'SRAM: the read pointer in a session' read_pointer_stops
echo $memory > $devices/$owner/$choice
tap_check 'tsReset' counter_goes_on
tap_check 'an encoder without a mode of instruction trace' is_refused encoder0 \
	'hardware has no mode of instruction trace: not an encoder' at=0 ignores=0x70
tap_check 'a sink that writes nowhere' is_refused $broken "$why_nothing" impl=$nothing
tap_check 'Impl with a bit that is always 0' is_refused encoder0 \
	"hardware's impl 0x[0-9a-f]* is of another|not a type of TCI 1.0" impl=0x200
tap_done

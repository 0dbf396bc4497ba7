#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: sessions whose trace leaves the chip, through pins in every mode, with
# calibration patterns instead of trace, and through frames with several ids. Lines of
# /host/sessions say which bytes of the machine's files (trace-out=.../out) are whose:
#
#   KIND MODE-OR-ID REF-CENTER CALIBRATE COMPONENT FROM TO SENT-FROM SENT-TO
#
#   off-chip.sh [COMMAND...]
#
# RVTRACE_MODES: these modes of the pins instead of all.
# One session of each kind is one in which the components have no power for a moment.
# COMMAND: recorded twice more between the markers of the ground truth, as
# /host/recording-pib and /host/recording-atb. Sinks that are components of their own have no
# ring, and with it no records beside the trace: there the driver records what goes to memory,
# while the other sink, which the test has taken from it, is given the same.
set -eu

components=/sys/bus/rvtrace_tci/devices
driver=/sys/bus/platform/drivers/rvtrace_tci
lose_power=/usr/libexec/rvtrace/guest/lose-power.sh
record_options=()

# choose pib|atb: sets owner, what the machine calls it, and its sink
choose()
{
	local where

	if [ ! -e $components/pibsink0 ]; then
		owner=funnel0 name=funnel0
		echo "$1" > $components/funnel0/sink
	else
		case $1 in
		pib) owner=pibsink0 name=pib0 ;;
		atb) owner=atbbridge0 name=atb0 ;;
		esac
		echo $owner > $components/funnel0/route
	fi
	where=$(grep -lx $owner /sys/class/rvtrace_sink/*/component)
	sink=${where%/component}
}

set_field()
{
	echo "$2" > "$components/$owner/$1"
}

size()
{
	stat -c %s "/host/out.$name.$1" 2> /dev/null || echo 0
}

burst()
{
	echo 1 > "$sink/tracing"
	ls / > /dev/null
	echo 0 > "$sink/tracing"
}

# What comes afterwards leaves the chip as what came before.
burst_without_power()
{
	local before

	echo 1 > "$sink/tracing"
	ls / > /dev/null
	$lose_power
	before=$(size sent)
	ls / > /dev/null
	[ "$(cat "$sink/state")" = running ]
	echo 0 > "$sink/tracing"
	[ "$(size sent)" -gt "$before" ]
}

# session "KIND MODE-OR-ID REF-CENTER CALIBRATE" COMMAND...
session()
{
	local what=$1 kind=${1%% *} from sent status=0

	shift
	kind=${kind%-recording}
	from=$(size "$kind")
	sent=$(size sent)
	"$@" || status=$?
	echo "$what $name $from $(size "$kind") $sent $(size sent)" >> /host/sessions
	return $status
}

off_is_refused()
{
	set_field pib_mode off
	if echo 1 > "$sink/tracing"; then
		echo 'a session into pins that are off has started'
		return 1
	fi 2> /dev/null
	[ "$(cat "$sink/tracing")" = 0 ]
}

every_mode()
{
	local calibrate=$1 mode center

	set_field pib_calibrate "$calibrate"
	for mode in ${RVTRACE_MODES:-$(cat "$components/$owner/pib_mode_available")}; do
		[ "$mode" != off ] || continue
		set_field pib_mode "$mode"
		for center in 0 1; do
			[ "$center" = 0 ] || [ "${mode#parallel}" != "$mode" ] || continue
			set_field pib_ref_center "$center"
			session "pib $mode $center $calibrate" burst
		done
		set_field pib_ref_center 0
	done
}

# A PIB that calibrates takes no trace: nothing must wait for it.
set_inst_mode()
{
	local encoder

	for encoder in "$components"/encoder*; do
		echo "$1" > "$encoder/inst_mode"
	done
}

# record KIND COMMAND...; record_options: of record.sh
record()
{
	local kind=$1

	shift
	/usr/libexec/rvtrace/guest/record.sh --mode history \
		--image /host/firmware.elf@0x80000000 "${record_options[@]}" -- "$@"
	mv /host/recording "/host/recording-$kind"
	rm -r /data/recording
}

# control ADDRESS VALUE BITS: writes the register and waits until it has these bits
control()
{
	rvtrace-page "$1" write 0 "$2"
	for _ in {1..100}; do
		[ $(($(rvtrace-page "$1" read 0) & $3)) -ne $(($3)) ] || return 0
		sleep 0.1
	done
	echo "control register at $1: not $3 after $2 was written" >&2
	return 1
}

# beside ADDRESS SETTINGS COMMAND...: while the owner, which it takes from the driver, has
# these settings and is enabled
beside()
{
	local address=$1 settings=$2 device status=0

	shift 2
	device=$(basename "$(dirname "$(readlink -f "$components/$owner")")")
	echo "$device" > $driver/unbind || return
	control "$address" 1 1 &&
		control "$address" $((settings | 1)) $((settings | 1)) &&
		control "$address" $((settings | 3)) $((settings | 3)) &&
		"$@" &&
		control "$address" $((settings | 1)) $((settings | 9)) || status=$?
	rvtrace-page "$address" write 0 0
	echo "$device" > $driver/bind
	return $status
}

record_beside()
{
	local memory

	memory=$(grep -lx ramsink0 /sys/class/rvtrace_sink/*/component)
	memory=${memory%/component}
	record_options=(--sink "${memory##*/}")
	choose pib
	echo ramsink0 > $components/funnel0/route
	session 'pib-recording parallel-8 0 0' beside 0x11160000 0xb0 record pib "$@"
	choose atb
	echo ramsink0 > $components/funnel0/route
	session 'atb-recording 0x33 0 0' beside 0x11180000 0x3300 record atb "$@"
}

modprobe rvtrace
choose pib
off_is_refused
set_inst_mode off
every_mode 1
set_inst_mode history
every_mode 0
set_field pib_mode parallel-8
session "pib parallel-8 0 0" burst_without_power
choose atb
set_field atb_id 0x44
session "atb 0x44 0 0" burst_without_power
for id in 0x01 0x5a; do
	set_field atb_id $id
	session "atb $id 0 0" burst
done
[ $# -gt 0 ] || exit 0
if [ -e $components/pibsink0 ]; then
	record_beside "$@"
	exit
fi

# Without power the clock of version 0 begins again, by which processes are told apart.
[ "$(cat $components/funnel0/generation)" != 'TCI 0' ] || lose_power=
set_field atb_id 0x33
session 'atb-recording 0x33 0 0' record atb $lose_power "$@"
choose pib
set_field pib_mode parallel-8
set_field pib_ref_center 0
session 'pib-recording parallel-8 0 0' record pib $lose_power "$@"

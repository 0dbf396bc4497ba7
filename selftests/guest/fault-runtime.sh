#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: hardware that stops answering, harts and drivers that go, while a
# session starts, flushes and stops.
#
#   fault-runtime.sh MOMENTS SEED
set -u
. /usr/libexec/rvtrace/tap.sh

moments=$1
RANDOM=$2
class=/sys/class/rvtrace_sink
sink=$class/rvtrace0
devices=/sys/bus/rvtrace_tci/devices
driver=/sys/bus/platform/drivers/rvtrace_tci
timeout=100

# A session that ended because its funnel was disabled
stopped='^rvtrace_tci funnel0: enable: cleared by the hardware, the session ends$'

# What an acknowledgement that is missed is called
late="^rvtrace_tci (encoder0|encoder1|funnel0): [a-z ]+: (active|enable|empty) still [01] after $timeout ms$"

note()
{
	echo "$*"
	return 1
}

# try NAME VALUE: write to the sink; a failure must be a timeout that one line explains
try()
{
	local text lines status=0

	dmesg -C
	text=$( (printf '%s' "$2" > "$sink/$1") 2>&1)
	status=$?
	dmesg | sed 's/^\[[^]]*\] //' | grep '^rvtrace' | grep -v "$stopped" > /run/lines
	lines=$(wc -l < /run/lines)
	[ "$status" = 0 ] && [ "$lines" = 0 ] && return
	cat /run/lines
	case $text in
	*'Connection timed out'*) ;;
	*'Broken pipe'*) [ "$lines" = 0 ] && failures=$((failures + 1)) && return ;;
	*'No data available'*) [ "$1" = flush ] && ! grep -qv 'flush: there is no session$' /run/lines && return ;;
	esac
	! grep -qvE "$late" /run/lines || note "$1 $2: another line than that of a timeout" || return
	case $status$text in
	*'Connection timed out'*)
		failures=$((failures + 1))
		[ "$lines" -eq 1 ] || note "$1 $2: $lines lines for one fault" ;;
	*) note "$1 $2: status $status, $text, $lines lines" ;;
	esac
}

# Nothing is enabled, held or counted
at_rest()
{
	local c device

	case $(cat $sink/state) in idle | stopped) ;; *) note "state $(cat $sink/state)" || return ;; esac
	[ "$(cat /sys/module/rvtrace/refcnt)" = 0 ] || note "module: $(cat /sys/module/rvtrace/refcnt) references" || return
	for c in encoder0 encoder1 funnel0; do
		[ "$(cat $devices/$c/enable)" = 0 ] || note "$c: enabled" || return
		device=$(readlink -f $devices/$c/..)
		for _ in $(seq 40); do
			[ "$(cat "$device/power/runtime_status")" != suspended ] || break
			sleep 0.05
		done
		[ "$(cat "$device/power/runtime_status")" = suspended ] || note "$c: held" || return
	done
}

burn()
{
	local i=0

	while [ $i -lt 300 ]; do i=$((i + 1)); done
}

good_session()
{
	local from

	from=$(cat $sink/head)
	dmesg -C
	echo 1 > $sink/tracing || return
	burn
	echo 1 > $sink/flush || return
	burn
	echo 0 > $sink/tracing || return
	[ "$(cat $sink/head)" -gt "$from" ] || note "nothing was traced" || return
	[ "$(dmesg | grep -c rvtrace)" = 0 ] || { dmesg; return 1; }
	at_rest
}

accesses()
{
	rvtrace-fault "$1" | sed -n 's/^accesses=//p'
}

# Break one component after some accesses of a session, then repair it
one_moment()
{
	local names=(encoder0 encoder1 funnel0) faults=(stuck=active stuck=inactive stuck=empty clear=enable)
	local name=${names[RANDOM % 3]} fault=${faults[RANDOM % 4]} after result=0

	after=$((RANDOM % count[$name]))
	# Only the first accesses of a session wait for that
	[ "$fault" != stuck=active ] || after=$((after % 2))
	echo "$name after=$after $fault"
	failures=0
	rvtrace-fault "$name" after=$after "$fault"
	try tracing 1 && burn && try flush 1 && burn && try tracing 0 || result=1
	# One that happens after all is over harms nobody, and one that stays is repaired
	[ "$failures" -le 1 ] || [ "$fault" = stuck=active ] || note "$failures failures of one fault" || result=1
	total=$((total + failures))
	rvtrace-fault "$name" after=0 stuck=none clear=none
	echo 0 > $sink/tracing
	[ "$fault" = clear=enable ] || at_rest || result=1
	good_session || result=1
	return $result
}

all_moments()
{
	local i

	total=0
	declare -gA count
	for c in encoder0 encoder1 funnel0; do
		count[$c]=$(($(accesses $c)))
	done
	good_session || return
	for c in encoder0 encoder1 funnel0; do
		count[$c]=$(($(accesses $c) - count[$c]))
		[ "${count[$c]}" -gt 0 ] || note "$c: no accesses" || return
	done
	for i in $(seq "$moments"); do
		one_moment > /run/moment 2>&1 || { echo "moment $i:"; cat /run/moment; return 1; }
	done
	echo "$total of $moments were noticed"
	[ "$total" -ge $((moments / 4)) ]
}

# Hardware that reads ones and ignores writes, in mid-session
gone()
{
	local c result=0

	for c in encoder0 encoder1 funnel0; do
		echo 1 > $sink/tracing || return
		rvtrace-fault $c after=0 stuck=gone
		echo 0 > $sink/tracing 2> /dev/null && note "$c: the stop noticed nothing" && result=1
		rvtrace-fault $c stuck=none
		good_session || result=1
	done
	return $result
}

# What is on its way to memory has not landed because a disable was asked for that is never
# done: it is lost, and no reader gets what memory held before
disable_is_ignored()
{
	local enable=2

	[ "$(cat $sink/state)" != stopped ] || cat /dev/rvtrace0 > /dev/null
	# The sink says that it is empty, for all it holds, each fourth time.
	for _ in $(seq 16); do
		echo 1 > $sink/tracing && burn || return
		rvtrace-fault funnel0 after=0 at=0 ignores=$enable
		! echo 0 > $sink/tracing 2> /run/text || note "the stop noticed nothing" || return
		rvtrace-fault funnel0 ignores=0
		grep -q 'Connection timed out' /run/text || { cat /run/text; return 1; }
		[ "$(cat $sink/lost)" -ge 256 ] || note "lost: $(cat $sink/lost)" || return
		[ "$(tail -c 64 /dev/rvtrace0 | tr -d '\0' | wc -c)" -gt 0 ] ||
			note "the last bytes are none" || return
	done
	good_session
}

# fails_at FILE VALUE: the session ends there, and says why
fails_at()
{
	local text

	text=$( (echo "$2" > "$sink/$1") 2>&1) && note "$1 noticed nothing" && return 1
	case $text in *'Input/output error'*) ;; *) note "$1: $text" ;; esac
}

ends_by_itself()
{
	for _ in $(seq 100); do
		[ "$(cat $sink/tracing)" != 0 ] || return 0
		sleep 0.05
	done
	note "the session goes on"
}

# lost_at COMPONENT COMMAND...: power goes, and comes back, in the middle of a session
lost_at()
{
	local c=$1

	shift
	echo "$c: $*"
	cat /dev/rvtrace0 > /dev/null
	dmesg -C
	echo 1 > $sink/tracing && burn && rvtrace-fault "$c" events=power-loss && "$@" || return
	dmesg | sed 's/^\[[^]]*\] //' | grep '^rvtrace' > /run/lines
	cat /run/lines
	# The funnel's memory block has lost its pointer as well
	[ "$(grep -cx "rvtrace_tci $c: lost its registers and the trace that it held" /run/lines)" = 1 ] &&
		! grep -qvE "lost its registers|write pointer was outside the ring" /run/lines &&
		at_rest && good_session
}

power_loss()
{
	local c

	for c in encoder0 encoder1; do
		lost_at $c fails_at flush 1 && lost_at $c fails_at tracing 0 || return
	done
	lost_at funnel0 ends_by_itself || return
	echo 1 > $devices/encoder1/inst_trig_en && lost_at encoder1 ends_by_itself &&
		echo 0 > $devices/encoder1/inst_trig_en
}

bind_again()
{
	echo "$1" > $driver/bind || return
	udevadm settle
	for _ in $(seq 100); do
		[ -e $sink ] && [ "$(cat $devices/encoder0/sink_name)" = rvtrace0 ] && return
		sleep 0.05
	done
	note "$1: not back"
}

# A reader of a component that goes: end of file or ENODEV
one_unbind()
{
	local names=(encoder0 encoder1 funnel0) name device reader status text

	[ "$(cat $sink/state)" != stopped ] || cat /dev/rvtrace0 > /dev/null
	session=$(cat $sink/session)
	name=${names[RANDOM % 3]}
	device=$(readlink -f $devices/$name/..)
	device=${device##*/}
	echo "$name"
	timeout 20 cat /dev/rvtrace0 2> /run/reader > /dev/null &
	reader=$!
	[ $((RANDOM % 8)) = 0 ] || echo 1 > $sink/tracing || return
	sleep 0.0$((RANDOM % 10))
	echo "$device" > $driver/unbind || return
	# Without a session an encoder's end is no end of file
	[ "$name" = funnel0 ] || [ "$(cat $sink/session)" != "$session" ] || kill $reader
	wait $reader
	status=$?
	[ $status != 124 ] || note "the reader waits for ever" || return
	text=$(cat /run/reader)
	case $text in '' | *'No such device'*) ;; *) note "$text" || return ;; esac
	bind_again "$device" && good_session
}

all_unbinds()
{
	local i

	for i in $(seq "$moments"); do
		one_unbind > /run/moment 2>&1 || { echo "unbind $i:"; cat /run/moment; dmesg | tail; return 1; }
	done
}

hotplug()
{
	local i cpu=/sys/devices/system/cpu/cpu1/online from

	from=$(cat $sink/head)
	echo 1 > $sink/tracing || return
	for i in $(seq $((2 + moments / 10))); do
		echo 0 > $cpu || return
		burn
		[ "$((i % 2))" = 0 ] || echo 1 > $sink/flush || return
		echo 1 > $cpu || return
		taskset -c 1 ls /usr/bin > /dev/null
		burn
	done
	echo 0 > $cpu
	echo 0 > $sink/tracing || return
	echo 1 > $cpu
	[ "$(cat $sink/head)" -gt "$from" ] && good_session
}

loaded_without_a_hart()
{
	local cpu=/sys/devices/system/cpu/cpu1/online

	modprobe -r rvtrace && echo 0 > $cpu && modprobe rvtrace && udevadm settle || return
	echo 1 > $sink/tracing && echo 1 > $cpu && taskset -c 1 ls /usr/bin > /dev/null && echo 0 > $sink/tracing
	# Its encoder waited for it
	for _ in $(seq 100); do
		[ ! -e $devices/encoder1/enable ] || break
		sleep 0.05
	done
	good_session
}

# Processes that start, stop, flush and enable at once
race()
{
	local i pids=()

	for i in $sink/tracing $sink/tracing $sink/flush $devices/encoder{0,1}/enable; do
		(
			RANDOM=$((moments + ${#pids[@]}))
			for _ in $(seq $((moments * 5))); do
				case $i in
				*/flush) echo 1 > $i ;;
				*) echo $((RANDOM % 2)) > $i ;;
				esac
			done
		) 2> /dev/null &
		pids+=($!)
	done
	wait "${pids[@]}"
	dmesg -C
	echo 0 > $sink/tracing || return
	good_session
}

refusal()
{
	sleep 6		# the kernel lets ten such lines through in five seconds
	dmesg -C
	! echo 5 > $devices/encoder0/inst_mode 2> /dev/null || return
	! echo 99 > $devices/encoder0/sync_max 2> /dev/null || return
	dmesg | sed 's/^\[[^]]*\] //' > /run/lines
	cat /run/lines
	grep -qE '^rvtrace_tci encoder0: inst_mode: asked for 5, hardware kept [0-9]+$' /run/lines &&
		grep -qx 'rvtrace_tci encoder0: sync_max: 99 is more than 15' /run/lines &&
		[ "$(wc -l < /run/lines)" = 2 ]
}

# A setting that the writer is told failed is as it was
failed_setting()
{
	local file=$devices/encoder0/sync_max old result=0

	old=$(cat $file)
	rvtrace-fault encoder0 after=0 stuck=inactive
	! echo $((old ^ 1)) > $file 2> /run/text || note "it was taken" || result=1
	rvtrace-fault encoder0 stuck=none
	cat /run/text
	grep -q 'Connection timed out' /run/text && [ "$(cat $file)" = "$old" ] &&
		good_session && return $result
}

# Active of a component that may still be going down is not taken for that of one that came up
no_reset()
{
	local text status result=0

	echo 1 > $sink/tracing || return
	rvtrace-fault encoder0 after=0 stuck=inactive
	! echo 0 > $sink/tracing 2> /dev/null || note "the stop noticed nothing" || result=1
	dmesg -C
	text=$( (echo 1 > $sink/tracing) 2>&1)
	status=$?
	rvtrace-fault encoder0 stuck=none
	echo 0 > $sink/tracing
	dmesg
	echo "$text"
	[ $status != 0 ] || note "it has begun" || return
	case $text in *'Connection timed out'*) ;; *) return 1 ;; esac
	[ "$(dmesg | grep -c rvtrace)" = 1 ] &&
		dmesg | grep -q "encoder0: reset: active still 1 after $timeout ms$" &&
		good_session && return $result
}

busy_module()
{
	local reader

	echo 1 > $sink/tracing || return
	! modprobe -r rvtrace 2> /dev/null || return
	echo 0 > $sink/tracing
	sleep 30 < /dev/rvtrace0 &
	reader=$!
	sleep 0.2
	! modprobe -r rvtrace 2> /dev/null || return
	kill $reader
	wait $reader 2> /dev/null
	good_session
}

# Objects of the sizes that the driver allocates
objects()
{
	local n total=0 size

	for size in 512 1k 2k 4k 8k; do
		echo 1 > /sys/kernel/slab/kmalloc-$size/shrink
		read -r n _ < /sys/kernel/slab/kmalloc-$size/objects
		total=$((total + n))
	done
	echo $total
}

reload()
{
	local i page

	for i in $(seq "$1"); do
		modprobe rvtrace && udevadm settle && good_session && modprobe -r rvtrace || return
		for page in 0x11000000 0x11001000 0x11100000; do
			[ "$(rvtrace-page $page read 0)" = 0x00000000 ] || note "$page: not in reset" || return
		done
	done
}

no_leak()
{
	local before after cycles=$((moments < 20 ? 8 : 20))

	reload 4 || return
	before=$(objects)
	reload $cycles || return
	after=$(objects)
	echo "$before objects before, $after after"
	grep rvtrace /proc/vmallocinfo /proc/iomem /proc/devices && return 1
	[ -z "$(find /sys/kernel/debug/regmap /sys/kernel/debug/rvtrace_tci -name '*trace*' 2> /dev/null)" ] || return
	# Whatever is lost with each load would be lost as often
	[ $((after - before)) -lt $cycles ]
}

# Waits are bounded
long_wait()
{
	local file

	for file in timeout_ms pib_settle_ms sample_min_us sample_max_us; do
		! echo 1000001 > /sys/module/rvtrace/parameters/$file || return
	done 2> /dev/null
	for file in timeout_ms sample_min_us sample_max_us; do
		! echo 0 > /sys/module/rvtrace/parameters/$file || return
	done 2> /dev/null
	! echo 60001 > /sys/module/rvtrace/parameters/timeout_ms
}

tap_plan 16
modprobe rvtrace
tap_check "no wait is longer than a minute" long_wait
echo $timeout > /sys/module/rvtrace/parameters/timeout_ms
tap_check "a session leaves nothing behind" good_session
tap_check "$moments times hardware stops answering: one line, all undone, the next session traces" all_moments
tap_check "hardware that is gone" gone
tap_check "a disable that is ignored: what did not land is lost" disable_is_ignored
tap_check "power that goes in a session" power_loss
tap_check "$moments components unbound under a reader" all_unbinds
tap_check "a hart goes and comes back" hotplug
tap_check "a hart that comes after the module" loaded_without_a_hart
echo $timeout > /sys/module/rvtrace/parameters/timeout_ms
tap_check "starts, stops, flushes race" race
tap_check "a refused value: field, asked, kept" refusal
tap_check "a setting that fails late is as it was" failed_setting
tap_check "a reset that is not acknowledged is waited for before the next session" no_reset
tap_check "a module in use stays" busy_module
modprobe -r rvtrace
tap_check "a module comes and goes and leaks nothing" no_leak
if [ -e /sys/kernel/debug/kmemleak ]; then
	tap_check "no leak, says kmemleak" /usr/libexec/rvtrace/kselftest/leaks.sh
else
	tap_skip "no leak, says kmemleak" "not in this kernel"
fi
tap_done

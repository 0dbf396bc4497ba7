#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What programs and the kernel write to the driver's device of the STM class is in the trace,
# message by message, by channel.
encoder=/sys/bus/rvtrace_tci/devices/encoder0
name=$(cat $encoder/sink_name 2> /dev/null || echo none)
sink=/sys/class/rvtrace_sink/$name
console=/sys/class/stm_source/console/stm_source_link
ftrace=/sys/class/stm_source/ftrace/stm_source_link
marker=/sys/kernel/tracing/trace_marker
config=/sys/kernel/config
policy=$config/stp-policy/rvtrace_stm:p_basic.test
# shellcheck source=selftests/kselftest/check.sh
. "$(dirname "$0")/check.sh"
[ -d "$sink" ] || skip "no trace sink"
[ -d /sys/class/stm ] || skip "the kernel has no STM class"
if [ -e $encoder/software_trace ]; then
	format=ntrace
elif [ "$(cat $encoder/itc_trace_enable 2> /dev/null || echo 0)" != 0 ]; then
	format=sifive
else
	skip "no software trace port, no stimulus registers"
fi
echo "1..7"

# say TEXT: in one message
say()
{
	printf %s "$1" > /dev/rvtrace_stm
}

# Stimulus registers may have no power then; a port is a CSR.
# shellcheck disable=SC2317 # called by check
outside()
{
	if [ $format = sifive ]; then
		! say 'out of session'
	else
		say 'out of session'
	fi
}

# said CHANNELS TEXT: in one message
# shellcheck disable=SC2317 # called by check
said()
{
	[ "$(grep -c " e$1[8c] STM_CLASS  *$2\$" "$dir/events")" = 1 ]
}

# printed HEAD: real-time kernels print from a thread, all that they have printed before. Until some
# came, the ring was at HEAD, and no more comes, where nothing else does.
printed()
{
	before=none
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		now=$(cat "$sink/head")
		[ "$now" != "$before" ] || [ "$now" = "$1" ] || return
		before=$now
		sleep 1
	done
}

# With instruction trace, what a slow kernel does meanwhile is more than a ring holds.
only_events()
{
	for mode in /sys/bus/rvtrace_tci/devices/encoder*/inst_mode; do
		echo "$(cat "$mode") $mode" >> "$dir/modes"
		echo off > "$mode"
	done
}

leave()
{
	while read -r value mode; do
		echo "$value" > "$mode"
	done < "$dir/modes"
	rmdir $policy/default $policy/console $policy/ftrace $policy
	rm -rf "$dir"
}

dir=$(mktemp -d)
trap leave EXIT
only_events
mountpoint -q $config || mount -t configfs configfs $config
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
mkdir $policy $policy/default $policy/console $policy/ftrace
echo '5 5' > $policy/default/channels
echo '255 255' > $policy/console/channels
# one for each CPU
echo '16 31' > $policy/ftrace/channels

check "outside sessions, stimulus registers are not written" outside
echo 1 > "$sink/tracing"
check "a message is taken" "say 'thirteen char'"
say x
head=$(cat "$sink/head")
echo rvtrace_stm > $console
echo "from the kernel, for $$" > /dev/kmsg
printed "$head"
# Nothing has that name: the link is undone.
echo none > $console 2> /dev/null
if [ -e "$ftrace" ]; then
	echo rvtrace_stm > $ftrace
	echo "a mark, of $$" > $marker
	echo none > $ftrace 2> /dev/null
fi
echo 0 > "$sink/tracing"
check "nor behind one" outside
cat "/dev/$name" > "$dir/trace"
tracectl events --raw --format $format --src-bits "$(cat $encoder/src_bits)" "$dir/trace" > "$dir/events"
check "it is an event" "said 05 'thirteen char'"
check "so is one of a character" "said 05 x"
check "so is what the kernel prints" "said ff '.*from the kernel, for $$\.'"
if [ -e "$ftrace" ]; then
	check "and what it traces" "said 1. '.*a mark, of $$.*'"
else
	number=$((number + 1))
	echo "ok $number # SKIP the kernel has no ftrace as a source of STM"
fi
[ $failed = 0 ] || sed 's/^/# /' "$dir/events"
exit $failed

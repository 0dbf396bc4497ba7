#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A kernel that is locked down for confidentiality traces nothing more. It stays
# so until it is booted again: the last test.
name=$(cat /sys/bus/rvtrace_tci/devices/encoder0/sink_name 2> /dev/null)
sink=/sys/class/rvtrace_sink/$name
lockdown=/sys/kernel/security/lockdown
number=0
failed=0

echo "TAP version 13"
if [ -z "$name" ] || [ ! -d "$sink" ]; then
	echo "1..0 # SKIP no trace sink"
	exit 4
fi
[ -d /sys/kernel/security/integrity ] || [ -e $lockdown ] ||
	mount -t securityfs securityfs /sys/kernel/security 2> /dev/null
if [ ! -w $lockdown ]; then
	echo "1..0 # SKIP no lockdown in this kernel"
	exit 4
fi
echo "1..5"

check()
{
	number=$((number + 1))
	if eval "$2"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		failed=1
	fi
}

echo 1 > "$sink/tracing"
echo confidentiality > $lockdown
check "a session that runs goes on" "[ \$(cat $sink/tracing) = 1 ]"
check "and can be stopped and read" "echo 0 > $sink/tracing && [ \$(timeout 60 cat /dev/$name | wc -c) -gt 0 ]"
check "none can be started" "! echo 1 > $sink/tracing"
check "registers cannot be read" "! cat /sys/kernel/debug/rvtrace_tci/encoder0/registers > /dev/null"
check "the kernel says so" "dmesg | grep -q 'Lockdown: .*perf'"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A kernel that is locked down for confidentiality traces nothing more. It stays
# so until it is booted again: the last test.
name=$(cat /sys/bus/rvtrace_tci/devices/encoder0/sink_name 2> /dev/null)
sink=/sys/class/rvtrace_sink/$name
lockdown=/sys/kernel/security/lockdown
# shellcheck source=selftests/kselftest/check.sh
. "$(dirname "$0")/check.sh"
[ -n "$name" ] && [ -d "$sink" ] || skip "no trace sink"
[ -d /sys/kernel/security/integrity ] || [ -e $lockdown ] ||
	mount -t securityfs securityfs /sys/kernel/security 2> /dev/null
[ -w $lockdown ] || skip "no lockdown in this kernel"
echo "1..5"

echo 1 > "$sink/tracing"
echo confidentiality > $lockdown
check "a session that runs goes on" "[ \$(cat $sink/tracing) = 1 ]"
check "and can be stopped and read" "echo 0 > $sink/tracing && [ \$(timeout 60 cat /dev/$name | wc -c) -gt 0 ]"
check "none can be started" "! echo 1 > $sink/tracing"
check "registers cannot be read" "! cat /sys/kernel/debug/rvtrace_tci/encoder0/registers > /dev/null"
check "the kernel says so" "dmesg | grep -q 'Lockdown: .*perf'"
exit $failed

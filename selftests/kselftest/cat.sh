#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What a shell does: echo starts and stops, cat streams until the end.
name=$(cat /sys/bus/rvtrace_tci/devices/encoder0/sink_name 2> /dev/null)
sink=/sys/class/rvtrace_sink/$name
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# shellcheck source=selftests/kselftest/check.sh
. "$(dirname "$0")/check.sh"
[ -n "$name" ] && [ -d "$sink" ] || skip "no trace sink"
echo "1..4"

cat "/dev/$name" > "$dir/early" &
reader=$!
sleep 0.2
before=$(cat "$sink/session")
echo 1 > "$sink/tracing"
ls -lR /usr/lib > /dev/null
echo 0 > "$sink/tracing"
check "cat started before the session ends with it" "wait $reader"
check "it has trace" "[ -s $dir/early ]"
echo 1 > "$sink/tracing"
ls /usr > /dev/null
echo 0 > "$sink/tracing"
check "cat after the session gets it and ends" "timeout 60 cat /dev/$name > $dir/late && [ -s $dir/late ]"
check "two sessions were counted" "[ \$(cat $sink/session) -eq $((before + 2)) ]"
exit $failed

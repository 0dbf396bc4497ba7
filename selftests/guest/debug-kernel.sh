#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest, on the kernel that watches itself: the driver's KUnit suites, then
# allocations that fail while the module is loaded, bound and used.
#
#   debug-kernel.sh N	of the allocations, one of N fails
set -u
. /usr/libexec/rvtrace/tap.sh

kunit=/sys/kernel/debug/kunit

# The tests of a suite as TAP; what its parameters did is a diagnostic
ktap()
{
	sed -n -e 's/^    \(ok\|not ok\|1\.\.\|#\)/\1/p' -e 's/^        \(not ok\|#\)/# \1/p' "$1"
}

suites()
{
	local suite

	tap_check "the module with KUnit suites is loaded" insmod /usr/libexec/rvtrace/rvtrace-kunit.ko
	for suite in kind ring graph; do
		tap_group "KUnit $suite" 0 < <(ktap $kunit/rvtrace-$suite/results)
	done
	tap_check "and unloaded" rmmod rvtrace
	tap_check "every node of the device tree was put" sh -c '! dmesg | grep unbalanced'
}

allocations()
{
	local tests=/usr/libexec/rvtrace/kselftest program status

	modprobe rvtrace || return
	# It would be told of thousands of devices.
	udevadm settle
	udevadm control --exit
	PATH=$PATH:/usr/libexec/rvtrace
	for program in "ksft-allocation -e $1" $tests/leaks.sh; do
		status=0
		$program > /run/tap 2>&1 || status=$?
		tap_group "${program##*/}" $status < /run/tap
	done
}

echo "TAP version 13"
# The machine is slow to find its devices.
udevadm settle --timeout=300
modprobe -r rvtrace
suites
allocations "$1"
tap_plan_at_end
tap_done

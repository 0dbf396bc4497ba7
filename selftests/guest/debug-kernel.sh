#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest, on a kernel that watches itself: the driver's KUnit suites,
# kselftests, then allocations that fail while the module is loaded, bound and used.
# Nothing may be lost of all that, and nothing that watches may have given up.
# What the kernel does not watch is skipped.
#
#   debug-kernel.sh [-u] N LIMIT PROGRAM...
#	-u: with the KUnit suites; of the allocations, one of N fails; a program may take
#	LIMIT seconds
set -u
. /usr/libexec/rvtrace/tap.sh

with_suites=
[ "$1" != -u ] || { with_suites=1 && shift; }
every=$1 limit=$2
shift 2
tests=/usr/libexec/rvtrace/kselftest
kunit=/sys/kernel/debug/kunit
PATH=$PATH:/usr/libexec/rvtrace:$tests

# The tests of a suite as TAP; what its parameters did is a diagnostic
ktap()
{
	sed -n -e 's/^    \(ok\|not ok\|1\.\.\|#\)/\1/p' -e 's/^        \(not ok\|#\)/# \1/p' "$1"
}

suites()
{
	local suite

	tap_check "the module with KUnit suites is loaded" insmod /usr/libexec/rvtrace/rvtrace-kunit.ko
	for suite in kind ring lap rate source atb discover graph dbtr; do
		tap_group "KUnit $suite" 0 < <(ktap $kunit/rvtrace-$suite/results)
	done
	tap_check "and unloaded" rmmod rvtrace
	tap_check "every node of the device tree was put" sh -c '! dmesg | grep unbalanced'
}

# program COMMAND...
program()
{
	local status=0 began=$SECONDS

	timeout "$limit" "$@" > /run/tap 2>&1 || status=$?
	tap_group "$1" $status < /run/tap
	tap_note "$1: $((SECONDS - began)) s"
}

kselftests()
{
	local name

	modprobe rvtrace || return
	for name; do
		case $name in
		# It leaves a kernel that shows less.
		lockdown.sh) ;;
		ksft-stress) program ksft-stress -t 5 ;;
		# 40-kselftest tries every number.
		ksft-sysfs) program ksft-sysfs -q ;;
		*) program "$name" ;;
		esac
	done
}

allocations()
{
	# It would be told of thousands of devices.
	udevadm settle
	udevadm control --exit
	program ksft-allocation -e "$every"
}

# What gives up says so once, and is silent from then on.
still_watching()
{
	[ ! -e /proc/lockdep_stats ] || grep -E '^ *debug_locks: +1$' /proc/lockdep_stats || return
	! dmesg | grep -E 'kmemleak.*disabled|ODEBUG: Out of memory'
}

echo "TAP version 13"
# The machine is slow to find its devices.
udevadm settle --timeout=300
modprobe -r rvtrace
[ -z "$with_suites" ] || suites
kselftests "$@"
allocations
tap_check "the module can be unloaded" rmmod rvtrace
# Linux 6.12 forgets the context of a regmap whose memory fails.
program leaks.sh regmap_mmio_gen_context
tap_check "lockdep, kmemleak and debug objects still watch" still_watching
case " $* " in
*' lockdown.sh '*) modprobe rvtrace && program lockdown.sh ;;
esac
tap_plan_at_end
tap_done

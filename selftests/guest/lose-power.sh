#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: drivers are told that the system sleeps, and user space is frozen for a
# moment, no more; meanwhile trace components have no power. /host/wake.ko is selftests/power.
#
#   lose-power.sh [COMMAND...]		COMMAND: executed afterwards
set -e

ls -lR /etc > /dev/null
[ -e /sys/module/wake ] || insmod /host/wake.ko lose=1
echo 0 > /sys/module/suspend/parameters/pm_test_delay
echo freezer > /sys/power/pm_test
echo freeze > /sys/power/state
echo none > /sys/power/pm_test
"$@"

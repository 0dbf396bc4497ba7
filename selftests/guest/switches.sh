#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: what a switch of tasks takes while its hart is traced.
#
#   switches.sh ROUNDS SETTING...
#
# In each round, of one SETTING of what rvtraced records after the other, its nanoseconds are added to
# /host/N (N: of the first it is 1).
set -eu
. /usr/libexec/rvtrace/guest/daemon.sh

modprobe rvtrace
rounds=$1
shift
for round in $(seq "$rounds"); do
	n=0
	for setting; do
		n=$((n + 1))
		begin_daemon /host/rvtraced.log '[record]' "$setting"
		taskset -p 1 $daemon > /dev/null
		tracectl record --quiet -o /data/switches --mode branch --copy-images none -- \
			taskset 2 rvtrace-switches 3000 >> "/host/$n"
		end_daemon
		rm -r /data/switches
	done
done

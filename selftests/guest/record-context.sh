#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: record what runs in one address space. Numbers of address spaces are given
# in turn: a first session tells that of the program, and a device that is open keeps it.
# What the filter compares scontext with goes to /host/context.
#
#   record-context.sh ROUNDS [FILTER OPTION...] -- [OPTION OF record.sh...]
set -eu

record=/usr/libexec/rvtrace/guest/record.sh
rounds=$1
filter=()
shift
while [ "$1" != -- ]; do
	filter+=("$1")
	shift
done
shift

# number_of PID: its address space in the recording, of a record that ends with the program's name
number_of()
{
	local at context pid

	for at in $(grep -abo rvtrace-filtere /host/recording/rvtrace0.records | cut -d : -f 1); do
		read -r context pid < <(od -An -t u4 -j $((at - 8)) -N 8 /host/recording/rvtrace0.records)
		[ "$pid" != "$1" ] || echo "$context"
	done | tail -n 1
}

modprobe rvtrace
exec 3< /dev/rvtrace1
rvtrace-filtered --wait "$rounds" &
program=$!
$record --sink rvtrace0 --unmarked -- sleep 0.1
context=$(number_of $program)
[ -n "$context" ]
echo "$context" > /host/context
rm -r /data/recording /host/recording

tracectl filter --clear --context "$context" "${filter[@]}"
tracectl filter > /host/filters
$record --sink rvtrace0 --unmarked --copy-images=all "$@" -- \
	sh -c "kill -USR1 $program; while [ -e /proc/$program ]; do sleep 0.1; done"
wait $program

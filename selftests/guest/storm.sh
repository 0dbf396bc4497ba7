#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: record the storm, as record.sh does.
#
#   storm.sh [--graph] [RECORD.SH OPTION...] -- [RVTRACE-STORM OPTION...]
#
# --graph: meanwhile some functions of the kernel return to function graph tracing.
set -eu

graph=
options=()
while [ "$1" != -- ]; do
	if [ "$1" = --graph ]; then
		graph=1
	else
		options+=("$1")
	fi
	shift
done
shift

trace_graph()
{
	local tracing=/sys/kernel/tracing

	mountpoint -q $tracing || mount -t tracefs tracefs $tracing
	echo 'vfs_read vfs_write do_mmap handle_mm_fault kernel_clone' > $tracing/set_ftrace_filter
	echo function_graph > $tracing/current_tracer
}

directory=/data/storm
mkdir -p $directory/tree/{a,b,c}
number=0
for folder in a b c; do
	for _ in 1 2 3 4; do
		number=$((number + 1))
		echo $number > $directory/tree/$folder/$number
	done
done
cat > $directory/script <<'SCRIPT'
#!/bin/sh
[ "$1" = 0 ] || "$0" $(($1 - 1))
echo "$1"
SCRIPT
chmod 755 $directory/script

# So few that they come again, with other programs
echo 700 > /proc/sys/kernel/pid_max

[ -z "$graph" ] || trace_graph
/usr/libexec/rvtrace/guest/record.sh --unmarked "${options[@]}" -- rvtrace-storm "$@" $directory

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: record the storm, as record.sh does.
#
#   storm.sh [RECORD.SH OPTION...] -- [RVTRACE-STORM OPTION...]
set -eu

options=()
while [ "$1" != -- ]; do
	options+=("$1")
	shift
done
shift

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
echo 800 > /proc/sys/kernel/pid_max

/usr/libexec/rvtrace/guest/record.sh --unmarked "${options[@]}" -- rvtrace-storm "$@" $directory

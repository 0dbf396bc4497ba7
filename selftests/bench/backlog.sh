# SPDX-License-Identifier: GPL-2.0
# measure_backlogs NAME ROUNDS WHAT...: what selftests/guest/stream.sh measures, in build/run/NAME
measure_backlogs()
{
	local name=$1

	shift
	make -s --no-print-directory machine guest-tree >&2
	tools/machine/run --no-build --name "$name" --harts 2 --data 1G --quiet --timeout 900 \
		--machine-option trace-buffer=128M -c "/usr/libexec/rvtrace/guest/stream.sh $(printf "'%s' " "$@")" >&2
}

# backlog_rate INDEX: MB/s from the end of the first write of the backlog to its last
backlog_rate()
{
	od -An -v -t u8 -w40 "$1" | awk '
		{ type = $5 % 4294967296 }
		type == 2 || type == 3 { lost += $3 }
		# The writes of the backlog are those of whole steps.
		type == 1 && $3 >= 1048576 {
			if (first)
				bytes += $3
			else
				first = $4
			last = $4
		}
		END {
			if (lost || !bytes) {
				print lost + 0, "bytes lost,", bytes + 0, "measured" > "/dev/stderr"
				exit 1
			}
			print bytes / (last - first) * 1e3
		}'
}

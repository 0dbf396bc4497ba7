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
	od -An -v -t u8 -w64 "$1" | awk '
		# The entries of a write have its time; those of the backlog are of whole steps.
		function written() {
			if (size >= 1048576) {
				if (first)
					bytes += size
				else
					first = time
				last = time
			}
			size = 0
		}
		{ type = $5 % 4294967296 }
		$4 != time { written() }
		type == 2 || type == 3 { lost += $3 }
		type == 1 { size += $3 }
		{ time = $4 }
		END {
			written()
			if (lost || !bytes) {
				print lost + 0, "bytes lost,", bytes + 0, "measured" > "/dev/stderr"
				exit 1
			}
			print bytes / (last - first) * 1e3
		}'
}

# SPDX-License-Identifier: GPL-2.0
# measure_backlogs [--icount] NAME ROUNDS WHAT...: what selftests/guest/stream.sh measures, in
# build/run/NAME
measure_backlogs()
{
	local name options=(--harts 2 --data 1G --quiet --timeout 1800)

	if [ "$1" = --icount ]; then
		options+=("$1")
		shift
	fi
	name=$1
	shift
	make -s --no-print-directory machine guest-tree >&2
	tools/machine/run --no-build --name "$name" "${options[@]}" \
		--machine-option trace-buffer=128M -c "/usr/libexec/rvtrace/guest/stream.sh $(printf "'%s' " "$@")" \
		-- -global rvtrace-encoder.port=on >&2
}

# backlog_measured INDEX: MB/s from the end of the first write of the backlog on, and from when to when
# that is; behind so many bytes there may be no backlog left, and what the harts trace is waited for
backlog_measured()
{
	od -An -v -t u8 -w64 "$1" | awk '
		# The entries of a write have its time; those of the backlog are of whole steps.
		function written() {
			if (size >= 1048576 && bytes < 96e6) {
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
			printf "%f %.0f %.0f\n", bytes / (last - first) * 1e3, first, last
		}'
}

# backlog_rate INDEX: MB/s
backlog_rate()
{
	local measured

	measured=$(backlog_measured "$1") && echo "${measured%% *}"
}

# SPDX-License-Identifier: GPL-2.0
# What the driver did with registers, from the machine's own log of accesses
# (trace-log). The guest writes a line "PHASE LINES" to /host/phases when a phase
# begins: how many lines the log has by then.

# log_phase RUN PHASE: the lines of a phase; the last one ends with the log
log_phase()
{
	local from to

	from=$(awk -v phase="$2" '$1 == phase { print $2 }' "$1/phases")
	to=$(awk -v phase="$2" 'found { print $2; exit } $1 == phase { found = 1 }' "$1/phases")
	head -n "${to:--0}" "$1/registers.log" | tail -n "+$((from + 1))"
}

# log_accesses < PHASE: accesses of each encoder, one number a line. What waits reads
# the same register again and again: that counts once. Clocks are one encoder's.
log_accesses()
{
	awk '
		$2 !~ /^encoder/ || $4 == "0x048" || $4 == "0x04c" { next }
		$3 == "R" && last[$2] == $4 { next }
		{ count[$2]++; last[$2] = $3 == "R" ? $4 : "" }
		END { for (name in count) print count[name] }'
}

# log_time < PHASE: nanoseconds of the virtual clock from the first write of a control
# register to its last access, of any component
log_time()
{
	awk '
		$4 != "0x000" { next }
		!from && $3 == "W" { from = $1 }
		{ to = $1 }
		END { printf "%.0f\n", to - from }'
}

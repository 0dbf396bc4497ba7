# SPDX-License-Identifier: GPL-2.0
# statistics NAME UNIT: median, minimum and maximum of the numbers on stdin
statistics()
{
	sort -g | awk -v name="$1" -v unit="$2" '
		{ value[NR] = $1 }
		END {
			if (!NR)
				exit 1
			middle = int((NR + 1) / 2)
			median = NR % 2 ? value[middle] : (value[middle] + value[middle + 1]) / 2
			printf "%s %.4g %.4g %.4g %s\n", name, median, value[1], value[NR], unit
		}'
}

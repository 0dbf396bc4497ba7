# SPDX-License-Identifier: GPL-2.0
# Test Anything Protocol for suites written in shell. Source it, announce the
# plan, report each test; tap_done exits with the suite's status.

tap_number=0
tap_failed=0

tap_plan()
{
	tap_planned=$1
	echo "TAP version 13"
	echo "1..$1"
}

# tap_result STATUS DESCRIPTION: 0 is ok, anything else not
tap_result()
{
	tap_number=$((tap_number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_number - $2"
	else
		echo "not ok $tap_number - $2"
		tap_failed=$((tap_failed + 1))
	fi
}

# tap_check DESCRIPTION COMMAND...: its output becomes diagnostics if it fails
tap_check()
{
	local description=$1 output status=0

	shift
	output=$("$@" 2>&1) || status=$?
	tap_result "$status" "$description"
	[ "$status" -eq 0 ] || tap_note "exit status $status" "$output"
}

tap_skip()
{
	tap_number=$((tap_number + 1))
	echo "ok $tap_number - $1 # SKIP $2"
}

tap_note()
{
	printf '%s\n' "$@" | sed 's/^/# /'
}

tap_done()
{
	[ "$tap_number" -eq "$tap_planned" ] ||
		tap_note "planned $tap_planned tests, ran $tap_number"
	[ "$tap_number" -eq "$tap_planned" ] && [ "$tap_failed" -eq 0 ]
	exit
}

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

# tap_make TARGET...: what the suite needs, while no other suite builds
tap_make()
{
	local log=build/${0##*/}.log

	mkdir -p build
	flock build/.lock "${MAKE:-make}" -s --no-print-directory "$@" > "$log" 2>&1 && return
	echo "Bail out! make $*: see $log"
	exit 1
}

# tap_group NAME STATUS < TAP (not from a pipe: it counts): the tests of a program as tests of this suite.
# cmocka says "not ok 1 # SKIP name" of a test that is skipped, and what that printed before, why.
# A program that died, or ran other than what it planned, is a failed test more.
tap_group()
{
	local name=$1 status=$2 line what before=$tap_number planned='' bad=$tap_failed why=''

	while IFS= read -r line; do
		what=${line#*ok }
		what=${what#"${what%%[!0-9]*}"}
		what=${what# }
		what=${what#- }
		case $line in
		'ok '*'# '[Ss][Kk][Ii][Pp]*)
			tap_skip "$name: ${what%% #*}" "${what#*# [Ss][Kk][Ii][Pp] }" ;;
		'not ok '[0-9]*' # SKIP '*) tap_skip "$name: ${line#*# SKIP }" "${why:-it says no reason}" ;;
		'ok '*) tap_result 0 "$name: $what" ;;
		'not ok '*) tap_result 1 "$name: $what" ;;
		'1..0 '*'# '[Ss][Kk][Ii][Pp]*)
			planned=1
			tap_skip "$name" "${line#*# [Ss][Kk][Ii][Pp] }"
			status=0 ;;
		1..*) planned=${line#1..}; planned=${planned%% *} ;;
		'TAP version'* | '') ;;
		*) tap_note "$line" ;;
		esac
		why=$line
	done
	if [ "${planned:-none}" != $((tap_number - before)) ]; then
		tap_result 1 "$name: ${planned:-no} tests planned, $((tap_number - before)) ran (exit status $status)"
	elif [ "$status" -ne 0 ] && [ "$tap_failed" -eq "$bad" ]; then
		tap_result 1 "$name: exit status $status although its tests passed"
	fi
}

# The plan, when it is known only after the tests
tap_plan_at_end()
{
	tap_planned=$tap_number
	echo "1..$tap_planned"
}

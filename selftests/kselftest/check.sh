# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What tests in shell say, in TAP. Read by them.
number=0
failed=0

echo "TAP version 13"

# skip REASON: nothing can be tested here
skip()
{
	echo "1..0 # SKIP $1"
	exit 4
}

# check WHAT COMMAND: one test
check()
{
	number=$((number + 1))
	if eval "$2"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		failed=1
		return 1
	fi
}

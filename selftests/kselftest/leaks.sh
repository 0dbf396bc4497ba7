#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Of what was allocated since the machine was started nothing is lost.
#
#   leaks.sh [FUNCTION]		but what FUNCTION allocated
but=${1:-none}
kmemleak=/sys/kernel/debug/kmemleak

# shellcheck source=selftests/kselftest/check.sh
. "$(dirname "$0")/check.sh"
[ -w $kmemleak ] || skip "no kmemleak in this kernel"
echo "1..1"
# Objects that this function did not allocate, each with its backtrace
others()
{
	awk -v but=" ${but}[+.]" '
		/^unreferenced object/ { if (object && !known) printf "%s", object; object = ""; known = 0 }
		$0 ~ but { known = 1 }
		{ object = object $0 "\n" }
		END { if (object && !known) printf "%s", object }' $kmemleak | grep .
}

# What is younger than 5 s is not suspected. A detector that gave up cannot scan.
if ! { echo scan > $kmemleak && sleep 6 && echo scan > $kmemleak; } || others; then
	echo "not ok 1 - nothing is lost"
	exit 1
fi
echo "ok 1 - nothing is lost"

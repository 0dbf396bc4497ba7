#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: what the driver finds of hardware whose properties the host knows, and
# that what is not there reads 0 and ignores writes.
#
#   discover.sh SEED [GENERIC]    in /host: pages, lines ADDRESS OFFSET...; GENERIC: the
#       device tree does not say what components of 1.0 there are
set -u
. /usr/libexec/rvtrace/tap.sh

components=/sys/bus/rvtrace_tci/devices
class=/sys/class/rvtrace_sink
driver=/sys/bus/platform/drivers/rvtrace_tci

# Where every component is
addresses()
{
	local c parent

	for c in "$components"/*; do
		parent=$(basename "$(dirname "$(readlink -f "$c")")")
		echo "${c##*/} 0x${parent%%.*}"
	done
}

# How much SRAM there is shows when trace goes into it.
measures_sram()
{
	local owner file before status=0

	owner=$components/$(cat "$class/$(cat $components/encoder0/sink_name)/component")
	[ -e "$owner/ram_mode" ] && file=$owner/ram_mode || file=$owner/sink
	grep -qw sram "${file}_available" || return 0
	before=$(cat "$file")
	echo sram > "$file" && echo 1 > $components/encoder0/enable &&
		echo 0 > $components/encoder0/enable || status=1
	echo "$before" > "$file" && return $status
}

# The ring gets trace of an encoder: two may have no ids that tell them apart.
traces()
{
	local encoder=$components/encoder0 sink

	sink=$class/$(cat $encoder/sink_name)
	echo 1 > $encoder/enable && taskset -c "$(cat $encoder/cpus)" ls -lR /etc > /dev/null &&
		echo 0 > $encoder/enable && [ "$(cat "$sink/head")" -gt 0 ] && return
	dmesg | tail -n 5
	return 1
}

# Every field of every component can be shown by tracectl, and none is changed by it. Sinks
# that are not used are in reset.
registers()
{
	local before after

	before=$(tracectl registers --json --verbose) && after=$(tracectl registers --json --verbose) &&
		[ "$(grep -c '"offset"' <<< "$before")" -gt 10 ] &&
		! grep -E '"(pib|atb)_active":"1"' <<< "$after" &&
		diff <(grep -v '"value"' <<< "$before") <(grep -v '"value"' <<< "$after") > /dev/null
}

find_fields()
{
	find -L "$components"/* -maxdepth 2 -name '*_available' | sort
}

# What every one of $fields is
chosen()
{
	# shellcheck disable=SC2086
	grep -H '' ${fields//_available/}
}

# Reset leaves something else each time, where it is not defined: that is no default.
defaults()
{
	local fields before

	fields=$(find_fields)
	before=$(chosen)
	for _ in 1 2 3; do
		modprobe -r rvtrace && modprobe rvtrace &&
			diff <(echo "$before") <(chosen) || return
	done
}

# Every field becomes the last of what it can be, then what it was.
reset()
{
	local fields file last before changed

	fields=$(find_fields)
	before=$(chosen)
	for file in $fields; do
		last=$(sed 's/.* //' "$file")
		[ "$last" = 0x0 ] || (echo "$last" > "${file%_available}") 2> /dev/null
	done
	changed=$(chosen)
	[ "$before" != "$changed" ] || { echo "nothing was changed"; return 1; }
	tracectl reset && diff <(echo "$before") <(chosen)
}

# said BITS TEXT: encoder 0, with those bits of its Impl register inverted, is bound
# again; what does the driver say?
said()
{
	rvtrace-fault encoder0 "impl=$1"
	echo 11000000.trace-encoder > $driver/unbind
	dmesg -C
	echo 11000000.trace-encoder 2> /dev/null > $driver/bind
	rvtrace-fault encoder0 impl=0
	dmesg | sed 's/^\[[^]]*\] //' | tee /run/said
	grep -qF "$2" /run/said
}

# inverted BITS: the Impl register of encoder 0 with these bits inverted
inverted()
{
	printf '0x%08x\n' $((impl ^ $1))
}

warned()
{
	dmesg -l warn | grep -q 'hardware says TCI'
}

versions()
{
	local status=0 impl

	impl=$(cat $components/encoder0/impl)

	said 0x10 "hardware says TCI 1.1, impl $(inverted 0x10), driven as TCI 1.0" && warned &&
		[ -e $driver/11000000.trace-encoder/driver ] || status=1
	said 0xf0 "hardware says TCI 1.15 (experimental), impl $(inverted 0xf0), driven as TCI 1.0" && warned &&
		[ -e $driver/11000000.trace-encoder/driver ] || status=1
	said 0x1 "device tree says TCI 1.0 (version 1), hardware says version 0 (TCI 0), impl $(inverted 0x1)" &&
		[ ! -e $driver/11000000.trace-encoder ] || status=1
	echo 11000000.trace-encoder > $driver/bind
	said 0x2 "device tree says TCI 1.0 (version 1), hardware says version 3 (unknown), impl $(inverted 0x2)" || status=1
	echo 11000000.trace-encoder > $driver/bind
	said 0x600 'comp_type: 0x7 is not a type of TCI 1.0' || status=1
	echo 11000000.trace-encoder > $driver/bind
	return $status
}

sweep()
{
	local address there bad=0

	while read -r address there; do
		# shellcheck disable=SC2086
		rvtrace-page "$address" sweep "$1" $there > /run/bad || { sed "s/^/$address: /" /run/bad; bad=1; }
	done < /host/pages
	return $bad
}

tap_plan $((8 + ($# > 1)))
tap_check "the driver is loaded" modprobe rvtrace
tap_check "trace goes into SRAM, if there is any" measures_sram
tracectl discover --json > /host/discovered
tap_result $? "tracectl discover"
tracectl discover > /host/discovered.txt
addresses > /host/components
tap_check "what is chosen at first does not depend on what reset left" defaults
tap_check "reset puts back what the driver chose" reset
tap_check "registers can be shown" registers
tap_check "it traces" traces
[ $# -lt 2 ] || tap_check "versions and types that are not known are told of" versions
modprobe -r rvtrace
tap_check "what is not there reads 0 and ignores writes" sweep "$1"
dmesg | grep rvtrace > /host/dmesg
tap_done

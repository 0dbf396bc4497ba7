#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: what can be done from a shell, and what is refused there. Ends with a
# recording of `ls -lR FOLDER` in /host/recording for the host to decode.
#
#   shell.sh FOLDER
set -u
. /usr/libexec/rvtrace/tap.sh
. /usr/libexec/rvtrace/guest/daemon.sh
folder=$1
mkdir /data/typed && cd /data/typed || exit

sink=/sys/class/rvtrace_sink/rvtrace0
encoders=/sys/bus/rvtrace_tci/devices

echo_and_cat()
{
	local reader

	cat /dev/rvtrace0 > t.bin &
	reader=$!
	echo 1 > $sink/tracing || return
	ls /usr/bin > /dev/null
	echo 0 > $sink/tracing || return
	wait $reader || return
	echo "$(stat -c %s t.bin) bytes"
	[ -s t.bin ] && [ "$(cat $sink/lost)" = 0 ]
}

cat_twice()
{
	local first

	first=$(stat -c %s t.bin)
	echo_and_cat && [ "$(stat -c %s t.bin)" -lt $((first * 10)) ]
}

start_stop()
{
	tracectl start --mode history &&
	tracectl status | grep -q running &&
	tracectl flush &&
	tracectl stop &&
	[ "$(cat $encoders/encoder0/inst_mode)" = history ] &&
	! tracectl status | grep -q running
}

# One line that says so, not that some setting was refused
started_twice()
{
	tracectl start --mode history || return
	! tracectl start --mode branch 2> said && [ "$(wc -l < said)" -eq 1 ] &&
		grep 'rvtrace0: it traces already' said &&
		tracectl stop && [ "$(cat $encoders/encoder0/inst_mode)" = history ]
}

no_such_component()
{
	tracectl status nosuch 2> said
	[ $? -eq 3 ] && grep 'nosuch: no such sink or encoder' said
}

# One line that says why, and nothing has changed
refused()
{
	! tracectl start --mode branch --set encoder1.inst_mode=sideways 2> said &&
		[ "$(wc -l < said)" -eq 1 ] &&
		grep 'set encoder1.inst_mode: sideways is not one of the values of encoder1: .*branch' said &&
		[ "$(cat $encoders/encoder0/inst_mode)" = history ] &&
		! tracectl start --buffer-size 1T 2> said &&
		grep "buffer-size: 1099511627776 bytes are more than the $(cat $sink/buffer_size_max) of memory" said
}

record()
{
	local daemon status

	begin_daemon /host/rvtraced.log || return
	tracectl record -o ls.rvtrace -- ls -lR "$folder" > ls.txt
	status=$?
	end_daemon || status=1
	grep -q tracectl ls.txt && cp -r ls.rvtrace /host/recording || status=1
	return $status
}

tap_plan 11
tap_check "the module loads" modprobe rvtrace
tap_check "components are listed" test -d $encoders/encoder0 -a -d $encoders/funnel0
tap_check "a mode is set by name" sh -c \
	"echo history > $encoders/encoder0/inst_mode && grep -qx history $encoders/encoder0/inst_mode"
tap_check "cat streams from echo 1 to echo 0 and ends" echo_and_cat
tap_check "and again, without the old bytes" cat_twice
tap_check "tracectl list names the encoder" sh -c 'tracectl list | grep -q encoder0'
tap_check "tracectl start, status, flush, stop" start_stop
tap_check "tracectl start: not while the sink traces" started_twice
tap_check "tracectl status: what is not there" no_such_component
tap_check "tracectl start: what is refused changes nothing" refused
tap_check "tracectl record -- ls -lR $folder" record
tap_done

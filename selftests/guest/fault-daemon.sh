#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: rvtraced, tracectl record, the command and the device die, stop
# or vanish while a stream is recorded.
#
#   fault-daemon.sh MOMENTS
set -u
. /usr/libexec/rvtrace/tap.sh
. /usr/libexec/rvtrace/guest/fault-daemon-lib.sh

moments=${1:-2}
d=/data/r

# each CASE: at as many moments
each()
{
	local i

	for ((i = 0; i < moments; i++)); do
		"$1" || return
	done
}

# One gap each time, counted; the recording goes on, and its parts decode. Twice:
# who goes on can die, too.
daemon_killed()
{
	local i

	start_record $d -- sh -c "$busy" || return
	for i in 1 2; do
		random_moment
		signal_daemon KILL
		restart_daemon || return
		has_said 1 'rvtraced died and was started again at position' || return
		[ "$(cat $sink/state)" = running ] || { echo "not tracing"; return 1; }
	done
	finish_record
	said 2 'rvtraced died and was started again at position' /data/stderr &&
		complete $d && idle
}

# The same of the process that records, which nobody has to start again
recorder_of_daemon_killed()
{
	local i text='the process that records died, and another one went on at position'

	start_record $d -- sh -c "$busy" || return
	for i in 1 2; do
		random_moment
		kill -KILL $(who_drains)
		has_said $i "$text" || return
		[ "$(cat $sink/state)" = running ] || { echo "not tracing"; return 1; }
	done
	finish_record
	said 2 "$text" /data/stderr && complete $d && idle
}

# It is stopped for good: another one completes the recording.
recorder_of_daemon_stopped()
{
	stop_daemon && start_daemon '[limits]' 'silent_time = 6' && start_record $d -- sh -c "$busy" || return
	random_moment
	kill -STOP $(who_drains)
	finish_record
	said 1 'the process that records died, and another one went on' /data/stderr && complete $d && idle
}

# What perf patches when its events are gone for a second is as it was saved.
daemon_dead_for_long()
{
	start_record $d -- sh -c "$busy" || return
	sleep 0.5
	signal_daemon KILL
	sleep 2.5
	restart_daemon && has_said 1 'rvtraced died and was started again' || return
	finish_record
	complete $d && idle
}

# What cannot be recorded any more is not traced, and who recorded is told.
directory_read_only()
{
	mkdir -p /data/ro
	mount -t tmpfs none /data/ro || return
	start_record /data/ro/r -- sh -c "$busy" || return
	signal_daemon KILL
	daemon_ended && mount -o remount,ro /data/ro && restart_daemon || return
	has_said 1 'its session cannot go on: ' && says 'Read-only file system' $log && idle || return
	finish_record
	# what the ring still holds
	dd if=/dev/rvtrace0 of=/dev/null bs=64k iflag=nonblock 2> /dev/null
	# who keeps kernel text as it was outlives the daemon for a while
	umount -l /data/ro || return
	[ $status -eq 3 ] && says 'error: rvtraced ended: tracing was stopped' /data/stderr && return
	echo "exit status $status"
	cat /data/stderr
	return 1
}

recorder_killed()
{
	start_record $d -- sh -c "$busy" || return
	random_moment
	kill -KILL $recorder
	wait $recorder 2> /dev/null
	touch /data/stop
	wait_for_end || return
	said 1 'its client ended, stopping' $log && complete $d && idle
}

command_killed()
{
	start_record $d -- sh -c 'echo $$ > /data/pid; '"$busy" || return
	random_moment
	kill -KILL "$(cat /data/pid)"
	end_record
	[ $status -eq 137 ] && complete $d && idle && return
	echo "exit status $status"
	return 1
}

daemon_terminated()
{
	start_record $d -- sh -c "$busy" || return
	random_moment
	stop_daemon || return
	finish_record
	said 1 'rvtraced ended' /data/stderr && complete $d && idle && restart_daemon
}

# The trace waits in the ring, or is lost and counted.
daemon_stopped()
{
	start_record $d -- sh -c "$busy" || return
	random_moment
	signal_daemon STOP
	sleep 14
	signal_daemon CONT
	finish_record
	said 1 'rvtraced has not answered for 10 s' /data/stderr && complete $d && idle
}

# An interrupt ends the waiting for a daemon that never answers.
daemon_stopped_for_good()
{
	start_record $d -- sh -c "$busy" || return
	signal_daemon STOP
	touch /data/stop
	sleep 3
	kill -TERM $recorder
	end_record
	signal_daemon CONT
	said 1 'rvtraced does not answer' /data/stderr && [ $status -ne 0 ] && idle &&
		wait_for_end && complete $d
}

# vanish FOLDER OF DRIVER, DEVICE
vanish()
{
	start_record $d -- sh -c "$busy" || return
	random_moment
	echo "$2" > "$1/unbind" || return
	wait_for_end
	finish_record
	device_closed || return
	echo "$2" > "$1/bind"
	[ $status -eq 1 ] && return
	echo "exit status $status"
	return 1
}

# What is unbound while it is open keeps its name until it is closed.
device_closed()
{
	local i

	for ((i = 0; i < 100; i++)); do
		[ "$(who_drains)" ] || return 0
		sleep 0.1
	done
	echo "rvtraced keeps the device"
	return 1
}

driver_of()
{
	readlink -f "/sys/bus/rvtrace_tci/devices/$1/device/driver" 2> /dev/null ||
		readlink -f "/sys/bus/rvtrace_tci/devices/$1/../driver"
}

node_of()
{
	basename "$(readlink -f "/sys/bus/rvtrace_tci/devices/$1/..")"
}

encoder_vanishes()
{
	local encoder

	encoder=$(basename /sys/bus/rvtrace_tci/devices/encoder*)
	vanish "$(driver_of "$encoder")" "$(node_of "$encoder")" &&
		said 1 'the driver ended the session: No such device' /data/stderr && complete $d
}

funnel_vanishes()
{
	local i

	vanish "$(driver_of funnel0)" "$(node_of funnel0)" &&
		said 1 'error:' /data/stderr && complete $d || return
	grep -q 'the device was removed\|the driver ended the session: No such device' /data/stderr || {
		cat /data/stderr
		return 1
	}
	for ((i = 0; i < 100; i++)); do
		[ ! -e /dev/rvtrace0 ] || return 0
		sleep 0.1
	done
	echo "the sink does not come back"
	return 1
}

module_in_use()
{
	start_record $d -- sh -c "$busy" || return
	! rmmod rvtrace 2> /data/rmmod || return
	finish_record
	says 'in use' /data/rmmod && complete $d
}

# refused TEXT RECORD-OPTION...: one line, nothing traced, nothing left behind
refused()
{
	local text=$1 status=0

	shift
	tracectl record -o /data/refused "$@" 2> /data/refusal || status=$?
	[ $status -ne 0 ] && [ "$(wc -l < /data/refusal)" -eq 1 ] && says "$text" /data/refusal &&
		[ ! -e /data/refused ] && return
	echo "$*: exit status $status"
	cat /data/refusal
	return 1
}

second_session()
{
	start_record $d -- sh -c "$busy" || return
	refused 'a session is using it' -- true || return
	finish_record
	complete $d
}

illegal_settings()
{
	local encoder

	encoder=$(basename /sys/bus/rvtrace_tci/devices/encoder*)
	refused 'mode: nosuch is not one of the values of encoder' --mode nosuch -- true &&
		refused "no sink 'rvtrace9'" --sink rvtrace9 -- true &&
		refused 'buffer_size = 12345' --buffer-size 12345 -- true &&
		refused 'nosuch' --set "$encoder.nosuch=1" -- true && idle
}

# Who is in the group needs no other right, and owns what was recorded.
group_member()
{
	local group status=0

	group=$(awk -F: '$1 == "rvtrace" { print $3 }' /etc/group)
	[ -n "$group" ] || { echo "there is no group rvtrace"; return 1; }
	mkdir -p /data/home
	chown 1234:1234 /data/home
	rm -rf /data/home/r
	setpriv --reuid=1234 --regid=1234 --groups="$group" \
		tracectl record -o /data/home/r -- ls /usr/bin > /dev/null 2> /data/stderr ||
		status=$?
	# 4: something was lost, and counted
	[ $status -eq 0 ] || [ $status -eq 4 ] || {
		echo "exit status $status"
		cat /data/stderr
		return 1
	}
	[ -s /data/home/r/images/kernel ] && grep -q '"command"' /data/home/r/images/maps.jsonl &&
		[ -z "$(find /data/home/r ! -uid 1234)" ] && complete /data/home/r
}

# A session that is not the daemon's; it lasts until that has seen it
trace_beside()
{
	local seen i

	seen=$(grep -c 'is read by others' $log)
	echo 1 > $sink/tracing || return
	for ((i = 0; i < 300; i++)); do
		[ "$(grep -c 'is read by others' $log)" -eq "$seen" ] || break
		sleep 0.1
	done
	sleep 0.5
	echo 0 > $sink/tracing
}

# Sessions of others get what decoding takes, beside what they read themselves.
foreign_session()
{
	local reader i

	: > $log
	rm -rf /var/lib/rvtrace/rvtrace0-*
	cat /dev/rvtrace0 > /data/t.bin &
	reader=$!
	trace_beside || return
	wait $reader || return
	for ((i = 0; i < 300; i++)); do
		! grep -q 'which others read, has ended' $log || break
		sleep 0.1
	done
	set -- /var/lib/rvtrace/rvtrace0-*
	[ $# -eq 1 ] && [ -s /data/t.bin ] && [ ! -s "$1/rvtrace0.0000.bin" ] &&
		[ -s "$1/sideband" ] && [ -s "$1/images/kernel" ] &&
		[ -s "$1/images/maps.jsonl" ] && [ -s "$1/rvtrace0.records" ] &&
		grep -q '"complete": *true' "$1/metadata.json" && return
	ls -l /data/t.bin "$@" /var/lib/rvtrace/*
	cat $log
	return 1
}

old_companions_go()
{
	local i

	start_daemon 'companions = 2' || return
	for i in 1 2 3 4; do
		trace_beside || return
		sleep 1.5
		dd if=/dev/rvtrace0 of=/dev/null bs=64k iflag=nonblock 2> /dev/null
	done
	for ((i = 0; i < 300; i++)); do
		set -- /var/lib/rvtrace/rvtrace0-*
		[ $# -ne 2 ] || return 0
		sleep 0.1
	done
	ls /var/lib/rvtrace
	return 1
}

trace_one_hart
tap_plan 19
start_daemon
tap_check 'kill -9 rvtraced: it goes on after one counted gap' each daemon_killed
tap_check 'kill -9 of the process that records: another goes on after one counted gap' each recorder_of_daemon_killed
tap_check 'the process that records is stopped for good: another one completes the recording' recorder_of_daemon_stopped
tap_check 'rvtraced is dead for seconds: kernel text is as it was saved' daemon_dead_for_long
tap_check 'kill -9 rvtraced, and the disk becomes read-only: nothing is traced any more' directory_read_only
tap_check 'kill -9 tracectl: the recording is completed' each recorder_killed
tap_check 'kill -9 of the traced command: its status is passed on' each command_killed
tap_check 'SIGTERM to rvtraced: everything is written first' each daemon_terminated
tap_check 'rvtraced stopped for a while: record says so and goes on' daemon_stopped
tap_check 'rvtraced stopped for good: record can be interrupted' daemon_stopped_for_good
tap_check 'an encoder vanishes: one error, complete up to there' each encoder_vanishes
tap_check 'the sink vanishes: one error, complete up to there' each funnel_vanishes
tap_check 'the module cannot be removed meanwhile' module_in_use
tap_check 'a second session on the sink is refused' second_session
tap_check 'illegal settings are refused in one line' illegal_settings
tap_check 'a member of the group records all there is' group_member
tap_check 'a session of others gets a companion' foreign_session
stop_daemon
tap_check 'of companions only so many are kept' old_companions_go
stop_daemon
tap_check 'nothing is left tracing' idle
tap_done

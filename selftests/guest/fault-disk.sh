#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: the file system that is recorded to is full, fails, becomes
# read-only.
#
#   fault-disk.sh MOMENTS
set -u
. /usr/libexec/rvtrace/tap.sh
. /usr/libexec/rvtrace/guest/fault-daemon-lib.sh

moments=${1:-2}
m=/mnt

each()
{
	local i

	for ((i = 0; i < moments; i++)); do
		"$@" || return
	done
}

# One error, the same in the log and to the user; what was written is complete.
one_error()
{
	wait_for_end
	finish_record
	[ $status -eq 1 ] || { echo "exit status $status"; cat /data/stderr; return 1; }
	said 1 'error:' /data/stderr && said 1 '<3>' $log && says "$1" /data/stderr &&
		says "$1" $log && idle
}

# What is written until then differs from time to time.
full_tmpfs()
{
	mount -t tmpfs -o size=$((16 + RANDOM % 6))M none $m || return
	start_record $m/r -- sh -c "$busy" &&
		one_error 'No space left on device' && complete $m/r
	set -- $?
	umount $m
	return "$1"
}

full_ext4()
{
	rm -f /data/image
	truncate -s $((20 + RANDOM % 6))M /data/image
	mkfs.ext4 -q -F /data/image && mount -o loop /data/image $m || return
	start_record $m/r -- sh -c "$busy" &&
		one_error 'No space left on device' && complete $m/r
	set -- $?
	umount $m
	return "$1"
}

# Some is left free for others.
min_free()
{
	stop_daemon
	start_daemon 'min_free = 8M' || return
	mount -t tmpfs -o size=40M none $m || return
	start_record $m/r -- sh -c "$busy" &&
		one_error 'MiB free, min_free is 8.0 MiB' && complete $m/r &&
		[ "$(df --output=avail -B1 $m | tail -n 1)" -ge $((6 * 1024 * 1024)) ]
	set -- $?
	umount $m
	stop_daemon
	start_daemon
	return "$1"
}

# keep_what_is_on IMAGE NAME: whatever reached the disk, once it works again
keep_what_is_on()
{
	# 1: errors were corrected
	e2fsck -fy "$1" > /data/e2fsck 2>&1 || [ $? -eq 1 ] || { cat /data/e2fsck; return 1; }
	mount -o loop "$1" $m || return
	keep $m/r "$2"
	set -- $?
	umount $m
	return "$1"
}

# A disk behind a loop that has no room left fails with EIO; the file system may be
# the first to notice. It is mounted as distributions do: one that goes on although its
# own blocks were not written may give a file the bytes of another.
failing_disk()
{
	mkdir -p /tmp/small
	mount -t tmpfs -o size=$((20 + RANDOM % 4))M none /tmp/small &&
		truncate -s 200M /tmp/small/image && mkfs.ext4 -q -F /tmp/small/image &&
		mount -o loop,errors=remount-ro /tmp/small/image $m || return
	start_record $m/r -- sh -c "$busy" &&
		one_error "$m/r/" &&
		grep -q 'Input/output error\|Read-only file system' /data/stderr
	set -- $?
	umount $m
	[ "$1" -eq 0 ] && mount -o remount,size=400M /tmp/small &&
		keep_what_is_on /tmp/small/image failing_disk
	set -- $?
	umount /tmp/small
	return "$1"
}

# Whichever file is written first finds out.
read_only()
{
	local device

	# not one that a loop device still has
	rm -f /data/image
	truncate -s 200M /data/image
	mkfs.ext4 -q -F /data/image && mount -o loop,errors=remount-ro /data/image $m || return
	device=$(basename "$(findmnt -n -o SOURCE $m)")
	start_record $m/r -- sh -c "$busy" &&
		random_moment && echo 1 > "/sys/fs/ext4/$device/trigger_fs_error" &&
		one_error "$m/r/"
	set -- $?
	umount $m
	[ "$1" -eq 0 ] && keep_what_is_on /data/image read_only
}

# Nothing begins where nothing can be written.
not_begun()
{
	mount -t tmpfs -o size=1M none $m || return
	start_record $m/r -- sh -c "$busy"
	set -- $?
	finish_record
	[ "$1" -ne 0 ] && [ $status -eq 1 ] && said 1 'No space left on device' /data/stderr &&
		idle
	set -- $?
	umount $m
	return "$1"
}

trace_one_hart
modprobe loop
tap_plan 6
start_daemon
tap_check 'a tmpfs is full: what was written is complete' each full_tmpfs
tap_check 'an ext4 is full: what was written is complete' each full_ext4
tap_check 'min_free is left' min_free
tap_check 'a disk fails: one error' each failing_disk
tap_check 'a file system becomes read-only: one error' each read_only
tap_check 'no recording where there is no room for its images' not_begun
stop_daemon
tap_done

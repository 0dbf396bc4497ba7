# SPDX-License-Identifier: GPL-2.0
# In the guest, sourced: rvtraced, recordings under way, and what must hold after
# whatever happened to them.

. /usr/libexec/rvtrace/guest/daemon.sh

sink=/sys/class/rvtrace_sink/rvtrace0
log=/host/rvtraced.log
conf=/run/fault.conf
# Tests run in subshells: the daemon's process is kept in a file.
pid_file=/run/fault.pid
recorder=

# seeded: the same moments in each run
RANDOM=${RVTRACE_SEED:-1}

# Only hart 1 is traced, and runs only what is recorded: what each of hundreds of
# recordings takes then is mostly the fault.
trace_one_hart()
{
	modprobe rvtrace
	taskset -cp 0 $$ > /dev/null
	basename "$(readlink -f /sys/bus/rvtrace_tci/devices/encoder0/..)" \
		> /sys/bus/platform/drivers/rvtrace_tci/unbind
}

# start_daemon [SETTING...]: of [record]
start_daemon()
{
	printf '[record]\nmin_free = 0\n' > $conf
	printf '%s\n' "$@" >> $conf
	restart_daemon
}

restart_daemon()
{
	local i

	: > $log
	rvtraced --foreground --config $conf > /dev/null 2>> $log &
	echo $! > $pid_file
	for ((i = 0; i < 200; i++)); do
		grep -q 'ready$' $log && return
		sleep 0.1
	done
	echo "rvtraced does not start: $(cat $log)"
	return 1
}

signal_daemon()
{
	kill "-$1" "$(cat $pid_file)"
}

# has_said COUNT TEXT: rvtraced, in a while
has_said()
{
	local i

	for ((i = 0; i < 300; i++)); do
		[ "$(grep -cF -- "$2" $log)" -lt "$1" ] || break
		sleep 0.1
	done
	said "$1" "$2" $log
}

# Until it is gone, whoever its parent is
daemon_ended()
{
	local i

	for ((i = 0; i < 300; i++)); do
		grep -q '^State:[^Z]*$' "/proc/$(cat $pid_file)/status" 2> /dev/null || return 0
		sleep 0.1
	done
	echo "rvtraced does not end"
	return 1
}

stop_daemon()
{
	signal_daemon TERM
	daemon_ended
}

# start_record DIRECTORY OPTION... -- COMMAND...: returns once it traces
start_record()
{
	local i

	directory=$1
	shift
	rm -rf "$directory" /data/stop
	: > /data/stderr
	: > $log
	tracectl record -o "$directory" --copy-images none --buffer-size 1M "$@" \
		> /dev/null 2> /data/stderr &
	recorder=$!
	for ((i = 0; i < 600; i++)); do
		! grep -q 'session [0-9]* started' $log || return 0
		kill -0 "$recorder" 2> /dev/null || break
		sleep 0.1
	done
	echo "record does not begin: $(cat /data/stderr)"
	return 1
}

end_record()
{
	status=0
	wait "$recorder" || status=$?
}

# Up to a second
random_moment()
{
	local ms=$((RANDOM % 1000))

	echo "moment: $ms ms"
	sleep "$(printf '0.%03d' $ms)"
}

# What is traced: it goes on until it is told to end, and succeeds then
busy='taskset -cp 1 $$ > /dev/null
while [ ! -e /data/stop ]; do ls /usr/bin > /dev/null; sleep 0.2; done'

finish_record()
{
	touch /data/stop
	end_record
}

# The session has ended by itself
wait_for_end()
{
	local i

	for ((i = 0; i < 300; i++)); do
		! grep -q 'session ended' $log || return 0
		sleep 0.1
	done
	echo "the session does not end: $(cat $log)"
	return 1
}

# said COUNT TEXT FILE: that many lines of the file have the text
said()
{
	local count

	count=$(grep -cF -- "$2" "$3")
	[ "$count" -eq "$1" ] && return
	echo "'$2' is in $3 $count times, not $1:"
	cat "$3"
	return 1
}

says()
{
	grep -qF -- "$1" "$2" && return
	echo "'$1' is not in $2:"
	cat "$2"
	return 1
}

# What was passed by the hardware between the session's first and last byte is in
# the files, or counted as lost, without a hole and without anything twice.
accounted()
{
	od -A n -v -t u8 -w64 "$1/rvtrace0.idx" | awk '
		{ type = $5 % 4294967296 }
		type == 4 { start = expected = $1; begun = 1 }
		type == 1 || type == 2 {
			if ($1 != expected) {
				printf "entry %d: position %.0f follows %.0f\n", NR, $1, expected
				bad = 1
			}
			expected = $1 + $3
		}
		type == 1 { bytes += $3 }
		type == 2 { lost += $3 }
		type == 5 { end = $1; ended = 1 }
		END {
			printf "%.0f bytes, %.0f lost, %.0f positions\n", bytes, lost, end - start
			exit bad || !begun || !ended || bytes + lost != end - start
		}'
}

# keep DIRECTORY NAME: it is decoded when the machine has ended
keep()
{
	mkdir -p /data/keep
	cp -r "$1" "/data/keep/$2-$(ls /data/keep | wc -l)" && rm -rf "$1"
}

# complete DIRECTORY: final, and every byte accounted for
complete()
{
	grep -q '"complete": *true' "$1/metadata.json" || {
		echo "metadata.json is not final"
		return 1
	}
	accounted "$1" && keep "$1" "${FUNCNAME[1]}"
}

idle()
{
	local i

	for ((i = 0; i < 100; i++)); do
		[ "$(cat $sink/state)" = running ] || return 0
		sleep 0.1
	done
	echo "still tracing"
	return 1
}

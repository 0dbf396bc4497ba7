# SPDX-License-Identifier: GPL-2.0
# In the guest, sourced: rvtraced for one recording or some.

# begin_daemon LOG [LINE...]: of its configuration; waits until it can be asked. $daemon
begin_daemon()
{
	local log=$1

	shift
	mkdir -p /run/rvtrace
	printf '%s\n' "$@" > /run/rvtrace/rvtraced.conf
	rvtraced --foreground --config /run/rvtrace/rvtraced.conf 2> "$log" &
	daemon=$!
	until [ -S /run/rvtrace/rvtraced.sock ]; do
		sleep 0.1
		kill -0 $daemon 2> /dev/null || { cat "$log" >&2; return 1; }
	done
}

# who_drains: the processes that have a sink open
who_drains()
{
	local file

	for file in /proc/[0-9]*/fd/*; do
		[ ! "$file" -ef /dev/rvtrace0 ] || { file=${file#/proc/}; echo "${file%%/*}"; }
	done
}

end_daemon()
{
	local status=0

	kill "$daemon"
	wait "$daemon" || status=$?
	[ $status -eq 0 ] || echo "rvtraced: exit status $status" >&2
	return $status
}

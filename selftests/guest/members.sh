# SPDX-License-Identifier: GPL-2.0
# What members of the group, here alice, can and cannot do; bob is none. Part of installed.sh.

# shellcheck disable=SC2154 # installed.sh sets it
drop_in=$settings.d/members.conf

# configure LINE...: settings for what begins from now on; none: as installed. There is room again.
configure()
{
	rm -rf /var/lib/rvtrace/rvtrace0-* /var/tmp/after /home/alice/forged* /home/alice/settings
	mkdir -p "$settings.d" && printf '%s\n' "$@" > "$drop_in" && systemctl reload rvtraced
}

# ask USER REQUEST: what rvtraced answers to the members of a JSON object, in the file said
ask()
{
	su - "$1" -c "perl -MIO::Socket::UNIX -e '\$s = IO::Socket::UNIX->new(q(/run/rvtrace/rvtraced.sock)) or exit 1;
		\$s->autoflush(1); print \$s q({$2}), qq(\\n); print scalar <\$s>'" > said && [ -s said ]
}

# asked USER REQUEST: which is accepted
asked()
{
	ask "$@" && grep -q '^{"ok":true' said && return
	cat said
	return 1
}

# start: a session of alice that names no folder, and outlives the connection
start()
{
	asked alice '"request":"start"'
}

stop()
{
	asked alice '"request":"stop"'
}

# newest: the recording that rvtraced made the folder of last
newest()
{
	sed -n 's/.*"directory":"\([^"]*\)".*/\1/p' said
}

# modes FOLDER FILES FOLDERS: of all below it
modes()
{
	find "$1" -type f ! -perm "$2" -o -type d ! -perm "$3" | grep . && return 1
	[ -e "$1/metadata.json" ]
}

# What a member records without naming a folder is the member's, and nobody else's
own_recording()
{
	local made

	start && stop && made=$(newest) && [ "$(stat -c %U "$made")" = alice ] && modes "$made" 600 700 &&
		su - alice -c "tracectl decode --summary $made" && ! su - bob -c "ls $made" && ! su - bob -c 'ls /var/lib/rvtrace' &&
		! su - alice -c 'touch /var/lib/rvtrace/mine'
}

group_access()
{
	configure '[record]' 'group_access = yes' && start && stop && modes "$(newest)" 640 750
}

# A name is one line of the journal, and of the priority that the daemon gives it
journal()
{
	su - alice -c 'tracectl record -o "$(printf "forged\n<0>disk failed")" -- true' && journalctl --sync &&
	journalctl -q -u rvtraced -o cat | grep -F 'forged\x0a<0>disk failed' && ! journalctl -q -u rvtraced -p emerg | grep .
}

# no_setting ATTRIBUTE VALUE: a session does not write that file
no_setting()
{
	ask alice '"request":"open","attributes":{"encoder0":{"'"$1"'":"'"$2"'"}}' && grep -F "encoder0: '$1' is not a setting of it" said || { cat said; return 1; }
}

settings_only()
{
	no_setting uevent change && no_setting enable 1 && no_setting reset 1 && no_setting cpus 0 && no_setting power/control auto &&
	no_setting ../encoder0/enable 1 && no_setting filter0/enable 1 && no_setting driver/unbind x && no_setting inst_mode_available off &&
	[ "$(cat /sys/class/rvtrace_sink/rvtrace0/state)" = idle ] &&
	su - alice -c 'tracectl record --set encoder0.wait_for_trigger=0 --set sync_max=5 -o settings -- true' &&
	[ "$(cat /sys/bus/rvtrace_tci/devices/encoder0/sync_max)" = 5 ]
}

# ended: the only session, by itself, and the sink is given back
ended()
{
	local i

	for ((i = 0; i < 600; i++)); do
		asked root '"request":"status"' || return
		! grep -q '"session_state":"finished"' said ||
			find /proc/[0-9]*/fd -lname /dev/rvtrace0 2> /dev/null | grep -q . || return 0
		sleep 0.1
	done
	cat said
	return 1
}

# another_daemon: the one that runs dies, and the service manager starts another
another_daemon()
{
	local i pid

	pid=$(systemctl show -P MainPID rvtraced) && systemctl kill -s KILL --kill-whom=main rvtraced || return
	for ((i = 0; i < 600; i++)); do
		[ "$(systemctl show -P MainPID rvtraced)" = "$pid" ] || ! systemctl is-active -q rvtraced || return 0
		sleep 0.1
	done
	systemctl status rvtraced
	return 1
}

# over: it ended, the recording says why, and another user has the sink
over()
{
	ended && stop && grep -F 'detached_time in rvtraced.conf' said &&
	grep -F 'detached for too long' "$(newest)/metadata.json" && rm -rf /var/tmp/after && tracectl record -o /var/tmp/after -- true ||
		{ cat said; return 1; }
}

# Whoever has one keeps no one else from the sink for longer than that, started or not, also where
# another daemon goes on with it
detached_sessions()
{
	configure '[limits]' 'detached_time = 20s' && start && over && asked alice '"request":"open","detached":true' && over &&
	start && another_daemon && over
}

sessions_of_a_user()
{
	configure '[limits]' 'sessions = 1' && start && ! su - alice -c 'tracectl record -o more -- true' 2> said &&
	grep -F "user $(id -u alice) has 1 sessions already" said && ! tracectl record -o /var/tmp/more -- true 2> said && grep -F 'a session is using it' said &&
	asked root '"request":"stop"' || { cat said; return 1; }
}

# It ends by itself, after that size
size_of_a_session()
{
	configure '[limits]' 'session_size = 64k' && start && { for ((i = 0; i < 20000; i++)); do :; done; } && ended && stop &&
	[ "$(cat "$(newest)"/rvtrace0.*.bin | wc -c)" -ge 65536 ]
}

# state: of the process that records
state()
{
	local file

	for file in /proc/[0-9]*/fd/*; do
		[ ! "$file" -ef /dev/rvtrace0 ] || { cat "${file%/fd/*}/status"; return; }
	done
	return 1
}

# field NAME PID: what the kernel says of a process
field()
{
	sed -n "s/^$1:	//p" "/proc/$2/status"
}

# Beside the service manager's, filters of system calls. The one that saves images has no right to
# change owners and priorities, nor to signal others; the one that records cannot hold events without end.
confined()
{
	local filters saver

	filters=$(field Seccomp_filters "$(systemctl show -P MainPID rvtraced)") && saver=$(pgrep -n -x rvtraced-images) &&
		[ "$(field Seccomp_filters "$1")" -gt "$filters" ] && [ "$(field Seccomp_filters "$saver")" -gt "$filters" ] &&
		[ $((0x$(field CapPrm "$saver") & (1 | 1 << 5 | 1 << 23))) -eq 0 ] && [ "$(field NoNewPrivs "$saver")" = 1 ] &&
		[ "$(awk '/^Max open files/ { print $5 }' "/proc/$1/limits")" -lt 100 ]
}

# What a member may, and nothing more
identity()
{
	local id status=0

	id=$(id -u alice)
	configure && start || return
	state > state.txt && grep -qx "Uid:	$id	$id	$id	$id" state.txt && grep -qx 'CapPrm:	0*' state.txt && grep -qx 'CapEff:	0*' state.txt &&
		grep -qx 'NoNewPrivs:	1' state.txt && grep -qw "^Groups:.*$(getent group rvtrace | cut -d: -f3)" state.txt || { cat state.txt; status=1; }
	confined "$(sed -n 's/^Pid:	//p' state.txt)" || { grep -H Seccomp_filters /proc/[0-9]*/status | grep -v '	0$'; status=1; }
	! su - alice -c "cat /proc/$(sed -n 's/^Pid:	//p' state.txt)/environ" 2> /dev/null && stop && return $status
}

# in_a_while COMMAND...: until it succeeds
in_a_while()
{
	local i

	for ((i = 0; i < 600; i++)); do
		"$@" > said 2>&1 && return
		sleep 0.1
	done
	cat said
	return 1
}

is_running()
{
	[ "$(cat /sys/class/rvtrace_sink/rvtrace0/state)" = running ]
}

silence_noticed()
{
	journalctl -q -u rvtraced -o cat | grep 'the process that records does not answer'
}

# The file system that she records on answers nothing any more: others do not wait for it, and get the sink
# when root has ended that file system
deaf_file_system()
{
	local status=0

	# The saver of program images is not hers.
	echo user_allow_other >> /etc/fuse.conf
	configure '[limits]' 'silent_time = 4' && su - alice -c 'mkdir -p under over && bindfs under over' || return
	su - alice -c 'tracectl record -o over/deaf --copy-images none -- sh -c "while :; do ls / > /dev/null; done"' 2> deaf &
	in_a_while is_running && sleep 2 && pkill -STOP bindfs && sleep 2 && asked root '"request":"status"' && systemctl reload rvtraced &&
		pkill -KILL -u alice tracectl && asked root '"request":"status"' && in_a_while silence_noticed &&
		echo 1 | tee /sys/fs/fuse/connections/*/abort && in_a_while tracectl record -o /var/tmp/after -- true || status=1
	pkill -KILL -u alice sh
	pkill -CONT bindfs
	wait
	in_a_while su - alice -c 'fusermount3 -u over' && su - alice -c 'tracectl recover under/deaf && { tracectl decode --summary under/deaf; [ $? -eq 4 ]; }' || status=1
	[ $status -eq 0 ] || { cat deaf; journalctl -q -u rvtraced -o cat | tail -n 20; }
	return $status
}

tap_check 'a member gets to its own recording below /var/lib/rvtrace, others do not' own_recording
tap_check 'group_access lets the group read recordings' group_access
configure
tap_check 'a name does not forge lines of the journal' journal
tap_check 'a session writes settings and nothing else' settings_only
tap_check 'detached sessions end' detached_sessions
tap_check 'sessions of a user are counted' sessions_of_a_user
tap_check 'sessions of a user have a size' size_of_a_session
tap_check 'the process that records has the rights of a member' identity
tap_check 'a file system that does not answer holds up its session only' deaf_file_system
rm -r "$settings.d" && systemctl reload rvtraced

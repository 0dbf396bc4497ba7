#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the installed image: what docs/install.md says of an installation (the script /host/readme.sh),
# then what has to hold of it. Leaves a recording of an idle second in /host/idle.
set -u
. /src/selftests/tap.sh
settings=/etc/rvtrace/rvtraced.conf

# What is compiled is there: there is no compiler here.
export TARGET=riscv64 MODULE=build/module/rvtrace.ko

services()
{
	local s

	for s in systemd-udevd systemd-journald dbus systemd-logind; do
		systemctl is-active "$s" || return
	done
	[ "$(systemctl is-system-running --wait)" = running ] || { systemctl --failed; return 1; }
}

# The unit starts the binary that make put there.
unit()
{
	[ "$(readlink "/proc/$(systemctl show -P MainPID rvtraced)/exe")" = /usr/local/sbin/rvtraced ]
}

devices()
{
	[ "$(stat -c '%U %G %a' /dev/rvtrace0)" = 'root rvtrace 640' ]
}

# record USER NAME: a session of their own; the recording is theirs
record()
{
	su - "$1" -c "tracectl record -o $2 -- true" && [ "$(stat -c %U "/home/$1/$2")" = "$1" ]
}

stranger()
{
	useradd -m bob
	! record bob none && [ ! -e /home/bob/none ]
}

# Where a member of the group has put something else there, in a mount namespace of her own
hostile()
{
	local files='index.jsonl maps.jsonl' file before status=0

	before=$(stat -c '%U %G %a %s %Y' /etc/shadow && sha256sum /etc/shadow)
	for file in $files; do
		su - alice -c "mkdir -p $file/images && touch $file/images/$file &&
			unshare -Urm sh -c 'mount --bind /etc/shadow $file/images/$file || exit 9
				tracectl record -o $file -- true'"
		[ $? -ne 9 ] && grep -q 'Permission denied' "/home/alice/$file/metadata.json" || status=1
	done
	[ "$(stat -c '%U %G %a %s %Y' /etc/shadow && sha256sum /etc/shadow)" = "$before" ] && return $status
}

again()
{
	printf '[record]\ncompanions = 3\n' > $settings
	cp $settings /tmp/mine
	make -C /src install && cmp $settings /tmp/mine && systemctl restart rvtraced && record alice second
}

quiet_journal()
{
	! journalctl -q -u rvtraced -p warning | grep .
}

idle()
{
	cd /var/tmp && tracectl record -o idle -- sleep 1 && cp -r idle /host/idle
}

removed()
{
	make -C /src uninstall || return
	! systemctl cat rvtraced 2> /dev/null && ! command -v rvtraced && cmp $settings /tmp/mine
}

tap_plan 20
tap_check 'systemd and the usual services run' services
useradd -m alice
. /host/readme.sh
cd /
tap_check 'rvtraced is what was installed' unit
tap_check 'the sink is for its group' devices
tap_check 'a member of the group records' record alice again
tap_check 'others do not' stranger
tap_check 'an idle second is recorded' idle
tap_check 'settings that were changed survive an installation' again
tap_check 'rvtraced has nothing to complain of' quiet_journal
tap_check 'a member of the group writes to no file of others' hostile
. /src/selftests/guest/members.sh
tap_check 'nothing failed' services
tap_check 'make uninstall ends and removes it' removed
tap_done

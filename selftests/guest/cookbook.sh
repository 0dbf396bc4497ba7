#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: make the recording of docs/cookbook.md.
#
#   cookbook.sh COMMAND: a line of the document, which makes the recording first
set -eu
. /usr/libexec/rvtrace/guest/daemon.sh

modprobe rvtrace
begin_daemon /host/rvtraced.log '[daemon]' 'realtime = 10'
cd /data
status=0
eval "$1" || status=$?
end_daemon || status=1
cp -r first /host/
exit $status

# SPDX-License-Identifier: GPL-2.0
# What the kselftests run on: their names, the boards, and options of the machine for
# hardware that has everything.

all=$(sed -n 's/^TEST_\(GEN_\)\?PROGS := //p' selftests/kselftest/Makefile | xargs)
# What a board with filters and triggers has besides
units='ksft-filter ksft-trigger'

# Every board: generation, topology
every_board='0 flat
0 mixed
0 nested
0.9 flat
0.9 mixed
0.9 nested
1.0 flat
1.0 mixed
1.0 nested
1.0 many'

triggers='-global rvtrace-encoder.trig-enable=on -global rvtrace-encoder.trig-inputs=8
	-global rvtrace-encoder.trig-outputs=8 -global rvtrace-encoder.trig-debug=0xff'
data='-global rvtrace-encoder.data=on'
# SRAM, memory, PIB and ATB; in TCI 1.0 a RAM sink that can be either
sinks='-global rvtrace-funnel.sinks=0xf0'
# Of an encoder itself: ATB and PIB besides the funnel
own='-global rvtrace-encoder.sinks=0x160'
modes='-global rvtrace-ram-sink.modes=3'
sampling='-global rvtrace-encoder.pc-sample=on'
port='-global rvtrace-encoder.port=on'
words='-global rvtrace-encoder.filter-words=8'
filters='-global rvtrace-encoder.filters=4 -global rvtrace-encoder.filter-others=on -global rvtrace-encoder.comparators=4'

# everything GENERATION TOPOLOGY: a mixed board has sinks of its own. Of what software writes,
# version 0 has stimulus registers or a port: there is one message for both.
everything()
{
	local sinks=$sinks own=$own modes=$modes stimulus=

	[ "$2" != mixed ] || sinks='' own='' modes=''
	[ "$2" != nested ] || stimulus="$port -global rvtrace-encoder.itc=off"
	case $1 in
	0) echo $triggers $sinks $own $stimulus $sampling ;;
	0.9) echo $triggers $data $sinks $own $words $port ;;
	1.0) echo $triggers $data $modes $filters $port ;;
	esac
}

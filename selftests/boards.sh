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
modes='-global rvtrace-ram-sink.modes=3'
port='-global rvtrace-encoder.port=on'
words='-global rvtrace-encoder.filter-words=8'
filters='-global rvtrace-encoder.filters=4 -global rvtrace-encoder.filter-others=on -global rvtrace-encoder.comparators=4'

# everything GENERATION TOPOLOGY: a mixed board has sinks of its own
everything()
{
	local sinks=$sinks modes=$modes

	[ "$2" != mixed ] || sinks='' modes=''
	case $1 in
	0) echo $triggers $sinks ;;
	0.9) echo $triggers $data $sinks $words $port ;;
	1.0) echo $triggers $data $modes $filters $port ;;
	esac
}

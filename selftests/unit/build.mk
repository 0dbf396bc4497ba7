# SPDX-License-Identifier: GPL-2.0
random_program := $(wildcard selftests/unit/random-program*.c)
test-encode-ntrace-vectors_extra_src := selftests/unit/vectors.c
test-encode-etrace-vectors_extra_src := selftests/unit/vectors.c
test-flow-pieces_extra_src := selftests/unit/vectors.c
test-encode-roundtrip_extra_src := selftests/unit/vectors.c
$(foreach t,test-encode-ntrace test-encode-ntrace-optimizations test-encode-ntrace-sync,\
	$(eval $(t)_extra_src := selftests/unit/encode-fixture.c selftests/unit/messages.c))
$(foreach t,test-encode-etrace test-encode-etrace-sync test-encode-etrace-returns,\
	$(eval $(t)_extra_src := selftests/unit/encode-fixture.c selftests/unit/messages.c \
		selftests/unit/etrace-fields.c))
$(foreach t,test-model-encoder test-model-encoder-output test-model-0 test-profile-p550 test-model-1-0-encoder\
	test-model-1-0-path test-model-triggers test-model-filters test-model-port test-model-vendor,\
	$(eval $(t)_extra_src := selftests/unit/model-encoder-fixture.c selftests/unit/messages.c))
$(foreach t,test-model-osd-stm test-model-osd-stm-memory,\
	$(eval $(t)_extra_src := selftests/unit/osd-stm-fixture.c))
test-model-port_extra_src += selftests/unit/etrace-decoder-params.c
test-unwrap-atb_extra_src := selftests/unit/unwrap-fixture.c
$(foreach t,test-unwrap-pib test-unwrap-random test-unwrap-calibration test-unwrap-swt-damage\
	test-unwrap-ntrace-damage test-unwrap-etrace-damage,\
	$(eval $(t)_extra_src := selftests/unit/unwrap-fixture.c selftests/unit/pins-fixture.c))
test-model-specification_extra_src := $(wildcard selftests/registers/specification_*.c)
test-model-specification_cflags := -Iselftests/unit/kernel
test-register-names_extra_src := tools/tracectl/hardware/register_names.c $(wildcard selftests/registers/specification*.c)
test-register-names_cflags := -Iselftests/unit/kernel
$(foreach t,test-model-funnel test-model-funnel-memory,\
	$(eval $(t)_extra_src := selftests/unit/model-funnel-fixture.c))
test-copy-images_extra_src := tools/tracectl/record/images.c tools/tracectl/record/images_files.c
$(foreach t,test-recording-damage test-recording-repair test-recording-seal,\
	$(eval $(t)_extra_src := selftests/unit/recording-example.c))
test-arrivals_extra_src := daemon/arrivals.c
test-members_extra_src := daemon/members.c
test-child_extra_src := daemon/child.c
test-changes_extra_src := tools/tracectl/hardware/changes.c
test-parse_extra_src := tools/tracectl/parse.c tools/tracectl/suggest.c
$(foreach t,test-model-ram-sinks test-model-off-chip-sinks test-model-faults,\
	$(eval $(t)_extra_src := selftests/unit/model-sink-fixture.c))
test-ntrace-roundtrip_extra_src := $(random_program)
test-cdl-roundtrip_extra_src := $(random_program)
test-encode-etrace-roundtrip_extra_src := $(random_program) \
	selftests/unit/etrace-decoder-params.c
test-encode-etrace-paths_extra_src := selftests/unit/etrace-decoder-params.c \
	selftests/unit/etrace-reports.c selftests/unit/etrace-ways.c
test-debugspec-programs_extra_src := $(random_program)
test-pointers_extra_src := selftests/unit/switches-fixture.c
test-switches_extra_src := selftests/unit/switches-fixture.c
test-spaces_extra_src := selftests/unit/spaces-fixture.c
$(foreach t,test-resolver test-resolver-images test-resolver-missing,\
	$(eval $(t)_extra_src := selftests/unit/resolver-fixture.c))
test-encode-etrace-data_extra_src := selftests/unit/etrace-decoder-params.c
test-encode-etrace-data-loss_extra_src := selftests/unit/etrace-decoder-params.c
test-model-encoder-etrace_extra_src := $(random_program) \
	selftests/unit/etrace-decoder-params.c
test-parallel_extra_src := $(random_program) selftests/unit/vectors.c \
	selftests/unit/etrace-decoder-params.c selftests/unit/parallel-fixture.c
test-parallel_libs := zlib
test-parallel-recordings_extra_src := selftests/unit/vectors.c \
	selftests/unit/etrace-decoder-params.c selftests/unit/parallel-fixture.c
test-parallel-recordings_libs := zlib
test-replay-window_extra_src := selftests/unit/parallel-fixture.c selftests/unit/loops-fixture.c
test-flow-state_extra_src := selftests/unit/parallel-fixture.c selftests/unit/loops-fixture.c
$(foreach t,test-calls-jump test-calls-threads test-calls-time test-calls-limits,\
	$(eval $(t)_extra_src := selftests/unit/calls-fixture.c))
test-cdl-flow_extra_src := selftests/unit/flow-fixture.c
test-ntrace-calls_extra_src := selftests/unit/flow-fixture.c
test-ntrace-signal_extra_src := selftests/unit/flow-fixture.c
test-ntrace-link_extra_src := selftests/unit/flow-fixture.c
test-ntrace-flow_extra_src := selftests/unit/flow-fixture.c
test-ntrace-state_extra_src := selftests/unit/flow-fixture.c
test-ntrace-mode_extra_src := selftests/unit/flow-fixture.c
test-ntrace-place_extra_src := selftests/unit/flow-fixture.c
test-ntrace-task_extra_src := selftests/unit/flow-fixture.c
test-program_extra_src := selftests/unit/flow-fixture.c
test-ntrace-privilege_extra_src := selftests/unit/flow-fixture.c
test-ntrace-time_extra_src := selftests/unit/flow-fixture.c
test-ntrace-sifive_extra_src := selftests/unit/flow-fixture.c
test-export_extra_src := selftests/unit/export-fixture.c tools/tracectl/out.c $(B)/gen/perfetto.pb-c.c \
	$(addprefix tools/tracectl/export/,export_folded.c export_lanes.c export_names.c export_perfetto.c \
		export_perfetto_packet.c export_speedscope.c export_sqlite.c)
test-export_cflags := -I$(B)/gen
test-export_libs := libprotobuf-c sqlite3
$(B)/obj/selftests/unit/test-export.o: $(B)/gen/perfetto.pb-c.h

# The driver's pure functions, with stand-ins for the kernel's headers
$(foreach t,test-ring test-lag test-lap test-rate,\
	$(eval $(t)_extra_src := driver/$(if $(t:test-rate=),ring,rate).c selftests/unit/kunit.c)\
	$(eval $(t)_cflags := -Iselftests/unit/kernel))
$(foreach t,test-ring test-lag,$(eval $(t)_extra_src += driver/tests/ring_hardware.c))
test-dbtr_extra_src := selftests/unit/kunit.c
test-dbtr_cflags := -Iselftests/unit/kernel
test-task-buffer_cflags := -Iselftests/unit/kernel
$(foreach s,ring rate ring_hardware kunit,$(eval $(s)_cflags := -Iselftests/unit/kernel))

# Every test-NAME.c is a cmocka program of its own.
unit_tests += $(basename $(notdir $(wildcard selftests/unit/test-*.c)))
$(foreach t,$(unit_tests),$(eval $(t)_src := selftests/unit/$(t).c $($(t)_extra_src)))

test-encode-ntrace-vectors_ldlibs := -lz
test-encode-etrace-vectors_ldlibs := -lz
test-flow-pieces_ldlibs := -lz
test-encode-roundtrip_ldlibs := -lz
test-etrace-vectors_ldlibs := -lz
test-etrace-flow-vectors_ldlibs := -lz

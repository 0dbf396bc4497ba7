# SPDX-License-Identifier: GPL-2.0
# Random damage to recordings.
programs += rvtrace-fuzz
rvtrace-fuzz_src := selftests/fuzz/fuzz.c selftests/fuzz/mutate.c

# Random bytes for decoders.
programs += rvtrace-fuzz-bytes
fuzz_targets := $(wildcard selftests/fuzz/target*.c) selftests/fuzz/budget.c selftests/fuzz/folder.c \
	$(addprefix tools/tracectl/,elf.c decode/kallsyms.c decode/lines.c decode/symbols.c out.c) \
	$(addprefix daemon/,answers.c arrivals.c control.c control_socket.c members.c notify.c request_open.c remains.c requests.c \
		sysfs.c worker.c worker_info.c worker_keep.c worker_told.c)
rvtrace-fuzz-bytes_src := selftests/fuzz/fuzz-bytes.c selftests/fuzz/mutate.c $(fuzz_targets)
rvtrace-fuzz-bytes_libs := libdw libevent
rvtrace-fuzz-bytes_ldlibs := -lm -pthread

# The same with libFuzzer, which follows the branches the code takes:
# make build/fuzz/etrace && mkdir corpus && build/fuzz/etrace corpus
# What clang calls pointer-overflow is also zero that is added to a null pointer, which gcc lets pass.
build/fuzz/%: $(fuzz_targets) $(wildcard selftests/fuzz/*.h tools/lib/*/*.[ch] include/rvtrace/*.h)
	$(call say,CLANG,$@)
	@mkdir -p $(@D)
	$(Q)clang -std=gnu11 -D_GNU_SOURCE -O2 -g -Iinclude -Iinclude/uapi -I. $(lib_cflags) \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
		-fno-sanitize=pointer-overflow -DFUZZ_TARGET=fuzz_$(subst -,_,$*) -o $@ $(fuzz_targets) $(lib_src) \
		$(rvtrace-fuzz-bytes_ldlibs) $(call libs,$(lib_pkgs) $(rvtrace-fuzz-bytes_libs))

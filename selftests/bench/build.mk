# SPDX-License-Identifier: GPL-2.0
# Speed of the decoder layers on one core.
programs += bench-decode bench-trace
bench-decode_src := selftests/bench/bench-decode.c
bench-trace_src := selftests/bench/bench-trace.c selftests/bench/hart.c

# What a switch of tasks costs, on the machine
programs += bench-switches
bench-switches_src := selftests/bench/bench-switches.c selftests/kselftest/harness.c selftests/kselftest/undo.c

# The program whose trace is decoded. Compiled the same everywhere, so that
# figures can be compared. And the same elsewhere, of which decoders have no image.
build/bench/elsewhere.elf: bench_text := 0x90000000
build/bench/medley.elf: bench_text := 0x80000000
build/bench/medley.elf build/bench/elsewhere.elf: selftests/bench/medley.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)riscv64-linux-gnu-gcc -O2 -march=rv64imc -mabi=lp64 -mcmodel=medany -ffreestanding -fno-pic \
		-nostdlib -static -Wl,-Ttext-segment=$(bench_text),--build-id=none -Wall -Wextra -o $@ $<

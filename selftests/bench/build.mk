# SPDX-License-Identifier: GPL-2.0
# Speed of the decoder layers on one core.
programs += bench-decode bench-trace
bench-decode_src := selftests/bench/bench-decode.c
bench-trace_src := selftests/bench/bench-trace.c selftests/bench/hart.c

# The program whose trace is decoded. Compiled the same everywhere, so that
# figures can be compared.
build/bench/medley.elf: selftests/bench/medley.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)riscv64-linux-gnu-gcc -O2 -march=rv64imc -mabi=lp64 -mcmodel=medany -ffreestanding -fno-pic \
		-nostdlib -static -Wl,-Ttext-segment=0x80000000,--build-id=none -Wall -Wextra -o $@ $<

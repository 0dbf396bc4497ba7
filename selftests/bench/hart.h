/* SPDX-License-Identifier: GPL-2.0 */
/* A RISC-V hart that executes one program without an operating system: RV64IMC, no traps. */
#ifndef RVTRACE_BENCH_HART_H
#define RVTRACE_BENCH_HART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HART_MEMORY	(1u << 20)
#define HART_STACK	(1u << 16)	/* below the first segment */

/**
 * struct hart - the hart and its memory
 * @x: registers
 * @pc: next instruction
 * @base: address of @memory
 * @memory: holds the program and its stack
 */
struct hart {
	uint64_t x[32];
	uint64_t pc;
	uint64_t base;
	uint8_t memory[HART_MEMORY];
};

/* Loads an ELF file. Return: NULL, or what is wrong with it. */
const char *hart_load(struct hart *hart, const char *path);

/* Bytes at an address of the program; NULL if not all @size are there. */
uint8_t *hart_at(struct hart *hart, uint64_t address, size_t size);

/*
 * Executes the instruction at hart->pc. Return: 1; 0 at ecall, which is not executed; -1 if it is
 * none of RV64IMC or goes out of memory.
 */
int hart_step(struct hart *hart);

#endif /* RVTRACE_BENCH_HART_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Functions: symbols of ELF files, and names of the kernel's text as the recording has them. */
#ifndef RVTRACE_CALLS_NAMES_H
#define RVTRACE_CALLS_NAMES_H

#include <rvtrace/calls.h>
#include <rvtrace/program.h>
#include <rvtrace/resolver.h>

struct names;

/**
 * names_new() - read what is not of a process
 * @recording: path of a recording
 * @program: its code
 * @firmware: an ELF file that executes at its link addresses in M-mode, or NULL
 *
 * Return: them; they end the program if there is no memory, or what is there cannot be read.
 */
struct names *names_new(const char *recording, struct rvtrace_program *program,
			const char *firmware);

/* @resolver: of the items that follow */
void names_attach(struct names *names, const struct rvtrace_resolver *resolver);

/* rvtrace_calls_config.find; @data: the names */
void names_find(void *data, const struct rvtrace_flow_item *item, uint64_t address,
		const uint8_t *code, struct rvtrace_call_function *function);

/* rvtrace_calls_config.lands; @data: the names */
int names_lands(void *data, uint32_t function, uint64_t start, uint64_t call_site,
		uint64_t landing);

/* Of a function, and its file; "?" of none */
const char *names_of(const struct names *names, uint32_t id, const char **file, uint64_t *address);

#endif /* RVTRACE_CALLS_NAMES_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is fuzzed: functions that take any bytes, and abort where a decoder does not do what it
 * promises. A line of `targets` each.
 */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <rvtrace/cdl.h>
#include <rvtrace/debugspec.h>
#include <rvtrace/etrace.h>

/**
 * struct fuzz_target - one entry point
 * @name: of it
 * @settings: bytes at the beginning of its input that are no trace; all 0: what the seeds need
 * @one: takes one input
 */
struct fuzz_target {
	const char *name;
	size_t settings;
	void (*one)(const uint8_t *bytes, size_t size);
};

extern const struct fuzz_target fuzz_targets[];	/* the last one has no name */

/* Of the input; a target that makes a larger one of it changes that. */
extern size_t fuzz_size;

/* Microseconds that the input may take as well: one for each instruction that it proves. */
extern uint64_t fuzz_extra_us;

/* A promise; not assert(), which somebody may switch off. */
#define promise(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

void fuzz_etrace(const uint8_t *bytes, size_t size);
void fuzz_etrace_params(const uint8_t *bytes, size_t size);
void fuzz_ntrace(const uint8_t *bytes, size_t size);
void fuzz_osd(const uint8_t *bytes, size_t size);
void fuzz_event(const uint8_t *bytes, size_t size);
void fuzz_event_dictionary(const uint8_t *bytes, size_t size);
void fuzz_flow_etrace(const uint8_t *bytes, size_t size);
void fuzz_flow_etrace_data(const uint8_t *bytes, size_t size);
void fuzz_flow_ntrace(const uint8_t *bytes, size_t size);
void fuzz_cdl(const uint8_t *bytes, size_t size);
void fuzz_cdl_params(const uint8_t *bytes, size_t size);
void fuzz_flow_cdl(const uint8_t *bytes, size_t size);
void fuzz_debugspec(const uint8_t *bytes, size_t size);
void fuzz_flow_debugspec(const uint8_t *bytes, size_t size);
void fuzz_recording(const uint8_t *bytes, size_t size);
void fuzz_spaces(const uint8_t *bytes, size_t size);
void fuzz_images(const uint8_t *bytes, size_t size);
void fuzz_replay(const uint8_t *bytes, size_t size);
void fuzz_elf(const uint8_t *bytes, size_t size);
void fuzz_kallsyms(const uint8_t *bytes, size_t size);
void fuzz_request(const uint8_t *bytes, size_t size);
void fuzz_pib(const uint8_t *bytes, size_t size);
void fuzz_atb(const uint8_t *bytes, size_t size);

/* Pairs of bytes, two more that the target takes */
#define ETRACE_SETTINGS	20
#define NTRACE_SETTINGS	2
#define FLOW_NTRACE_SETTINGS	3
#define OSD_SETTINGS	4
#define EVENT_SETTINGS	3
#define CDL_SETTINGS	3
#define DEBUGSPEC_SETTINGS	4
#define PIB_SETTINGS	4
#define ATB_SETTINGS	2

/* Flags and the interval. Return: whether they make sense. */
bool choose_cdl_config(const uint8_t *settings, struct rvtrace_cdl_config *config);

/* Width, flags, what is traced and synchronization points. */
struct rvtrace_debugspec_config choose_debugspec_config(const uint8_t *settings);

/* Parameters of the seeds, those with data trace if @data, changed by pairs of bytes: which one, and to what. */
void choose_etrace_params(const uint8_t *pairs, bool data, struct rvtrace_etrace_params *params);

#endif /* TARGET_H */

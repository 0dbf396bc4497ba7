/* SPDX-License-Identifier: GPL-2.0 */
/* A recording that a test makes, and a resolver that is asked about it. */
#ifndef RESOLVER_FIXTURE_H
#define RESOLVER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <rvtrace/replay.h>

#include "selftests/unit/recording_helpers.h"
#include "selftests/unit/sideband-builder.h"

#define TICK		100	/* ns: 10 MHz */
#define CODE_SIZE	0x3000

/* @sideband is what load() records; the rest is there then. @task is what ask() asks with. */
struct resolver_bench {
	char path[64];
	struct rvtrace_recorder *recorder;
	struct builder sideband;
	struct rvtrace_recording *recording;
	struct rvtrace_spaces *spaces;
	struct rvtrace_program *program;
	struct rvtrace_resolver *resolver;
	struct rvtrace_flow_config config;
	struct rvtrace_flow_place place;
	uint64_t task;
	struct rvtrace_failure error;
};

/*
 * Process 10, sh, runs on CPU 0 from 1000, child 20 from 3000; both on SRC 0. Time 0 of the trace
 * is time 0 of the clock. Image N consists of bytes N.
 */
extern struct resolver_bench bench;

int resolver_setup(void **state);
/* Of another boot, and of this one */
int resolver_setup_elsewhere(void **state);
int resolver_setup_here(void **state);
int resolver_teardown(void **state);

/* What is recorded besides */
void line(const char *name, const char *text);
/* An image all of whose bytes are @byte; @more are members of its line. */
void image(const char *name, uint8_t byte, const char *more);
/* One of these bytes, CODE_SIZE of them */
void image_of(const char *name, const uint8_t *bytes, const char *more);
/* One of memory of process 10, saved from @start on */
void save_memory(const char *name, uint8_t byte, const char *path, uint64_t start, uint64_t time);
void record(const void *bytes, size_t size);
void context(uint64_t time, uint32_t value, int pid);

/* That is all; nothing of it is damaged. */
void load(void);
/* The same, with damage: @texts are looked for in what is told of it, in order. */
void load_damaged(const char *const *texts, size_t count);

void ask(unsigned int source, int context_value, int64_t ns);

/* By the last answer: which image lies at @address, 0: none; whose code runs. */
int user_at(uint64_t address);
int kernel_at(uint64_t address);
int pid(void);

#endif /* RESOLVER_FIXTURE_H */

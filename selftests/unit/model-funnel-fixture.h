/* SPDX-License-Identifier: GPL-2.0 */
/* A funnel with a clock, a timer and memory from BASE on. */
#ifndef RVTRACE_SELFTESTS_MODEL_FUNNEL_FIXTURE_H
#define RVTRACE_SELFTESTS_MODEL_FUNNEL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/funnel.h"

#define MEMORY		0x400
#define BASE		0x80001000u
#define ENABLED		(RVTRACE_TF_CONTROL_ACTIVE | RVTRACE_TF_CONTROL_ENABLE | 7u << 28)

struct bench {
	struct tf_model *tf;
	struct tf_config config;
	uint64_t now;
	uint64_t alarm;		/* 0: none */
	uint8_t memory[MEMORY];
	uint32_t high;		/* upper half of the addresses written */
	size_t writes;
	uint8_t next[MEMORY];	/* what the next funnel got */
	size_t next_size;
	uint32_t next_halfwords;
	bool next_full;
};

extern struct bench bench;
extern const struct tf_ops ops;

uint32_t rd(uint32_t offset);
void wr(uint32_t offset, uint32_t value);
void pass(uint64_t ticks);
int setup(void **state);
int teardown(void **state);
void create(void);

/* Active, with a ring of @size bytes, enabled. */
void enable(uint32_t size, uint32_t more);

bool send_text(const char *text, bool wait);

#define T(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif /* RVTRACE_SELFTESTS_MODEL_FUNNEL_FIXTURE_H */

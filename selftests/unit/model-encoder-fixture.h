/* SPDX-License-Identifier: GPL-2.0 */
/* A trace encoder, the hart before it and the funnel behind it. */
#ifndef RVTRACE_SELFTESTS_MODEL_ENCODER_FIXTURE_H
#define RVTRACE_SELFTESTS_MODEL_ENCODER_FIXTURE_H

#include <stdbool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "selftests/unit/messages.h"
#include "tools/machine/model/encoder.h"

#define BASE		0x80000000u

#define ACTIVE		RVTRACE_TE_CONTROL_ACTIVE
#define ENABLE		RVTRACE_TE_CONTROL_ENABLE
#define TRACING		RVTRACE_TE_CONTROL_INST_TRACING
#define EMPTY		RVTRACE_TE_CONTROL_EMPTY
#define OVERFLOW	RVTRACE_TE_CONTROL_INST_STALL_OR_OVERFLOW
#define STALL_EN	RVTRACE_TE_CONTROL_INST_STALL_EN
#define MODE(n)		((n) << 4)
#define NTRACE		(1u << 24)
#define FUNNEL		(8u << 28)
#define OWN_MEMORY	(7u << 28)
#define HISTORY		(ACTIVE | MODE(6) | NTRACE | FUNNEL)
#define ON		(ENABLE | TRACING)

/* @full: the funnel takes nothing */
struct bench {
	struct te_model *te;
	struct te_config config;
	uint64_t now;
	uint64_t time;
	uint64_t alarm;		/* 0: none */
	int asked;		/* -1: nothing, else the latest request */
	unsigned int requests;
	uint64_t pc;
	bool full;
	uint32_t halfwords;
	size_t stalled;
	struct messages sent;
	uint8_t memory[256];
};

extern struct bench bench;
extern const struct te_ops bench_ops;

/* Of each test: changes to bench.config come between setup() and create(). */
int setup(void **state);
int teardown(void **state);
void create(void);
/* create(), active, without a source id. */
void activate(void);

uint32_t rd(uint32_t offset);
void wr(uint32_t offset, uint32_t value);
uint32_t control(void);
void set_control(uint32_t value);

/* Ticks of the clock. */
void pass(uint64_t ticks);

/* The hart answers what it was asked last. */
void answer(void);
void run(uint32_t halfwords, uint8_t itype, uint64_t target);
/* @count jumps of 2 half-words: messages of 5 bytes or so. */
void jumps(unsigned int count);

/* History mode; @more goes into teControl. */
void start(uint32_t more);
void disable(uint32_t more);

/* The next messages sent are these texts. */
#define expect(...) \
	messages_expect(&bench.sent, (const char *const[]){ __VA_ARGS__, NULL })
void expect_nothing(void);
size_t count_tcode(unsigned int tcode);

#define T(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif /* RVTRACE_SELFTESTS_MODEL_ENCODER_FIXTURE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A funnel with sinks in its page, or a sink with a page of its own, and what
 * is around them.
 */
#ifndef RVTRACE_SELFTESTS_MODEL_SINK_FIXTURE_H
#define RVTRACE_SELFTESTS_MODEL_SINK_FIXTURE_H

#include <stdbool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "selftests/unit/messages.h"
#include "tools/machine/model/funnel.h"
#include "tools/machine/model/sink.h"

#define OUT_MAX	65536

/* @out: what left the chip; @sent: what should have; @told: what the model says of that */
struct sinks {
	struct tf_model *tf;
	struct tf_config funnel;
	struct sink_model *sink;
	struct sink_config config;
	uint64_t now;
	size_t out_size;
	uint8_t out[OUT_MAX];
	size_t sent_size;
	uint8_t sent[OUT_MAX];
	size_t told_size;
	uint8_t told[OUT_MAX];
};

extern struct sinks sinks;

/* Of each test: changes to the configurations come before the creation. */
int sinks_setup(void **state);
int sinks_teardown(void **state);

/* A funnel of @generation with @set of sinks; before create_funnel() */
void configure_funnel(enum tci generation, uint32_t set);
void create_funnel(void);

/* A sink of 1.0; before create_sink() */
void configure_sink(enum sink_kind kind);
void create_sink(void);

/* Registers of the one that was created */
uint32_t rd(uint32_t offset);
void wr(uint32_t offset, uint32_t value);

/* Ticks of the clock. */
void pass(uint64_t ticks);

/* Messages of all lengths, @count of them. Return: whether all were taken. */
bool send_messages(unsigned int count);
bool send_text(const char *text);
void advance(uint32_t halfwords);

#define S(name)	cmocka_unit_test_setup_teardown(name, sinks_setup, sinks_teardown)

#endif /* RVTRACE_SELFTESTS_MODEL_SINK_FIXTURE_H */

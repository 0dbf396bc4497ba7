/* SPDX-License-Identifier: GPL-2.0 */
/* A System Trace Module of Open SoC Debug, and memory and time around it. */
#ifndef OSD_STM_FIXTURE_H
#define OSD_STM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "osd-wire.h"
#include "tools/machine/model/osd-stm.h"

#define MEMORY		0x123450000ull
#define DEST		0x401
#define SRC		5
#define NEVER		UINT64_MAX

/* @due: when the module asked to be called; @dma: how often it wrote */
struct osd_stm {
	struct stm_config config;
	struct stm_model *stm;
	uint64_t now;
	uint64_t due;
	unsigned int dma;
	uint8_t memory[WIRE_MAX];
};

extern struct osd_stm bench;

/* Of each test: changes to bench.config come before create(). */
int osd_stm_setup(void **state);
int osd_stm_teardown(void **state);

void create(void);

/* Registers, by 2 and by 4 bytes */
uint32_t rd(uint32_t offset);
void wr(uint32_t offset, uint32_t value);
uint32_t rd32(uint32_t offset);
void wr32(uint32_t offset, uint32_t value);

/* Time passes, and the module is called when it asked for that. */
void pass(uint64_t ticks);

/* The buffer */
void place(uint64_t base, uint32_t size);

/* A module that is active, with a buffer of @size, and @control in its register */
void begin(uint32_t size, uint32_t control);

/* All memory there is, and every event goes there at once */
void begin_plain(void);

void say(uint16_t id, uint64_t value);

/* What a reader finds from the beginning of the buffer on */
struct rvtrace_osd *open_reader(void);
void expect_event(struct rvtrace_osd *reader, uint32_t time, uint16_t id, uint64_t value);
void expect_overflow(struct rvtrace_osd *reader, unsigned int missed);

#define T(name)	cmocka_unit_test_setup_teardown(name, osd_stm_setup, osd_stm_teardown)

#endif /* OSD_STM_FIXTURE_H */

// SPDX-License-Identifier: GPL-2.0
#include "selftests/unit/osd-stm-fixture.h"

struct osd_stm bench;

static uint64_t now(void *opaque)
{
	(void)opaque;
	return bench.now;
}

static void schedule(void *opaque, uint64_t ticks)
{
	(void)opaque;
	bench.due = bench.now + ticks;
}

static bool dma_write(void *opaque, uint64_t addr, const uint8_t *data, size_t size)
{
	(void)opaque;
	bench.dma++;
	if (addr < MEMORY || addr + size > MEMORY + WIRE_MAX)
		return false;
	memcpy(bench.memory + (addr - MEMORY), data, size);
	return true;
}

static const struct stm_ops ops = {
	.now = now, .schedule = schedule, .dma_write = dma_write,
};

int osd_stm_setup(void **state)
{
	(void)state;
	memset(&bench, 0, sizeof(bench));
	bench.due = NEVER;
	stm_config_init(&bench.config);
	bench.config.address = SRC;
	return 0;
}

int osd_stm_teardown(void **state)
{
	(void)state;
	if (bench.stm)
		stm_model_free(bench.stm);
	return 0;
}

void create(void)
{
	assert_null(stm_config_check(&bench.config));
	bench.stm = stm_model_new(&bench.config, &ops, NULL);
	assert_non_null(bench.stm);
}

uint32_t rd(uint32_t offset)
{
	return stm_model_read(bench.stm, offset, 2);
}

void wr(uint32_t offset, uint32_t value)
{
	stm_model_write(bench.stm, offset, value, 2);
}

uint32_t rd32(uint32_t offset)
{
	return stm_model_read(bench.stm, offset, 4);
}

void wr32(uint32_t offset, uint32_t value)
{
	stm_model_write(bench.stm, offset, value, 4);
}

void pass(uint64_t ticks)
{
	uint64_t end = bench.now + ticks;

	while (bench.due <= end) {
		bench.now = bench.due;
		bench.due = NEVER;
		stm_model_tick(bench.stm);
	}
	bench.now = end;
}

void place(uint64_t base, uint32_t size)
{
	wr32(STM_MEM_BASE, base);
	wr32(STM_MEM_BASE + 4, base >> 32);
	wr32(STM_MEM_SIZE, size);
	wr32(STM_MEM_WRITE, 0);
	wr32(STM_MEM_READ, 0);
}

void begin(uint32_t size, uint32_t control)
{
	create();
	wr(STM_MOD_EVENT_DEST, DEST);
	place(MEMORY, size);
	wr(STM_MEM_CONTROL, control);
	wr(STM_MOD_CS, STM_MOD_CS_ACTIVE);
}

void begin_plain(void)
{
	begin(WIRE_MAX, STM_MEM_CONTROL_ENABLE);
}

void say(uint16_t id, uint64_t value)
{
	stm_model_event(bench.stm, id, value, bench.now);
}

struct rvtrace_osd *open_reader(void)
{
	static const struct rvtrace_osd_config config;
	struct rvtrace_osd *reader;

	assert_int_equal(rvtrace_osd_new(&config, &reader), 0);
	assert_int_equal(rvtrace_osd_feed(reader, bench.memory, rd32(STM_MEM_WRITE)), 0);
	return reader;
}

void expect_event(struct rvtrace_osd *reader, uint32_t time, uint16_t id, uint64_t value)
{
	struct rvtrace_osd_packet p;

	do {
		assert_int_equal(rvtrace_osd_next(reader, &p), 1);
		assert_int_equal(p.dest, DEST);
		assert_int_equal(p.src, SRC);
	} while (p.type == RVTRACE_OSD_EVENT && p.sub == RVTRACE_OSD_EVENT_CONTINUED);
	assert_int_equal(p.item, RVTRACE_OSD_ITEM_STM);
	assert_int_equal(p.width, bench.config.valwidth);
	assert_int_equal(p.timestamp, time);
	assert_int_equal(p.id, id);
	assert_true(p.value == value);
}

void expect_overflow(struct rvtrace_osd *reader, unsigned int missed)
{
	struct rvtrace_osd_packet p;

	assert_int_equal(rvtrace_osd_next(reader, &p), 1);
	assert_int_equal(p.item, RVTRACE_OSD_ITEM_OVERFLOW);
	assert_int_equal(p.dest, DEST);
	assert_int_equal(p.src, SRC);
	assert_int_equal(p.missed, missed);
}

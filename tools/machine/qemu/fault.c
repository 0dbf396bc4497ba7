// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers that break components while the machine runs, for tests. One page,
 * unknown to the device tree: 32 bytes for each component.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "exec/address-spaces.h"
#include "hw/rvtrace/rvtrace.h"

#define SLOT_SIZE	32
#define FUNNEL_SLOT	64

/* Registers of a slot: a fault, and what is the funnel's or the encoder's */
enum {
	REG_AFTER = 0x00,
	REG_STUCK = 0x04,
	REG_IMPL = 0x08,
	REG_CLEAR = 0x0c,
	REG_BANDWIDTH = 0x10,
	REG_ACCESSES = 0x14,
};

static struct {
	MemoryRegion mmio;
	RVTraceEncoder *const *encoders;
	RVTraceFunnel *const *funnels;
} page;

/* Return: NULL if the register is not one of struct fault. */
static uint32_t *fault_field(struct fault *fault, hwaddr reg)
{
	switch (reg) {
	case REG_AFTER:
		return &fault->after;
	case REG_STUCK:
		return &fault->stuck;
	case REG_IMPL:
		return &fault->impl;
	case REG_CLEAR:
		return &fault->clear;
	default:
		return NULL;
	}
}

static uint32_t encoder_read(RVTraceEncoder *encoder, hwaddr reg)
{
	struct te_stats stats;
	struct fault fault;
	uint32_t *field = fault_field(&fault, reg);

	QEMU_LOCK_GUARD(&encoder->lock);
	te_model_fault(encoder->model, &fault);
	te_model_stats(encoder->model, &stats);
	return field ? *field : reg == REG_ACCESSES ? stats.accesses : 0;
}

static void encoder_write(RVTraceEncoder *encoder, hwaddr reg, uint32_t value)
{
	struct fault fault;
	uint32_t *field = fault_field(&fault, reg);

	QEMU_LOCK_GUARD(&encoder->lock);
	te_model_fault(encoder->model, &fault);
	if (field) {
		*field = value;
		te_model_set_fault(encoder->model, &fault);
	}
}

static uint32_t funnel_read(RVTraceFunnel *funnel, hwaddr reg)
{
	struct tf_stats stats;
	struct fault fault;
	uint32_t *field = fault_field(&fault, reg);

	QEMU_LOCK_GUARD(&funnel->lock);
	tf_model_fault(funnel->model, &fault);
	tf_model_stats(funnel->model, &stats);
	switch (reg) {
	case REG_BANDWIDTH:
		return tf_model_bandwidth(funnel->model);
	case REG_ACCESSES:
		return stats.accesses;
	default:
		return field ? *field : 0;
	}
}

static void funnel_write(RVTraceFunnel *funnel, hwaddr reg, uint32_t value)
{
	struct fault fault;
	uint32_t *field = fault_field(&fault, reg);

	QEMU_LOCK_GUARD(&funnel->lock);
	if (reg == REG_BANDWIDTH) {
		tf_model_set_bandwidth(funnel->model, value);
		return;
	}
	tf_model_fault(funnel->model, &fault);
	if (field) {
		*field = value;
		tf_model_set_fault(funnel->model, &fault);
	}
}

static RVTraceEncoder *encoder_at(hwaddr slot)
{
	return slot < RVTRACE_MAX_ENCODERS ? page.encoders[slot] : NULL;
}

static RVTraceFunnel *funnel_at(hwaddr slot)
{
	return slot >= FUNNEL_SLOT && slot < FUNNEL_SLOT + RVTRACE_MAX_FUNNELS ?
		page.funnels[slot - FUNNEL_SLOT] : NULL;
}

static uint64_t fault_read(void *opaque, hwaddr offset, unsigned int size)
{
	RVTraceEncoder *encoder = encoder_at(offset / SLOT_SIZE);
	RVTraceFunnel *funnel = funnel_at(offset / SLOT_SIZE);

	if (encoder) {
		return encoder_read(encoder, offset % SLOT_SIZE);
	}
	return funnel ? funnel_read(funnel, offset % SLOT_SIZE) : 0;
}

static void fault_write(void *opaque, hwaddr offset, uint64_t value,
			unsigned int size)
{
	RVTraceEncoder *encoder = encoder_at(offset / SLOT_SIZE);
	RVTraceFunnel *funnel = funnel_at(offset / SLOT_SIZE);

	if (encoder) {
		encoder_write(encoder, offset % SLOT_SIZE, value);
	} else if (funnel) {
		funnel_write(funnel, offset % SLOT_SIZE, value);
	}
}

static const MemoryRegionOps fault_mmio_ops = {
	.read = fault_read,
	.write = fault_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 4, .max_access_size = 4 },
};

void rvtrace_fault_map(hwaddr addr, RVTraceEncoder *const *encoders,
		       RVTraceFunnel *const *funnels)
{
	page.encoders = encoders;
	page.funnels = funnels;
	memory_region_init_io(&page.mmio, NULL, &fault_mmio_ops, NULL,
			      "rvtrace-fault", RVTRACE_PAGE);
	memory_region_add_subregion(get_system_memory(), addr, &page.mmio);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers that break components while the machine runs, for tests. Four
 * pages, unknown to the device tree: 64 bytes for each component.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "exec/address-spaces.h"
#include "hw/rvtrace/fault.h"

#define SLOT_SIZE	64
#define PAGES_SIZE	(4 * RVTRACE_PAGE)
#define SLOTS		(PAGES_SIZE / SLOT_SIZE)

/* Registers of a slot: a fault, and what is the component's */
enum {
	REG_AFTER = 0x00,
	REG_STUCK = 0x04,
	REG_IMPL = 0x08,
	REG_CLEAR = 0x0c,
	REG_BANDWIDTH = 0x10,
	REG_ACCESSES = 0x14,
	REG_EVENTS = 0x18,
	REG_FIRED = 0x1c,
	REG_AT = 0x20,
	REG_IGNORES = 0x24,
};

/* The first slot of each kind */
static const unsigned int first_slot[RVTRACE_KINDS] = {
	[RVTRACE_KIND_ENCODER] = 0,
	[RVTRACE_KIND_FUNNEL] = 64,
	[RVTRACE_KIND_RAM_SINK] = 128,
	[RVTRACE_KIND_PIB_SINK] = 160,
	[RVTRACE_KIND_ATB_BRIDGE] = 192,
};

static MemoryRegion fault_mmio;
static RVTraceComponent *slots[SLOTS];

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
	case REG_AT:
		return &fault->at;
	case REG_IGNORES:
		return &fault->ignores;
	default:
		return NULL;
	}
}

static uint64_t fault_read(void *opaque, hwaddr offset, unsigned int size)
{
	RVTraceComponent *c = slots[offset / SLOT_SIZE];
	RVTraceComponentClass *cc;
	struct fault fault;
	uint32_t *field = fault_field(&fault, offset % SLOT_SIZE);

	if (!c) {
		return 0;
	}
	cc = RVTRACE_COMPONENT_GET_CLASS(c);
	rvtrace_accessed();
	QEMU_LOCK_GUARD(&c->lock);
	cc->fault(c, &fault);
	switch (offset % SLOT_SIZE) {
	case REG_BANDWIDTH:
		return cc->bandwidth ? cc->bandwidth(c) : 0;
	case REG_ACCESSES:
		return cc->accesses(c);
	case REG_FIRED:
		return cc->fired ? cc->fired(c, false) : 0;
	default:
		return field ? *field : 0;
	}
}

static void happen(RVTraceComponent *c, RVTraceComponentClass *cc,
		   uint32_t events)
{
	if (events & FAULT_POWER_LOSS) {
		cc->lose_power(c);
	}
	if (cc->happen) {
		cc->happen(c, events);
	}
}

/* Registers that are not in struct fault */
static void other_write(RVTraceComponent *c, RVTraceComponentClass *cc,
			hwaddr reg, uint32_t value)
{
	if (reg == REG_BANDWIDTH && cc->set_bandwidth) {
		cc->set_bandwidth(c, value);
	} else if (reg == REG_EVENTS) {
		happen(c, cc, value);
	} else if (reg == REG_FIRED && cc->fired) {
		cc->fired(c, true);
	}
}

static void fault_write(void *opaque, hwaddr offset, uint64_t value,
			unsigned int size)
{
	RVTraceComponent *c = slots[offset / SLOT_SIZE];
	RVTraceComponentClass *cc;
	struct fault fault;
	uint32_t *field = fault_field(&fault, offset % SLOT_SIZE);

	if (!c) {
		return;
	}
	cc = RVTRACE_COMPONENT_GET_CLASS(c);
	rvtrace_accessed();
	QEMU_LOCK_GUARD(&c->lock);
	if (field) {
		cc->fault(c, &fault);
		*field = value;
		cc->set_fault(c, &fault);
	} else {
		other_write(c, cc, offset % SLOT_SIZE, value);
	}
}

static const MemoryRegionOps fault_mmio_ops = {
	.read = fault_read,
	.write = fault_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 4, .max_access_size = 4 },
};

void rvtrace_fault_map(hwaddr addr, const GArray *nodes)
{
	unsigned int i;

	for (i = 0; i < nodes->len; i++) {
		RVTraceComponent *c = g_array_index(nodes, RVTraceNode, i).c;
		RVTraceComponentClass *cc = RVTRACE_COMPONENT_GET_CLASS(c);

		if (cc->fault) {
			slots[first_slot[cc->kind] + c->index] = c;
		}
	}
	memory_region_init_io(&fault_mmio, NULL, &fault_mmio_ops, NULL,
			      "rvtrace-fault", PAGES_SIZE);
	memory_region_add_subregion(get_system_memory(), addr, &fault_mmio);
}

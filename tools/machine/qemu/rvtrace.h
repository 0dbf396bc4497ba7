/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices of the trace hardware. Behaviour is in tools/machine/model; these
 * are shells that connect it to harts, bus, clock and memory.
 *
 * Locks: each component has one, taken with or without the big lock held,
 * and in the direction of the trace: encoder, then funnel. The big lock is
 * never taken while one of them is held.
 */
#ifndef HW_RVTRACE_RVTRACE_H
#define HW_RVTRACE_RVTRACE_H

#include "hw/qdev-properties.h"
#include "hw/resettable.h"
#include "hw/sysbus.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "target/riscv/cpu.h"
#include "tools/machine/model/encoder.h"
#include "tools/machine/model/funnel.h"

/* Pages of components, counted from that of the encoder of hart 0 */
#define RVTRACE_PAGE		0x1000
#define RVTRACE_FUNNEL_PAGE	0x100
#define RVTRACE_FAULT_PAGE	0x200
#define RVTRACE_MAX_HARTS	8
#define RVTRACE_MAX_SPARES	8
#define RVTRACE_MAX_ENCODERS	(RVTRACE_MAX_HARTS + RVTRACE_MAX_SPARES)
#define RVTRACE_MAX_FUNNELS	(1 + RVTRACE_MAX_SPARES)

#define TYPE_RVTRACE_ENCODER "rvtrace-encoder"
OBJECT_DECLARE_SIMPLE_TYPE(RVTraceEncoder, RVTRACE_ENCODER)

#define TYPE_RVTRACE_FUNNEL "rvtrace-funnel"
OBJECT_DECLARE_SIMPLE_TYPE(RVTraceFunnel, RVTRACE_FUNNEL)

/**
 * struct RVTraceFunnel - funnel with system-memory sink
 * @next: where its trace goes if not to memory; NULL: nowhere
 * @lock: @model
 */
struct RVTraceFunnel {
	SysBusDevice parent_obj;
	MemoryRegion mmio;
	struct tf_config config;
	uint32_t index;
	RVTraceFunnel *next;
	char *name;
	QEMUTimer *timer;
	QemuMutex lock;
	struct tf_model *model;
};

/**
 * struct RVTraceEncoder - encoder of one hart
 * @spare: nothing comes from the hart: it seems to stand still
 * @lock: everything below it
 * @asked: the model waits for an answer to its last te_ops.set_tracing
 * @wanted: what it asked for
 * @queued: encoder_answer() is on its way to the hart
 */
struct RVTraceEncoder {
	SysBusDevice parent_obj;
	MemoryRegion mmio;
	struct te_config config;
	uint32_t index;
	bool spare;
	RISCVCPU *cpu;
	RVTraceFunnel *funnel;
	char *name;
	QEMUTimer *timer;
	QemuMutex lock;
	struct te_model *model;
	bool asked;
	bool wanted;
	bool queued;
};

/* Properties of @device, a component, that are fields of its config. */
#define RVTRACE_PROP_U32(name, device, field) \
	DEFINE_PROP_UNSIGNED_NODEFAULT(name, device, config.field, \
				       qdev_prop_uint32, uint32_t)
#define RVTRACE_PROP_U64(name, device, field) \
	DEFINE_PROP_UNSIGNED_NODEFAULT(name, device, config.field, \
				       qdev_prop_uint64, uint64_t)
#define RVTRACE_PROP_FLAG(name, device, field) \
	DEFINE_PROP(name, device, config.field, qdev_prop_bool, bool)

/* What the classes of components have in common: only the board makes them. */
static inline void rvtrace_class_init(ObjectClass *oc, const char *desc,
				      DeviceRealize realize,
				      ResettableHoldPhase reset,
				      const VMStateDescription *vmsd)
{
	DeviceClass *dc = DEVICE_CLASS(oc);

	dc->desc = desc;
	dc->realize = realize;
	dc->vmsd = vmsd;
	dc->user_creatable = false;
	RESETTABLE_CLASS(oc)->phases.hold = reset;
}

/* Clock of the trace hardware: nanoseconds of the virtual clock. */
static inline uint64_t rvtrace_ticks(void)
{
	return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* Fire @timer in @ticks. */
static inline void rvtrace_schedule(QEMUTimer *timer, uint64_t ticks)
{
	timer_mod_ns(timer, rvtrace_ticks() + ticks);
}

/* The `time` CSR of the hart at @ticks. */
uint64_t rvtrace_time(CPURISCVState *env, uint64_t ticks);

/* Ask the hart to answer the encoder; @encoder's lock is held. */
void rvtrace_hart_ask(RVTraceEncoder *encoder, bool on);

/* The hart forgets that it is traced; it is not running. */
void rvtrace_hart_reset(RVTraceEncoder *encoder);

/* The port of the funnel; as te_ops.send and te_ops.advance. */
bool rvtrace_funnel_send(RVTraceFunnel *funnel, const uint8_t *message,
			 size_t size, bool wait);
void rvtrace_funnel_advance(RVTraceFunnel *funnel, uint32_t halfwords);

/* From now on sinks are not coherent with the caches; @ram is at @base. */
void rvtrace_cache_init(MemoryRegion *ram, hwaddr base);

/* Return: false if the caches have nothing to do with this write. */
bool rvtrace_cache_write(hwaddr addr, const uint8_t *data, size_t size);

/**
 * rvtrace_fault_map() - map the registers that break components
 * @encoders: RVTRACE_MAX_ENCODERS, NULL where there is none; kept
 * @funnels: RVTRACE_MAX_FUNNELS, likewise
 */
void rvtrace_fault_map(hwaddr addr, RVTraceEncoder *const *encoders,
		       RVTraceFunnel *const *funnels);

/**
 * rvtrace_log_open() - log every register access
 * @path: one line per access: time in nanoseconds of the virtual clock,
 *	component, R or W, offset, value
 */
void rvtrace_log_open(const char *path, Error **errp);
void rvtrace_log(const char *component, char direction, hwaddr offset,
		 uint32_t value);

#endif

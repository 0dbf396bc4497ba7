/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices of the trace hardware. Behaviour is in tools/machine/model; these
 * are shells that connect it to harts, bus, clock and memory.
 *
 * Locks: each component has one, taken with or without the big lock held,
 * and in the direction of the trace: encoder, funnel, sink. The big lock is
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
#include "tools/machine/model/sink.h"

#define RVTRACE_PAGE		0x1000

#define TYPE_RVTRACE_COMPONENT "rvtrace-component"
OBJECT_DECLARE_TYPE(RVTraceComponent, RVTraceComponentClass, RVTRACE_COMPONENT)

#define TYPE_RVTRACE_ENCODER "rvtrace-encoder"
OBJECT_DECLARE_SIMPLE_TYPE(RVTraceEncoder, RVTRACE_ENCODER)

#define TYPE_RVTRACE_FUNNEL "rvtrace-funnel"
OBJECT_DECLARE_SIMPLE_TYPE(RVTraceFunnel, RVTRACE_FUNNEL)

#define TYPE_RVTRACE_RAM_SINK "rvtrace-ram-sink"
OBJECT_DECLARE_SIMPLE_TYPE(RVTraceSink, RVTRACE_RAM_SINK)

/* Kinds of components */
enum rvtrace_kind {
	RVTRACE_KIND_ENCODER,
	RVTRACE_KIND_FUNNEL,
	RVTRACE_KIND_RAM_SINK,
	RVTRACE_KINDS
};

/**
 * struct RVTraceOutput - where a component sends its trace
 * @to: the next component
 * @input: which of its inputs that is
 */
typedef struct RVTraceOutput {
	RVTraceComponent *to;
	uint32_t input;
} RVTraceOutput;

/**
 * struct RVTraceComponent - what all components have in common
 * @index: among those of its kind
 * @base: of its page
 * @output: its @to is NULL where the way ends
 * @lock: the model, and what else the kind has
 */
struct RVTraceComponent {
	SysBusDevice parent_obj;
	MemoryRegion mmio;
	uint32_t index;
	hwaddr base;
	char *name;
	RVTraceOutput output;
	QEMUTimer *timer;
	QemuMutex lock;
};

/**
 * struct RVTraceComponentClass - what a kind of components does
 *
 * All functions run with the lock of the component held.
 *
 * @kind: which
 * @generation: whose registers it has
 * @create: make the model; false and an error if the configuration is wrong
 * @write_part: a write of 1 or 2 bytes, if the generation has such; NULL: this
 *	kind has none
 * @send, @advance, @is_on, @shared: what comes from upstream, as in struct
 *	te_ops; NULL: nothing does
 * @bandwidth, @set_bandwidth: of its RAM sink; NULL: there is none
 */
struct RVTraceComponentClass {
	SysBusDeviceClass parent_class;
	enum rvtrace_kind kind;
	enum tci generation;
	bool (*create)(RVTraceComponent *c, Error **errp);
	void (*reset)(RVTraceComponent *c);
	uint32_t (*read)(RVTraceComponent *c, uint32_t offset);
	void (*write)(RVTraceComponent *c, uint32_t offset, uint32_t value);
	void (*write_part)(RVTraceComponent *c, uint32_t offset,
			   uint32_t value, unsigned int size);
	void (*tick)(RVTraceComponent *c);
	bool (*send)(RVTraceComponent *c, uint32_t input,
		     const uint8_t *message, size_t size, bool wait);
	void (*advance)(RVTraceComponent *c, uint32_t halfwords);
	bool (*is_on)(RVTraceComponent *c);
	uint64_t (*shared)(RVTraceComponent *c, uint64_t external,
			   uint64_t cycles);
	void (*fault)(RVTraceComponent *c, struct fault *fault);
	void (*set_fault)(RVTraceComponent *c, const struct fault *fault);
	uint64_t (*accesses)(RVTraceComponent *c);
	uint32_t (*bandwidth)(RVTraceComponent *c);
	void (*set_bandwidth)(RVTraceComponent *c, uint32_t bandwidth);
};

/**
 * struct RVTraceEncoder - encoder of one hart
 * @spare: nothing comes from the hart: it seems to stand still
 * @cpu: the hart
 * @asked: the model waits for an answer to its last te_ops.set_tracing
 * @wanted: what it asked for
 * @queued: encoder_answer() is on its way to the hart
 */
struct RVTraceEncoder {
	RVTraceComponent parent_obj;
	struct te_config config;
	bool spare;
	RISCVCPU *cpu;
	struct te_model *model;
	bool asked;
	bool wanted;
	bool queued;
};

/* Funnel, with the sinks of its page */
struct RVTraceFunnel {
	RVTraceComponent parent_obj;
	struct tf_config config;
	struct tf_model *model;
};

/* Sink with a page of its own */
struct RVTraceSink {
	RVTraceComponent parent_obj;
	struct sink_config config;
	struct sink_model *model;
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

/* Clock of the trace hardware: nanoseconds of the virtual clock. */
static inline uint64_t rvtrace_ticks(void)
{
	return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* The External timestamp of components without a hart: that of hart 0. */
uint64_t rvtrace_external(void *opaque);

/* Ops of the models: @opaque is the component. */
uint64_t rvtrace_now(void *opaque);
void rvtrace_schedule(void *opaque, uint64_t ticks);
bool rvtrace_send(void *opaque, const uint8_t *message, size_t size, bool wait);
void rvtrace_advance(void *opaque, uint32_t halfwords);
bool rvtrace_is_on(void *opaque);
uint64_t rvtrace_shared(void *opaque, uint64_t external, uint64_t cycles);
bool rvtrace_dma_write(void *opaque, uint64_t addr, const uint8_t *data,
		       size_t size);

/* The `time` CSR of the hart at @ticks. */
uint64_t rvtrace_time(CPURISCVState *env, uint64_t ticks);

/* Ask the hart to answer the encoder; @encoder's lock is held. */
void rvtrace_hart_ask(RVTraceEncoder *encoder, bool on);

/* The hart forgets that it is traced; it is not running. */
void rvtrace_hart_reset(RVTraceEncoder *encoder);

/* From now on sinks are not coherent with the caches; @ram is at @base. */
void rvtrace_cache_init(MemoryRegion *ram, hwaddr base);

/* Return: false if the caches have nothing to do with this write. */
bool rvtrace_cache_write(hwaddr addr, const uint8_t *data, size_t size);

/**
 * rvtrace_fault_map() - map the registers that break components
 * @components: array of RVTraceComponent
 */
void rvtrace_fault_map(hwaddr addr, GPtrArray *components);

/**
 * rvtrace_log_open() - log every register access
 * @path: one line per access: time in nanoseconds of the virtual clock,
 *	component, R or W, offset, value
 */
void rvtrace_log_open(const char *path, Error **errp);
void rvtrace_log(const char *component, char direction, hwaddr offset,
		 uint32_t value);

#endif

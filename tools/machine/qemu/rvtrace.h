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
#include "tools/machine/model/osd-stm.h"
#include "tools/machine/model/sink.h"

#define RVTRACE_PAGE		0x1000
#define RVTRACE_MAX_OUTPUTS	4
/* Blocks that share one reading of the clock: some hundred nanoseconds */
#define RVTRACE_BLOCKS		16
/* Where they are instructions, those of a translation block (TCG_MAX_INSNS), and WFI before it */
#define RVTRACE_MAX_BLOCKS	(RVTRACE_BLOCKS + 512 + 1)
/* Of an instruction: CM.PUSH */
#define RVTRACE_MAX_ACCESSES	13

#define TYPE_RVTRACE_COMPONENT "rvtrace-component"
OBJECT_DECLARE_TYPE(RVTraceComponent, RVTraceComponentClass, RVTRACE_COMPONENT)

#define TYPE_RVTRACE_ENCODER "rvtrace-encoder"
OBJECT_DECLARE_SIMPLE_TYPE(RVTraceEncoder, RVTRACE_ENCODER)

#define TYPE_RVTRACE_FUNNEL "rvtrace-funnel"
OBJECT_DECLARE_SIMPLE_TYPE(RVTraceFunnel, RVTRACE_FUNNEL)

#define TYPE_RVTRACE_SINK "rvtrace-sink"
OBJECT_DECLARE_SIMPLE_TYPE(RVTraceSink, RVTRACE_SINK)

#define TYPE_RVTRACE_STM "rvtrace-osd-stm"
OBJECT_DECLARE_SIMPLE_TYPE(RVTraceStm, RVTRACE_STM)

#define TYPE_RVTRACE_RAM_SINK "rvtrace-ram-sink"
#define TYPE_RVTRACE_PIB_SINK "rvtrace-pib-sink"
#define TYPE_RVTRACE_ATB_BRIDGE "rvtrace-atb-bridge"

/* Kinds of components */
enum rvtrace_kind {
	RVTRACE_KIND_ENCODER,
	RVTRACE_KIND_FUNNEL,
	RVTRACE_KIND_RAM_SINK,
	RVTRACE_KIND_PIB_SINK,
	RVTRACE_KIND_ATB_BRIDGE,
	RVTRACE_KIND_STM,
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
 * @outputs: none: the way ends here. More: each gets everything
 * @lock: everything below it, the model, and what else the kind has
 * @pins, @frames, @sent: files of what leaves the chip, and of what was to leave
 *	it; NULL: none yet
 */
struct RVTraceComponent {
	SysBusDevice parent_obj;
	MemoryRegion mmio;
	uint32_t index;
	hwaddr base;
	char *name;
	RVTraceOutput outputs[RVTRACE_MAX_OUTPUTS];
	unsigned int output_count;
	QEMUTimer *timer;
	QemuMutex lock;
	FILE *pins;
	FILE *frames;
	FILE *sent;
};

/**
 * struct RVTraceComponentClass - what a kind of components does
 *
 * All functions run with the lock of the component held.
 *
 * @kind: which
 * @generation: whose registers it has
 * @halves: registers have 16 bits, and 4 bytes are two of them
 * @create: make the model; false and an error if the configuration is wrong
 * @read_part: a read of 2 bytes, with @halves
 * @write_part: a write of 1 or 2 bytes, if the generation has such, or of 2 bytes with
 *	@halves; NULL: this kind has none
 * @send, @advance, @has_room, @is_on, @shared: what comes from upstream, as in struct
 *	te_ops; NULL: nothing does
 * @stream: as te_ops.stream_begin; NULL: nothing is shared
 * @fault: what is wrong with it; NULL: it cannot be broken
 * @happen: a set of enum fault_event; NULL: nothing does
 * @fired: as te_model_fired(); NULL: there are no triggers
 * @bandwidth, @set_bandwidth: of its RAM sink; NULL: there is none
 */
struct RVTraceComponentClass {
	SysBusDeviceClass parent_class;
	enum rvtrace_kind kind;
	enum tci generation;
	bool halves;
	bool (*create)(RVTraceComponent *c, Error **errp);
	void (*reset)(RVTraceComponent *c);
	void (*lose_power)(RVTraceComponent *c);
	uint32_t (*read)(RVTraceComponent *c, uint32_t offset);
	uint32_t (*read_part)(RVTraceComponent *c, uint32_t offset,
			      unsigned int size);
	void (*write)(RVTraceComponent *c, uint32_t offset, uint32_t value);
	void (*write_part)(RVTraceComponent *c, uint32_t offset,
			   uint32_t value, unsigned int size);
	void (*tick)(RVTraceComponent *c);
	bool (*send)(RVTraceComponent *c, uint32_t input,
		     const uint8_t *message, size_t size, bool wait);
	void (*advance)(RVTraceComponent *c, uint32_t halfwords);
	struct shared_stream *(*stream)(RVTraceComponent *c, uint32_t input);
	bool (*has_room)(RVTraceComponent *c, uint32_t input, size_t size);
	bool (*is_on)(RVTraceComponent *c);
	uint64_t (*shared)(RVTraceComponent *c, uint64_t external,
			   uint64_t cycles);
	void (*fault)(RVTraceComponent *c, struct fault *fault);
	void (*set_fault)(RVTraceComponent *c, const struct fault *fault);
	uint64_t (*accesses)(RVTraceComponent *c);
	void (*happen)(RVTraceComponent *c, uint32_t events);
	uint32_t (*fired)(RVTraceComponent *c, bool clear);
	uint32_t (*bandwidth)(RVTraceComponent *c);
	void (*set_bandwidth)(RVTraceComponent *c, uint32_t bandwidth);
};

/**
 * struct RVTraceEncoder - encoder of one hart
 * @spare: nothing comes from the hart: it seems to stand still
 * @cpu: the hart
 * @asked: the model waits for an answer to its last te_ops.set_tracing
 * @wanted: what it asked for
 * @threads: the hart shall report what it writes to tp
 * @breakpoint: the breakpoint that the hart is about to take is that of a trigger
 * @queued: encoder_answer() is on its way to the hart
 * @blocks: what the hart did and the model was not told yet, oldest first
 * @waiting: how many
 * @accesses: of their instructions, and of the one under way; NULL: nobody asked yet
 * @access_count: how many
 * @access_given: of them, those that a block has. All from @blocks on belong to the hart's
 *	thread, not to the lock
 */
struct RVTraceEncoder {
	RVTraceComponent parent_obj;
	struct te_config config;
	bool spare;
	RISCVCPU *cpu;
	struct te_model *model;
	bool asked;
	bool wanted;
	bool threads;
	bool breakpoint;
	bool queued;
	struct ingress_block blocks[RVTRACE_MAX_BLOCKS];
	unsigned int waiting;
	struct ingress_access *accesses;
	unsigned int access_count;
	unsigned int access_given;
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

/**
 * struct RVTraceStm - System Trace Module of one hart
 * @cpu: the hart
 * @threads: the hart shall report what it writes to tp
 */
struct RVTraceStm {
	RVTraceComponent parent_obj;
	struct stm_config config;
	RISCVCPU *cpu;
	struct stm_model *model;
	bool threads;
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

/* Of the sinks in the page of @device, as -global knows them */
#define RVTRACE_RAM_PROPS(device, ram) \
	RVTRACE_PROP_U32("access-width", device, ram.access_width), \
	RVTRACE_PROP_U32("addr-bits", device, ram.addr_bits), \
	RVTRACE_PROP_U64("fixed-start", device, ram.fixed_start), \
	RVTRACE_PROP_U64("fixed-limit", device, ram.fixed_limit), \
	RVTRACE_PROP_U32("burst", device, ram.burst), \
	RVTRACE_PROP_U32("bandwidth", device, ram.bandwidth), \
	RVTRACE_PROP_U32("queue", device, ram.queue), \
	RVTRACE_PROP_U32("ram-format", device, ram.format), \
	RVTRACE_PROP_U32("posted-words", device, ram.posted_words), \
	RVTRACE_PROP_U32("sram-size", device, ram.sram_size), \
	RVTRACE_PROP_FLAG("sram-limit", device, ram.sram_limit), \
	RVTRACE_PROP_FLAG("sram-write", device, ram.sram_write), \
	RVTRACE_PROP_FLAG("sram-live", device, ram.sram_live)
#define RVTRACE_PIB_PROPS(device) \
	RVTRACE_PROP_U32("pib-modes", device, pib.modes), \
	RVTRACE_PROP_FLAG("pib-ref-center", device, pib.ref_center), \
	RVTRACE_PROP_FLAG("pib-calibrate", device, pib.calibrate), \
	RVTRACE_PROP_U32("pib-divider-bits", device, pib.divider_bits), \
	RVTRACE_PROP_U32("pib-divider", device, pib.divider), \
	RVTRACE_PROP_U32("pib-rate", device, pib.rate), \
	RVTRACE_PROP_U32("pib-queue", device, pib.queue), \
	RVTRACE_PROP_U32("pib-format", device, pib.format), \
	RVTRACE_PROP_U64("pib-active-delay", device, pib.active_delay), \
	RVTRACE_PROP_U64("pib-empty-delay", device, pib.empty_delay), \
	RVTRACE_PROP_U32("pib-calibrations", device, pib.calibrations)
#define RVTRACE_ATB_PROPS(device) \
	RVTRACE_PROP_U32("atb-id", device, atb.id), \
	RVTRACE_PROP_FLAG("atb-refuses", device, atb.refuses), \
	RVTRACE_PROP_U64("atb-active-delay", device, atb.active_delay), \
	RVTRACE_PROP_U64("atb-empty-delay", device, atb.empty_delay), \
	RVTRACE_PROP_U32("atb-sync-interval", device, atb.sync_interval), \
	RVTRACE_PROP_U32("atb-others", device, atb.others)

/* Clock of the trace hardware: nanoseconds of the virtual clock. */
static inline uint64_t rvtrace_ticks(void)
{
	return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* A register of the trace hardware is accessed, by a hart perhaps. */
void rvtrace_accessed(void);

/* The External timestamp of components without a hart: that of hart 0. */
uint64_t rvtrace_external(void *opaque);

/* Ops of the models: @opaque is the component. */
uint64_t rvtrace_now(void *opaque);
void rvtrace_schedule(void *opaque, uint64_t ticks);
bool rvtrace_send(void *opaque, const uint8_t *message, size_t size, bool wait);
void rvtrace_advance(void *opaque, uint32_t halfwords);
struct shared_stream *rvtrace_stream_begin(void *opaque);
void rvtrace_stream_end(void *opaque);
bool rvtrace_has_room(void *opaque, size_t size);
bool rvtrace_is_on(void *opaque);
uint64_t rvtrace_shared(void *opaque, uint64_t external, uint64_t cycles);
bool rvtrace_dma_write(void *opaque, uint64_t addr, const uint8_t *data,
		       size_t size);
void rvtrace_pib_write(void *opaque, const uint8_t *samples, size_t size);
void rvtrace_atb_write(void *opaque, const uint8_t *frames, size_t size);
void rvtrace_sent(void *opaque, const uint8_t *message, size_t size);

/*
 * From now on what leaves the chip goes to files of this name, that of the
 * component and `.pib` or `.atb`, and what was given to the sink to one that ends
 * in `.sent`.
 */
void rvtrace_out_open(const char *prefix);

/* Send what @from has to input @input of @to, too. */
void rvtrace_connect(RVTraceComponent *from, RVTraceComponent *to,
		     uint32_t input);

/* The `time` CSR of the hart at @ticks. */
uint64_t rvtrace_time(CPURISCVState *env, uint64_t ticks);

/* Ask the hart to answer the encoder; @encoder's lock is held. */
void rvtrace_hart_ask(RVTraceEncoder *encoder, bool on);

/* What the encoder hears may have changed; its lock is held. */
void rvtrace_hart_listen(RVTraceEncoder *encoder);

/*
 * A hart whose trace is not taken waits for that: it executes nothing until its encoder does not
 * stall it. With one clock for instructions and time all harts are one thread: nothing happens.
 */
void rvtrace_hart_stand_still(RVTraceEncoder *encoder);

/* The hart forgets that it is traced; it is not running. */
void rvtrace_hart_reset(RVTraceEncoder *encoder);

/* Who wants to know what a hart writes to tp: bits of RVTraceCPU.listeners */
#define RVTRACE_ENCODER_LISTENS	1
#define RVTRACE_STM_LISTENS	2

/* @who wants to, or not any more; on the hart's thread, or while it is not running */
void rvtrace_hart_threads(CPURISCVState *env, uint32_t who, bool on);

/* The module of the hart, if there is one, hears an event, or what was written to tp. */
void rvtrace_stm_event(CPURISCVState *env, uint16_t id, uint64_t value);
void rvtrace_stm_thread(CPURISCVState *env, uint64_t value);

/* From now on sinks are not coherent with the caches; @ram is at @base. */
void rvtrace_cache_init(MemoryRegion *ram, hwaddr base);

/* Return: false if the caches have nothing to do with this write. */
bool rvtrace_cache_write(hwaddr addr, const uint8_t *data, size_t size);

/**
 * rvtrace_log_open() - log every register access
 * @path: one line per access: time in nanoseconds of the virtual clock,
 *	component, R or W, offset, value
 */
void rvtrace_log_open(const char *path, Error **errp);
void rvtrace_log(const char *component, char direction, hwaddr offset,
		 uint32_t value);

#endif

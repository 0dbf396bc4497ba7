/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sink that is a component of its own (TCI 1.0): what takes trace and passes
 * it to nobody.
 *
 * Threads: as for the funnel.
 */
#ifndef RVTRACE_MODEL_SINK_H
#define RVTRACE_MODEL_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/machine/model/atbsink.h"
#include "tools/machine/model/generation.h"
#include "tools/machine/model/outlet.h"
#include "tools/machine/model/pibsink.h"
#include "tools/machine/model/ramsink.h"

/* What a component is */
enum sink_kind {
	SINK_KIND_RAM,
	SINK_KIND_PIB,
	SINK_KIND_ATB,
	SINK_KINDS
};

/**
 * struct sink_config - what the hardware can do
 * @generation: whose registers it has
 * @kind: what it is
 * @ram_modes: bit n: trRamMode n is legal
 * @stop_on_wrap: trRamStopOnWrap is implemented
 * @ram: of a RAM sink
 * @pib: of a PIB sink
 * @atb: of an ATB bridge
 * @component: what all components have in common
 */
struct sink_config {
	enum tci generation;
	enum sink_kind kind;
	uint32_t ram_modes;
	bool stop_on_wrap;
	struct ramsink_config ram;
	struct pibsink_config pib;
	struct atbsink_config atb;
	struct component_config component;
};

/**
 * struct sink_ops - what the sink asks of the machine around it
 * @schedule: call sink_model_tick() once, @ticks from now; replaces an earlier
 *	schedule that has not fired. Called from register writes and ticks only.
 * @outlet: the clock, and what takes the trace; the way on is not asked
 */
struct sink_ops {
	void (*schedule)(void *opaque, uint64_t ticks);
	struct outlet_ops outlet;
};

/**
 * struct sink_stats - counters since sink_model_new(), never reset
 * @bytes: accepted
 * @dropped: accepted and thrown away because the sink was disabled
 * @wraps: times the write pointer went back to the start
 * @accesses: reads and writes of registers
 */
struct sink_stats {
	uint64_t bytes;
	uint64_t dropped;
	uint64_t wraps;
	uint64_t accesses;
};

struct sink_model;

/* A sink with everything implemented, a RAM sink in system memory only. */
void sink_config_init(struct sink_config *config, enum tci generation,
		      enum sink_kind kind);

/* Return: NULL, or what is wrong with @config. */
const char *sink_config_check(const struct sink_config *config);

/* Return: the sink, inactive, or NULL; @config is copied, @ops is kept. */
struct sink_model *sink_model_new(const struct sink_config *config,
				  const struct sink_ops *ops, void *opaque);
void sink_model_free(struct sink_model *sink);
void sink_model_reset(struct sink_model *sink);

/* Power is off and on again, at any time: nothing is kept. */
void sink_model_lose_power(struct sink_model *sink);

/* Registers: @offset is a multiple of 4 below 0x1000, accesses are 32 bits. */
uint32_t sink_model_read(struct sink_model *sink, uint32_t offset);
void sink_model_write(struct sink_model *sink, uint32_t offset, uint32_t value);

/* The time asked for with sink_ops.schedule has come. */
void sink_model_tick(struct sink_model *sink);

/* What send, advance, has_room and is_on of the outlets upstream lead to. */
bool sink_model_send(struct sink_model *sink, const uint8_t *message,
		     size_t size, bool wait);
void sink_model_advance(struct sink_model *sink, uint32_t halfwords);
bool sink_model_has_room(const struct sink_model *sink, size_t size);
bool sink_model_is_on(const struct sink_model *sink);

/* What is wrong with it, from now on. */
void sink_model_set_fault(struct sink_model *sink, const struct fault *fault);
void sink_model_fault(const struct sink_model *sink, struct fault *fault);

/* Of a RAM sink: as ramsink_config.bandwidth, from now on. */
void sink_model_set_bandwidth(struct sink_model *sink, uint32_t bandwidth);
uint32_t sink_model_bandwidth(const struct sink_model *sink);

void sink_model_stats(const struct sink_model *sink, struct sink_stats *stats);

#endif /* RVTRACE_MODEL_SINK_H */

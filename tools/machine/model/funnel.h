/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace funnel with the sinks in its page (TCI 0.9.4 chapters 6 and 11) or
 * without any (1.0), and no machine around it.
 *
 * Threads: as for the encoder, one lock per funnel held by the caller around
 * every function; callbacks run with it held and must not call back.
 * tf_model_send() and tf_model_advance() come from whatever thread drives the
 * component upstream, which holds its own lock as well.
 */
#ifndef RVTRACE_MODEL_FUNNEL_H
#define RVTRACE_MODEL_FUNNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/machine/model/atbsink.h"
#include "tools/machine/model/fault.h"
#include "tools/machine/model/debugspec-link.h"
#include "tools/machine/model/generation.h"
#include "tools/machine/model/pibsink.h"
#include "tools/machine/model/ramsink.h"

#define TF_INPUTS	16

/**
 * struct tf_config - what the hardware can do
 * @generation: whose registers it has
 * @sinks: bit n: tfSink n is legal, as in struct te_config
 * @stop_on_wrap: tfStopOnWrap is implemented
 * @dis_input: writable bits of trFunnelDisInput
 * @ts_types: bit n: trTsMode n is legal; bit 0 alone: no timestamp unit
 * @ts_width: bits of the timestamp
 * @ts_prescale: trTsPrescale is implemented
 * @ts_vendor: bits of tsControl[23:16] that can be set
 * @ts_active_delay: ticks until a change of tsActive is acknowledged
 * @active_delay: ticks until a change of tfActive is acknowledged
 * @empty_delay: ticks that flushing takes after a disable
 * @enable_delay: ticks until a change of Enable can be read back
 * @undef: fields that are undefined after a reset are garbage made from this
 *	number; 0: they are reset
 * @sink: the RAM sink in this page, if @sinks has bit 4 or 7
 * @pib: the PIB in this page, if @sinks has bit 6
 * @atb: the ATB sink in this page, if @sinks has bit 5
 * @debugspec_buffer: bytes of the buffer that encoders with the debug specification's trace
 *	share, which makes one stream of theirs; 0: each has a stream of its own
 * @fault: what is wrong with it after reset
 */
struct tf_config {
	enum tci generation;
	uint32_t sinks;
	bool stop_on_wrap;
	uint32_t dis_input;
	uint32_t ts_types;
	uint32_t ts_width;
	bool ts_prescale;
	uint32_t ts_vendor;
	uint64_t ts_active_delay;
	uint64_t active_delay;
	uint64_t empty_delay;
	uint64_t enable_delay;
	uint32_t undef;
	struct ramsink_config sink;
	struct pibsink_config pib;
	struct atbsink_config atb;
	uint32_t debugspec_buffer;
	struct fault fault;
};

/**
 * struct tf_ops - what the funnel asks of the machine around it
 * @now: clock, in ticks
 * @timestamp: what an External timestamp reads now; needed only with a
 *	timestamp unit
 * @shared: what a Slave timestamp read at @cycles, when the External one read
 *	@external; NULL: the External one
 * @schedule: call tf_model_tick() once, @ticks from now; replaces an earlier
 *	schedule that has not fired. Called from register writes and ticks only.
 * @dma_write: write trace to memory; needed only when tfSink 7 is legal
 * @send: hand a message to the next component, as in struct te_ops; needed
 *	only when tfSink 8 is legal
 * @advance: likewise
 * @has_room: whether send would take @size bytes without waiting (may be NULL)
 * @is_on: as in struct te_ops
 * @pib_write, @atb_write: likewise
 * @sent: as in struct outlet_ops
 */
struct tf_ops {
	uint64_t (*now)(void *opaque);
	uint64_t (*timestamp)(void *opaque);
	uint64_t (*shared)(void *opaque, uint64_t external, uint64_t cycles);
	void (*schedule)(void *opaque, uint64_t ticks);
	ramsink_dma_write dma_write;
	bool (*send)(void *opaque, const uint8_t *message, size_t size,
		     bool wait);
	void (*advance)(void *opaque, uint32_t halfwords);
	bool (*has_room)(void *opaque, size_t size);
	bool (*is_on)(void *opaque);
	pib_write pib_write;
	atb_frames_write atb_write;
	void (*sent)(void *opaque, const uint8_t *message, size_t size);
};

/**
 * struct tf_stats - counters since tf_model_new(), never reset
 * @bytes: accepted and passed on
 * @dropped: accepted and thrown away because the funnel or the input was
 *	disabled
 * @wraps: times the write pointer went back to the base
 * @accesses: reads and writes of registers
 */
struct tf_stats {
	uint64_t bytes;
	uint64_t dropped;
	uint64_t wraps;
	uint64_t accesses;
};

struct tf_model;

/*
 * A funnel with everything implemented, and with a system-memory sink if that
 * is in its page. Delays are those of a clock that ticks in nanoseconds.
 */
void tf_config_init(struct tf_config *config, enum tci generation);

/* Of TCI 0.9.4. */
static inline void tf_config_default(struct tf_config *config)
{
	tf_config_init(config, TCI_0_9);
}

/* Return: NULL, or what is wrong with @config. */
const char *tf_config_check(const struct tf_config *config);

/* Return: the funnel, inactive, or NULL; @config is copied, @ops is kept. */
struct tf_model *tf_model_new(const struct tf_config *config,
			      const struct tf_ops *ops, void *opaque);
void tf_model_free(struct tf_model *tf);
void tf_model_reset(struct tf_model *tf);

/* Power is off and on again, at any time: nothing is kept. */
void tf_model_lose_power(struct tf_model *tf);

/* Registers: @offset is a multiple of 4 below 0x1000, accesses are 32 bits. */
uint32_t tf_model_read(struct tf_model *tf, uint32_t offset);
void tf_model_write(struct tf_model *tf, uint32_t offset, uint32_t value);

/* The time asked for with tf_ops.schedule has come. */
void tf_model_tick(struct tf_model *tf);

/* What te_ops.send and te_ops.advance lead to; @input: below TF_INPUTS */
bool tf_model_send(struct tf_model *tf, unsigned int input,
		   const uint8_t *message, size_t size, bool wait);
void tf_model_advance(struct tf_model *tf, uint32_t halfwords);

/* What te_ops.debugspec_begin leads to: NULL: there is no such stream. */
struct debugspec_link *tf_model_debugspec(struct tf_model *tf, unsigned int input);

/* What tf_ops.has_room, .is_on and .shared lead to. */
bool tf_model_has_room(const struct tf_model *tf, unsigned int input,
		       size_t size);
bool tf_model_is_on(const struct tf_model *tf);
uint64_t tf_model_shared(const struct tf_model *tf, uint64_t external,
			 uint64_t cycles);

/* What is wrong with it, from now on. */
void tf_model_set_fault(struct tf_model *tf, const struct fault *fault);
void tf_model_fault(const struct tf_model *tf, struct fault *fault);

/* As ramsink_config.bandwidth, from now on. */
void tf_model_set_bandwidth(struct tf_model *tf, uint32_t bandwidth);
uint32_t tf_model_bandwidth(const struct tf_model *tf);

void tf_model_stats(const struct tf_model *tf, struct tf_stats *stats);

#endif /* RVTRACE_MODEL_FUNNEL_H */

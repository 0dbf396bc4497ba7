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
#include "tools/machine/model/generation.h"
#include "tools/machine/model/outlet.h"
#include "tools/machine/model/pibsink.h"
#include "tools/machine/model/ramsink.h"
#include "tools/machine/model/shared-stream.h"
#include "tools/machine/model/timestamp.h"

#define TF_INPUTS	16

/**
 * struct tf_config - what the hardware can do
 * @generation: whose registers it has
 * @sinks: bit n: tfSink n is legal, as in struct te_config
 * @stop_on_wrap: tfStopOnWrap is implemented
 * @dis_input: writable bits of trFunnelDisInput
 * @timestamp: the timestamp unit
 * @sink: the RAM sink in this page, if @sinks has bit 4 or 7
 * @pib: the PIB in this page, if @sinks has bit 6
 * @atb: the ATB sink in this page, if @sinks has bit 5
 * @shared_buffer: bytes of the buffer that encoders share, which makes one stream of theirs
 *	if their format has such; 0: each has a stream of its own
 * @component: what all components have in common
 */
struct tf_config {
	enum tci generation;
	uint32_t sinks;
	bool stop_on_wrap;
	uint32_t dis_input;
	struct timestamp_config timestamp;
	struct ramsink_config sink;
	struct pibsink_config pib;
	struct atbsink_config atb;
	uint32_t shared_buffer;
	struct component_config component;
};

/**
 * struct tf_ops - what the funnel asks of the machine around it
 * @timestamp: what an External timestamp reads now; needed only with a
 *	timestamp unit
 * @shared: what a Slave timestamp read at @cycles, when the External one read
 *	@external; NULL: the External one
 * @schedule: call tf_model_tick() once, @ticks from now; replaces an earlier
 *	schedule that has not fired. Called from register writes and ticks only.
 * @outlet: the way on, and the clock
 */
struct tf_ops {
	uint64_t (*timestamp)(void *opaque);
	uint64_t (*shared)(void *opaque, uint64_t external, uint64_t cycles);
	void (*schedule)(void *opaque, uint64_t ticks);
	struct outlet_ops outlet;
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

/* What send and advance of the outlets upstream lead to; @input: below TF_INPUTS */
bool tf_model_send(struct tf_model *tf, unsigned int input,
		   const uint8_t *message, size_t size, bool wait);
void tf_model_advance(struct tf_model *tf, uint32_t halfwords);

/* What te_ops.stream_begin leads to: NULL: there is no such stream. */
struct shared_stream *tf_model_stream(struct tf_model *tf, unsigned int input);

/* What has_room and is_on of an outlet upstream, and shared of its owner, lead to. */
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

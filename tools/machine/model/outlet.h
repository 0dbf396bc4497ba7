/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the trace of a component goes: to one of the sinks in its page, or on
 * to the next component.
 */
#ifndef RVTRACE_MODEL_OUTLET_H
#define RVTRACE_MODEL_OUTLET_H

#include "tools/machine/model/component.h"
#include "tools/machine/model/generation.h"
#include "tools/machine/model/ramsink.h"

/**
 * struct outlet_ops - the way on
 * @send: hand one whole message to the next component; false when it has no
 *	room. With @wait it must take it (the sender waits until it can).
 * @advance: the harts retired this many half-words since the last call
 * @is_on: the next component takes what is sent, and does not only drop it;
 *	NULL: nobody asks
 * @dma_write: of the sink in system memory
 */
struct outlet_ops {
	bool (*send)(void *opaque, const uint8_t *message, size_t size,
		     bool wait);
	void (*advance)(void *opaque, uint32_t halfwords);
	bool (*is_on)(void *opaque);
	ramsink_dma_write dma_write;
};

/**
 * struct outlet - state; embedded in its owner, fields are private
 * @sinks: those there are, SINK_FUNNEL for the way on
 * @sink: the one in use
 * @error: trace could not be delivered; the owner clears it
 */
struct outlet {
	struct outlet_ops ops;
	void *opaque;
	uint32_t sinks;
	uint32_t sink;
	bool error;
	struct ramsink ram;
};

void outlet_init(struct outlet *outlet, const struct generation *generation,
		 uint32_t sinks, const struct ramsink_config *ram,
		 const struct outlet_ops *ops, void *opaque);

/* Add the registers of the sinks to the page of @component. */
void outlet_add_registers(struct outlet *outlet, struct component *component);

/**
 * outlet_select() - what the owner's registers say
 * @sink: value of teSink or tfSink; 0: the one sink there is
 * @stop_on_wrap: nothing is stored after a RAM sink has filled
 */
void outlet_select(struct outlet *outlet, uint32_t sink, bool stop_on_wrap);

/* The owner is enabled: what has filled may be filled again. */
void outlet_restart(struct outlet *outlet);

/* Return: false, and nothing happened, when there is no room. */
bool outlet_put(struct outlet *outlet, const uint8_t *message, size_t size,
		bool wait);
void outlet_advance(struct outlet *outlet, uint32_t halfwords);
void outlet_flush(struct outlet *outlet);
void outlet_reset(struct outlet *outlet);

/* Nothing more will be stored: stop-on-wrap. */
bool outlet_is_full(const struct outlet *outlet);
bool outlet_is_empty(const struct outlet *outlet);

/* Return: whether trace could not be delivered since this was last asked. */
bool outlet_take_error(struct outlet *outlet);

/* How wide the memory is behind its RAM sink, as teImpl of version 0 says it. */
uint32_t outlet_sink_bytes(const struct outlet *outlet);

#endif /* RVTRACE_MODEL_OUTLET_H */

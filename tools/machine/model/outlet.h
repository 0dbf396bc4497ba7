/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the trace of a component goes: to one of the sinks in its page, or on
 * to the next component. A sink with a page of its own has one in it, too.
 */
#ifndef RVTRACE_MODEL_OUTLET_H
#define RVTRACE_MODEL_OUTLET_H

#include "tools/machine/model/atbsink.h"
#include "tools/machine/model/component.h"
#include "tools/machine/model/generation.h"
#include "tools/machine/model/pibsink.h"
#include "tools/machine/model/ramsink.h"

/**
 * struct outlet_config - what there is
 * @sinks: set of SINK_*, SINK_FUNNEL for the way on
 */
struct outlet_config {
	uint32_t sinks;
	const struct ramsink_config *ram;
	const struct pibsink_config *pib;
	const struct atbsink_config *atb;
};

/**
 * struct outlet_ops - the way on
 * @now: clock, in ticks
 * @send: hand one whole message to the next component; false when it has no
 *	room. With @wait it must take it (the sender waits until it can).
 * @advance: the harts retired this many half-words since the last call
 * @has_room: whether send would take @size bytes without waiting; NULL: it does
 * @is_on: the next component takes what is sent, and does not only drop it;
 *	NULL: nobody asks
 * @dma_write: of the sink in system memory
 * @pib_write, @atb_write: what leaves the chip
 * @sent: each message that a PIB or ATB sink, or SRAM, was given; NULL:
 *	nobody asks
 */
struct outlet_ops {
	uint64_t (*now)(void *opaque);
	bool (*send)(void *opaque, const uint8_t *message, size_t size,
		     bool wait);
	void (*advance)(void *opaque, uint32_t halfwords);
	bool (*has_room)(void *opaque, size_t size);
	bool (*is_on)(void *opaque);
	ramsink_dma_write dma_write;
	pib_write pib_write;
	atb_frames_write atb_write;
	void (*sent)(void *opaque, const uint8_t *message, size_t size);
};

/**
 * struct outlet - state; embedded in its owner, fields are private
 * @sinks: as in struct outlet_config
 * @sink: the one in use
 * @enabled: as outlet_select() was told
 * @error: trace could not be delivered; the owner clears it
 */
struct outlet {
	const struct generation *generation;
	struct outlet_ops ops;
	void *opaque;
	uint32_t sinks;
	uint32_t sink;
	bool enabled;
	bool error;
	struct ramsink ram;
	struct pibsink pib;
	struct atbsink atb;
};

/* Return: NULL, or what is wrong with @config. */
const char *outlet_config_check(const struct outlet_config *config,
				const struct generation *generation);

/* Return: false when out of memory. */
bool outlet_init(struct outlet *outlet, const struct generation *generation,
		 const struct outlet_config *config,
		 const struct outlet_ops *ops, void *opaque);
void outlet_free(struct outlet *outlet);

/* The registers of one of @sinks. */
struct reg_block outlet_registers(struct outlet *outlet, uint32_t sink);

/* Add the registers of all sinks to the page of @component. */
void outlet_add_registers(struct outlet *outlet, struct component *component);

/**
 * outlet_select() - what the owner's registers say
 * @sink: value of teSink or tfSink; 0: the one sink there is
 * @stop_on_wrap: nothing is stored after a RAM sink has filled
 * @enabled: the owner is. When that begins, what has filled may be filled again
 */
void outlet_select(struct outlet *outlet, uint32_t sink, bool stop_on_wrap,
		   bool enabled);

/* Return: false, and nothing happened, when there is no room. */
bool outlet_put(struct outlet *outlet, const uint8_t *message, size_t size,
		bool wait);
bool outlet_has_room(const struct outlet *outlet, size_t size);
void outlet_advance(struct outlet *outlet, uint32_t halfwords);
void outlet_flush(struct outlet *outlet);

/* Sinks with an Active bit of their own stay as they are. */
void outlet_reset(struct outlet *outlet);

/* Power is off and on again, of all sinks in the page; after outlet_reset(). */
void outlet_lose_power(struct outlet *outlet);

/* Nothing more will be stored: stop-on-wrap. */
bool outlet_is_full(const struct outlet *outlet);

/* Nothing is left in the sink in use, its own Empty bit aside. */
bool outlet_is_empty(const struct outlet *outlet);

/* Return: whether trace could not be delivered since this was last asked. */
bool outlet_take_error(struct outlet *outlet);

/* How wide the memory is behind its RAM sink, as teImpl of version 0 says it. */
uint32_t outlet_sink_bytes(const struct outlet *outlet);

#endif /* RVTRACE_MODEL_OUTLET_H */

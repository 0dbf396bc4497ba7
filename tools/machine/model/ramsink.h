/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RAM sink: a circular buffer in system memory (SMEM), or in memory of its own
 * (SRAM).
 *
 * Its registers are a block of the page of the encoder or funnel that owns it
 * (TCI 0.9.4 chapter 6) or have a page of their own (1.0, "Trace RAM Sink").
 * The sink packs bytes into words of the access width, writes them and moves
 * the write pointer.
 */
#ifndef RVTRACE_MODEL_RAMSINK_H
#define RVTRACE_MODEL_RAMSINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/machine/model/bottleneck.h"
#include "tools/machine/model/fields.h"
#include "tools/machine/model/generation.h"

#define RAMSINK_MAX_BURST	256
#define RAMSINK_MAX_POSTED	1024
#define RAMSINK_MAX_SRAM	(64u << 20)

/**
 * struct ramsink_config - what the hardware can do
 * @access_width: bytes of one word of system memory (A), a power of two, 4 to
 *	64; the write pointer moves in these units. In SRAM it is 4
 * @addr_bits: width of the sink's address bus, 13 to 64; up to 32 there are
 *	no registers for upper halves
 * @fixed_start, @fixed_limit: addresses that cannot be written; 0: they can be
 * @burst: bytes gathered before they go to memory, a multiple of
 *	@access_width up to RAMSINK_MAX_BURST; 0 is @access_width
 * @bandwidth: bytes the sink can store while the harts retire one half-word
 *	(16 bits) of instructions, as 16.16 fixed point; 0 is unlimited
 * @queue: bytes that may wait for memory while @bandwidth is limited, at
 *	least 64
 * @posted_words: words of the access width that the write pointer is ahead of
 *	what is in memory, up to RAMSINK_MAX_POSTED
 * @sram_size: bytes of its own memory, a multiple of 4 up to RAMSINK_MAX_SRAM
 * @sram_limit: the limit in SRAM can be written, up to the end of it
 * @sram_write: SRAM can be written through the data register
 * @sram_live: SRAM can be read while there is trace coming
 * @mem_formats: bit n: trRamMemFormat n is legal
 * @async_freqs: bit n: trRamAsyncFreq n is legal. Of E-Trace, values from 1 on
 *	have a synchronization sequence of the encapsulation put in front of the
 *	first message behind every 2^(n + 8) bytes. N-Trace has no alignment
 *	packets: no value makes any
 * @format: of what comes (values of teFormat, 0, 1 or 7): with idle bytes of that
 *	the last word is filled
 */
struct ramsink_config {
	uint32_t access_width;
	uint32_t addr_bits;
	uint64_t fixed_start;
	uint64_t fixed_limit;
	uint32_t burst;
	uint32_t bandwidth;
	uint32_t queue;
	uint32_t posted_words;
	uint32_t sram_size;
	bool sram_limit;
	bool sram_write;
	bool sram_live;
	uint32_t mem_formats;
	uint32_t async_freqs;
	uint32_t format;
};

/*
 * Write @size bytes of trace to physical address @addr. Return: false when
 * there is no memory.
 */
typedef bool (*ramsink_dma_write)(void *opaque, uint64_t addr,
				  const uint8_t *data, size_t size);

/* Words on their way to memory: those that the write pointer has passed. */
struct ramsink_posted {
	uint64_t addr[RAMSINK_MAX_POSTED];
	uint8_t data[RAMSINK_MAX_POSTED][64];
	uint32_t oldest;
	uint32_t count;
};

/**
 * struct ramsink - state; embedded in its owner, fields are private
 * @fields: of its registers; of RAM_ENABLE, RAM_MODE and RAM_STOP_ON_WRAP the
 *	owner is in charge
 * @pointer: RAM_START, RAM_LIMIT, RAM_WP, RAM_RP, counted from RAM_START, of
 *	each mode
 * @sram: its own memory
 * @wrapped: the buffer has filled since ramsink_init() or since the owner
 *	last cleared this (for stop-on-wrap)
 * @wraps: how often it filled
 * @error: trace was lost because there is no memory where it should go
 * @unaligned: bytes stored since the last synchronization sequence
 */
struct ramsink {
	struct ramsink_config config;
	const struct generation *generation;
	ramsink_dma_write dma_write;
	void *opaque;
	uint32_t fields[RAM_FIELDS];
	uint32_t legal[RAM_FIELDS];
	uint64_t pointer[2][4];
	uint8_t *sram;
	bool wrapped;
	uint64_t wraps;
	bool error;
	uint64_t unaligned;
	struct bottleneck bottleneck;
	uint32_t fill;
	uint8_t burst[RAMSINK_MAX_BURST];
	struct ramsink_posted posted;
};

/* Fill @config with a sink of 8-byte words, 64-byte bursts, no limits. */
void ramsink_config_default(struct ramsink_config *config);

/* @modes: bit n: RAM_MODE may be n */
#define RAMSINK_SRAM	(1u << 0)
#define RAMSINK_SMEM	(1u << 1)

/* Return: NULL, or what is wrong with @config. */
const char *ramsink_config_check(const struct ramsink_config *config,
				 uint32_t modes);

/* Return: false when out of memory. */
bool ramsink_init(struct ramsink *sink, const struct generation *generation,
		  const struct ramsink_config *config, uint32_t modes,
		  ramsink_dma_write dma_write, void *opaque);
void ramsink_free(struct ramsink *sink);

/* What its registers call for beside their table. */
uint32_t ramsink_read(struct ramsink *sink, enum ram_field id);
void ramsink_accept(struct ramsink *sink, enum ram_field id, uint32_t value);

/* Return: whether there is room for @size bytes. */
bool ramsink_has_room(const struct ramsink *sink, size_t size);

/**
 * ramsink_put() - store a whole message
 * @wait: the sender waits for memory, so the queue limit does not apply
 *
 * Return: false, and nothing is stored, when the queue has no room. With
 * stop-on-wrap nothing is written after the buffer has filled.
 */
bool ramsink_put(struct ramsink *sink, const uint8_t *data, size_t size,
		 bool wait);

/* The harts retired @halfwords: that much memory time has passed. */
void ramsink_advance(struct ramsink *sink, uint32_t halfwords);

/* Pad the last word with idle bytes and write everything. */
void ramsink_flush(struct ramsink *sink);

/*
 * Throw away what was gathered; what was posted still reaches memory. Pointers
 * and SRAM are kept: they "may not reset".
 */
void ramsink_reset(struct ramsink *sink);

/* Power is off and on again: they are not kept. */
void ramsink_lose_power(struct ramsink *sink);

/* The buffer has filled, and is not to be filled again. */
static inline bool ramsink_is_full(const struct ramsink *sink)
{
	return sink->wrapped && sink->fields[RAM_STOP_ON_WRAP];
}

/* While it is enabled, Empty is about what the sink itself holds. */
static inline bool ramsink_empty(const struct ramsink *sink)
{
	return sink->fill == 0 && (sink->fields[RAM_ENABLE] || sink->posted.count == 0);
}

#endif /* RVTRACE_MODEL_RAMSINK_H */

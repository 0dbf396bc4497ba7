/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System-memory trace sink: a circular buffer in memory (TCI 0.9.4 chapter 6).
 *
 * The sink is a block of the page of the encoder or funnel that owns it. It
 * packs bytes into words of the access width, writes them through a callback
 * and moves the write pointer.
 */
#ifndef RVTRACE_MODEL_RAMSINK_H
#define RVTRACE_MODEL_RAMSINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAMSINK_MAX_BURST	256
#define RAMSINK_MAX_POSTED	1024

/**
 * struct ramsink_config - what the hardware can do
 * @access_width: bytes of one memory word (A), a power of two, 4 to 64; the
 *	write pointer moves in these units
 * @addr_bits: width of the sink's address bus, 13 to 64; up to 32 there is no
 *	teRamBaseHigh
 * @burst: bytes gathered before they go to memory, a multiple of
 *	@access_width up to RAMSINK_MAX_BURST; 0 is @access_width
 * @bandwidth: bytes the sink can store while the harts retire one half-word
 *	(16 bits) of instructions, as 16.16 fixed point; 0 is unlimited
 * @queue: bytes that may wait for memory while @bandwidth is limited, at
 *	least 64
 * @posted_words: words of the access width that the write pointer is ahead of
 *	what is in memory, up to RAMSINK_MAX_POSTED
 */
struct ramsink_config {
	uint32_t access_width;
	uint32_t addr_bits;
	uint32_t burst;
	uint32_t bandwidth;
	uint32_t queue;
	uint32_t posted_words;
};

/* Write @size bytes of trace to physical address @addr. */
typedef void (*ramsink_dma_write)(void *opaque, uint64_t addr,
				  const uint8_t *data, size_t size);

#define RAMSINK_REGISTERS	4

/* Words on their way to memory: those that the write pointer has passed. */
struct ramsink_posted {
	uint64_t addr[RAMSINK_MAX_POSTED];
	uint8_t data[RAMSINK_MAX_POSTED][64];
	uint32_t oldest;
	uint32_t count;
};

/**
 * struct ramsink - state; embedded in its owner, fields are private
 * @wrapped: the buffer has filled since ramsink_init() or since the owner
 *	last cleared this (for stop-on-wrap)
 * @wraps: how often it filled
 */
struct ramsink {
	struct ramsink_config config;
	ramsink_dma_write dma_write;
	void *opaque;
	uint32_t regs[RAMSINK_REGISTERS];
	bool wrapped;
	uint64_t wraps;
	uint64_t backlog;
	uint32_t fill;
	uint8_t burst[RAMSINK_MAX_BURST];
	struct ramsink_posted posted;
};

/* Fill @config with a sink of 8-byte words, 64-byte bursts, no limits. */
void ramsink_config_default(struct ramsink_config *config);

/* Return: NULL, or what is wrong with @config. */
const char *ramsink_config_check(const struct ramsink_config *config);

void ramsink_init(struct ramsink *sink, const struct ramsink_config *config,
		  ramsink_dma_write dma_write, void *opaque);

/* Whether @offset is one of this block's registers. */
bool ramsink_has_register(const struct ramsink *sink, uint32_t offset);
uint32_t ramsink_read(const struct ramsink *sink, uint32_t offset);
void ramsink_write(struct ramsink *sink, uint32_t offset, uint32_t value);

/**
 * ramsink_put() - store a whole message
 * @wait: the sender waits for memory, so the queue limit does not apply
 *
 * Return: false, and nothing is stored, when the queue has no room. With
 * @stop_on_wrap nothing is written after the buffer has filled.
 */
bool ramsink_put(struct ramsink *sink, const uint8_t *data, size_t size,
		 bool wait, bool stop_on_wrap);

/* The harts retired @halfwords: that much memory time has passed. */
void ramsink_advance(struct ramsink *sink, uint32_t halfwords);

/* Pad the last word with @idle bytes and write everything. */
void ramsink_flush(struct ramsink *sink, uint8_t idle, bool stop_on_wrap);

/* Throw away what was gathered; what was posted still reaches memory. */
void ramsink_reset(struct ramsink *sink);

static inline bool ramsink_empty(const struct ramsink *sink)
{
	return sink->fill == 0 && sink->posted.count == 0;
}

#endif /* RVTRACE_MODEL_RAMSINK_H */

// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/ramsink.h"

#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/regs.h"

enum { BASE, BASE_HIGH, LIMIT, WP };

static bool is_legal_address(const void *owner, uint32_t value)
{
	const struct ramsink *sink = owner;
	uint32_t bits = sink->config.addr_bits;

	if (bits < 32 && value >> (bits - 2))
		return false;
	return (value << 2) % sink->config.access_width == 0;
}

static bool is_legal_high(const void *owner, uint32_t value)
{
	const struct ramsink *sink = owner;
	uint32_t bits = sink->config.addr_bits;

	if (bits <= 32)
		return value == 0;
	return bits >= 64 || !(value >> (bits - 32));
}

/* Bits 1:0 are always 0; teWrap is "only set to 0 if teRamWP is written". */
static const struct reg_field address_fields[] = {
	{ 0xfffffffc, is_legal_address },
	{}
};

static const struct reg_field high_fields[] = {
	{ 0xffffffff, is_legal_high },
	{}
};

static void wp_written(void *owner, uint32_t before)
{
	struct ramsink *sink = owner;

	(void)before;
	sink->regs[WP] &= ~RVTRACE_TE_RAM_WP_WRAP;
}

static const struct reg_spec specs[RAMSINK_REGISTERS] = {
	[BASE] = { "teRamBase", RVTRACE_TE_RAM_BASE, address_fields },
	[BASE_HIGH] = { "teRamBaseHigh", RVTRACE_TE_RAM_BASE_HIGH,
			high_fields },
	[LIMIT] = { "teRamLimit", RVTRACE_TE_RAM_LIMIT, address_fields },
	[WP] = { "teRamWP", RVTRACE_TE_RAM_WP, address_fields, NULL,
		 wp_written },
};

void ramsink_config_default(struct ramsink_config *config)
{
	*config = (struct ramsink_config) {
		.access_width = 8,
		.addr_bits = 64,
		.burst = 64,
		.queue = 4096,
	};
}

const char *ramsink_config_check(const struct ramsink_config *config)
{
	uint32_t width = config->access_width;

	if (width < 4 || width > 64 || (width & (width - 1)))
		return "access width is not 4, 8, 16, 32 or 64";
	if (config->addr_bits < 13 || config->addr_bits > 64)
		return "address width is not 13 to 64";
	if (config->burst % width || config->burst > RAMSINK_MAX_BURST)
		return "burst is not a multiple of the access width up to 256";
	if (config->queue < 64)
		return "queue is less than 64";
	if (config->posted_words > RAMSINK_MAX_POSTED)
		return "posted words are more than 1024";
	return NULL;
}

void ramsink_init(struct ramsink *sink, const struct ramsink_config *config,
		  ramsink_dma_write dma_write, void *opaque)
{
	memset(sink, 0, sizeof(*sink));
	sink->config = *config;
	if (!sink->config.burst)
		sink->config.burst = config->access_width;
	sink->dma_write = dma_write;
	sink->opaque = opaque;
}

bool ramsink_has_register(const struct ramsink *sink, uint32_t offset)
{
	(void)sink;
	return reg_find(specs, RAMSINK_REGISTERS, offset) >= 0;
}

uint32_t ramsink_read(const struct ramsink *sink, uint32_t offset)
{
	return reg_read(specs, RAMSINK_REGISTERS, sink->regs, sink, offset);
}

void ramsink_write(struct ramsink *sink, uint32_t offset, uint32_t value)
{
	reg_write(specs, RAMSINK_REGISTERS, sink->regs, sink, offset, value);
}

/* Let the oldest posted words reach memory, all but @keep. */
static void land(struct ramsink *sink, uint32_t keep)
{
	struct ramsink_posted *posted = &sink->posted;

	for (; posted->count > keep; posted->count--) {
		sink->dma_write(sink->opaque, posted->addr[posted->oldest],
				posted->data[posted->oldest],
				sink->config.access_width);
		posted->oldest = (posted->oldest + 1) % RAMSINK_MAX_POSTED;
	}
}

/* @size: whole words */
static void store(struct ramsink *sink, uint64_t addr, const uint8_t *data,
		  uint32_t size)
{
	uint32_t width = sink->config.access_width;
	uint32_t keep = sink->config.posted_words;
	struct ramsink_posted *posted = &sink->posted;
	uint32_t done, at;

	if (!keep) {
		sink->dma_write(sink->opaque, addr, data, size);
		return;
	}
	for (done = 0; done < size; done += width) {
		land(sink, keep - 1);
		at = (posted->oldest + posted->count++) % RAMSINK_MAX_POSTED;
		posted->addr[at] = addr + done;
		memcpy(posted->data[at], data + done, width);
	}
}

/* Write whole words up to the end of the buffer. Return: bytes written. */
static uint32_t write_run(struct ramsink *sink, const uint8_t *data,
			  uint32_t size)
{
	uint32_t width = sink->config.access_width;
	uint32_t wrap = sink->regs[WP] & RVTRACE_TE_RAM_WP_WRAP;
	uint32_t wp = sink->regs[WP] & ~RVTRACE_TE_RAM_WP_WRAP;
	/* The word at the limit is the last one; it may be the only one. */
	uint32_t room = sink->regs[LIMIT] - wp + width;
	uint32_t run = room && room < size ? room : size;

	store(sink, (uint64_t)sink->regs[BASE_HIGH] << 32 | wp, data, run);
	if (run == room) {
		wp = sink->regs[BASE];
		wrap = RVTRACE_TE_RAM_WP_WRAP;
		sink->wrapped = true;
		sink->wraps++;
	} else {
		wp += run;
	}
	sink->regs[WP] = wp | wrap;
	return run;
}

/* Write the gathered words. */
static void write_burst(struct ramsink *sink, bool stop_on_wrap)
{
	uint32_t done = 0;

	while (done < sink->fill && !(stop_on_wrap && sink->wrapped))
		done += write_run(sink, sink->burst + done, sink->fill - done);
	sink->fill = 0;
	if (stop_on_wrap && sink->wrapped)
		land(sink, 0);
}

bool ramsink_put(struct ramsink *sink, const uint8_t *data, size_t size,
		 bool wait, bool stop_on_wrap)
{
	uint64_t cost = (uint64_t)size << 16;
	uint64_t queue = (uint64_t)sink->config.queue << 16;

	if (sink->config.bandwidth) {
		sink->backlog += cost;
		if (sink->backlog > queue && !wait) {
			sink->backlog -= cost;
			return false;
		}
		if (sink->backlog > queue)
			sink->backlog = queue;
	}
	while (size && !(stop_on_wrap && sink->wrapped)) {
		uint32_t room = sink->config.burst - sink->fill;
		uint32_t part = size < room ? size : room;

		memcpy(sink->burst + sink->fill, data, part);
		sink->fill += part;
		data += part;
		size -= part;
		if (sink->fill == sink->config.burst)
			write_burst(sink, stop_on_wrap);
	}
	return true;
}

void ramsink_advance(struct ramsink *sink, uint32_t halfwords)
{
	uint64_t done = (uint64_t)sink->config.bandwidth * halfwords;

	sink->backlog -= done < sink->backlog ? done : sink->backlog;
}

void ramsink_flush(struct ramsink *sink, uint8_t idle, bool stop_on_wrap)
{
	while (sink->fill % sink->config.access_width)
		sink->burst[sink->fill++] = idle;
	write_burst(sink, stop_on_wrap);
	land(sink, 0);
	sink->backlog = 0;
}

void ramsink_reset(struct ramsink *sink)
{
	land(sink, 0);
	sink->fill = 0;
	sink->backlog = 0;
	sink->wrapped = false;
}

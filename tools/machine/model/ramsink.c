// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/ramsink.h"

#include <string.h>

#include "include/uapi/linux/rvtrace_regs_1_0.h"

void ramsink_config_default(struct ramsink_config *config)
{
	*config = (struct ramsink_config) {
		.access_width = 8,
		.addr_bits = 64,
		.burst = 64,
		.queue = 4096,
		.mem_formats = 1 << RVTRACE_MEM_FORMAT_BYTES,
		.async_freqs = 1 << 0,
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
	if (!config->mem_formats || config->mem_formats & ~0xfu)
		return "memory formats are not a set of 0 to 3";
	if (!config->async_freqs || config->async_freqs & ~0xffu)
		return "async frequencies are not a set of 0 to 7";
	return NULL;
}

void ramsink_init(struct ramsink *sink, const struct generation *generation,
		  const struct ramsink_config *config,
		  ramsink_dma_write dma_write, void *opaque)
{
	memset(sink, 0, sizeof(*sink));
	sink->generation = generation;
	sink->config = *config;
	if (!sink->config.burst)
		sink->config.burst = config->access_width;
	sink->dma_write = dma_write;
	sink->opaque = opaque;
	sink->legal[RAM_MODE] = 1 << RVTRACE_RAM_MODE_SMEM;
	sink->legal[RAM_STOP_ON_WRAP] = reg_flag(true);
	sink->legal[RAM_MEM_FORMAT] = config->mem_formats;
	sink->legal[RAM_ASYNC_FREQ] = config->async_freqs;
	sink->fields[RAM_HAS_SMEM] = 1;
}

/* Registers */

/* The bits that an address can have. */
static uint64_t bus_mask(const struct ramsink *sink)
{
	uint32_t bits = sink->config.addr_bits;
	uint64_t mask = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;

	return mask & ~(sink->config.access_width - 1ull);
}

/* One half of a pointer is written: that of the bits in @half. */
static void set_pointer(struct ramsink *sink, uint64_t *pointer, uint64_t half,
			uint64_t value)
{
	uint64_t mask = bus_mask(sink);

	if (value & ~mask && !sink->generation->trims)
		return;
	*pointer = (*pointer & ~half) | (value & mask);
}

void ramsink_accept(struct ramsink *sink, enum ram_field id, uint32_t value)
{
	switch (id) {
	case RAM_START:
	case RAM_LIMIT:
	case RAM_WP:
		set_pointer(sink, &sink->pointer[id - RAM_START], UINT32_MAX,
			    (uint64_t)value << 2);
		break;
	case RAM_START_HIGH:
	case RAM_LIMIT_HIGH:
	case RAM_WP_HIGH:
		set_pointer(sink, &sink->pointer[id - RAM_START_HIGH],
			    (uint64_t)UINT32_MAX << 32, (uint64_t)value << 32);
		break;
	default:
		break;
	}
}

uint32_t ramsink_read(struct ramsink *sink, enum ram_field id)
{
	switch (id) {
	case RAM_START:
	case RAM_LIMIT:
	case RAM_WP:
		return (uint32_t)sink->pointer[id - RAM_START] >> 2;
	case RAM_START_HIGH:
	case RAM_LIMIT_HIGH:
	case RAM_WP_HIGH:
		return sink->pointer[id - RAM_START_HIGH] >> 32;
	default:
		return 0;
	}
}

/* The way to memory */

static void write_memory(struct ramsink *sink, uint64_t addr,
			 const uint8_t *data, size_t size)
{
	if (!sink->dma_write(sink->opaque, addr, data, size))
		sink->error = true;
}

/* Let the oldest posted words reach memory, all but @keep. */
static void land(struct ramsink *sink, uint32_t keep)
{
	struct ramsink_posted *posted = &sink->posted;

	for (; posted->count > keep; posted->count--) {
		write_memory(sink, posted->addr[posted->oldest],
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
		write_memory(sink, addr, data, size);
		return;
	}
	for (done = 0; done < size; done += width) {
		land(sink, keep - 1);
		at = (posted->oldest + posted->count++) % RAMSINK_MAX_POSTED;
		posted->addr[at] = addr + done;
		memcpy(posted->data[at], data + done, width);
	}
}

/* Where one upper half serves all pointers, it does not count along. */
static uint64_t pointer_mask(const struct ramsink *sink)
{
	return sink->generation->one_high ? UINT32_MAX : UINT64_MAX;
}

/* Write whole words up to the end of the buffer. Return: bytes written. */
static uint32_t write_run(struct ramsink *sink, const uint8_t *data,
			  uint32_t size)
{
	uint64_t *wp = &sink->pointer[RAM_WP - RAM_START];
	uint64_t limit = sink->pointer[RAM_LIMIT - RAM_START];
	uint64_t mask = pointer_mask(sink);
	/* The word at the limit is the last one; it may be the only one. */
	uint64_t room = (limit - *wp + sink->config.access_width) & mask;
	uint32_t run = room && room < size ? room : size;

	store(sink, *wp, data, run);
	if (run == room) {
		*wp = sink->pointer[0];
		sink->fields[RAM_WRAP] = 1;
		sink->wrapped = true;
		sink->wraps++;
	} else {
		*wp = (*wp & ~mask) | ((*wp + run) & mask);
	}
	return run;
}

/* Write the gathered words. */
static void write_burst(struct ramsink *sink)
{
	uint32_t done = 0;

	while (done < sink->fill && !ramsink_is_full(sink))
		done += write_run(sink, sink->burst + done, sink->fill - done);
	sink->fill = 0;
	if (ramsink_is_full(sink))
		land(sink, 0);
}

static bool has_room(struct ramsink *sink, size_t size, bool wait)
{
	uint64_t cost = (uint64_t)size << 16;
	uint64_t queue = (uint64_t)sink->config.queue << 16;

	if (!sink->config.bandwidth)
		return true;
	if (sink->backlog + cost > queue && !wait)
		return false;
	sink->backlog += cost;
	if (sink->backlog > queue)
		sink->backlog = queue;
	return true;
}

bool ramsink_put(struct ramsink *sink, const uint8_t *data, size_t size,
		 bool wait)
{
	if (!has_room(sink, size, wait))
		return false;
	while (size && !ramsink_is_full(sink)) {
		uint32_t room = sink->config.burst - sink->fill;
		uint32_t part = size < room ? size : room;

		memcpy(sink->burst + sink->fill, data, part);
		sink->fill += part;
		data += part;
		size -= part;
		if (sink->fill == sink->config.burst)
			write_burst(sink);
	}
	return true;
}

void ramsink_advance(struct ramsink *sink, uint32_t halfwords)
{
	uint64_t done = (uint64_t)sink->config.bandwidth * halfwords;

	sink->backlog -= done < sink->backlog ? done : sink->backlog;
}

void ramsink_flush(struct ramsink *sink, uint8_t idle)
{
	while (sink->fill % sink->config.access_width)
		sink->burst[sink->fill++] = idle;
	write_burst(sink);
	land(sink, 0);
	sink->backlog = 0;
}

void ramsink_reset(struct ramsink *sink)
{
	land(sink, 0);
	sink->fill = 0;
	sink->backlog = 0;
	sink->wrapped = false;
	sink->error = false;
	sink->fields[RAM_MODE] = reg_lowest(sink->legal[RAM_MODE]);
	sink->fields[RAM_STOP_ON_WRAP] = 0;
	sink->fields[RAM_MEM_FORMAT] = reg_lowest(sink->config.mem_formats);
	sink->fields[RAM_ASYNC_FREQ] = reg_lowest(sink->config.async_freqs);
}

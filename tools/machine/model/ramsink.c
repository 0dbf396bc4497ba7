// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/ramsink.h"

#include <stdlib.h>
#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "tools/encode/nexus.h"

/* "SRAM is always accessed by 32-bit words" */
#define SRAM_WIDTH	4

/* Of ramsink.pointer */
enum { START, LIMIT, WP, RP };

void ramsink_config_default(struct ramsink_config *config)
{
	*config = (struct ramsink_config) {
		.access_width = 8,
		.addr_bits = 64,
		.burst = 64,
		.queue = 4096,
		.sram_size = 64 << 10,
		.sram_write = true,
		.sram_live = true,
		.mem_formats = 1 << RVTRACE_MEM_FORMAT_BYTES,
		.async_freqs = 1 << 0,
		.format = RVTRACE_FORMAT_NTRACE,
	};
}

static const char *check_smem(const struct ramsink_config *config)
{
	uint32_t width = config->access_width;

	if (width < 4 || width > 64 || (width & (width - 1)))
		return "access width is not 4, 8, 16, 32 or 64";
	if (config->addr_bits < 13 || config->addr_bits > 64)
		return "address width is not 13 to 64";
	if (config->burst % width || config->burst > RAMSINK_MAX_BURST)
		return "burst is not a multiple of the access width up to 256";
	if (config->posted_words > RAMSINK_MAX_POSTED)
		return "posted words are more than 1024";
	return NULL;
}

const char *ramsink_config_check(const struct ramsink_config *config,
				 uint32_t modes)
{
	uint32_t sram = config->sram_size;

	if (!modes || modes & ~(RAMSINK_SRAM | RAMSINK_SMEM))
		return "RAM modes are not a set of 0 and 1";
	if (modes & RAMSINK_SRAM && (!sram || sram % SRAM_WIDTH ||
				     sram > RAMSINK_MAX_SRAM))
		return "SRAM size is not a multiple of 4 up to 64 MiB";
	if (config->queue < 64)
		return "queue is less than 64";
	if (!config->mem_formats || config->mem_formats & ~0xfu)
		return "memory formats are not a set of 0 to 3";
	if (!config->async_freqs || config->async_freqs & ~0xffu)
		return "async frequencies are not a set of 0 to 7";
	if (config->format > RVTRACE_FORMAT_NTRACE && config->format != RVTRACE_FORMAT_VENDOR)
		return "RAM format is not 0, 1 or 7";
	return modes & RAMSINK_SMEM ? check_smem(config) : NULL;
}

/* As they are after power-on */
static void reset_pointers(struct ramsink *sink)
{
	const struct ramsink_config *config = &sink->config;

	memset(sink->pointer, 0, sizeof(sink->pointer));
	sink->pointer[RVTRACE_RAM_MODE_SMEM][START] = config->fixed_start;
	sink->pointer[RVTRACE_RAM_MODE_SMEM][LIMIT] = config->fixed_limit;
	if (sink->fields[RAM_HAS_SRAM])
		sink->pointer[RVTRACE_RAM_MODE_SRAM][LIMIT] =
			config->sram_size - SRAM_WIDTH;
}

bool ramsink_init(struct ramsink *sink, const struct generation *generation,
		  const struct ramsink_config *config, uint32_t modes,
		  ramsink_dma_write dma_write, void *opaque)
{
	memset(sink, 0, sizeof(*sink));
	sink->generation = generation;
	sink->config = *config;
	if (!sink->config.burst)
		sink->config.burst = config->access_width;
	sink->dma_write = dma_write;
	sink->opaque = opaque;
	sink->legal[RAM_MODE] = modes;
	sink->legal[RAM_STOP_ON_WRAP] = reg_flag(true);
	sink->legal[RAM_MEM_FORMAT] = config->mem_formats;
	sink->legal[RAM_ASYNC_FREQ] = config->async_freqs;
	sink->fields[RAM_HAS_SRAM] = !!(modes & RAMSINK_SRAM);
	sink->fields[RAM_HAS_SMEM] = !!(modes & RAMSINK_SMEM);
	reset_pointers(sink);
	if (!(modes & RAMSINK_SRAM))
		return true;
	sink->sram = calloc(1, config->sram_size);
	return sink->sram;
}

void ramsink_free(struct ramsink *sink)
{
	free(sink->sram);
}

static bool is_sram(const struct ramsink *sink)
{
	return sink->fields[RAM_MODE] == RVTRACE_RAM_MODE_SRAM;
}

/* Pointers of the mode in use */
static uint64_t *pointers(struct ramsink *sink)
{
	return sink->pointer[sink->fields[RAM_MODE]];
}

static uint32_t width_of(const struct ramsink *sink)
{
	return is_sram(sink) ? SRAM_WIDTH : sink->config.access_width;
}

static uint32_t burst_of(const struct ramsink *sink)
{
	return is_sram(sink) ? SRAM_WIDTH : sink->config.burst;
}

/* Registers */

/* The contents of SRAM can be reached through RAM_RP and RAM_DATA. */
static bool is_readable(const struct ramsink *sink)
{
	bool running = sink->fields[RAM_ENABLE] || !ramsink_empty(sink);

	return is_sram(sink) && (sink->config.sram_live || !running);
}

/* After an access to the limit comes the start, as after one beyond it. */
static void advance_rp(struct ramsink *sink)
{
	uint64_t *p = pointers(sink);

	p[RP] = p[RP] >= p[LIMIT] ? p[START] : p[RP] + SRAM_WIDTH;
}

static uint32_t read_sram(struct ramsink *sink)
{
	const uint8_t *word;

	if (!is_readable(sink))
		return 0;
	word = sink->sram + pointers(sink)[RP];
	advance_rp(sink);
	return word[0] | word[1] << 8 | word[2] << 16 |
	       (uint32_t)word[3] << 24;
}

static void write_sram(struct ramsink *sink, uint32_t value)
{
	unsigned int i;
	uint8_t *word;

	if (!is_readable(sink) || !sink->config.sram_write)
		return;
	word = sink->sram + pointers(sink)[RP];
	for (i = 0; i < SRAM_WIDTH; i++, value >>= 8)
		word[i] = value;
	advance_rp(sink);
}

/*
 * "Size of SRAM may be determined by writing all 1s to teRamWP, then reading
 * the value back": pointers beyond the end become the last word.
 */
static void set_sram_pointer(struct ramsink *sink, unsigned int which,
			     uint64_t value)
{
	uint64_t end = sink->config.sram_size - SRAM_WIDTH;
	uint64_t *p = pointers(sink);

	if (which == RP && !is_readable(sink))
		return;
	if (which == START || (which == LIMIT && !sink->config.sram_limit))
		return;
	p[which] = value < end ? value : end;
}

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

/* A pointer that is not implemented, or hard coded */
static bool is_fixed(const struct ramsink *sink, unsigned int which)
{
	return which == RP || (which == START && sink->config.fixed_start) ||
	       (which == LIMIT && sink->config.fixed_limit);
}

static void set_low(struct ramsink *sink, unsigned int which, uint64_t value)
{
	if (is_sram(sink))
		set_sram_pointer(sink, which, value);
	else if (!is_fixed(sink, which))
		set_pointer(sink, &pointers(sink)[which], UINT32_MAX, value);
}

static void set_high(struct ramsink *sink, unsigned int which, uint64_t value)
{
	if (!is_sram(sink) && !is_fixed(sink, which))
		set_pointer(sink, &pointers(sink)[which],
			    (uint64_t)UINT32_MAX << 32, value << 32);
}

void ramsink_accept(struct ramsink *sink, enum ram_field id, uint32_t value)
{
	if (id == RAM_DATA)
		write_sram(sink, value);
	else if (id >= RAM_START_HIGH)
		set_high(sink, id - RAM_START_HIGH, value);
	else
		set_low(sink, id - RAM_START, (uint64_t)value << 2);
}

uint32_t ramsink_read(struct ramsink *sink, enum ram_field id)
{
	if (id == RAM_DATA)
		return read_sram(sink);
	if (id >= RAM_START_HIGH)
		return pointers(sink)[id - RAM_START_HIGH] >> 32;
	return (uint32_t)pointers(sink)[id - RAM_START] >> 2;
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
	uint32_t width = width_of(sink);
	uint32_t keep = sink->config.posted_words;
	struct ramsink_posted *posted = &sink->posted;
	uint32_t done, at;

	if (is_sram(sink)) {
		memcpy(sink->sram + addr, data, size);
		return;
	}
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

/* A write pointer beyond the limit runs to the end of SRAM. */
static uint64_t last_word(struct ramsink *sink)
{
	uint64_t *p = pointers(sink);

	return is_sram(sink) && p[WP] > p[LIMIT] ?
		sink->config.sram_size - SRAM_WIDTH : p[LIMIT];
}

/* Write whole words up to the end of the buffer. Return: bytes written. */
static uint32_t write_run(struct ramsink *sink, const uint8_t *data,
			  uint32_t size)
{
	uint64_t *p = pointers(sink);
	uint64_t mask = pointer_mask(sink);
	/* The word at the limit is the last one; it may be the only one. */
	uint64_t room = (last_word(sink) - p[WP] + width_of(sink)) & mask;
	uint32_t run = room && room < size ? room : size;

	store(sink, p[WP], data, run);
	if (run == room) {
		p[WP] = p[START];
		sink->fields[RAM_WRAP] = 1;
		sink->wrapped = true;
		sink->wraps++;
	} else {
		p[WP] = (p[WP] & ~mask) | ((p[WP] + run) & mask);
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

/*
 * "Synchronization" of the encapsulation: as many null.idle as the longest
 * packet may have null bytes (31 of payload, 8 of timestamp, 2 of srcID), then
 * null.alignment
 */
#define ALIGNMENT_IDLE	41
#define ALIGNMENT_SIZE	(ALIGNMENT_IDLE + 1)
#define NULL_IDLE	0x00
#define NULL_ALIGNMENT	0x80

/* Bytes that go in front of the next message */
static size_t alignment_due(const struct ramsink *sink)
{
	uint32_t level = sink->fields[RAM_ASYNC_FREQ];

	if (sink->config.format != RVTRACE_FORMAT_ETRACE || !level ||
	    sink->unaligned < 256ull << level)
		return 0;
	return ALIGNMENT_SIZE;
}

bool ramsink_has_room(const struct ramsink *sink, size_t size)
{
	return bottleneck_has_room(&sink->bottleneck, sink->config.bandwidth,
				   sink->config.queue,
				   alignment_due(sink) + size);
}

static void gather(struct ramsink *sink, const uint8_t *data, size_t size)
{
	while (size && !ramsink_is_full(sink)) {
		uint32_t room = burst_of(sink) - sink->fill;
		uint32_t part = size < room ? size : room;

		memcpy(sink->burst + sink->fill, data, part);
		sink->fill += part;
		data += part;
		size -= part;
		if (sink->fill == burst_of(sink))
			write_burst(sink);
	}
}

static void align(struct ramsink *sink)
{
	uint8_t sequence[ALIGNMENT_SIZE];

	memset(sequence, NULL_IDLE, ALIGNMENT_IDLE);
	sequence[ALIGNMENT_IDLE] = NULL_ALIGNMENT;
	gather(sink, sequence, sizeof(sequence));
	sink->unaligned = 0;
}

bool ramsink_put(struct ramsink *sink, const uint8_t *data, size_t size,
		 bool wait)
{
	size_t due = alignment_due(sink);

	if (!bottleneck_admit(&sink->bottleneck, sink->config.bandwidth,
			      sink->config.queue, due + size, wait))
		return false;
	if (due)
		align(sink);
	gather(sink, data, size);
	sink->unaligned += size;
	return true;
}

void ramsink_advance(struct ramsink *sink, uint32_t halfwords)
{
	bottleneck_advance(&sink->bottleneck, sink->config.bandwidth,
			   halfwords);
}

/* Of both formats of vendors that there are, too: Skip, Nop */
static uint8_t idle_of(const struct ramsink *sink)
{
	return sink->config.format == RVTRACE_FORMAT_NTRACE ? NEXUS_IDLE :
							      NULL_IDLE;
}

void ramsink_flush(struct ramsink *sink)
{
	while (sink->fill % width_of(sink))
		sink->burst[sink->fill++] = idle_of(sink);
	write_burst(sink);
	land(sink, 0);
	sink->bottleneck.backlog = 0;
}

void ramsink_reset(struct ramsink *sink)
{
	land(sink, 0);
	sink->fill = 0;
	sink->unaligned = 0;
	sink->bottleneck.backlog = 0;
	sink->wrapped = false;
	sink->error = false;
	sink->fields[RAM_MODE] = reg_lowest(sink->legal[RAM_MODE]);
	sink->fields[RAM_STOP_ON_WRAP] = 0;
	sink->fields[RAM_MEM_FORMAT] = reg_lowest(sink->config.mem_formats);
	sink->fields[RAM_ASYNC_FREQ] = reg_lowest(sink->config.async_freqs);
}

void ramsink_lose_power(struct ramsink *sink)
{
	ramsink_reset(sink);
	reset_pointers(sink);
	if (sink->sram)
		memset(sink->sram, 0, sink->config.sram_size);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/atbsink.h"

#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/regs.h"

/* IDs of the other sources: the last ones that are not reserved */
#define MAX_OTHERS	4

void atbsink_config_default(struct atbsink_config *config)
{
	*config = (struct atbsink_config) {
		.async_freqs = 1 << 0,
		.empty_delay = 5000,
		.sync_interval = 64,
	};
}

const char *atbsink_config_check(const struct atbsink_config *config)
{
	if (!config->async_freqs || config->async_freqs & ~0xffu)
		return "ATB async frequencies are not a set of 0 to 7";
	if (config->id > 0x7f)
		return "ATB ID has more than 7 bits";
	if (config->others > MAX_OTHERS)
		return "other ATB sources are more than 4";
	return NULL;
}

void atbsink_init(struct atbsink *sink, const struct atbsink_config *config,
		  bool own_page, atb_frames_write write, void *opaque)
{
	memset(sink, 0, sizeof(*sink));
	sink->config = *config;
	active_init(&sink->active, own_page, config->active_delay);
	sink->fields[ATB_ID] = config->id;
	sink->legal[ATB_ASYNC_FREQ] = config->async_freqs;
	atb_frames_init(&sink->frames, config->sync_interval, write, opaque);
}

void atbsink_reset(struct atbsink *sink)
{
	atbsink_flush(sink);
	memset(sink->fields, 0, sizeof(sink->fields));
	sink->fields[ATB_ID] = sink->config.id;
	sink->fields[ATB_ASYNC_FREQ] = reg_lowest(sink->config.async_freqs);
	sink->busy_until = 0;
}

/* Reserved IDs are nobody's. */
static bool is_source(uint32_t id)
{
	return id >= RVTRACE_ATB_ID_MIN && id <= RVTRACE_ATB_ID_MAX;
}

void atbsink_accept(struct atbsink *sink, enum atb_field id, uint32_t value,
		    uint64_t now)
{
	if (id == ATB_ACTIVE)
		active_write(&sink->active, value, now);
	if (id == ATB_ID && (!sink->config.refuses || is_source(value)))
		sink->fields[id] = value;
}

void atbsink_update(struct atbsink *sink, uint64_t now)
{
	if (!active_keeps(&sink->active, now))
		atbsink_reset(sink);
	if (!sink->fields[ATB_ENABLE])
		atbsink_flush(sink);
}

/* What another source has to say goes with a message of ours. */
static void put_other(struct atbsink *sink)
{
	uint8_t id = RVTRACE_ATB_ID_MAX - sink->turn % sink->config.others;
	uint8_t data[8];
	unsigned int i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = sink->turn * 31 + i;
	atb_frames_put(&sink->frames, id, data, sink->turn % sizeof(data));
}

void atbsink_put(struct atbsink *sink, const uint8_t *data, size_t size,
		 uint64_t now)
{
	if (!sink->fields[ATB_ENABLE] || !is_source(sink->fields[ATB_ID]))
		return;
	atb_frames_put(&sink->frames, sink->fields[ATB_ID], data, size);
	if (sink->config.others)
		put_other(sink);
	sink->turn++;
	sink->busy_until = now + sink->config.empty_delay;
}

void atbsink_flush(struct atbsink *sink)
{
	atb_frames_flush(&sink->frames);
}

bool atbsink_empty(const struct atbsink *sink, uint64_t now)
{
	return now >= sink->busy_until;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/pibsink.h"

#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/regs.h"

#define PARALLEL	(1u << RVTRACE_PIB_MODE_PARALLEL_1 | \
			 1u << RVTRACE_PIB_MODE_PARALLEL_2 | \
			 1u << RVTRACE_PIB_MODE_PARALLEL_4 | \
			 1u << RVTRACE_PIB_MODE_PARALLEL_8 | \
			 1u << RVTRACE_PIB_MODE_PARALLEL_16)
#define SERIAL		(1u << RVTRACE_PIB_MODE_SWT_MANCHESTER | \
			 1u << RVTRACE_PIB_MODE_SWT_UART)

/* Bit periods between messages that came at different times */
#define IDLE_PERIODS	7

/* For the longest srcID and timestamp (E-Trace Encapsulation, "Synchronization") */
#define NULL_RUN	(31 + 2 + 8)

void pibsink_config_default(struct pibsink_config *config)
{
	*config = (struct pibsink_config) {
		.modes = 1 << RVTRACE_PIB_MODE_OFF | SERIAL | PARALLEL,
		.ref_center = true,
		.calibrate = true,
		.divider_bits = 16,
		.divider = 7,
		.async_freqs = 1 << 0,
		.queue = 1024,
		.empty_delay = 5000,
		.calibrations = 16,
		.format = RVTRACE_FORMAT_NTRACE,
	};
}

const char *pibsink_config_check(const struct pibsink_config *config,
				 uint32_t modes)
{
	if (!(config->modes & (SERIAL | PARALLEL)) || config->modes & ~modes)
		return "PIB modes have none that sends, or one that this generation does not have";
	if (config->divider_bits > 16 || config->divider >> config->divider_bits)
		return "PIB divider does not fit its width of up to 16 bits";
	if (!config->async_freqs || config->async_freqs & ~0xffu)
		return "PIB async frequencies are not a set of 0 to 7";
	if (config->format > RVTRACE_FORMAT_NTRACE)
		return "PIB format is not 0 or 1";
	if (config->queue < 64)
		return "PIB queue is less than 64";
	return NULL;
}

void pibsink_init(struct pibsink *sink, const struct pibsink_config *config,
		  bool own_page, pib_write write, void *opaque)
{
	memset(sink, 0, sizeof(*sink));
	sink->config = *config;
	active_init(&sink->active, own_page, config->active_delay);
	sink->write = write;
	sink->opaque = opaque;
	sink->legal[PIB_MODE] = config->modes;
	sink->legal[PIB_CALIBRATE] = reg_flag(config->calibrate);
	sink->legal[PIB_ASYNC_FREQ] = config->async_freqs;
	sink->legal[PIB_DIVIDER] = (1u << config->divider_bits) - 1;
}

/* What the pins do stops, at a whole message. */
void pibsink_flush(struct pibsink *sink)
{
	if (sink->enabled)
		pib_flush(&sink->pins);
	sink->bottleneck.backlog = 0;
}

static void reset_fields(struct pibsink *sink)
{
	memset(sink->fields, 0, sizeof(sink->fields));
	sink->fields[PIB_MODE] = reg_lowest(sink->config.modes);
	sink->fields[PIB_ASYNC_FREQ] = reg_lowest(sink->config.async_freqs);
	sink->fields[PIB_DIVIDER] = sink->config.divider;
}

void pibsink_reset(struct pibsink *sink)
{
	pibsink_flush(sink);
	reset_fields(sink);
	sink->enabled = false;
	sink->busy_until = 0;
}

static bool is_parallel(const struct pibsink *sink)
{
	return PARALLEL >> sink->fields[PIB_MODE] & 1;
}

/* "This can be set only if pibMode selects one of the parallel protocols." */
void pibsink_accept(struct pibsink *sink, enum pib_field id, uint32_t value,
		    uint64_t now)
{
	if (id == PIB_ACTIVE)
		active_write(&sink->active, value, now);
	if (id == PIB_CLK_CENTER)
		sink->fields[id] = value && sink->config.ref_center &&
				   is_parallel(sink);
}

static void start_pins(struct pibsink *sink)
{
	const struct pib_config config = {
		.mode = sink->fields[PIB_MODE],
		.format = sink->config.format,
		.null_run = NULL_RUN,
		.ref_center = sink->fields[PIB_CLK_CENTER],
	};

	pib_init(&sink->pins, &config, sink->write, sink->opaque);
	if (sink->fields[PIB_CALIBRATE])
		pib_calibrate(&sink->pins, sink->config.calibrations);
	pib_flush(&sink->pins);
}

void pibsink_update(struct pibsink *sink, uint64_t now)
{
	bool enabled;

	if (!active_keeps(&sink->active, now))
		pibsink_reset(sink);
	enabled = sink->fields[PIB_ENABLE] &&
		  sink->fields[PIB_MODE] != RVTRACE_PIB_MODE_OFF;
	if (enabled && !sink->enabled)
		start_pins(sink);
	if (!enabled)
		pibsink_flush(sink);
	sink->enabled = enabled;
}

/* Signals times bit rate, in halves */
static uint32_t halves(const struct pibsink *sink)
{
	uint32_t mode = sink->fields[PIB_MODE];

	if (mode == RVTRACE_PIB_MODE_SWT_MANCHESTER)
		return 1;
	if (!is_parallel(sink))
		return 2;
	return 2 * RVTRACE_PIB_MODE_SIGNALS(mode) >>
	       sink->fields[PIB_CLK_CENTER];
}

/* Bytes per half-word, as 16.16 fixed point; 0: no limit */
static uint64_t rate_of(const struct pibsink *sink)
{
	uint64_t rate = (uint64_t)sink->config.rate * halves(sink) / 16 /
			(sink->fields[PIB_DIVIDER] + 1);

	return sink->config.rate && !rate ? 1 : rate;
}

static bool is_listening(const struct pibsink *sink)
{
	return sink->enabled && !sink->fields[PIB_CALIBRATE];
}

bool pibsink_has_room(const struct pibsink *sink, size_t size)
{
	return is_listening(sink) &&
	       bottleneck_has_room(&sink->bottleneck, rate_of(sink),
				   sink->config.queue, size);
}

bool pibsink_put(struct pibsink *sink, const uint8_t *data, size_t size,
		 bool wait, uint64_t now)
{
	if (!is_listening(sink) ||
	    !bottleneck_admit(&sink->bottleneck, rate_of(sink),
			      sink->config.queue, size, wait))
		return false;
	pib_message(&sink->pins, data, size);
	sink->busy_until = now + sink->config.empty_delay;
	return true;
}

void pibsink_advance(struct pibsink *sink, uint32_t halfwords)
{
	bottleneck_advance(&sink->bottleneck, rate_of(sink), halfwords);
	if (is_listening(sink) && !sink->bottleneck.backlog)
		pib_idle(&sink->pins, halfwords % IDLE_PERIODS);
}

bool pibsink_empty(const struct pibsink *sink, uint64_t now)
{
	return now >= sink->busy_until && !sink->bottleneck.backlog;
}

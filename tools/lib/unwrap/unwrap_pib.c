// SPDX-License-Identifier: LGPL-2.1-or-later
/* Pin samples of a PIB: see rvtrace/unwrap.h. Parallel modes: TRC_CLK to beats. */
#include <stdlib.h>

#include "unwrap_handler.h"
#include "unwrap_pib.h"

#define MAX_SRC_BITS		16
#define MAX_TIMESTAMP_BYTES	8
#define MAX_SAMPLE_BYTES	8

/* TRC_DATA signals of a mode; 0: there is no such mode. */
static unsigned int width_of(uint8_t mode)
{
	if (mode == RVTRACE_PIB_MODE_SWT_MANCHESTER || mode == RVTRACE_PIB_MODE_SWT_UART)
		return 1;
	if (mode < RVTRACE_PIB_MODE_PARALLEL_1 || mode > RVTRACE_PIB_MODE_PARALLEL_16)
		return 0;
	return RVTRACE_PIB_MODE_SIGNALS(mode);
}

/* TRC_DATA and, in parallel modes, TRC_CLK */
static unsigned int sample_bytes(const struct rvtrace_pib_config *config)
{
	return (width_of(config->mode) + !is_serial(config) + 7) / 8;
}

static bool valid(const struct rvtrace_pib_config *config)
{
	bool serial = is_serial(config);
	unsigned int slowest = config->mode == RVTRACE_PIB_MODE_SWT_MANCHESTER ? 2 : 1;
	double samples = config->samples_per_bit;

	if (!width_of(config->mode) || (serial && config->ref_center))
		return false;
	if (config->format != RVTRACE_FORMAT_NTRACE && config->format != RVTRACE_FORMAT_ETRACE)
		return false;
	if (config->src_bits > MAX_SRC_BITS || config->timestamp_bytes > MAX_TIMESTAMP_BYTES)
		return false;
	if (config->sample_bytes > MAX_SAMPLE_BYTES ||
	    (config->sample_bytes && config->sample_bytes < sample_bytes(config)))
		return false;
	if (!samples)
		return true;
	return serial && (samples == slowest || samples >= 2 * slowest) && samples <= UINT32_MAX;
}

int rvtrace_pib_new(const struct rvtrace_pib_config *config,
		    const struct rvtrace_unwrap_handler *handler, struct rvtrace_pib **pib)
{
	struct rvtrace_pib *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return RVTRACE_ERR_NO_MEMORY;
	err = sized_take(&p->config, sizeof(p->config), config,
			 &p->config.samples_per_bit + 1);
	if (!err && !valid(&p->config))
		err = RVTRACE_ERR_INVALID;
	if (!err)
		err = unwrap_handler_take(&p->handler, handler);
	if (err) {
		free(p);
		return err;
	}
	p->width = width_of(p->config.mode);
	p->sample_size = p->config.sample_bytes ? p->config.sample_bytes :
						  sample_bytes(&p->config);
	serial_init(p);
	calibration_init(p);
	messages_init(p);
	*pib = p;
	return 0;
}

void rvtrace_pib_free(struct rvtrace_pib *pib)
{
	free(pib);
}

static void put_beat(struct rvtrace_pib *pib, uint64_t offset, uint16_t value)
{
	const struct beat beat = { .offset = offset, .value = value };

	pib->parallel.moved = true;
	calibration_beat(pib, &beat);
}

/* Edges of TRC_CLK are amid the bit periods. */
static void center_sample(struct rvtrace_pib *pib, bool clock, uint16_t value)
{
	struct parallel *p = &pib->parallel;

	if (p->begun && clock != p->clock)
		put_beat(pib, pib->offset, value);
	p->begun = true;
	p->clock = clock;
}

/*
 * Edges of TRC_CLK and TRC_DATA coincide: data are those amid two edges, which
 * is where they were expected after the period before.
 */
static void edge_sample(struct rvtrace_pib *pib, bool clock, uint16_t value)
{
	struct parallel *p = &pib->parallel;

	if (p->begun && clock != p->clock) {
		put_beat(pib, p->offset, p->value);
		p->previous = p->samples;
	}
	if (!p->begun || clock != p->clock) {
		p->begun = true;
		p->clock = clock;
		p->offset = pib->offset;
		p->samples = 0;
	}
	if (!p->previous || p->samples <= p->previous / 2)
		p->value = value;
	p->samples++;
}

/* Without an edge, nothing tells which samples count. */
static void parallel_end(struct rvtrace_pib *pib)
{
	const struct parallel *p = &pib->parallel;

	if (p->begun && !p->moved)
		calibration_damage(pib, RVTRACE_UNWRAP_UNSYNCHRONIZED, 0);
	else if (p->previous)
		put_beat(pib, p->offset, p->value);
}

static void take_sample(struct rvtrace_pib *pib)
{
	uint16_t value = pib->sample & ((1 << pib->width) - 1);
	bool clock = pib->sample >> pib->width & 1;

	if (is_serial(&pib->config))
		serial_sample(pib, value);
	else if (pib->config.ref_center)
		center_sample(pib, clock, value);
	else
		edge_sample(pib, clock, value);
	pib->offset += pib->sample_size;
	pib->sample = 0;
	pib->used = 0;
}

void rvtrace_pib_feed(struct rvtrace_pib *pib, const void *samples, size_t size)
{
	const uint8_t *bytes = samples;
	size_t i;

	for (i = 0; i < size; i++) {
		pib->sample |= (uint64_t)bytes[i] << 8 * pib->used++;
		if (pib->used == pib->sample_size)
			take_sample(pib);
	}
}

void rvtrace_pib_end(struct rvtrace_pib *pib)
{
	if (is_serial(&pib->config))
		serial_end(pib);
	else
		parallel_end(pib);
	if (pib->used)
		calibration_damage(pib, RVTRACE_UNWRAP_TRUNCATED, pib->offset);
	calibration_end(pib);
	pib->offset += pib->used;
	messages_end(pib);
}

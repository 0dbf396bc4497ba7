// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/encode/pib.h"

#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"

#define NULL_IDLE	0x00
#define NULL_ALIGNMENT	0x80
#define NTRACE_IDLE	0xff

#define UART_BITS	10	/* start, 8 of data, stop */

void pib_flush(struct pib *pib)
{
	if (pib->used)
		pib->write(pib->opaque, pib->buffer, pib->used);
	pib->used = 0;
}

static void put_sample(struct pib *pib, uint32_t pins, unsigned int size)
{
	if (pib->used + size > PIB_BUFFER)
		pib_flush(pib);
	for (; size; size--, pins >>= 8)
		pib->buffer[pib->used++] = pins;
}

/* TRC_DATA signals; 0: there is no TRC_CLK, all goes over TRC_DATA[0]. */
static unsigned int width_of(const struct pib *pib)
{
	uint8_t mode = pib->config.mode;

	return mode < RVTRACE_PIB_MODE_PARALLEL_1 ? 0 : RVTRACE_PIB_MODE_SIGNALS(mode);
}

static void put_parallel(struct pib *pib, uint16_t data)
{
	unsigned int width = width_of(pib), size = (width + 1 + 7) / 8;

	if (pib->config.ref_center)
		put_sample(pib, pib->clock << width | data, size);
	pib->clock = !pib->clock;
	put_sample(pib, pib->clock << width | data, size);
}

static void put_phases(struct pib *pib, bool first, bool second)
{
	put_sample(pib, first, 1);
	put_sample(pib, second, 1);
}

static void put_manchester(struct pib *pib, uint8_t byte)
{
	unsigned int i;

	for (i = 0; i < 8; i++, byte >>= 1)
		put_phases(pib, byte & 1, !(byte & 1));
}

static void put_uart(struct pib *pib, uint8_t byte)
{
	unsigned int bits = 1 << 9 | byte << 1, i;

	for (i = 0; i < UART_BITS; i++, bits >>= 1)
		put_sample(pib, bits & 1, 1);
}

static void put_byte(struct pib *pib, uint8_t byte)
{
	unsigned int width = width_of(pib), i;

	if (pib->config.mode == RVTRACE_PIB_MODE_SWT_MANCHESTER) {
		put_manchester(pib, byte);
	} else if (pib->config.mode == RVTRACE_PIB_MODE_SWT_UART) {
		put_uart(pib, byte);
	} else if (width == 16) {
		if (pib->has_first)
			put_parallel(pib, byte << 8 | pib->first);
		pib->first = byte;
		pib->has_first = !pib->has_first;
	} else {
		for (i = 0; i < 8; i += width)
			put_parallel(pib, byte >> i & ((1 << width) - 1));
	}
}

/* Idle of N-Trace is any number of ones, that of E-Trace is whole null.idle packets. */
static void idle_parallel(struct pib *pib, uint32_t periods)
{
	unsigned int width = width_of(pib);
	uint64_t bytes;

	if (pib->config.format == RVTRACE_FORMAT_NTRACE) {
		for (; periods; periods--)
			put_parallel(pib, (1 << width) - 1);
		return;
	}
	pib->unaligned |= periods > 0;
	for (bytes = ((uint64_t)periods * width + 7) / 8; bytes; bytes--)
		put_byte(pib, NULL_IDLE);
}

void pib_idle(struct pib *pib, uint32_t periods)
{
	if (width_of(pib)) {
		idle_parallel(pib, periods);
		return;
	}
	for (; periods; periods--) {
		if (pib->config.mode == RVTRACE_PIB_MODE_SWT_MANCHESTER)
			put_phases(pib, 0, 0);
		else
			put_sample(pib, 1, 1);
	}
}

/* What lets a receiver find the beginning of a message. */
static void put_async(struct pib *pib)
{
	uint32_t i;

	pib->since_async = 0;
	if (pib->config.mode == RVTRACE_PIB_MODE_SWT_MANCHESTER)
		return;
	if (pib->config.format == RVTRACE_FORMAT_NTRACE) {
		/* One idle byte could be taken for a part of what is before it. */
		if (width_of(pib))
			idle_parallel(pib, (16 + width_of(pib) - 1) / width_of(pib));
		return;
	}
	for (i = 0; i < pib->config.null_run; i++)
		put_byte(pib, NULL_IDLE);
	pib->unaligned = true;
}

/* The last null packet before a normal one; messages begin on TRC_DATA[0]. */
static void end_nulls(struct pib *pib)
{
	if (!pib->unaligned)
		return;
	if (width_of(pib) == 16 && !pib->has_first)
		put_byte(pib, NULL_IDLE);
	put_byte(pib, NULL_ALIGNMENT);
	pib->unaligned = false;
}

void pib_init(struct pib *pib, const struct pib_config *config, pib_write write, void *opaque)
{
	memset(pib, 0, sizeof(*pib));
	pib->config = *config;
	pib->write = write;
	pib->opaque = opaque;
	pib_idle(pib, UART_BITS);
	put_async(pib);
}

static void put_message(struct pib *pib, const uint8_t *data, size_t size)
{
	bool manchester = pib->config.mode == RVTRACE_PIB_MODE_SWT_MANCHESTER;
	size_t i;

	if (manchester)
		put_phases(pib, 1, 0);
	for (i = 0; i < size; i++)
		put_byte(pib, data[i]);
	if (manchester)
		put_phases(pib, 0, 0);
}

void pib_message(struct pib *pib, const uint8_t *data, size_t size)
{
	bool ntrace = pib->config.format == RVTRACE_FORMAT_NTRACE;

	if (pib->config.async_interval && pib->since_async >= pib->config.async_interval)
		put_async(pib);
	pib->since_async += size;
	end_nulls(pib);
	put_message(pib, data, size);
	if (pib->has_first)
		put_byte(pib, ntrace ? NTRACE_IDLE : NULL_ALIGNMENT);
}

void pib_calibrate(struct pib *pib, uint32_t repeat)
{
	static const uint8_t two[] = { 0x66, 0x66, 0xcc, 0x33 };
	static const uint8_t four[] = { 0x5a, 0x5a, 0xf0, 0x0f };
	static const uint8_t sixteen[] = { 0xaa, 0xaa, 0x55, 0x55, 0x00, 0x00, 0xff, 0xff };
	static const uint8_t others[] = { 0xaa, 0x55, 0x00, 0xff };
	unsigned int width = width_of(pib);
	const uint8_t *pattern = width == 2 ? two : width == 4 ? four :
				 width == 16 ? sixteen : others;

	end_nulls(pib);
	for (; repeat; repeat--)
		put_message(pib, pattern, width == 16 ? 8 : 4);
	put_async(pib);
}

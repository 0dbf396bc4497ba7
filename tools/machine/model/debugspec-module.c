// SPDX-License-Identifier: GPL-2.0-or-later
/* Trace module of the debug specification: see debugspec-module.h. */
#include "tools/machine/model/debugspec-module.h"

#include <string.h>

#define WORD_BYTES	4

#define KEPT (DSM_TRACE_EMIT | DSM_TRACE_FULLACTION | DSM_TRACE_DESTINATION | DSM_TRACE_STALL)

static unsigned int fullaction(const struct dsm_model *dsm)
{
	return (dsm->trace & DSM_TRACE_FULLACTION) >> 8;
}

static unsigned int destination_of(uint32_t trace)
{
	return (trace & DSM_TRACE_DESTINATION) >> 4;
}

static bool is_off_chip(const struct dsm_model *dsm)
{
	return destination_of(dsm->trace) == DSM_DESTINATION_OFF_CHIP;
}

static uint8_t emits(const struct dsm_model *dsm)
{
	return (dsm->trace & DSM_TRACE_EMIT) >> 16;
}

const char *dsm_config_check(const struct dsm_config *config, const struct dsm_ops *ops)
{
	const uint8_t possible = 1 << DSM_DESTINATION_SYSTEM_RAM | 1 << DSM_DESTINATION_OFF_CHIP;

	if (config->xlen != 32 && config->xlen != 64)
		return "xlen is not 32 or 64";
	if (!config->destinations || config->destinations & ~possible)
		return "destinations is not a set of 1 and 2";
	if (config->destinations >> DSM_DESTINATION_OFF_CHIP & 1 && !ops->off_chip)
		return "there is no way off the chip";
	return NULL;
}

/* The buffer */

/* Its bytes; 0: there is none that could be used */
static uint64_t buffer_size(const struct dsm_model *dsm)
{
	uint64_t size = dsm->end - dsm->start;

	if (dsm->end <= dsm->start || dsm->start % WORD_BYTES ||
	    !debugspec_is_buffer(size, dsm->config.xlen))
		return 0;
	return size;
}

/* "what happens when the trace buffer is full" */
static void fill(struct dsm_model *dsm)
{
	if (fullaction(dsm) == DSM_FULL_WRAP) {
		dsm->write = dsm->start;
		dsm->wrapped = true;
		return;
	}
	dsm->full = true;
	if (fullaction(dsm) == DSM_FULL_EXCEPTION)
		dsm->ops->full(dsm->opaque);
}

static void put_word(void *opaque, uint32_t word)
{
	struct dsm_model *dsm = opaque;

	if (is_off_chip(dsm)) {
		dsm->ops->off_chip(dsm->opaque, word);
		return;
	}
	if (dsm->full)
		return;
	dsm->ops->write(dsm->opaque, dsm->write, word);
	dsm->write += WORD_BYTES;
	if (dsm->write == dsm->end)
		fill(dsm);
}

/* "When 1, the trace logic may stall processor execution ..., when 0 ... be dropped" */
static bool has_room(void *opaque, unsigned int nybbles)
{
	struct dsm_model *dsm = opaque;
	/* "This does not affect execution speed." */
	if (is_off_chip(dsm))
		return true;
	return dsm->ops->room(dsm->opaque, debugspec_bytes(nybbles), dsm->trace & DSM_TRACE_STALL);
}

/* Life */

static bool can_run(const struct dsm_model *dsm)
{
	return dsm->tracing && !dsm->debug && !dsm->full &&
	       (is_off_chip(dsm) || buffer_size(dsm));
}

/* The next word is the first one of the destination. */
static void rewind_stream(struct dsm_model *dsm)
{
	uint32_t size = is_off_chip(dsm) ? 0 : buffer_size(dsm);

	debugspec_stream_init(&dsm->stream, size, false, put_word, has_room, dsm);
	dsm->stream.hart = dsm->config.hart;
}

static void start(struct dsm_model *dsm)
{
	const struct debugspec_params params = {
		.hart = dsm->config.hart,
		.xlen = dsm->config.xlen,
		.compressed = dsm->config.compressed,
		.emit = emits(dsm),
	};

	debugspec_encoder_init(&dsm->encoder, &params, &dsm->stream);
	debugspec_encoder_start(&dsm->encoder, &dsm->context);
}

/* Tracing goes on or ends, as all of what it depends on says. */
static void update(struct dsm_model *dsm)
{
	bool run = can_run(dsm);

	if (run == dsm->running)
		return;
	dsm->running = run;
	if (run) {
		start(dsm);
		return;
	}
	if (!dsm->full) {
		debugspec_encoder_stop(&dsm->encoder);
		debugspec_stream_flush(&dsm->stream);
	}
}

/* What was traced is not wanted, or where it went to is no more. */
static void discard(struct dsm_model *dsm)
{
	dsm->running = false;
	dsm->write = dsm->start;
	dsm->wrapped = false;
	dsm->full = false;
	rewind_stream(dsm);
}

void dsm_init(struct dsm_model *dsm, const struct dsm_config *config, const struct dsm_ops *ops,
	      void *opaque)
{
	unsigned int destination = DSM_DESTINATION_SYSTEM_RAM;

	memset(dsm, 0, sizeof(*dsm));
	dsm->config = *config;
	dsm->ops = ops;
	dsm->opaque = opaque;
	while (!(config->destinations >> destination & 1))
		destination++;
	dsm->trace = DSM_TRACE_STALL | destination << 4;
	rewind_stream(dsm);
}

/* Registers */

static uint64_t cut(const struct dsm_model *dsm, uint64_t value)
{
	return dsm->config.xlen == 32 ? (uint32_t)value : value;
}

bool dsm_read(const struct dsm_model *dsm, unsigned int csr, uint64_t *value)
{
	switch (csr) {
	case DSM_TRACE:
		*value = dsm->trace | DSM_TRACE_SUPPORTED |
			 (dsm->wrapped ? DSM_TRACE_WRAPPED : 0);
		return true;
	case DSM_TBUFSTART:
		*value = dsm->start;
		return true;
	case DSM_TBUFEND:
		*value = dsm->end;
		return true;
	case DSM_TBUFWRITE:
		*value = dsm->write;
		return true;
	default:
		return false;
	}
}

/* Fields whose value is reserved, or not there, keep what they had. */
static uint32_t legal(const struct dsm_model *dsm, uint32_t trace)
{
	uint32_t kept = 0;

	if ((trace & DSM_TRACE_FULLACTION) >> 8 > DSM_FULL_EXCEPTION)
		kept |= DSM_TRACE_FULLACTION;
	if (!(dsm->config.destinations >> destination_of(trace) & 1))
		kept |= DSM_TRACE_DESTINATION;
	return (trace & KEPT & ~kept) | (dsm->trace & kept);
}

/* What changes what the trace looks like, or where it goes, begins another trace. */
static void write_trace(struct dsm_model *dsm, uint32_t value)
{
	uint32_t changed = (legal(dsm, value) ^ dsm->trace) &
			   (DSM_TRACE_EMIT | DSM_TRACE_DESTINATION);
	bool tracing = dsm->tracing;

	if (changed) {
		dsm->tracing = false;
		update(dsm);
		dsm->tracing = tracing;
	}
	dsm->trace = legal(dsm, value);
	/* "When tracing to RAM": what left the chip cannot be taken back */
	if ((value & DSM_TRACE_DISCARD && !is_off_chip(dsm)) || changed & DSM_TRACE_DESTINATION)
		discard(dsm);
	update(dsm);
}

bool dsm_write(struct dsm_model *dsm, unsigned int csr, uint64_t value)
{
	switch (csr) {
	case DSM_TRACE:
		write_trace(dsm, value);
		return true;
	case DSM_TBUFSTART:
		dsm->start = cut(dsm, value);
		break;
	case DSM_TBUFEND:
		dsm->end = cut(dsm, value);
		break;
	default:
		return false;
	}
	if (!is_off_chip(dsm))
		discard(dsm);
	update(dsm);
	return true;
}

/* The hart */

void dsm_retire(struct dsm_model *dsm, const struct ingress_block *block)
{
	if (dsm->running)
		debugspec_encoder_block(&dsm->encoder, block);
	dsm->context = block->context;
	update(dsm);
}

static void put_access(struct dsm_model *dsm, const struct ingress_access *access)
{
	bool store = access->dtype == INGRESS_STORE;
	unsigned int bits = access->size < 3 ? 8u << access->size : 64;

	debugspec_encoder_value(&dsm->encoder, store ? DEBUGSPEC_KIND_STORE : DEBUGSPEC_KIND_LOAD,
				access->address);
	debugspec_encoder_data(&dsm->encoder, store ? DEBUGSPEC_STORED : DEBUGSPEC_LOADED,
			       access->data[0], bits);
}

void dsm_trigger(struct dsm_model *dsm, unsigned int action, uint64_t pc,
		 const struct ingress_access *access)
{
	if (dsm->debug)
		return;
	if (action == DSM_ACTION_START)
		dsm->tracing = true;
	else if (action == DSM_ACTION_STOP)
		dsm->tracing = false;
	else if (action == DSM_ACTION_EMIT && dsm->running && access)
		put_access(dsm, access);
	else if (action == DSM_ACTION_EMIT && dsm->running)
		debugspec_encoder_value(&dsm->encoder, DEBUGSPEC_KIND_PC, pc);
	update(dsm);
}

void dsm_debug_mode(struct dsm_model *dsm, bool debug)
{
	dsm->debug = debug;
	update(dsm);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/encoder.h"

#include <stdlib.h>
#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/encoder-internal.h"

/* Events of external trigger outputs */
#define EVENT_START	0
#define EVENT_STOP	1

static bool is_tracing(const struct te_model *te)
{
	return te->fields[TE_ENABLE] && te->fields[TE_TRACING] &&
	       te_traces_instructions(te);
}

/* Ask the hart to start or stop. */
static void ask(struct te_model *te, bool on)
{
	te->asked = true;
	te->wanted = on;
	te->ops->set_tracing(te->opaque, on);
}

/* What follows from a change of the fields */

/* Of instructions the hart has to be asked first; software may speak now. */
static void prepare(struct te_model *te)
{
	/* A hart that was not stopped yet ends what it began. */
	if (!te->hart)
		te_prepare(te);
}

static void forget_losses(struct te_model *te)
{
	te->fields[TE_OVERFLOW] = 0;
	if (te->generation->enable_clears_data) {
		te->fields[TE_DATA_STALL] = 0;
		te->fields[TE_DATA_DROP] = 0;
	}
}

static void tell_triggers(struct te_model *te)
{
	bool started = te->fields[TE_TRACING];

	if (started != te->started)
		te_fire(te, started ? EVENT_START : EVENT_STOP);
	te->started = started;
}

void te_update(struct te_model *te)
{
	bool enabled = te->fields[TE_ENABLE];
	bool tracing = is_tracing(te);
	bool rises = enabled && !te->enabled;
	bool falls = !enabled && te->enabled;

	te->enabled = enabled;
	tell_triggers(te);
	outlet_select(&te->outlet, te->fields[TE_SINK],
		      te->fields[TE_STOP_ON_WRAP], enabled);
	if (rises) {
		forget_losses(te);
		prepare(te);
	}
	if (tracing != te->tracing) {
		te->tracing = tracing;
		ask(te, tracing);
	}
	if (falls)
		component_start_flush(&te->component);
}

/* Registers */

static bool is_empty(const struct te_model *te)
{
	bool stopping = te->asked && !te->wanted;

	return !te->fifo.used && !stopping && outlet_is_empty(&te->outlet);
}

/* "As specified by specification governing trTeFormat" */
static uint32_t protocol_major(const struct te_model *te)
{
	return te_protocol_of(&te->config, te->fields[TE_FORMAT])->major;
}

static uint32_t protocol_minor(const struct te_model *te)
{
	const struct te_protocol *protocol = te_protocol_of(&te->config, te->fields[TE_FORMAT]);

	return protocol->minor ? protocol->minor(&te->config) : 0;
}

/* A stimulus register is 1 while it takes something. */
static uint32_t read_live(void *owner, unsigned int id)
{
	struct te_model *te = owner;

	switch (id) {
	case TE_EMPTY:
		return component_says_empty(&te->component, is_empty(te));
	case TE_PROTOCOL_MAJOR:
		return protocol_major(te);
	case TE_PROTOCOL_MINOR:
		return protocol_minor(te);
	default:
		return te->config.itc && !te->choked;
	}
}

static void accept(void *owner, unsigned int id, uint32_t value)
{
	te_stimulate(owner, id - TE_ITC_STIMULUS, value);
}

static void written(void *owner)
{
	te_update(owner);
}

static const struct reg_ops reg_ops = {
	.read = read_live,
	.accept = accept,
	.written = written,
};

uint32_t te_model_read(struct te_model *te, uint32_t offset)
{
	return component_read(&te->component, offset);
}

void te_model_write(struct te_model *te, uint32_t offset, uint32_t value)
{
	component_write(&te->component, offset, value);
}

void te_model_write_part(struct te_model *te, uint32_t offset, uint32_t value,
			 unsigned int size)
{
	if (!te_is_stimulus(te, offset))
		return;
	te->lane = offset & 3;
	te_model_write(te, offset & ~3u,
		       value & ((1u << (8 * size)) - 1));
	te->lane = 0;
}

void te_model_tick(struct te_model *te)
{
	component_tick(&te->component);
}

void te_model_set_fault(struct te_model *te, const struct fault *fault)
{
	component_set_fault(&te->component, fault);
}

void te_model_fault(const struct te_model *te, struct fault *fault)
{
	*fault = te->component.fault;
}

/* Life */

static uint64_t now(void *owner)
{
	struct te_model *te = owner;

	return te->ops->outlet.now(te->opaque);
}

static uint64_t read_external(void *owner)
{
	struct te_model *te = owner;

	return te->ops->timestamp(te->opaque);
}

static uint64_t shared(void *owner, uint64_t external, uint64_t cycles)
{
	struct te_model *te = owner;

	return te->ops->shared(te->opaque, external, cycles);
}

static void schedule(void *owner, uint64_t ticks)
{
	struct te_model *te = owner;

	te->ops->schedule(te->opaque, ticks);
}

static void leave(void *owner)
{
	struct te_model *te = owner;

	if (te->hart || (te->asked && te->wanted))
		ask(te, false);
}

static void reset(void *owner)
{
	struct te_model *te = owner;

	te_reset_values(te);
	timestamp_reset(&te->timestamp);
	fifo_reset(&te->fifo);
	outlet_reset(&te->outlet);
	te->fields[TE_SINK_BYTES] = outlet_sink_bytes(&te->outlet);
	outlet_select(&te->outlet, te->fields[TE_SINK], false, false);
	te->enabled = false;
	te->tracing = false;
	te->started = te->fields[TE_TRACING];
	memset(&te->filter, 0, sizeof(te->filter));
	te->hart = false;
	te->choked = false;
	te->recorded = 0;
	te_prepare(te);
	te->halfwords = 0;
}

/* All that is queued leaves. */
static void flush(void *owner)
{
	struct te_model *te = owner;

	te_drain(te, true);
	/* Setting teEnable to 0 flushes to the designated sink. */
	if (!te->enabled)
		outlet_flush(&te->outlet);
}

static const struct component_ops component_ops = {
	.now = now,
	.schedule = schedule,
	.leave = leave,
	.reset = reset,
	.flush = flush,
};

static bool build(struct te_model *te)
{
	const struct te_config *config = &te->config;
	const struct timestamp_ops timestamp_ops = {
		.now = now,
		.external = read_external,
		.shared = te->ops->shared ? shared : NULL,
	};
	struct outlet_ops outlet_ops = te->ops->outlet;
	const struct outlet_config outlet = te_outlet_config(config);

	te_legal_values(te);
	if (!reg_largest(te->generation->encoder, TE_SINK_ERROR))
		outlet_ops.is_on = NULL;
	component_init(&te->component, &config->component, &component_ops, te);
	component_add(&te->component, &(struct reg_block) {
		.specs = te->generation->encoder,
		.converts = te->generation->converts,
		.values = te->fields,
		.legal = te->legal,
		.ops = &reg_ops,
		.owner = te,
	});
	te_add_port(te);
	timestamp_init(&te->timestamp, &config->timestamp, te->generation,
		       te->generation->timestamp, &te->component,
		       &timestamp_ops, te);
	if (!outlet_init(&te->outlet, te->generation, &outlet, &outlet_ops,
			 te->opaque))
		return false;
	outlet_add_registers(&te->outlet, &te->component);
	return true;
}

struct te_model *te_model_new(const struct te_config *config,
			      const struct te_ops *ops, void *opaque)
{
	struct te_model *te;

	if (te_config_check(config))
		return NULL;
	te = calloc(1, sizeof(*te));
	if (!te)
		return NULL;
	te->config = *config;
	te->generation = generation_of(config->generation);
	te->ops = ops;
	te->opaque = opaque;
	if (!fifo_init(&te->fifo, config->fifo_size) || !build(te)) {
		te_model_free(te);
		return NULL;
	}
	te_model_reset(te);
	return te;
}

void te_model_free(struct te_model *te)
{
	if (!te)
		return;
	fifo_free(&te->fifo);
	outlet_free(&te->outlet);
	free(te);
}

void te_model_reset(struct te_model *te)
{
	component_reset(&te->component);
	te->asked = false;
	te->wanted = false;
}

void te_model_lose_power(struct te_model *te)
{
	component_lose_power(&te->component);
	outlet_lose_power(&te->outlet);
}

void te_model_stats(const struct te_model *te, struct te_stats *stats)
{
	*stats = te->stats;
	stats->accesses = te->component.accesses;
}

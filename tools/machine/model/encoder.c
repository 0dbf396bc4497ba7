// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/encoder.h"

#include <stdlib.h>
#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/machine/model/encoder-internal.h"

#define TE_VERSION		1

/* WARL */

static const struct te_config *config_of(const void *owner)
{
	return &((const struct te_model *)owner)->config;
}

static bool legal_mode(const void *owner, uint32_t value)
{
	return config_of(owner)->inst_modes >> value & 1;
}

static bool legal_context(const void *owner, uint32_t value)
{
	return !value || config_of(owner)->context;
}

static bool legal_stall(const void *owner, uint32_t value)
{
	return !value || config_of(owner)->stall;
}

static bool legal_stop_on_wrap(const void *owner, uint32_t value)
{
	return !value || config_of(owner)->stop_on_wrap;
}

static bool legal_inhibit_src(const void *owner, uint32_t value)
{
	return !value || config_of(owner)->inhibit_src;
}

static bool legal_sync_mode(const void *owner, uint32_t value)
{
	return config_of(owner)->sync_modes >> value & 1;
}

static bool legal_sync_max(const void *owner, uint32_t value)
{
	return config_of(owner)->sync_max >> value & 1;
}

static bool legal_format(const void *owner, uint32_t value)
{
	(void)owner;
	return value == RVTRACE_FORMAT_NTRACE;
}

static bool legal_sink(const void *owner, uint32_t value)
{
	return config_of(owner)->sinks >> value & 1;
}

static bool legal_src_id(const void *owner, uint32_t value)
{
	const struct te_config *config = config_of(owner);

	return config->src_writable || value == config->src_id;
}

static bool legal_src_bits(const void *owner, uint32_t value)
{
	const struct te_config *config = config_of(owner);

	return config->src_writable ? value <= config->src_bits :
				      value == config->src_bits;
}

static bool legal_sequential_jump(const void *owner, uint32_t value)
{
	return !value || config_of(owner)->inst_features &
			 RVTRACE_TE_INST_EN_SEQUENTIAL_JUMP;
}

static bool legal_call_stack(const void *owner, uint32_t value)
{
	return !value || config_of(owner)->inst_features &
			 RVTRACE_TE_INST_EN_CALL_STACK;
}

static const struct reg_field control_fields[] = {
	{ .mask = RVTRACE_TE_CONTROL_ENABLE },
	{ .mask = RVTRACE_TE_CONTROL_INST_TRACING },
	{ RVTRACE_TE_CONTROL_INST_MODE, legal_mode },
	{ RVTRACE_TE_CONTROL_CONTEXT, legal_context },
	{ RVTRACE_TE_CONTROL_INST_STALL_EN, legal_stall },
	{ RVTRACE_TE_CONTROL_STOP_ON_WRAP, legal_stop_on_wrap },
	{ RVTRACE_TE_CONTROL_INHIBIT_SRC, legal_inhibit_src },
	{ RVTRACE_TE_CONTROL_SYNC_MODE, legal_sync_mode },
	{ RVTRACE_TE_CONTROL_SYNC_MAX, legal_sync_max },
	{ RVTRACE_TE_CONTROL_FORMAT, legal_format },
	{ RVTRACE_TE_CONTROL_SINK, legal_sink },
	{}
};

static const struct reg_field impl_fields[] = {
	{ RVTRACE_TE_IMPL_SRC_ID, legal_src_id },
	{ RVTRACE_TE_IMPL_SRC_BITS, legal_src_bits },
	{}
};

static const struct reg_field inst_features_fields[] = {
	{ RVTRACE_TE_INST_EN_SEQUENTIAL_JUMP, legal_sequential_jump },
	{ RVTRACE_TE_INST_EN_CALL_STACK, legal_call_stack },
	{}
};

static uint32_t impl_read(const void *owner, uint32_t stored)
{
	return fault_impl(&((const struct te_model *)owner)->fault, stored);
}

static uint32_t control_read(const void *owner, uint32_t stored);
static void control_written(void *owner, uint32_t before);

static const struct reg_spec specs[REGISTERS] = {
	[CONTROL] = { "teControl", RVTRACE_TE_CONTROL, control_fields,
		      control_read, control_written },
	[IMPL] = { "teImpl", RVTRACE_TE_IMPL, impl_fields, impl_read },
	[INST_FEATURES] = { "teInstFeatures", RVTRACE_TE_INST_FEATURES,
			    inst_features_fields },
};

/* The lowest legal value: what a set of capabilities resets to. */
static uint32_t lowest(uint32_t set)
{
	return __builtin_ctz(set);
}

static void reset_registers(struct te_model *te)
{
	const struct te_config *config = &te->config;

	te->regs[CONTROL] =
		field_put(RVTRACE_TE_CONTROL_INST_MODE,
			  lowest(config->inst_modes)) |
		field_put(RVTRACE_TE_CONTROL_SYNC_MODE,
			  lowest(config->sync_modes)) |
		field_put(RVTRACE_TE_CONTROL_SYNC_MAX,
			  lowest(config->sync_max)) |
		field_put(RVTRACE_TE_CONTROL_FORMAT, RVTRACE_FORMAT_NTRACE) |
		field_put(RVTRACE_TE_CONTROL_SINK, lowest(config->sinks));
	te->regs[IMPL] = field_put(RVTRACE_TE_IMPL_VERSION, TE_VERSION) |
		/* hasSRAMSink is bit 4, as is its value of teSink, and so on */
		(config->sinks & 0x1f0) |
		field_put(RVTRACE_TE_IMPL_SRC_ID, config->src_id) |
		field_put(RVTRACE_TE_IMPL_SRC_BITS, config->src_bits);
	te->regs[INST_FEATURES] = 0;
}

/* Time */

static bool power_is_held(const struct te_model *te)
{
	return fault_holds(&te->fault, te->power.wanted);
}

static void rearm(struct te_model *te)
{
	uint64_t due = te->drain_due;
	uint64_t now;

	if (!power_is_held(te) && te->power.due < due)
		due = te->power.due;
	if (due == POWER_NEVER)
		return;
	now = te->ops->now(te->opaque);
	te->ops->schedule(te->opaque, due > now ? due - now : 0);
}

/* All that is queued leaves. */
static void finish_drain(struct te_model *te)
{
	bool stop = te->regs[CONTROL] & RVTRACE_TE_CONTROL_STOP_ON_WRAP;

	te->drain_due = POWER_NEVER;
	te_drain(te, true);
	/* Setting teEnable to 0 flushes to the designated sink. */
	if (!(te->regs[CONTROL] & CONTROL_ENABLE))
		ramsink_flush(&te->sink, NEXUS_IDLE, stop);
}

void te_start_drain(struct te_model *te)
{
	te->drain_due = te->ops->now(te->opaque) + te->config.empty_delay;
	rearm(te);
}

static void settle(struct te_model *te)
{
	uint64_t now = te->ops->now(te->opaque);

	if (!power_is_held(te))
		power_settle(&te->power, now);
	if (te->drain_due != POWER_NEVER && now >= te->drain_due)
		finish_drain(te);
}

void te_model_tick(struct te_model *te)
{
	settle(te);
	rearm(te);
}

/* Control */

static bool is_empty(const struct te_model *te)
{
	bool stopping = te->asked && !te->wanted;

	return !fault_is(&te->fault, FAULT_EMPTY) && !te->fifo.used && !stopping && ramsink_empty(&te->sink);
}

static uint32_t control_read(const void *owner, uint32_t stored)
{
	const struct te_model *te = owner;

	return stored | CONTROL_ACTIVE |
	       (is_empty(te) ? RVTRACE_TE_CONTROL_EMPTY : 0);
}

static void control_written(void *owner, uint32_t before)
{
	struct te_model *te = owner;
	uint32_t *control = &te->regs[CONTROL];
	uint32_t changed = before ^ *control;

	if (changed & *control & CONTROL_ENABLE) {
		*control &= ~CONTROL_OVERFLOW;
		te->sink.wrapped = false;
	}
	if (te_is_tracing(before) != te_is_tracing(*control))
		te_ask(te, te_is_tracing(*control));
	if (changed & before & CONTROL_ENABLE)
		te_start_drain(te);
}

static void reset_contents(struct te_model *te)
{
	reset_registers(te);
	te_timestamp_reset(&te->timestamp, &te->config);
	memset(&te->ntrace, 0, sizeof(te->ntrace));
	fifo_reset(&te->fifo);
	ramsink_reset(&te->sink);
	te->hart = false;
	te->drain_due = POWER_NEVER;
	te->choked = false;
	te->halfwords = 0;
}

static void control_power(struct te_model *te, bool on)
{
	if (!power_request(&te->power, on, te->ops->now(te->opaque),
			   te->config.active_delay))
		return;
	if (!on) {
		if (te->hart || (te->asked && te->wanted))
			te_ask(te, false);
		reset_contents(te);
	}
	settle(te);
	rearm(te);
}

/* The hardware clears bits of teControl by itself. */
static void strike(struct te_model *te)
{
	uint32_t before = te->regs[CONTROL];
	uint32_t bits = fault_clears(&te->fault, before);

	if (bits) {
		te->regs[CONTROL] &= ~bits;
		control_written(te, before);
	}
}

static uint32_t read_register(struct te_model *te, uint32_t offset)
{
	if (!power_is_up(&te->power)) {
		/* Only teActive is defined: it reads what it was. */
		if (offset != RVTRACE_TE_CONTROL)
			return 0;
		return te->power.active ? CONTROL_ACTIVE : 0;
	}
	if (te_timestamp_has_register(offset))
		return te_timestamp_read(&te->timestamp, offset,
					 te->ops->now(te->opaque),
					 te->ops->timestamp(te->opaque));
	if (te->config.sinks & 1 << RVTRACE_SINK_SBA &&
	    ramsink_has_register(&te->sink, offset))
		return ramsink_read(&te->sink, offset);
	return reg_read(specs, REGISTERS, te->regs, te, offset);
}

uint32_t te_model_read(struct te_model *te, uint32_t offset)
{
	uint32_t value;

	strike(te);
	settle(te);
	value = fault_is(&te->fault, FAULT_GONE) ? UINT32_MAX :
						   read_register(te, offset);
	te->stats.accesses++;
	fault_accessed(&te->fault);
	return value;
}

static void write_register(struct te_model *te, uint32_t offset, uint32_t value)
{
	if (offset == RVTRACE_TE_CONTROL) {
		bool up = power_is_up(&te->power);

		control_power(te, value & CONTROL_ACTIVE);
		/* Nothing else is taken by the write that releases it. */
		if (!up || !(value & CONTROL_ACTIVE))
			return;
	}
	if (!power_is_up(&te->power))
		return;
	if (te_timestamp_has_register(offset))
		te_timestamp_write(&te->timestamp, offset, value,
				   te->ops->now(te->opaque));
	else if (te->config.sinks & 1 << RVTRACE_SINK_SBA &&
		 ramsink_has_register(&te->sink, offset))
		ramsink_write(&te->sink, offset, value);
	else
		reg_write(specs, REGISTERS, te->regs, te, offset, value);
}

void te_model_write(struct te_model *te, uint32_t offset, uint32_t value)
{
	strike(te);
	settle(te);
	if (!fault_is(&te->fault, FAULT_GONE))
		write_register(te, offset, value);
	te->stats.accesses++;
	fault_accessed(&te->fault);
}

void te_model_set_fault(struct te_model *te, const struct fault *fault)
{
	te->fault = *fault;
	strike(te);
	settle(te);
	rearm(te);
}

void te_model_fault(const struct te_model *te, struct fault *fault)
{
	*fault = te->fault;
}

/* Life */

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
	te->ops = ops;
	te->opaque = opaque;
	if (!fifo_init(&te->fifo, config->fifo_size)) {
		free(te);
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
	free(te);
}

void te_model_reset(struct te_model *te)
{
	power_reset(&te->power);
	te->fault = te->config.fault;
	ramsink_init(&te->sink, &te->config.sink, te->ops->dma_write,
		     te->opaque);
	reset_contents(te);
	te->asked = false;
	te->wanted = false;
}

void te_model_stats(const struct te_model *te, struct te_stats *stats)
{
	*stats = te->stats;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/machine/model/funnel.h"

#include <stdlib.h>
#include <string.h>

#include "include/uapi/linux/rvtrace_regs.h"
#include "tools/encode/nexus.h"
#include "tools/machine/model/power.h"
#include "tools/machine/model/regs.h"

#define CONTROL_ACTIVE	RVTRACE_TF_CONTROL_ACTIVE
#define CONTROL_ENABLE	RVTRACE_TF_CONTROL_ENABLE

#define TF_VERSION	1

enum { CONTROL, IMPL, REGISTERS };

/* @flush_due: when a disabled funnel has flushed, or POWER_NEVER */
struct tf_model {
	struct tf_config config;
	const struct tf_ops *ops;
	void *opaque;
	struct power power;
	struct fault fault;
	uint32_t regs[REGISTERS];
	struct ramsink sink;
	uint64_t flush_due;
	struct tf_stats stats;
};

void tf_config_default(struct tf_config *config)
{
	*config = (struct tf_config) {
		.sinks = 1 << RVTRACE_SINK_SBA,
		.stop_on_wrap = true,
		.active_delay = 50000,
		.empty_delay = 20000,
	};
	ramsink_config_default(&config->sink);
}

const char *tf_config_check(const struct tf_config *config)
{
	uint32_t sinks = 1 << RVTRACE_SINK_SBA | 1 << RVTRACE_SINK_FUNNEL;

	if (!config->sinks || config->sinks & ~sinks)
		return "sinks is not a set of 7 and 8";
	return ramsink_config_check(&config->sink);
}

static bool legal_stop_on_wrap(const void *owner, uint32_t value)
{
	const struct tf_model *tf = owner;

	return !value || tf->config.stop_on_wrap;
}

static bool legal_sink(const void *owner, uint32_t value)
{
	const struct tf_model *tf = owner;

	return tf->config.sinks >> value & 1;
}

static const struct reg_field control_fields[] = {
	{ .mask = RVTRACE_TF_CONTROL_ENABLE },
	{ RVTRACE_TF_CONTROL_STOP_ON_WRAP, legal_stop_on_wrap },
	{ RVTRACE_TF_CONTROL_SINK, legal_sink },
	{}
};

static uint32_t control_read(const void *owner, uint32_t stored)
{
	const struct tf_model *tf = owner;
	bool empty = ramsink_empty(&tf->sink) &&
		tf->flush_due == POWER_NEVER &&
		!fault_is(&tf->fault, FAULT_EMPTY);

	return stored | CONTROL_ACTIVE |
	       (empty ? RVTRACE_TF_CONTROL_EMPTY : 0);
}

static uint32_t impl_read(const void *owner, uint32_t stored)
{
	return fault_impl(&((const struct tf_model *)owner)->fault, stored);
}

static bool power_is_held(const struct tf_model *tf)
{
	return fault_holds(&tf->fault, tf->power.wanted);
}

static void rearm(struct tf_model *tf)
{
	uint64_t due = tf->flush_due;
	uint64_t now;

	if (!power_is_held(tf) && tf->power.due < due)
		due = tf->power.due;
	if (due == POWER_NEVER)
		return;
	now = tf->ops->now(tf->opaque);
	tf->ops->schedule(tf->opaque, due > now ? due - now : 0);
}

static void control_written(void *owner, uint32_t before)
{
	struct tf_model *tf = owner;
	uint32_t changed = before ^ tf->regs[CONTROL];

	if (!(changed & CONTROL_ENABLE))
		return;
	if (tf->regs[CONTROL] & CONTROL_ENABLE) {
		tf->sink.wrapped = false;
	} else {
		tf->flush_due = tf->ops->now(tf->opaque) +
				tf->config.empty_delay;
		rearm(tf);
	}
}

static const struct reg_spec specs[REGISTERS] = {
	[CONTROL] = { "tfControl", RVTRACE_TF_CONTROL, control_fields,
		      control_read, control_written },
	[IMPL] = { "tfImpl", RVTRACE_TF_IMPL, NULL, impl_read },
};

static bool stops_on_wrap(const struct tf_model *tf)
{
	return tf->regs[CONTROL] & RVTRACE_TF_CONTROL_STOP_ON_WRAP;
}

static void settle(struct tf_model *tf)
{
	uint64_t now = tf->ops->now(tf->opaque);

	if (!power_is_held(tf))
		power_settle(&tf->power, now);
	if (tf->flush_due != POWER_NEVER && now >= tf->flush_due) {
		tf->flush_due = POWER_NEVER;
		ramsink_flush(&tf->sink, NEXUS_IDLE, stops_on_wrap(tf));
	}
}

void tf_model_tick(struct tf_model *tf)
{
	settle(tf);
	rearm(tf);
}

static void reset_contents(struct tf_model *tf)
{
	tf->regs[CONTROL] = field_put(RVTRACE_TF_CONTROL_SINK,
				      __builtin_ctz(tf->config.sinks));
	/* hasSRAMSink is bit 4, as is its value of tfSink, and so on */
	tf->regs[IMPL] = field_put(RVTRACE_TF_IMPL_VERSION, TF_VERSION) |
			 (tf->config.sinks & 0x1f0);
	ramsink_reset(&tf->sink);
	tf->flush_due = POWER_NEVER;
}

static void control_power(struct tf_model *tf, bool on)
{
	if (!power_request(&tf->power, on, tf->ops->now(tf->opaque),
			   tf->config.active_delay))
		return;
	if (!on)
		reset_contents(tf);
	settle(tf);
	rearm(tf);
}

static bool is_sink_register(const struct tf_model *tf, uint32_t offset)
{
	return tf->config.sinks & 1 << RVTRACE_SINK_SBA &&
	       ramsink_has_register(&tf->sink, offset);
}

/* The hardware clears bits of tfControl by itself. */
static void strike(struct tf_model *tf)
{
	uint32_t before = tf->regs[CONTROL];
	uint32_t bits = fault_clears(&tf->fault, before);

	if (bits) {
		tf->regs[CONTROL] &= ~bits;
		control_written(tf, before);
	}
}

static uint32_t read_register(struct tf_model *tf, uint32_t offset)
{
	if (!power_is_up(&tf->power)) {
		/* Only tfActive is defined: it reads what it was. */
		if (offset != RVTRACE_TF_CONTROL)
			return 0;
		return tf->power.active ? CONTROL_ACTIVE : 0;
	}
	if (is_sink_register(tf, offset))
		return ramsink_read(&tf->sink, offset);
	return reg_read(specs, REGISTERS, tf->regs, tf, offset);
}

uint32_t tf_model_read(struct tf_model *tf, uint32_t offset)
{
	uint32_t value;

	strike(tf);
	settle(tf);
	value = fault_is(&tf->fault, FAULT_GONE) ? UINT32_MAX :
						   read_register(tf, offset);
	tf->stats.accesses++;
	fault_accessed(&tf->fault);
	return value;
}

static void write_register(struct tf_model *tf, uint32_t offset, uint32_t value)
{
	if (offset == RVTRACE_TF_CONTROL) {
		bool up = power_is_up(&tf->power);

		control_power(tf, value & CONTROL_ACTIVE);
		/* Nothing else is taken by the write that releases it. */
		if (!up || !(value & CONTROL_ACTIVE))
			return;
	}
	if (!power_is_up(&tf->power))
		return;
	if (is_sink_register(tf, offset))
		ramsink_write(&tf->sink, offset, value);
	else
		reg_write(specs, REGISTERS, tf->regs, tf, offset, value);
}

void tf_model_write(struct tf_model *tf, uint32_t offset, uint32_t value)
{
	strike(tf);
	settle(tf);
	if (!fault_is(&tf->fault, FAULT_GONE))
		write_register(tf, offset, value);
	tf->stats.accesses++;
	fault_accessed(&tf->fault);
}

void tf_model_set_fault(struct tf_model *tf, const struct fault *fault)
{
	tf->fault = *fault;
	strike(tf);
	settle(tf);
	rearm(tf);
}

void tf_model_fault(const struct tf_model *tf, struct fault *fault)
{
	*fault = tf->fault;
}

void tf_model_set_bandwidth(struct tf_model *tf, uint32_t bandwidth)
{
	tf->sink.config.bandwidth = bandwidth;
}

uint32_t tf_model_bandwidth(const struct tf_model *tf)
{
	return tf->sink.config.bandwidth;
}

bool tf_model_send(struct tf_model *tf, const uint8_t *message, size_t size,
		   bool wait)
{
	bool taken;

	/* A disabled funnel accepts and drops. */
	if (!power_is_up(&tf->power) ||
	    !(tf->regs[CONTROL] & CONTROL_ENABLE)) {
		tf->stats.dropped += size;
		return true;
	}
	if (field_get(RVTRACE_TF_CONTROL_SINK, tf->regs[CONTROL]) ==
	    RVTRACE_SINK_FUNNEL) {
		taken = tf->ops->send(tf->opaque, message, size, wait);
	} else {
		taken = ramsink_put(&tf->sink, message, size, wait,
				    stops_on_wrap(tf));
		/* The buffer has filled: nothing is left to flush. */
		if (tf->sink.wrapped && stops_on_wrap(tf))
			tf->regs[CONTROL] &= ~CONTROL_ENABLE;
	}
	if (taken)
		tf->stats.bytes += size;
	return taken;
}

void tf_model_advance(struct tf_model *tf, uint32_t halfwords)
{
	if (field_get(RVTRACE_TF_CONTROL_SINK, tf->regs[CONTROL]) ==
	    RVTRACE_SINK_FUNNEL)
		tf->ops->advance(tf->opaque, halfwords);
	else
		ramsink_advance(&tf->sink, halfwords);
}

struct tf_model *tf_model_new(const struct tf_config *config,
			      const struct tf_ops *ops, void *opaque)
{
	struct tf_model *tf;

	if (tf_config_check(config))
		return NULL;
	tf = calloc(1, sizeof(*tf));
	if (!tf)
		return NULL;
	tf->config = *config;
	tf->ops = ops;
	tf->opaque = opaque;
	tf_model_reset(tf);
	return tf;
}

void tf_model_free(struct tf_model *tf)
{
	free(tf);
}

void tf_model_reset(struct tf_model *tf)
{
	power_reset(&tf->power);
	tf->fault = tf->config.fault;
	ramsink_init(&tf->sink, &tf->config.sink, tf->ops->dma_write,
		     tf->opaque);
	reset_contents(tf);
}

void tf_model_stats(const struct tf_model *tf, struct tf_stats *stats)
{
	*stats = tf->stats;
	stats->wraps = tf->sink.wraps;
}

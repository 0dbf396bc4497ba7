// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trace funnel, with the sinks of its page.
 */
#include "qemu/osdep.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/rvtrace/options.h"
#include "hw/rvtrace/rvtrace.h"

static const struct tf_ops funnel_ops = {
	.outlet.now = rvtrace_now,
	.timestamp = rvtrace_external,
	.schedule = rvtrace_schedule,
	.outlet.dma_write = rvtrace_dma_write,
	.outlet.pib_write = rvtrace_pib_write,
	.outlet.atb_write = rvtrace_atb_write,
	.outlet.sent = rvtrace_sent,
	.outlet.send = rvtrace_send,
	.outlet.advance = rvtrace_advance,
	.shared = rvtrace_shared,
	.outlet.has_room = rvtrace_has_room,
	.outlet.is_on = rvtrace_is_on,
};

static bool funnel_create(RVTraceComponent *c, Error **errp)
{
	RVTraceFunnel *funnel = RVTRACE_FUNNEL(c);
	const char *wrong = tf_config_check(&funnel->config);

	if (wrong) {
		error_setg(errp, "%s: %s", c->name, wrong);
		return false;
	}
	funnel->model = tf_model_new(&funnel->config, &funnel_ops, funnel);
	if (!funnel->model) {
		error_setg(errp, "%s: out of memory", c->name);
	}
	return funnel->model;
}

static void funnel_reset(RVTraceComponent *c)
{
	tf_model_reset(RVTRACE_FUNNEL(c)->model);
}

static void funnel_lose_power(RVTraceComponent *c)
{
	tf_model_lose_power(RVTRACE_FUNNEL(c)->model);
}

static uint32_t funnel_read(RVTraceComponent *c, uint32_t offset)
{
	return tf_model_read(RVTRACE_FUNNEL(c)->model, offset);
}

static void funnel_write(RVTraceComponent *c, uint32_t offset, uint32_t value)
{
	tf_model_write(RVTRACE_FUNNEL(c)->model, offset, value);
}

static void funnel_tick(RVTraceComponent *c)
{
	tf_model_tick(RVTRACE_FUNNEL(c)->model);
}

static bool funnel_send(RVTraceComponent *c, uint32_t input,
			const uint8_t *message, size_t size, bool wait)
{
	return tf_model_send(RVTRACE_FUNNEL(c)->model, input, message, size,
			     wait);
}

static void funnel_advance(RVTraceComponent *c, uint32_t halfwords)
{
	tf_model_advance(RVTRACE_FUNNEL(c)->model, halfwords);
}

static struct shared_stream *funnel_stream(RVTraceComponent *c, uint32_t input)
{
	return tf_model_stream(RVTRACE_FUNNEL(c)->model, input);
}

static bool funnel_has_room(RVTraceComponent *c, uint32_t input, size_t size)
{
	return tf_model_has_room(RVTRACE_FUNNEL(c)->model, input, size);
}

static bool funnel_is_on(RVTraceComponent *c)
{
	return tf_model_is_on(RVTRACE_FUNNEL(c)->model);
}

static uint64_t funnel_shared(RVTraceComponent *c, uint64_t external,
			      uint64_t cycles)
{
	return tf_model_shared(RVTRACE_FUNNEL(c)->model, external, cycles);
}

static void funnel_fault(RVTraceComponent *c, struct fault *fault)
{
	tf_model_fault(RVTRACE_FUNNEL(c)->model, fault);
}

static void funnel_set_fault(RVTraceComponent *c, const struct fault *fault)
{
	tf_model_set_fault(RVTRACE_FUNNEL(c)->model, fault);
}

static uint64_t funnel_accesses(RVTraceComponent *c)
{
	struct tf_stats stats;

	tf_model_stats(RVTRACE_FUNNEL(c)->model, &stats);
	return stats.accesses;
}

static uint32_t funnel_bandwidth(RVTraceComponent *c)
{
	return tf_model_bandwidth(RVTRACE_FUNNEL(c)->model);
}

static void funnel_set_bandwidth(RVTraceComponent *c, uint32_t bandwidth)
{
	tf_model_set_bandwidth(RVTRACE_FUNNEL(c)->model, bandwidth);
}

static void funnel_init(Object *obj)
{
	enum tci generation = RVTRACE_COMPONENT_GET_CLASS(obj)->generation;
	const struct profile *profile = rvtrace_profile(generation);

	tf_config_init(&RVTRACE_FUNNEL(obj)->config, generation);
	if (profile) {
		profile->funnel(&RVTRACE_FUNNEL(obj)->config);
	}
}

#define U32(name, field)	RVTRACE_PROP_U32(name, RVTraceFunnel, field)
#define U64(name, field)	RVTRACE_PROP_U64(name, RVTraceFunnel, field)
#define FLAG(name, field)	RVTRACE_PROP_FLAG(name, RVTraceFunnel, field)

static const Property funnel_properties[] = {
	U32("sinks", sinks),
	FLAG("stop-on-wrap", stop_on_wrap),
	U32("dis-input", dis_input),
	U32("ts-types", timestamp.types),
	U32("ts-width", timestamp.width),
	FLAG("ts-prescale", timestamp.prescale),
	FLAG("ts-hides-width", timestamp.hides_width),
	U32("ts-vendor", timestamp.vendor),
	U64("ts-active-delay", timestamp.active_delay),
	U64("active-delay", component.active_delay),
	U64("empty-delay", component.empty_delay),
	U64("enable-delay", component.enable_delay),
	U64("stops-after", component.stops_after),
	U32("undef", component.undef),
	RVTRACE_RAM_PROPS(RVTraceFunnel, sink),
	RVTRACE_PIB_PROPS(RVTraceFunnel),
	RVTRACE_ATB_PROPS(RVTraceFunnel),
	U32("debugspec-buffer", shared_buffer),
	U32("stuck", component.fault.stuck),
	U32("stuck-after", component.fault.after),
	U32("impl-xor", component.fault.impl),
};

static void funnel_class_init(ObjectClass *oc, void *data)
{
	RVTraceComponentClass *cc = RVTRACE_COMPONENT_CLASS(oc);

	cc->kind = RVTRACE_KIND_FUNNEL;
	cc->create = funnel_create;
	cc->reset = funnel_reset;
	cc->lose_power = funnel_lose_power;
	cc->read = funnel_read;
	cc->write = funnel_write;
	cc->tick = funnel_tick;
	cc->send = funnel_send;
	cc->advance = funnel_advance;
	cc->stream = funnel_stream;
	cc->has_room = funnel_has_room;
	cc->is_on = funnel_is_on;
	cc->shared = funnel_shared;
	cc->fault = funnel_fault;
	cc->set_fault = funnel_set_fault;
	cc->accesses = funnel_accesses;
	cc->bandwidth = funnel_bandwidth;
	cc->set_bandwidth = funnel_set_bandwidth;
	device_class_set_props(DEVICE_CLASS(oc), funnel_properties);
}

static void funnel_generation_class_init(ObjectClass *oc, void *data)
{
	RVTRACE_COMPONENT_CLASS(oc)->generation = (uintptr_t)data;
	DEVICE_CLASS(oc)->desc = "RISC-V trace funnel";
}

static const TypeInfo funnel_types[] = {
	{
		.name = TYPE_RVTRACE_FUNNEL,
		.parent = TYPE_RVTRACE_COMPONENT,
		.instance_size = sizeof(RVTraceFunnel),
		.instance_init = funnel_init,
		.class_init = funnel_class_init,
		.abstract = true,
	}, {
		.name = TYPE_RVTRACE_FUNNEL "-0",
		.parent = TYPE_RVTRACE_FUNNEL,
		.class_init = funnel_generation_class_init,
		.class_data = (void *)TCI_0,
	}, {
		.name = TYPE_RVTRACE_FUNNEL "-0-9",
		.parent = TYPE_RVTRACE_FUNNEL,
		.class_init = funnel_generation_class_init,
		.class_data = (void *)TCI_0_9,
	}, {
		.name = TYPE_RVTRACE_FUNNEL "-1-0",
		.parent = TYPE_RVTRACE_FUNNEL,
		.class_init = funnel_generation_class_init,
		.class_data = (void *)TCI_1_0,
	},
};

DEFINE_TYPES(funnel_types)

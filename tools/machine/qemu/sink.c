// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sinks that have a page of their own.
 */
#include "qemu/osdep.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/rvtrace/rvtrace.h"

static const struct sink_ops sink_ops = {
	.outlet.now = rvtrace_now,
	.schedule = rvtrace_schedule,
	.outlet.dma_write = rvtrace_dma_write,
	.outlet.pib_write = rvtrace_pib_write,
	.outlet.atb_write = rvtrace_atb_write,
	.outlet.sent = rvtrace_sent,
};

static bool sink_create(RVTraceComponent *c, Error **errp)
{
	RVTraceSink *sink = RVTRACE_SINK(c);
	const char *wrong = sink_config_check(&sink->config);

	if (wrong) {
		error_setg(errp, "%s: %s", c->name, wrong);
		return false;
	}
	sink->model = sink_model_new(&sink->config, &sink_ops, sink);
	if (!sink->model) {
		error_setg(errp, "%s: out of memory", c->name);
	}
	return sink->model;
}

static void sink_reset(RVTraceComponent *c)
{
	sink_model_reset(RVTRACE_SINK(c)->model);
}

static void sink_lose_power(RVTraceComponent *c)
{
	sink_model_lose_power(RVTRACE_SINK(c)->model);
}

static uint32_t sink_read(RVTraceComponent *c, uint32_t offset)
{
	return sink_model_read(RVTRACE_SINK(c)->model, offset);
}

static void sink_write(RVTraceComponent *c, uint32_t offset, uint32_t value)
{
	sink_model_write(RVTRACE_SINK(c)->model, offset, value);
}

static void sink_tick(RVTraceComponent *c)
{
	sink_model_tick(RVTRACE_SINK(c)->model);
}

static bool sink_send(RVTraceComponent *c, uint32_t input,
		      const uint8_t *message, size_t size, bool wait)
{
	return sink_model_send(RVTRACE_SINK(c)->model, message, size, wait);
}

static void sink_advance(RVTraceComponent *c, uint32_t halfwords)
{
	sink_model_advance(RVTRACE_SINK(c)->model, halfwords);
}

static bool sink_has_room(RVTraceComponent *c, uint32_t input, size_t size)
{
	return sink_model_has_room(RVTRACE_SINK(c)->model, size);
}

static bool sink_is_on(RVTraceComponent *c)
{
	return sink_model_is_on(RVTRACE_SINK(c)->model);
}

static void sink_fault(RVTraceComponent *c, struct fault *fault)
{
	sink_model_fault(RVTRACE_SINK(c)->model, fault);
}

static void sink_set_fault(RVTraceComponent *c, const struct fault *fault)
{
	sink_model_set_fault(RVTRACE_SINK(c)->model, fault);
}

static uint64_t sink_accesses(RVTraceComponent *c)
{
	struct sink_stats stats;

	sink_model_stats(RVTRACE_SINK(c)->model, &stats);
	return stats.accesses;
}

static uint32_t sink_bandwidth(RVTraceComponent *c)
{
	return sink_model_bandwidth(RVTRACE_SINK(c)->model);
}

static void sink_set_bandwidth(RVTraceComponent *c, uint32_t bandwidth)
{
	sink_model_set_bandwidth(RVTRACE_SINK(c)->model, bandwidth);
}

static void sink_init(Object *obj)
{
	static const enum sink_kind kinds[RVTRACE_KINDS] = {
		[RVTRACE_KIND_RAM_SINK] = SINK_KIND_RAM,
		[RVTRACE_KIND_PIB_SINK] = SINK_KIND_PIB,
		[RVTRACE_KIND_ATB_BRIDGE] = SINK_KIND_ATB,
	};
	RVTraceComponentClass *cc = RVTRACE_COMPONENT_GET_CLASS(obj);

	sink_config_init(&RVTRACE_SINK(obj)->config, cc->generation,
			 kinds[cc->kind]);
}

#define U32(name, field)	RVTRACE_PROP_U32(name, RVTraceSink, field)
#define U64(name, field)	RVTRACE_PROP_U64(name, RVTraceSink, field)
#define FLAG(name, field)	RVTRACE_PROP_FLAG(name, RVTraceSink, field)

static const Property sink_properties[] = {
	U64("active-delay", component.active_delay),
	U64("empty-delay", component.empty_delay),
	U64("enable-delay", component.enable_delay),
	U64("stops-after", component.stops_after),
	U32("undef", component.undef),
	U32("stuck", component.fault.stuck),
	U32("stuck-after", component.fault.after),
	U32("impl-xor", component.fault.impl),
};

static const Property ram_properties[] = {
	U32("modes", ram_modes),
	FLAG("stop-on-wrap", stop_on_wrap),
	RVTRACE_RAM_PROPS(RVTraceSink, ram),
	U32("mem-formats", ram.mem_formats),
	U32("async-freqs", ram.async_freqs),
};

static const Property pib_properties[] = {
	RVTRACE_PIB_PROPS(RVTraceSink),
	U32("async-freqs", pib.async_freqs),
};

static const Property atb_properties[] = {
	RVTRACE_ATB_PROPS(RVTraceSink),
	U32("async-freqs", atb.async_freqs),
};

static void sink_class_init(ObjectClass *oc, void *data)
{
	RVTraceComponentClass *cc = RVTRACE_COMPONENT_CLASS(oc);

	cc->generation = TCI_1_0;
	cc->create = sink_create;
	cc->reset = sink_reset;
	cc->lose_power = sink_lose_power;
	cc->read = sink_read;
	cc->write = sink_write;
	cc->tick = sink_tick;
	cc->send = sink_send;
	cc->advance = sink_advance;
	cc->has_room = sink_has_room;
	cc->is_on = sink_is_on;
	cc->fault = sink_fault;
	cc->set_fault = sink_set_fault;
	cc->accesses = sink_accesses;
	device_class_set_props(DEVICE_CLASS(oc), sink_properties);
}

static void ram_class_init(ObjectClass *oc, void *data)
{
	RVTraceComponentClass *cc = RVTRACE_COMPONENT_CLASS(oc);

	cc->kind = RVTRACE_KIND_RAM_SINK;
	cc->bandwidth = sink_bandwidth;
	cc->set_bandwidth = sink_set_bandwidth;
	device_class_set_props(DEVICE_CLASS(oc), ram_properties);
	DEVICE_CLASS(oc)->desc = "RISC-V trace RAM sink";
}

static void pib_class_init(ObjectClass *oc, void *data)
{
	RVTRACE_COMPONENT_CLASS(oc)->kind = RVTRACE_KIND_PIB_SINK;
	device_class_set_props(DEVICE_CLASS(oc), pib_properties);
	DEVICE_CLASS(oc)->desc = "RISC-V trace PIB sink";
}

static void atb_class_init(ObjectClass *oc, void *data)
{
	RVTRACE_COMPONENT_CLASS(oc)->kind = RVTRACE_KIND_ATB_BRIDGE;
	device_class_set_props(DEVICE_CLASS(oc), atb_properties);
	DEVICE_CLASS(oc)->desc = "RISC-V trace ATB bridge";
}

static const TypeInfo sink_types[] = {
	{
		.name = TYPE_RVTRACE_SINK,
		.parent = TYPE_RVTRACE_COMPONENT,
		.instance_size = sizeof(RVTraceSink),
		.instance_init = sink_init,
		.class_init = sink_class_init,
		.abstract = true,
	}, {
		.name = TYPE_RVTRACE_RAM_SINK,
		.parent = TYPE_RVTRACE_SINK,
		.class_init = ram_class_init,
	}, {
		.name = TYPE_RVTRACE_PIB_SINK,
		.parent = TYPE_RVTRACE_SINK,
		.class_init = pib_class_init,
	}, {
		.name = TYPE_RVTRACE_ATB_BRIDGE,
		.parent = TYPE_RVTRACE_SINK,
		.class_init = atb_class_init,
	},
};

DEFINE_TYPES(sink_types)

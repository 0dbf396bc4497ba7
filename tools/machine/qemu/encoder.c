// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trace encoder of one hart.
 */
#include "qemu/osdep.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/rvtrace/options.h"
#include "hw/rvtrace/rvtrace.h"

static void encoder_set_tracing(void *opaque, bool on)
{
	rvtrace_hart_ask(opaque, on);
}

static uint64_t encoder_timestamp(void *opaque)
{
	RVTraceEncoder *encoder = opaque;

	return rvtrace_time(&encoder->cpu->env, rvtrace_ticks());
}

static const struct te_ops encoder_ops = {
	.set_tracing = encoder_set_tracing,
	.outlet.now = rvtrace_now,
	.timestamp = encoder_timestamp,
	.schedule = rvtrace_schedule,
	.outlet.send = rvtrace_send,
	.outlet.advance = rvtrace_advance,
	.stream_begin = rvtrace_stream_begin,
	.stream_end = rvtrace_stream_end,
	.shared = rvtrace_shared,
	.outlet.is_on = rvtrace_is_on,
	.outlet.dma_write = rvtrace_dma_write,
	.outlet.pib_write = rvtrace_pib_write,
	.outlet.atb_write = rvtrace_atb_write,
	.outlet.sent = rvtrace_sent,
};

static bool encoder_create(RVTraceComponent *c, Error **errp)
{
	RVTraceEncoder *encoder = RVTRACE_ENCODER(c);
	const char *wrong = te_config_check(&encoder->config);

	if (wrong) {
		error_setg(errp, "%s: %s", c->name, wrong);
		return false;
	}
	encoder->config.scontext = encoder->cpu->env.rvtrace.scontext_mask;
	encoder->model = te_model_new(&encoder->config, &encoder_ops, encoder);
	if (!encoder->model) {
		error_setg(errp, "%s: out of memory", c->name);
		return false;
	}
	if (!encoder->spare) {
		encoder->cpu->env.rvtrace.encoder = encoder;
	}
	return true;
}

static void encoder_reset(RVTraceComponent *c)
{
	RVTraceEncoder *encoder = RVTRACE_ENCODER(c);

	rvtrace_hart_reset(encoder);
	te_model_reset(encoder->model);
}

static void encoder_lose_power(RVTraceComponent *c)
{
	te_model_lose_power(RVTRACE_ENCODER(c)->model);
}

/* The hart, in whose power domain it may be, idles deeply. */
static bool is_gone(const RVTraceEncoder *encoder)
{
	return encoder->config.idle_gone && !encoder->spare &&
		encoder->cpu->env.priv == PRV_M &&
		qatomic_read(&CPU(encoder->cpu)->halted);
}

static uint32_t encoder_read(RVTraceComponent *c, uint32_t offset)
{
	if (is_gone(RVTRACE_ENCODER(c))) {
		return UINT32_MAX;
	}
	return te_model_read(RVTRACE_ENCODER(c)->model, offset);
}

static void encoder_write(RVTraceComponent *c, uint32_t offset, uint32_t value)
{
	if (is_gone(RVTRACE_ENCODER(c))) {
		return;
	}
	te_model_write(RVTRACE_ENCODER(c)->model, offset, value);
	rvtrace_hart_listen(RVTRACE_ENCODER(c));
}

static void encoder_write_part(RVTraceComponent *c, uint32_t offset,
			       uint32_t value, unsigned int size)
{
	te_model_write_part(RVTRACE_ENCODER(c)->model, offset, value, size);
}

static void encoder_tick(RVTraceComponent *c)
{
	te_model_tick(RVTRACE_ENCODER(c)->model);
}

static void encoder_fault(RVTraceComponent *c, struct fault *fault)
{
	te_model_fault(RVTRACE_ENCODER(c)->model, fault);
}

static void encoder_set_fault(RVTraceComponent *c, const struct fault *fault)
{
	te_model_set_fault(RVTRACE_ENCODER(c)->model, fault);
}

static void encoder_happen(RVTraceComponent *c, uint32_t events)
{
	struct te_model *te = RVTRACE_ENCODER(c)->model;
	unsigned int n;

	for (n = 0; n < 8; n++) {
		if (events >> n & 1) {
			te_model_trigger(te, n);
		}
	}
	te_model_debug_trigger(te, (events & FAULT_DEBUG_ACTION) >> 8);
	te_model_lose_data(te, events & FAULT_DATA_STALL,
			   events & FAULT_DATA_DROP);
	if (events & FAULT_STAND_STILL) {
		rvtrace_hart_stand_still(RVTRACE_ENCODER(c));
	}
}

static uint32_t encoder_fired(RVTraceComponent *c, bool clear)
{
	return te_model_fired(RVTRACE_ENCODER(c)->model, clear);
}

static uint64_t encoder_accesses(RVTraceComponent *c)
{
	struct te_stats stats;

	te_model_stats(RVTRACE_ENCODER(c)->model, &stats);
	return stats.accesses;
}

static void encoder_init(Object *obj)
{
	enum tci generation = RVTRACE_COMPONENT_GET_CLASS(obj)->generation;
	const struct profile *profile = rvtrace_profile(generation);

	te_config_init(&RVTRACE_ENCODER(obj)->config, generation);
	if (profile) {
		profile->encoder(&RVTRACE_ENCODER(obj)->config);
	}
}

#define U32(name, field)	RVTRACE_PROP_U32(name, RVTraceEncoder, field)
#define U64(name, field)	RVTRACE_PROP_U64(name, RVTraceEncoder, field)
#define FLAG(name, field)	RVTRACE_PROP_FLAG(name, RVTraceEncoder, field)

static const Property encoder_properties[] = {
	U32("formats", formats),
	U32("inst-modes", inst_modes),
	U32("sync-modes", sync_modes),
	U32("sync-max", sync_max),
	U32("sync-max-btm", sync_max_btm),
	U32("sync-max-inst", sync_max_inst),
	FLAG("itc", itc),
	FLAG("pc-sample", pc_sample),
	FLAG("port", port),
	U32("sinks", sinks),
	U32("src-id", src_id),
	U32("src-bits", src_bits),
	FLAG("src-writable", src_writable),
	U32("crossing-type", crossing_type),
	FLAG("context", context),
	FLAG("inhibit-src", inhibit_src),
	FLAG("stall", stall),
	FLAG("stop-on-wrap", stop_on_wrap),
	U32("inst-features", inst_features),
	U32("return-modes", return_modes),
	U32("ts-types", timestamp.types),
	U32("ts-width", timestamp.width),
	FLAG("ts-prescale", timestamp.prescale),
	U32("ts-speed", timestamp.speed),
	FLAG("ts-hides-width", timestamp.hides_width),
	U32("ts-vendor", timestamp.vendor),
	U64("ts-active-delay", timestamp.active_delay),
	FLAG("ts-xor", ts_xor),
	FLAG("filter-machine", filter_machine),
	FLAG("trig-enable", trig_enable),
	U32("trig-inputs", trig_inputs),
	U32("trig-actions", trig_actions),
	U32("trig-outputs", trig_outputs),
	U32("trig-events", trig_events),
	U32("trig-debug", trig_debug),
	FLAG("data", data),
	U32("filter-words", filter_words),
	U32("filters", filters),
	FLAG("filter-others", filter_others),
	U32("comparators", comparators),
	U32("comp-inputs", comp_inputs),
	FLAG("idle-gone", idle_gone),
	U64("active-delay", component.active_delay),
	U64("empty-delay", component.empty_delay),
	U64("enable-delay", component.enable_delay),
	U32("undef", component.undef),
	U32("fifo-size", fifo_size),
	U32("icnt-bits", icnt_bits),
	U32("hist-bits", hist_bits),
	U32("repeat-bits", repeat_bits),
	U32("call-stack", call_stack),
	U32("address-bits", address_bits),
	U32("call-count", call_count),
	U32("count-modes", count_modes),
	FLAG("swap-is-call", swap_is_call),
	FLAG("call-after-sync", call_after_sync),
	FLAG("calls-outlive-sync", calls_outlive_sync),
	FLAG("traps-clear-calls", traps_clear_calls),
	FLAG("repeat-branch", repeat_branch),
	U32("iaddress-width", etrace.iaddress_width),
	U32("iaddress-lsb", etrace.iaddress_lsb),
	U32("bpred-size", etrace.bpred_size),
	U32("cache-size", etrace.cache_size),
	U32("return-stack-size", etrace.return_stack_size),
	U32("call-counter-size", etrace.call_counter_size),
	U32("context-width", etrace.context_width),
	FLAG("nocontext", etrace.nocontext),
	U32("time-width", etrace.time_width),
	FLAG("notime", etrace.notime),
	U32("ecause-width", etrace.ecause_width),
	U32("privilege-width", etrace.privilege_width),
	U32("f0s-width", etrace.f0s_width),
	FLAG("sijump", etrace.sijump),
	U32("timestamp-width", etrace.timestamp_width),
	U32("type-width", etrace.type_width),
	U32("type-inst", etrace.type_inst),
	U32("type-event", etrace.type_event),
	U32("event-srcid-bit", etrace.event_srcid_bit),
	FLAG("sign-padding", etrace.sign_padding),
	U32("ctype", etrace.ctype),
	U32("protocol-minor", etrace.protocol_minor),
	FLAG("iret-ext", etrace.iret_ext),
	U32("vendor", vendor.format),
	FLAG("vendor-full", vendor.full),
	U32("cdl-flavour", vendor.cdl_flavour),
	U32("cdl-interval", vendor.cdl_interval),
	FLAG("cdl-threads", vendor.cdl_threads),
	U32("debugspec-emit", vendor.emit),
	U32("debugspec-buffer", vendor.buffer),
	FLAG("debugspec-compressed", vendor.compressed),
	RVTRACE_RAM_PROPS(RVTraceEncoder, sink),
	RVTRACE_PIB_PROPS(RVTraceEncoder),
	RVTRACE_ATB_PROPS(RVTraceEncoder),
	U32("stuck", component.fault.stuck),
	U32("stuck-after", component.fault.after),
	U32("impl-xor", component.fault.impl),
};

static void encoder_class_init(ObjectClass *oc, void *data)
{
	RVTraceComponentClass *cc = RVTRACE_COMPONENT_CLASS(oc);

	cc->kind = RVTRACE_KIND_ENCODER;
	cc->create = encoder_create;
	cc->reset = encoder_reset;
	cc->lose_power = encoder_lose_power;
	cc->read = encoder_read;
	cc->write = encoder_write;
	cc->write_part = encoder_write_part;
	cc->tick = encoder_tick;
	cc->fault = encoder_fault;
	cc->set_fault = encoder_set_fault;
	cc->happen = encoder_happen;
	cc->fired = encoder_fired;
	cc->accesses = encoder_accesses;
	device_class_set_props(DEVICE_CLASS(oc), encoder_properties);
}

static void encoder_generation_class_init(ObjectClass *oc, void *data)
{
	RVTRACE_COMPONENT_CLASS(oc)->generation = (uintptr_t)data;
	DEVICE_CLASS(oc)->desc = "RISC-V trace encoder";
}

static const TypeInfo encoder_types[] = {
	{
		.name = TYPE_RVTRACE_ENCODER,
		.parent = TYPE_RVTRACE_COMPONENT,
		.instance_size = sizeof(RVTraceEncoder),
		.instance_init = encoder_init,
		.class_init = encoder_class_init,
		.abstract = true,
	}, {
		.name = TYPE_RVTRACE_ENCODER "-0",
		.parent = TYPE_RVTRACE_ENCODER,
		.class_init = encoder_generation_class_init,
		.class_data = (void *)TCI_0,
	}, {
		.name = TYPE_RVTRACE_ENCODER "-0-9",
		.parent = TYPE_RVTRACE_ENCODER,
		.class_init = encoder_generation_class_init,
		.class_data = (void *)TCI_0_9,
	}, {
		.name = TYPE_RVTRACE_ENCODER "-1-0",
		.parent = TYPE_RVTRACE_ENCODER,
		.class_init = encoder_generation_class_init,
		.class_data = (void *)TCI_1_0,
	},
};

DEFINE_TYPES(encoder_types)

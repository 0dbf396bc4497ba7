// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trace encoder of one hart.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/rvtrace/rvtrace.h"
#include "migration/vmstate.h"

static void encoder_set_tracing(void *opaque, bool on)
{
	rvtrace_hart_ask(opaque, on);
}

static uint64_t encoder_now(void *opaque)
{
	return rvtrace_ticks();
}

static uint64_t encoder_timestamp(void *opaque)
{
	RVTraceEncoder *encoder = opaque;

	return rvtrace_time(&encoder->cpu->env, rvtrace_ticks());
}

static void encoder_schedule(void *opaque, uint64_t ticks)
{
	RVTraceEncoder *encoder = opaque;

	rvtrace_schedule(encoder->timer, ticks);
}

static bool encoder_send(void *opaque, const uint8_t *message, size_t size,
			 bool wait)
{
	RVTraceEncoder *encoder = opaque;

	return rvtrace_funnel_send(encoder->funnel, message, size, wait);
}

static void encoder_advance(void *opaque, uint32_t halfwords)
{
	RVTraceEncoder *encoder = opaque;

	rvtrace_funnel_advance(encoder->funnel, halfwords);
}

static const struct te_ops encoder_ops = {
	.set_tracing = encoder_set_tracing,
	.now = encoder_now,
	.timestamp = encoder_timestamp,
	.schedule = encoder_schedule,
	.send = encoder_send,
	.advance = encoder_advance,
};

static void encoder_tick(void *opaque)
{
	RVTraceEncoder *encoder = opaque;

	qemu_mutex_lock(&encoder->lock);
	te_model_tick(encoder->model);
	qemu_mutex_unlock(&encoder->lock);
}

static uint64_t encoder_read(void *opaque, hwaddr offset, unsigned int size)
{
	RVTraceEncoder *encoder = opaque;
	uint32_t value;

	qemu_mutex_lock(&encoder->lock);
	value = te_model_read(encoder->model, offset);
	qemu_mutex_unlock(&encoder->lock);
	rvtrace_log(encoder->name, 'R', offset, value);
	return value;
}

static void encoder_write(void *opaque, hwaddr offset, uint64_t value,
			  unsigned int size)
{
	RVTraceEncoder *encoder = opaque;

	rvtrace_log(encoder->name, 'W', offset, value);
	qemu_mutex_lock(&encoder->lock);
	te_model_write(encoder->model, offset, value);
	qemu_mutex_unlock(&encoder->lock);
}

static const MemoryRegionOps encoder_mmio_ops = {
	.read = encoder_read,
	.write = encoder_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 4, .max_access_size = 4 },
};

static void encoder_realize(DeviceState *dev, Error **errp)
{
	RVTraceEncoder *encoder = RVTRACE_ENCODER(dev);
	const char *wrong = te_config_check(&encoder->config);

	if (!encoder->cpu || !encoder->funnel) {
		error_setg(errp, "%s: needs a cpu and a funnel",
			   TYPE_RVTRACE_ENCODER);
		return;
	}
	if (wrong) {
		error_setg(errp, "%s: %s", TYPE_RVTRACE_ENCODER, wrong);
		return;
	}
	encoder->config.scontext = encoder->cpu->env.rvtrace.scontext_mask;
	encoder->model = te_model_new(&encoder->config, &encoder_ops, encoder);
	if (!encoder->model) {
		error_setg(errp, "%s: out of memory", TYPE_RVTRACE_ENCODER);
		return;
	}
	encoder->name = g_strdup_printf("encoder%u", encoder->index);
	qemu_mutex_init(&encoder->lock);
	encoder->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, encoder_tick,
				      encoder);
	memory_region_init_io(&encoder->mmio, OBJECT(dev), &encoder_mmio_ops,
			      encoder, encoder->name, RVTRACE_PAGE);
	sysbus_init_mmio(SYS_BUS_DEVICE(dev), &encoder->mmio);
	if (!encoder->spare) {
		encoder->cpu->env.rvtrace.encoder = encoder;
	}
}

static void encoder_reset(Object *obj, ResetType type)
{
	RVTraceEncoder *encoder = RVTRACE_ENCODER(obj);

	qemu_mutex_lock(&encoder->lock);
	timer_del(encoder->timer);
	rvtrace_hart_reset(encoder);
	te_model_reset(encoder->model);
	qemu_mutex_unlock(&encoder->lock);
}

static void encoder_init(Object *obj)
{
	te_config_default(&RVTRACE_ENCODER(obj)->config);
}

#define U32(name, field)	RVTRACE_PROP_U32(name, RVTraceEncoder, field)
#define U64(name, field)	RVTRACE_PROP_U64(name, RVTraceEncoder, field)
#define FLAG(name, field)	RVTRACE_PROP_FLAG(name, RVTraceEncoder, field)

static const Property encoder_properties[] = {
	DEFINE_PROP_LINK("cpu", RVTraceEncoder, cpu, TYPE_RISCV_CPU,
			 RISCVCPU *),
	DEFINE_PROP_LINK("funnel", RVTraceEncoder, funnel, TYPE_RVTRACE_FUNNEL,
			 RVTraceFunnel *),
	DEFINE_PROP_UINT32("index", RVTraceEncoder, index, 0),
	DEFINE_PROP_BOOL("spare", RVTraceEncoder, spare, false),
	U32("inst-modes", inst_modes),
	U32("sync-modes", sync_modes),
	U32("sync-max", sync_max),
	U32("sinks", sinks),
	U32("src-id", src_id),
	U32("src-bits", src_bits),
	FLAG("src-writable", src_writable),
	FLAG("context", context),
	FLAG("inhibit-src", inhibit_src),
	FLAG("stall", stall),
	FLAG("stop-on-wrap", stop_on_wrap),
	U32("inst-features", inst_features),
	U32("ts-types", ts_types),
	U32("ts-width", ts_width),
	FLAG("ts-prescale", ts_prescale),
	FLAG("filter-machine", filter_machine),
	U64("active-delay", active_delay),
	U64("empty-delay", empty_delay),
	U32("fifo-size", fifo_size),
	U32("icnt-bits", icnt_bits),
	U32("hist-bits", hist_bits),
	U32("repeat-bits", repeat_bits),
	U32("call-stack", call_stack),
	FLAG("repeat-branch", repeat_branch),
	U32("stuck", fault.stuck),
	U32("stuck-after", fault.after),
	U32("impl-xor", fault.impl),
};

static const VMStateDescription encoder_vmstate = {
	.name = TYPE_RVTRACE_ENCODER,
	.unmigratable = true,
};

static void encoder_class_init(ObjectClass *oc, void *data)
{
	rvtrace_class_init(oc,
			   "RISC-V trace encoder (Trace Control Interface 0.9.4)",
			   encoder_realize, encoder_reset, &encoder_vmstate);
	device_class_set_props(DEVICE_CLASS(oc), encoder_properties);
}

static const TypeInfo encoder_types[] = {
	{
		.name = TYPE_RVTRACE_ENCODER,
		.parent = TYPE_SYS_BUS_DEVICE,
		.instance_size = sizeof(RVTraceEncoder),
		.instance_init = encoder_init,
		.class_init = encoder_class_init,
	},
};

DEFINE_TYPES(encoder_types)

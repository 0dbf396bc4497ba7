// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trace funnel with its system-memory sink.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/rvtrace/rvtrace.h"
#include "migration/vmstate.h"

static uint64_t funnel_now(void *opaque)
{
	return rvtrace_ticks();
}

static void funnel_schedule(void *opaque, uint64_t ticks)
{
	RVTraceFunnel *funnel = opaque;

	rvtrace_schedule(funnel->timer, ticks);
}

/*
 * The sink's bus reaches RAM only: a write to a device would need the big
 * lock, which is not held here.
 */
static bool funnel_is_ram(uint64_t addr, size_t size)
{
	hwaddr offset, length = size;
	MemoryRegion *mr;

	RCU_READ_LOCK_GUARD();
	mr = address_space_translate(&address_space_memory, addr, &offset,
				     &length, true, MEMTXATTRS_UNSPECIFIED);
	return length == size &&
		memory_access_is_direct(mr, true, MEMTXATTRS_UNSPECIFIED);
}

static void funnel_dma_write(void *opaque, uint64_t addr, const uint8_t *data,
			     size_t size)
{
	if (!funnel_is_ram(addr, size)) {
		qemu_log_mask(LOG_GUEST_ERROR,
			      "%s: no RAM at 0x%" PRIx64 ", %zu bytes of trace "
			      "lost\n", TYPE_RVTRACE_FUNNEL, addr, size);
		return;
	}
	if (!rvtrace_cache_write(addr, data, size)) {
		address_space_write(&address_space_memory, addr,
				    MEMTXATTRS_UNSPECIFIED, data, size);
	}
}

static bool funnel_send_next(void *opaque, const uint8_t *message, size_t size,
			     bool wait)
{
	RVTraceFunnel *funnel = opaque;

	return !funnel->next ||
		rvtrace_funnel_send(funnel->next, message, size, wait);
}

static void funnel_advance_next(void *opaque, uint32_t halfwords)
{
	RVTraceFunnel *funnel = opaque;

	if (funnel->next) {
		rvtrace_funnel_advance(funnel->next, halfwords);
	}
}

static const struct tf_ops funnel_ops = {
	.now = funnel_now,
	.schedule = funnel_schedule,
	.dma_write = funnel_dma_write,
	.send = funnel_send_next,
	.advance = funnel_advance_next,
};

bool rvtrace_funnel_send(RVTraceFunnel *funnel, const uint8_t *message,
			 size_t size, bool wait)
{
	bool taken;

	qemu_mutex_lock(&funnel->lock);
	taken = tf_model_send(funnel->model, message, size, wait);
	qemu_mutex_unlock(&funnel->lock);
	return taken;
}

void rvtrace_funnel_advance(RVTraceFunnel *funnel, uint32_t halfwords)
{
	qemu_mutex_lock(&funnel->lock);
	tf_model_advance(funnel->model, halfwords);
	qemu_mutex_unlock(&funnel->lock);
}

static void funnel_tick(void *opaque)
{
	RVTraceFunnel *funnel = opaque;

	qemu_mutex_lock(&funnel->lock);
	tf_model_tick(funnel->model);
	qemu_mutex_unlock(&funnel->lock);
}

static uint64_t funnel_read(void *opaque, hwaddr offset, unsigned int size)
{
	RVTraceFunnel *funnel = opaque;
	uint32_t value;

	qemu_mutex_lock(&funnel->lock);
	value = tf_model_read(funnel->model, offset);
	qemu_mutex_unlock(&funnel->lock);
	rvtrace_log(funnel->name, 'R', offset, value);
	return value;
}

static void funnel_write(void *opaque, hwaddr offset, uint64_t value,
			 unsigned int size)
{
	RVTraceFunnel *funnel = opaque;

	rvtrace_log(funnel->name, 'W', offset, value);
	qemu_mutex_lock(&funnel->lock);
	tf_model_write(funnel->model, offset, value);
	qemu_mutex_unlock(&funnel->lock);
}

static const MemoryRegionOps funnel_mmio_ops = {
	.read = funnel_read,
	.write = funnel_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 4, .max_access_size = 4 },
};

static void funnel_realize(DeviceState *dev, Error **errp)
{
	RVTraceFunnel *funnel = RVTRACE_FUNNEL(dev);
	const char *wrong = tf_config_check(&funnel->config);

	if (wrong) {
		error_setg(errp, "%s: %s", TYPE_RVTRACE_FUNNEL, wrong);
		return;
	}
	funnel->model = tf_model_new(&funnel->config, &funnel_ops, funnel);
	if (!funnel->model) {
		error_setg(errp, "%s: out of memory", TYPE_RVTRACE_FUNNEL);
		return;
	}
	funnel->name = g_strdup_printf("funnel%u", funnel->index);
	qemu_mutex_init(&funnel->lock);
	funnel->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, funnel_tick, funnel);
	memory_region_init_io(&funnel->mmio, OBJECT(dev), &funnel_mmio_ops,
			      funnel, funnel->name, RVTRACE_PAGE);
	sysbus_init_mmio(SYS_BUS_DEVICE(dev), &funnel->mmio);
}

static void funnel_reset(Object *obj, ResetType type)
{
	RVTraceFunnel *funnel = RVTRACE_FUNNEL(obj);

	qemu_mutex_lock(&funnel->lock);
	timer_del(funnel->timer);
	tf_model_reset(funnel->model);
	qemu_mutex_unlock(&funnel->lock);
}

static void funnel_init(Object *obj)
{
	tf_config_default(&RVTRACE_FUNNEL(obj)->config);
}

#define U32(name, field)	RVTRACE_PROP_U32(name, RVTraceFunnel, field)
#define U64(name, field)	RVTRACE_PROP_U64(name, RVTraceFunnel, field)
#define FLAG(name, field)	RVTRACE_PROP_FLAG(name, RVTraceFunnel, field)

static const Property funnel_properties[] = {
	DEFINE_PROP_LINK("next", RVTraceFunnel, next, TYPE_RVTRACE_FUNNEL,
			 RVTraceFunnel *),
	DEFINE_PROP_UINT32("index", RVTraceFunnel, index, 0),
	U32("sinks", sinks),
	FLAG("stop-on-wrap", stop_on_wrap),
	U64("active-delay", active_delay),
	U64("empty-delay", empty_delay),
	U32("access-width", sink.access_width),
	U32("addr-bits", sink.addr_bits),
	U32("burst", sink.burst),
	U32("bandwidth", sink.bandwidth),
	U32("queue", sink.queue),
	U32("posted-words", sink.posted_words),
	U32("stuck", fault.stuck),
	U32("stuck-after", fault.after),
	U32("impl-xor", fault.impl),
};

static const VMStateDescription funnel_vmstate = {
	.name = TYPE_RVTRACE_FUNNEL,
	.unmigratable = true,
};

static void funnel_class_init(ObjectClass *oc, void *data)
{
	rvtrace_class_init(oc,
			   "RISC-V trace funnel (Trace Control Interface 0.9.4)",
			   funnel_realize, funnel_reset, &funnel_vmstate);
	device_class_set_props(DEVICE_CLASS(oc), funnel_properties);
}

static const TypeInfo funnel_types[] = {
	{
		.name = TYPE_RVTRACE_FUNNEL,
		.parent = TYPE_SYS_BUS_DEVICE,
		.instance_size = sizeof(RVTraceFunnel),
		.instance_init = funnel_init,
		.class_init = funnel_class_init,
	},
};

DEFINE_TYPES(funnel_types)

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all trace components have in common: a page of registers, a lock, a
 * timer, a way on.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/log.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/rvtrace/options.h"
#include "hw/rvtrace/rvtrace.h"
#include "migration/vmstate.h"

uint64_t rvtrace_now(void *opaque)
{
	return rvtrace_ticks();
}

uint64_t rvtrace_external(void *opaque)
{
	return rvtrace_time(cpu_env(first_cpu), rvtrace_ticks());
}

void rvtrace_schedule(void *opaque, uint64_t ticks)
{
	RVTraceComponent *c = opaque;

	timer_mod_ns(c->timer, rvtrace_ticks() + ticks);
}

void rvtrace_connect(RVTraceComponent *from, RVTraceComponent *to,
		     uint32_t input)
{
	assert(from->output_count < RVTRACE_MAX_OUTPUTS);
	from->outputs[from->output_count++] = (RVTraceOutput) {
		.to = to,
		.input = input,
	};
}

/* RVTRACE_COMPONENT_GET_CLASS looks for the type's name each time, for every message. */
static RVTraceComponentClass *class_of(void *component)
{
	return (RVTraceComponentClass *)object_get_class(OBJECT(component));
}

static bool output_send(const RVTraceOutput *output, const uint8_t *message,
			size_t size, bool wait)
{
	QEMU_LOCK_GUARD(&output->to->lock);
	return class_of(output->to)->send(
		output->to, output->input, message, size, wait);
}

static bool output_has_room(const RVTraceOutput *output, size_t size)
{
	QEMU_LOCK_GUARD(&output->to->lock);
	return class_of(output->to)->has_room(
		output->to, output->input, size);
}

static bool output_is_on(const RVTraceOutput *output)
{
	QEMU_LOCK_GUARD(&output->to->lock);
	return class_of(output->to)->is_on(output->to);
}

/* Only what is on can be waited for, if there is something else. */
bool rvtrace_has_room(void *opaque, size_t size)
{
	RVTraceComponent *c = opaque;
	unsigned int i;

	for (i = 0; i < c->output_count; i++) {
		if ((c->output_count == 1 || output_is_on(&c->outputs[i])) &&
		    !output_has_room(&c->outputs[i], size)) {
			return false;
		}
	}
	return true;
}

/* Each message goes to all that are on at the same time, or to none. */
static bool send_all(RVTraceComponent *c, const uint8_t *message, size_t size,
		     bool wait)
{
	unsigned int i;

	if (!wait && !rvtrace_has_room(c, size)) {
		return false;
	}
	for (i = 0; i < c->output_count; i++) {
		if (output_is_on(&c->outputs[i])) {
			output_send(&c->outputs[i], message, size, true);
		}
	}
	return true;
}

/* Where the way ends everything is taken. */
bool rvtrace_send(void *opaque, const uint8_t *message, size_t size, bool wait)
{
	RVTraceComponent *c = opaque;

	if (c->output_count == 1) {
		return output_send(&c->outputs[0], message, size, wait);
	}
	return send_all(c, message, size, wait);
}

void rvtrace_advance(void *opaque, uint32_t halfwords)
{
	RVTraceComponent *c = opaque;
	unsigned int i;

	for (i = 0; i < c->output_count; i++) {
		RVTraceComponent *to = c->outputs[i].to;

		QEMU_LOCK_GUARD(&to->lock);
		class_of(to)->advance(to, halfwords);
	}
}

/* The lock is held until rvtrace_stream_end(). Who leads to several has no such stream. */
struct shared_stream *rvtrace_stream_begin(void *opaque)
{
	RVTraceComponent *c = opaque, *to = c->outputs[0].to;
	struct shared_stream *stream;

	if (c->output_count != 1 || !class_of(to)->stream) {
		return NULL;
	}
	qemu_mutex_lock(&to->lock);
	stream = class_of(to)->stream(to, c->outputs[0].input);
	if (!stream) {
		qemu_mutex_unlock(&to->lock);
	}
	return stream;
}

void rvtrace_stream_end(void *opaque)
{
	RVTraceComponent *c = opaque;

	qemu_mutex_unlock(&c->outputs[0].to->lock);
}

bool rvtrace_is_on(void *opaque)
{
	RVTraceComponent *c = opaque;
	unsigned int i;

	for (i = 0; i < c->output_count; i++) {
		if (output_is_on(&c->outputs[i])) {
			return true;
		}
	}
	return !c->output_count;
}

/* Who has nobody to share it with has the External one. */
uint64_t rvtrace_shared(void *opaque, uint64_t external, uint64_t cycles)
{
	RVTraceComponent *c = opaque;
	unsigned int i;

	for (i = 0; i < c->output_count; i++) {
		RVTraceComponent *to = c->outputs[i].to;
		RVTraceComponentClass *cc = class_of(to);

		if (cc->shared) {
			QEMU_LOCK_GUARD(&to->lock);
			return cc->shared(to, external, cycles);
		}
	}
	return external;
}

/*
 * The sink's bus reaches RAM only: a write to a device would need the big
 * lock, which is not held here.
 */
static bool is_ram(uint64_t addr, size_t size)
{
	hwaddr offset, length = size;
	MemoryRegion *mr;

	RCU_READ_LOCK_GUARD();
	mr = address_space_translate(&address_space_memory, addr, &offset,
				     &length, true, MEMTXATTRS_UNSPECIFIED);
	return length == size &&
		memory_access_is_direct(mr, true, MEMTXATTRS_UNSPECIFIED);
}

bool rvtrace_dma_write(void *opaque, uint64_t addr, const uint8_t *data,
		       size_t size)
{
	hwaddr ram = addr - rvtrace_options.bus_offset;

	if (!is_ram(ram, size)) {
		qemu_log_mask(LOG_GUEST_ERROR,
			      "rvtrace: no RAM at 0x%" PRIx64 ", %zu bytes of "
			      "trace lost\n", addr, size);
		return false;
	}
	if (!rvtrace_cache_write(ram, data, size)) {
		address_space_write(&address_space_memory, ram,
				    MEMTXATTRS_UNSPECIFIED, data, size);
	}
	return true;
}

/* NULL: what leaves the chip is gone. */
static const char *out_prefix;

void rvtrace_out_open(const char *prefix)
{
	out_prefix = prefix;
}

static void out_write(RVTraceComponent *c, FILE **file, const char *suffix,
		      const uint8_t *data, size_t size)
{
	if (!out_prefix) {
		return;
	}
	if (!*file) {
		g_autofree char *path = g_strdup_printf(
			"%s.%s.%s", out_prefix, c->name, suffix);

		*file = fopen(path, "wb");
		if (!*file) {
			error_report("%s: %s", path, strerror(errno));
			exit(1);
		}
	}
	if (fwrite(data, 1, size, *file) != size) {
		error_report("%s.%s.%s: %s", out_prefix, c->name, suffix,
			     strerror(errno));
		exit(1);
	}
}

void rvtrace_pib_write(void *opaque, const uint8_t *samples, size_t size)
{
	RVTraceComponent *c = opaque;

	out_write(c, &c->pins, "pib", samples, size);
}

void rvtrace_atb_write(void *opaque, const uint8_t *frames, size_t size)
{
	RVTraceComponent *c = opaque;

	out_write(c, &c->frames, "atb", frames, size);
}

void rvtrace_sent(void *opaque, const uint8_t *message, size_t size)
{
	RVTraceComponent *c = opaque;

	out_write(c, &c->sent, "sent", message, size);
}

/* Who stops a sink may ask at once how much it has sent. */
static void out_flush(RVTraceComponent *c)
{
	FILE *files[] = { c->pins, c->frames, c->sent };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (files[i] && fflush(files[i])) {
			error_report("%s: %s", c->name, strerror(errno));
			exit(1);
		}
	}
}

static void rvtrace_component_tick(void *opaque)
{
	RVTraceComponent *c = opaque;

	QEMU_LOCK_GUARD(&c->lock);
	class_of(c)->tick(c);
}

void rvtrace_accessed(void)
{
	if (current_cpu) {
		rvtrace_hart_flush(cpu_env(current_cpu));
	}
}

static uint64_t rvtrace_component_read(void *opaque, hwaddr offset, unsigned int size)
{
	RVTraceComponent *c = opaque;
	uint32_t value;

	rvtrace_accessed();
	WITH_QEMU_LOCK_GUARD(&c->lock) {
		value = size == 4 ? class_of(c)->read(c, offset) :
			class_of(c)->read_part(c, offset, size);
		out_flush(c);
	}
	rvtrace_log(c->name, 'R', offset, value);
	return value;
}

static void rvtrace_component_write(void *opaque, hwaddr offset, uint64_t value,
				    unsigned int size)
{
	RVTraceComponent *c = opaque;
	RVTraceComponentClass *cc = class_of(c);

	rvtrace_accessed();
	rvtrace_log(c->name, 'W', offset, value);
	QEMU_LOCK_GUARD(&c->lock);
	if (size == 4) {
		cc->write(c, offset, value);
	} else {
		cc->write_part(c, offset, value, size);
	}
	out_flush(c);
}

/* Registers are accessed by words; some can be written in part. */
static bool rvtrace_component_accepts(void *opaque, hwaddr offset, unsigned int size,
				      bool is_write, MemTxAttrs attrs)
{
	RVTraceComponentClass *cc = class_of(opaque);

	if (cc->halves) {
		return size >= 2;
	}
	return size == 4 || (is_write && cc->write_part &&
			     generation_of(cc->generation)->parts);
}

static const MemoryRegionOps rvtrace_component_ops = {
	.read = rvtrace_component_read,
	.write = rvtrace_component_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = {
		.min_access_size = 1,
		.max_access_size = 4,
		.accepts = rvtrace_component_accepts,
	},
	.impl = { .min_access_size = 1, .max_access_size = 4 },
};

/* In the log, in the fault page's words and in error messages */
static const char *const kinds[RVTRACE_KINDS] = {
	[RVTRACE_KIND_ENCODER] = "encoder",
	[RVTRACE_KIND_FUNNEL] = "funnel",
	[RVTRACE_KIND_RAM_SINK] = "ram",
	[RVTRACE_KIND_PIB_SINK] = "pib",
	[RVTRACE_KIND_ATB_BRIDGE] = "atb",
	[RVTRACE_KIND_STM] = "stm",
};

static void rvtrace_component_realize(DeviceState *dev, Error **errp)
{
	RVTraceComponent *c = RVTRACE_COMPONENT(dev);
	RVTraceComponentClass *cc = class_of(dev);

	c->name = g_strdup_printf("%s%u", kinds[cc->kind], c->index);
	qemu_mutex_init(&c->lock);
	c->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, rvtrace_component_tick, c);
	if (!cc->create(c, errp)) {
		return;
	}
	memory_region_init_io(&c->mmio, OBJECT(dev), &rvtrace_component_ops, c,
			      c->name, RVTRACE_PAGE);
	sysbus_init_mmio(SYS_BUS_DEVICE(dev), &c->mmio);
	sysbus_mmio_map(SYS_BUS_DEVICE(dev), 0, c->base);
}

static void rvtrace_component_reset(Object *obj, ResetType type)
{
	RVTraceComponent *c = RVTRACE_COMPONENT(obj);

	QEMU_LOCK_GUARD(&c->lock);
	timer_del(c->timer);
	class_of(c)->reset(c);
}

static const VMStateDescription rvtrace_component_vmstate = {
	.name = TYPE_RVTRACE_COMPONENT,
	.unmigratable = true,
};

static void rvtrace_component_class_init(ObjectClass *oc, void *data)
{
	DeviceClass *dc = DEVICE_CLASS(oc);

	dc->realize = rvtrace_component_realize;
	dc->vmsd = &rvtrace_component_vmstate;
	/* Only the board makes them. */
	dc->user_creatable = false;
	RESETTABLE_CLASS(oc)->phases.hold = rvtrace_component_reset;
}

static const TypeInfo rvtrace_component_types[] = {
	{
		.name = TYPE_RVTRACE_COMPONENT,
		.parent = TYPE_SYS_BUS_DEVICE,
		.instance_size = sizeof(RVTraceComponent),
		.class_size = sizeof(RVTraceComponentClass),
		.class_init = rvtrace_component_class_init,
		.abstract = true,
	},
};

DEFINE_TYPES(rvtrace_component_types)

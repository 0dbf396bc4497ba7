// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trace hardware of the virt board.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "hw/qdev-properties.h"
#include "hw/rvtrace/board.h"
#include "hw/rvtrace/device-tree.h"
#include "hw/rvtrace/rvtrace.h"
#include "hw/rvtrace/truth-log.h"
#include "system/cpu-timers.h"

/* Where the ring ends in RAM: above the kernel, below initrd and device tree */
#define RING_END	(256 * MiB)
#define RING_MAX	(192 * MiB)
#define RAM_MIN		(512 * MiB)

/* Properties of the machine, of which there is one, and where the ring is */
static struct {
	bool trace;
	char *log;
	char *truth;
	uint32_t scontext;
	uint64_t buffer;
	uint32_t spares;
	bool noncoherent;
	hwaddr ring;
	RVTraceEncoder *encoders[RVTRACE_MAX_ENCODERS];
	RVTraceFunnel *funnels[RVTRACE_MAX_FUNNELS];
} board = {
	.scontext = 32,
	.buffer = 16 * MiB,
};

static RISCVException scontext_check(CPURISCVState *env, int csrno)
{
	return env->rvtrace.scontext_mask ? RISCV_EXCP_NONE :
		RISCV_EXCP_ILLEGAL_INST;
}

static RISCVException scontext_read(CPURISCVState *env, int csrno,
				    target_ulong *value)
{
	*value = env->rvtrace.scontext;
	return RISCV_EXCP_NONE;
}

static RISCVException scontext_write(CPURISCVState *env, int csrno,
				     target_ulong value)
{
	env->rvtrace.scontext = value & env->rvtrace.scontext_mask;
	return RISCV_EXCP_NONE;
}

static void board_scontext(void)
{
	static riscv_csr_operations ops = {
		.name = "scontext",
		.predicate = scontext_check,
		.read = scontext_read,
		.write = scontext_write,
	};
	CPUState *cs;

	riscv_set_csr_ops(CSR_RVTRACE_SCONTEXT, &ops);
	CPU_FOREACH(cs) {
		cpu_env(cs)->rvtrace.scontext_mask =
			MAKE_64BIT_MASK(0, board.scontext);
	}
}

static void board_ring(MachineState *ms, hwaddr dram)
{
	if (ms->ram_size < RAM_MIN) {
		error_report("trace=on needs at least %" PRIu64 " MiB of memory",
			     (uint64_t)(RAM_MIN / MiB));
		exit(1);
	}
	board.ring = dram + RING_END - board.buffer;
}

static void board_funnel(unsigned int index, hwaddr base)
{
	DeviceState *dev = qdev_new(TYPE_RVTRACE_FUNNEL);

	if (index) {
		object_property_set_link(OBJECT(dev), "next",
					 OBJECT(board.funnels[0]),
					 &error_fatal);
	}
	qdev_prop_set_uint32(dev, "index", index);
	sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
	sysbus_mmio_map(SYS_BUS_DEVICE(dev), 0,
			base + (RVTRACE_FUNNEL_PAGE + index) * RVTRACE_PAGE);
	board.funnels[index] = RVTRACE_FUNNEL(dev);
}

static void board_encoder(unsigned int index, unsigned int hart,
			  RVTraceFunnel *funnel, hwaddr base)
{
	DeviceState *dev = qdev_new(TYPE_RVTRACE_ENCODER);

	object_property_set_link(OBJECT(dev), "cpu",
				 OBJECT(qemu_get_cpu(hart)), &error_fatal);
	object_property_set_link(OBJECT(dev), "funnel", OBJECT(funnel),
				 &error_fatal);
	qdev_prop_set_uint32(dev, "index", index);
	qdev_prop_set_uint32(dev, "src-id", index);
	qdev_prop_set_bit(dev, "spare", index >= RVTRACE_MAX_HARTS);
	sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
	sysbus_mmio_map(SYS_BUS_DEVICE(dev), 0, base + index * RVTRACE_PAGE);
	board.encoders[index] = RVTRACE_ENCODER(dev);
}

static void board_devices(MachineState *ms, hwaddr base)
{
	unsigned int i;

	if (ms->smp.cpus > RVTRACE_MAX_HARTS) {
		error_report("trace=on supports at most %d harts",
			     RVTRACE_MAX_HARTS);
		exit(1);
	}
	for (i = 0; i <= board.spares; i++) {
		board_funnel(i, base);
	}
	for (i = 0; i < ms->smp.cpus; i++) {
		board_encoder(i, i, board.funnels[0], base);
	}
	for (i = 0; i < board.spares; i++) {
		board_encoder(RVTRACE_MAX_HARTS + i, 0, board.funnels[1 + i],
			      base);
	}
	rvtrace_fault_map(base + RVTRACE_FAULT_PAGE * RVTRACE_PAGE,
			  board.encoders, board.funnels);
}

/*
 * With one clock for instructions and time, harts take turns that last until
 * the next timer is due. One that waits for a lock with interrupts off would
 * spin for tens of milliseconds before its holder gets its turn, and nothing
 * would drain the ring meanwhile. A timer of no other effect ends the turns.
 */
#define TURN_NS	(400 * SCALE_US)

static QEMUTimer *turn_timer;

static void end_turn(void *opaque)
{
	timer_mod(turn_timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + TURN_NS);
}

static void board_turns(MachineState *ms)
{
	if (icount_enabled() && ms->smp.cpus > 1) {
		turn_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, end_turn, NULL);
		end_turn(NULL);
	}
}

void rvtrace_board_init(MachineState *ms, const MemMapEntry *map, hwaddr dram)
{
	if (board.truth) {
		rvtruth_open(board.truth, &error_fatal);
	}
	if (!board.trace) {
		return;
	}
	if (board.log) {
		rvtrace_log_open(board.log, &error_fatal);
	}
	board_ring(ms, dram);
	if (board.noncoherent) {
		rvtrace_cache_init(ms->ram, dram);
	}
	board_scontext();
	board_devices(ms, map->base);
	board_turns(ms);
}

static bool get_trace(Object *obj, Error **errp)
{
	return board.trace;
}

static void set_trace(Object *obj, bool value, Error **errp)
{
	board.trace = value;
}

static bool get_noncoherent(Object *obj, Error **errp)
{
	return board.noncoherent;
}

static void set_noncoherent(Object *obj, bool value, Error **errp)
{
	board.noncoherent = value;
}

static char *get_log(Object *obj, Error **errp)
{
	return g_strdup(board.log);
}

static void set_log(Object *obj, const char *value, Error **errp)
{
	g_free(board.log);
	board.log = g_strdup(value);
}

static char *get_truth(Object *obj, Error **errp)
{
	return g_strdup(board.truth);
}

static void set_truth(Object *obj, const char *value, Error **errp)
{
	g_free(board.truth);
	board.truth = g_strdup(value);
}

static void get_buffer(Object *obj, Visitor *v, const char *name, void *opaque,
		       Error **errp)
{
	visit_type_size(v, name, &board.buffer, errp);
}

static void set_buffer(Object *obj, Visitor *v, const char *name, void *opaque,
		       Error **errp)
{
	uint64_t size;

	if (!visit_type_size(v, name, &size, errp)) {
		return;
	}
	if (size < 4 * KiB || size > RING_MAX || size % (4 * KiB)) {
		error_setg(errp, "%s: %" PRIu64 " is not a multiple of 4k up to "
			   "%" PRIu64 "M", name, size,
			   (uint64_t)(RING_MAX / MiB));
		return;
	}
	board.buffer = size;
}

static void get_scontext(Object *obj, Visitor *v, const char *name,
			 void *opaque, Error **errp)
{
	visit_type_uint32(v, name, &board.scontext, errp);
}

static void set_scontext(Object *obj, Visitor *v, const char *name,
			 void *opaque, Error **errp)
{
	uint32_t bits;

	if (!visit_type_uint32(v, name, &bits, errp)) {
		return;
	}
	if (bits > 32) {
		error_setg(errp, "%s: %u is not 0 to 32", name, bits);
		return;
	}
	board.scontext = bits;
}

static void get_spares(Object *obj, Visitor *v, const char *name, void *opaque,
		       Error **errp)
{
	visit_type_uint32(v, name, &board.spares, errp);
}

static void set_spares(Object *obj, Visitor *v, const char *name, void *opaque,
		       Error **errp)
{
	uint32_t count;

	if (!visit_type_uint32(v, name, &count, errp)) {
		return;
	}
	if (count > RVTRACE_MAX_SPARES) {
		error_setg(errp, "%s: %u is more than %u", name, count,
			   RVTRACE_MAX_SPARES);
		return;
	}
	board.spares = count;
}

void rvtrace_board_class_init(ObjectClass *oc)
{
	object_class_property_add_bool(oc, "trace", get_trace, set_trace);
	object_class_property_set_description(oc, "trace",
		"Trace encoders and a funnel (default off)");
	object_class_property_add(oc, "trace-buffer", "size", get_buffer,
				  set_buffer, NULL, NULL);
	object_class_property_set_description(oc, "trace-buffer",
		"Reserved memory for the trace (default 16M)");
	object_class_property_add(oc, "trace-scontext", "uint32", get_scontext,
				  set_scontext, NULL, NULL);
	object_class_property_set_description(oc, "trace-scontext",
		"Bits of the CSR scontext (default 32; 0: not there)");
	object_class_property_add_bool(oc, "trace-noncoherent",
				       get_noncoherent, set_noncoherent);
	object_class_property_set_description(oc, "trace-noncoherent",
		"Harts see what the sink wrote when they invalidate their caches");
	object_class_property_add(oc, "trace-spare", "uint32", get_spares,
				  set_spares, NULL, NULL);
	object_class_property_set_description(oc, "trace-spare",
		"Encoders and funnels more that the device tree does not name");
	object_class_property_add_str(oc, "trace-log", get_log, set_log);
	object_class_property_set_description(oc, "trace-log",
		"File that register accesses of the trace devices go to");
	object_class_property_add_str(oc, "trace-truth", get_truth, set_truth);
	object_class_property_set_description(oc, "trace-truth",
		"Log what hart N retires between markers to this name + .N");
}

void rvtrace_board_fdt(MachineState *ms, const MemMapEntry *map)
{
	if (board.trace) {
		rvtrace_fdt(ms, map->base, board.ring, board.buffer,
			    board.noncoherent);
	}
}

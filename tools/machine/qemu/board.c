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
#include "hw/rvtrace/fault.h"
#include "hw/rvtrace/rvtrace.h"
#include "hw/rvtrace/truth-log.h"
#include "system/cpu-timers.h"

/* Where the ring ends in RAM: above the kernel, below initrd and device tree */
#define RING_END	(256 * MiB)
#define RING_MAX	(192 * MiB)
#define RAM_MIN		(512 * MiB)

/* Page of the registers that break things, counted from the first one */
#define PAGE_FAULT	0x200

#define MAX_SPARES	8

/* Properties of the machine, of which there is one, and what they gave */
static struct {
	bool trace;
	char *log;
	char *truth;
	uint32_t scontext;
	uint64_t buffer;
	uint64_t ring;
	char *out;
	bool noncoherent;
	RVTraceBoard hardware;
	GArray *nodes;
	GArray *rings;
} board = {
	.scontext = 32,
	.buffer = 16 * MiB,
	.hardware = { .generation = TCI_0_9, .encoders = RVTRACE_MAX_MANY },
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

static void board_memory(MachineState *ms, hwaddr dram)
{
	if (ms->ram_size < RAM_MIN) {
		error_report("trace=on needs at least %" PRIu64 " MiB of memory",
			     (uint64_t)(RAM_MIN / MiB));
		exit(1);
	}
	if (!board.ring) {
		board.ring = dram + RING_END - board.buffer;
	}
	if (board.ring < dram || board.ring % (4 * KiB) ||
	    board.ring - dram > ms->ram_size - board.buffer) {
		error_report("trace-ring is not a page of memory with %" PRIu64
			     " bytes after it", board.buffer);
		exit(1);
	}
}

/* One for each sink in memory, each below the one before */
static void board_rings(void)
{
	hwaddr base = board.ring;
	unsigned int i;

	board.rings = g_array_new(false, false, sizeof(RVTraceRing));
	for (i = board.nodes->len; i-- > 0; ) {
		RVTraceRing ring = {
			.node = &g_array_index(board.nodes, RVTraceNode, i),
			.base = base,
			.size = board.buffer,
		};

		if (ring.node->memory && !ring.node->hidden) {
			g_array_append_val(board.rings, ring);
			base -= board.buffer;
		}
	}
}

static void board_devices(MachineState *ms, hwaddr base)
{
	board.hardware.harts = ms->smp.cpus;
	board.hardware.base = base;
	board.nodes = rvtrace_topology_build(&board.hardware, &error_fatal);
	board_rings();
	rvtrace_fault_map(base + PAGE_FAULT * RVTRACE_PAGE, board.nodes);
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
	if (board.out) {
		rvtrace_out_open(board.out);
	}
	board_memory(ms, dram);
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


static void get_spares(Object *obj, Visitor *v, const char *name, void *opaque,
		       Error **errp)
{
	visit_type_uint32(v, name, &board.hardware.spares, errp);
}

/* A number from @min to @max */
static void set_count(Visitor *v, const char *name, uint32_t *count,
		      uint32_t min, uint32_t max, Error **errp)
{
	uint32_t value;

	if (!visit_type_uint32(v, name, &value, errp)) {
		return;
	}
	if (value < min || value > max) {
		error_setg(errp, "%s: %u is not %u to %u", name, value, min,
			   max);
		return;
	}
	*count = value;
}

static void set_scontext(Object *obj, Visitor *v, const char *name,
			 void *opaque, Error **errp)
{
	set_count(v, name, &board.scontext, 0, 32, errp);
}

static void set_spares(Object *obj, Visitor *v, const char *name, void *opaque,
		       Error **errp)
{
	set_count(v, name, &board.hardware.spares, 0, MAX_SPARES, errp);
}

static void get_encoders(Object *obj, Visitor *v, const char *name,
			 void *opaque, Error **errp)
{
	visit_type_uint32(v, name, &board.hardware.encoders, errp);
}

static void set_encoders(Object *obj, Visitor *v, const char *name,
			 void *opaque, Error **errp)
{
	set_count(v, name, &board.hardware.encoders, 1, RVTRACE_MAX_MANY,
		  errp);
}

static void get_ring(Object *obj, Visitor *v, const char *name, void *opaque,
		     Error **errp)
{
	visit_type_uint64(v, name, &board.ring, errp);
}

/* Where RAM is it is not known yet. */
static void set_ring(Object *obj, Visitor *v, const char *name, void *opaque,
		     Error **errp)
{
	visit_type_uint64(v, name, &board.ring, errp);
}

static char *get_out(Object *obj, Error **errp)
{
	return g_strdup(board.out);
}

static void set_out(Object *obj, const char *value, Error **errp)
{
	g_free(board.out);
	board.out = g_strdup(value);
}

static char *get_topology(Object *obj, Error **errp)
{
	return g_strdup(rvtrace_topology_names[board.hardware.topology]);
}

static void set_topology(Object *obj, const char *value, Error **errp)
{
	unsigned int i;

	for (i = 0; i < RVTRACE_TOPOLOGIES; i++) {
		if (!strcmp(rvtrace_topology_names[i], value)) {
			board.hardware.topology = i;
			return;
		}
	}
	error_setg(errp, "trace-topology: there is no %s", value);
}

static char *get_generation(Object *obj, Error **errp)
{
	return g_strdup(generation_of(board.hardware.generation)->name);
}

static void set_generation(Object *obj, const char *value, Error **errp)
{
	unsigned int i;

	for (i = 0; i < TCI_GENERATIONS; i++) {
		if (!strcmp(generation_of(i)->name, value)) {
			board.hardware.generation = i;
			return;
		}
	}
	error_setg(errp, "trace-generation: there is no %s", value);
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
	object_class_property_add(oc, "trace-ring", "uint64", get_ring,
				  set_ring, NULL, NULL);
	object_class_property_set_description(oc, "trace-ring",
		"Where that memory is (default: it ends 256M above the beginning of RAM)");
	object_class_property_add_str(oc, "trace-generation", get_generation,
				      set_generation);
	object_class_property_set_description(oc, "trace-generation",
		"Trace Control Interface: 0, 0.9 (default) or 1.0");
	object_class_property_add_str(oc, "trace-topology", get_topology,
				      set_topology);
	object_class_property_set_description(oc, "trace-topology",
		"How components are connected: flat (default), nested, mixed or many");
	object_class_property_add(oc, "trace-encoders", "uint32", get_encoders,
				  set_encoders, NULL, NULL);
	object_class_property_set_description(oc, "trace-encoders",
		"How many encoders there are with trace-topology=many (default 32)");
	object_class_property_add_str(oc, "trace-out", get_out, set_out);
	object_class_property_set_description(oc, "trace-out",
		"What leaves the chip goes to this name + .COMPONENT.pib or .atb");
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
		rvtrace_fdt(ms, board.nodes, board.rings, board.noncoherent);
	}
}

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

/* Pages, counted from that of the encoder of hart 0 */
#define PAGE_ENCODER	0x000
#define PAGE_FUNNEL	0x100
#define PAGE_RAM_SINK	0x140
#define PAGE_FAULT	0x200

#define MAX_HARTS	8
#define MAX_SPARES	8

/*
 * Properties of the machine, of which there is one, where the ring is, and
 * what there is: of @nodes the device tree tells, of the rest it does not
 */
static struct {
	bool trace;
	char *log;
	char *truth;
	uint32_t scontext;
	uint64_t buffer;
	uint64_t ring;
	uint32_t spares;
	bool noncoherent;
	enum tci generation;
	hwaddr base;
	GPtrArray *components;
	GArray *nodes;
} board = {
	.scontext = 32,
	.buffer = 16 * MiB,
	.generation = TCI_0_9,
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

static RVTraceComponent *board_new(const char *type, uint32_t page,
				   uint32_t index)
{
	RVTraceComponent *c = RVTRACE_COMPONENT(qdev_new(type));

	c->index = index;
	c->base = board.base + (page + index) * RVTRACE_PAGE;
	return c;
}

/* From here on it is where it is. */
static void board_add(RVTraceComponent *c)
{
	sysbus_realize_and_unref(SYS_BUS_DEVICE(c), &error_fatal);
	g_ptr_array_add(board.components, c);
}

static void board_describe(RVTraceComponent *c, int hart, bool ring)
{
	RVTraceNode node = {
		.c = c,
		.hart = hart,
		.ring = board.ring,
		.size = ring ? board.buffer : 0,
	};

	g_array_append_val(board.nodes, node);
}

static char *board_type(const char *kind)
{
	return g_strdup_printf("%s-%s", kind,
			       generation_of(board.generation)->name);
}

static RVTraceComponent *board_funnel(uint32_t index)
{
	g_autofree char *type = board_type(TYPE_RVTRACE_FUNNEL);
	RVTraceComponent *c = board_new(type, PAGE_FUNNEL, index);

	board_add(c);
	return c;
}

/* @hart: that answers; a @spare sees nothing of it */
static RVTraceComponent *board_encoder(uint32_t index, int hart, bool spare)
{
	g_autofree char *type = board_type(TYPE_RVTRACE_ENCODER);
	RVTraceComponent *c = board_new(type, PAGE_ENCODER, index);
	RVTraceEncoder *encoder = RVTRACE_ENCODER(c);

	encoder->cpu = RISCV_CPU(qemu_get_cpu(hart));
	encoder->spare = spare;
	encoder->config.src_id = index;
	encoder->config.hart_id = hart;
	board_add(c);
	return c;
}

static void board_connect(RVTraceComponent *from, RVTraceComponent *to,
			  uint32_t input)
{
	from->output.to = to;
	from->output.input = input;
}

/* What ends the way: a funnel with a sink in its page, or a sink behind it. */
static RVTraceComponent *board_root(void)
{
	bool own_page = generation_of(board.generation)->own_pages;
	RVTraceComponent *funnel = board_funnel(0);
	RVTraceComponent *sink;

	board_describe(funnel, -1, !own_page);
	if (own_page) {
		sink = board_new(TYPE_RVTRACE_RAM_SINK, PAGE_RAM_SINK, 0);
		board_add(sink);
		board_describe(sink, -1, true);
		board_connect(funnel, sink, 0);
	}
	return funnel;
}

static void board_devices(MachineState *ms)
{
	RVTraceComponent *root, *encoder, *funnel;
	unsigned int i;

	if (ms->smp.cpus > MAX_HARTS) {
		error_report("trace=on supports at most %d harts", MAX_HARTS);
		exit(1);
	}
	board.components = g_ptr_array_new();
	board.nodes = g_array_new(false, false, sizeof(RVTraceNode));
	root = board_root();
	for (i = 0; i < ms->smp.cpus; i++) {
		encoder = board_encoder(i, i, false);
		board_describe(encoder, i, false);
		board_connect(encoder, root, i);
	}
	for (i = 0; i < board.spares; i++) {
		funnel = board_funnel(1 + i);
		board_connect(funnel, root, MAX_HARTS + i);
		encoder = board_encoder(MAX_HARTS + i, 0, true);
		board_connect(encoder, funnel, 0);
	}
	rvtrace_fault_map(board.base + PAGE_FAULT * RVTRACE_PAGE,
			  board.components);
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
	board.base = map->base;
	board_devices(ms);
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
	if (count > MAX_SPARES) {
		error_setg(errp, "%s: %u is more than %u", name, count,
			   MAX_SPARES);
		return;
	}
	board.spares = count;
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

static char *get_generation(Object *obj, Error **errp)
{
	return g_strdup(generation_of(board.generation)->name);
}

static void set_generation(Object *obj, const char *value, Error **errp)
{
	unsigned int i;

	for (i = 0; i < TCI_GENERATIONS; i++) {
		if (!strcmp(generation_of(i)->name, value)) {
			board.generation = i;
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

static gint by_address(gconstpointer a, gconstpointer b)
{
	const RVTraceNode *left = a, *right = b;

	return left->c->base < right->c->base ? -1 : 1;
}

void rvtrace_board_fdt(MachineState *ms, const MemMapEntry *map)
{
	if (board.trace) {
		g_array_sort(board.nodes, by_address);
		rvtrace_fdt(ms, (RVTraceNode *)board.nodes->data,
			    board.nodes->len, board.noncoherent);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trace hardware of the virt board.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "hw/qdev-properties.h"
#include "hw/rvtrace/board.h"
#include "hw/rvtrace/device-tree.h"
#include "hw/rvtrace/fault.h"
#include "hw/rvtrace/options.h"
#include "hw/rvtrace/rvtrace.h"
#include "hw/rvtrace/truth-log.h"
#include "system/cpu-timers.h"
#include "system/device_tree.h"

/* Where rings are in RAM: above the kernel, below initrd and device tree */
#define RING_START	(64 * MiB)
#define RING_END	(256 * MiB)
#define RAM_MIN		(512 * MiB)

/* Page of the registers that break things, counted from the first one */
#define PAGE_FAULT	0x200

/* What the properties gave */
static struct {
	hwaddr ram;
	hwaddr ring;
	GArray *nodes;
	GArray *rings;
} board;

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

static RISCVException event_check(CPURISCVState *env, int csrno)
{
	return rvtrace_has_events(env) ? RISCV_EXCP_NONE :
		RISCV_EXCP_ILLEGAL_INST;
}

static RISCVException event_read(CPURISCVState *env, int csrno,
				 target_ulong *value)
{
	*value = 0;
	return RISCV_EXCP_NONE;
}

static RISCVException event_write(CPURISCVState *env, int csrno,
				  target_ulong value)
{
	rvtrace_event(env, value);
	return RISCV_EXCP_NONE;
}

static void board_events(void)
{
	static riscv_csr_operations ops = {
		.name = "rvtrace_event",
		.predicate = event_check,
		.read = event_read,
		.write = event_write,
	};

	rvtrace_event_hint = rvtrace_options.event_hint;
	rvtrace_event_csr = rvtrace_options.event_csr;
	if (rvtrace_event_csr) {
		riscv_set_csr_ops(rvtrace_event_csr, &ops);
	}
}

static void board_harts(void)
{
	static riscv_csr_operations ops = {
		.name = "scontext",
		.predicate = scontext_check,
		.read = scontext_read,
		.write = scontext_write,
	};
	CPUState *cs;

	riscv_set_csr_ops(CSR_RVTRACE_SCONTEXT, &ops);
	board_events();
	CPU_FOREACH(cs) {
		cpu_env(cs)->rvtrace.scontext_mask =
			MAKE_64BIT_MASK(0, rvtrace_options.scontext);
		cpu_env(cs)->rvtrace.debug_actions = rvtrace_debug_actions();
	}
}

static void board_memory(MachineState *ms, hwaddr dram)
{
	uint64_t size = rvtrace_options.buffer;

	if (ms->ram_size < RAM_MIN) {
		error_report("trace=on needs at least %" PRIu64 " MiB of memory",
			     (uint64_t)(RAM_MIN / MiB));
		exit(1);
	}
	board.ram = dram;
	if (!rvtrace_options.ring && size > RING_END - RING_START) {
		error_report("trace-buffer is more than %" PRIu64
			     "M, and no trace-ring says where it is",
			     (uint64_t)((RING_END - RING_START) / MiB));
		exit(1);
	}
	board.ring = rvtrace_options.ring ? rvtrace_options.ring : dram + RING_END - size;
	if (board.ring < dram || board.ring % (4 * KiB) || size > ms->ram_size ||
	    board.ring - dram > ms->ram_size - size) {
		error_report("trace-ring is not a page of memory with %" PRIu64
			     " bytes after it", size);
		exit(1);
	}
}

static bool is_stm(const RVTraceNode *node)
{
	return RVTRACE_COMPONENT_GET_CLASS(node->c)->kind == RVTRACE_KIND_STM;
}

/* Those of System Trace Modules, or all others, each below the one before, from @end on */
static hwaddr add_rings(hwaddr dram, hwaddr end, bool stm, uint64_t size)
{
	unsigned int i;

	for (i = board.nodes->len; i-- > 0; ) {
		RVTraceRing ring = {
			.node = &g_array_index(board.nodes, RVTraceNode, i),
			.base = end - size,
			.size = size,
		};

		if (!ring.node->memory || ring.node->hidden ||
		    is_stm(ring.node) != stm) {
			continue;
		}
		if (board.rings->len && ring.base < dram + RING_START) {
			error_report("trace-buffer is too large for every "
				     "sink in memory to have one");
			exit(1);
		}
		g_array_append_val(board.rings, ring);
		end = ring.base;
	}
	return end;
}

/* One for each sink in memory, and for what writes there without one */
static void board_rings(hwaddr dram)
{
	hwaddr end = board.ring + rvtrace_options.buffer;

	board.rings = g_array_new(false, false, sizeof(RVTraceRing));
	end = add_rings(dram, end, false, rvtrace_options.buffer);
	add_rings(dram, end, true, rvtrace_options.stm_buffer);
}

/* One that was asked for is of the generation that was asked for. */
static void board_profile(void)
{
	const char *name = rvtrace_options.profile;

	if (name && strcmp(name, PROFILE_GENERIC) &&
	    !rvtrace_profile(rvtrace_options.hardware.generation)) {
		error_report("trace-profile=%s is not of this trace-generation", name);
		exit(1);
	}
}

static void board_devices(MachineState *ms, hwaddr base, hwaddr dram)
{
	rvtrace_options.hardware.harts = ms->smp.cpus;
	rvtrace_options.hardware.base = base;
	board.nodes = rvtrace_topology_build(&rvtrace_options.hardware, &error_fatal);
	board_rings(dram);
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
	if (rvtrace_options.truth) {
		rvtruth_open(rvtrace_options.truth, rvtrace_options.calls,
			     &error_fatal);
	}
	if (!rvtrace_options.trace) {
		return;
	}
	if (rvtrace_options.log) {
		rvtrace_log_open(rvtrace_options.log, &error_fatal);
	}
	if (rvtrace_options.out) {
		rvtrace_out_open(rvtrace_options.out);
	}
	board_profile();
	board_memory(ms, dram);
	if (rvtrace_options.noncoherent) {
		rvtrace_cache_init(ms->ram, dram);
	}
	board_harts();
	board_devices(ms, map->base, dram);
	board_turns(ms);
}

void rvtrace_board_fdt(MachineState *ms, const MemMapEntry *map)
{
	if (!rvtrace_options.trace) {
		return;
	}
	rvtrace_fdt(ms, board.nodes, board.rings, rvtrace_options.noncoherent);
	if (rvtrace_options.bus_offset) {
		qemu_fdt_setprop_sized_cells(ms->fdt, "/soc", "dma-ranges",
					     2, board.ram + rvtrace_options.bus_offset,
					     2, board.ram, 2, ms->ram_size);
	}
}

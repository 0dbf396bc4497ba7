// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ingress port: what a hart executes, as blocks for its encoder.
 *
 * Clock and lock cost more than a block. Some blocks are told to the encoder
 * together, as of the same time: at the latest when the hart reads the time or a
 * register of the trace hardware, or does not execute. With one clock for
 * instructions and time each block has its own; where each instruction is a block, each
 * translation block does.
 */
#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/lockable.h"
#include "qemu/main-loop.h"
#include "target/riscv/cpu.h"
#include "exec/helper-proto.h"
#include "hw/intc/riscv_aclint.h"
#include "system/cpu-timers.h"
#include "hw/rvtrace/insns.h"
#include "hw/rvtrace/rvtrace.h"
#include "tools/encode/ingress.h"

/* As the timer computes it, but from a clock already read. */
uint64_t rvtrace_time(CPURISCVState *env, uint64_t ticks)
{
	const RISCVAclintMTimerState *timer = env->rdtime_fn_arg;

	return muldiv64(ticks, timer->timebase_freq, NANOSECONDS_PER_SECOND) +
		timer->time_delta;
}

/* Of RV32, some come with sign extension and some without. */
static inline uint64_t hart_address(const CPURISCVState *env, uint64_t address)
{
	return env->misa_mxl == MXL_RV32 ? (uint32_t)address : address;
}

static struct ingress_context hart_context(CPURISCVState *env)
{
	return (struct ingress_context) {
		.priv = env->priv,
		.v = env->virt_enabled,
		/* UIE, SIE, MIE */
		.ie = env->mstatus >> env->priv & 1,
		.scontext = env->rvtrace.scontext,
	};
}

/* The encoder's lock is held. */
static void hart_tell(CPURISCVState *env, RVTraceEncoder *encoder)
{
	uint64_t ticks, time;
	unsigned int i;

	if (!encoder->waiting) {
		return;
	}
	ticks = rvtrace_ticks();
	time = rvtrace_time(env, ticks);
	for (i = 0; i < encoder->waiting; i++) {
		encoder->blocks[i].cycles = ticks;
		encoder->blocks[i].time = time;
		te_model_retire(encoder->model, &encoder->blocks[i]);
	}
	encoder->waiting = 0;
	/* Those of the instruction under way stay. */
	if (!encoder->access_given) {
		return;
	}
	encoder->access_count -= encoder->access_given;
	memmove(encoder->accesses, encoder->accesses + encoder->access_given,
		encoder->access_count * sizeof(*encoder->accesses));
	encoder->access_given = 0;
}

void rvtrace_hart_flush(CPURISCVState *env)
{
	RVTraceEncoder *encoder = env->rvtrace.encoder;

	if (!encoder || !encoder->waiting) {
		return;
	}
	qemu_mutex_lock(&encoder->parent_obj.lock);
	hart_tell(env, encoder);
	qemu_mutex_unlock(&encoder->parent_obj.lock);
}

/*
 * Append [start of block, end) and begin the next block at block->target.
 * The caller filled in how it ended.
 */
static inline void hart_retire(CPURISCVState *env, uint64_t end,
			       const struct ingress_block *ending)
{
	RVTraceEncoder *encoder = env->rvtrace.encoder;
	struct ingress_block *block = &encoder->blocks[encoder->waiting++];

	*block = *ending;
	block->start = env->rvtrace.start;
	block->target = hart_address(env, ending->target);
	block->halfwords = (hart_address(env, end) - block->start) / 2;
	block->context = hart_context(env);
	if (block->halfwords && !block->last_size) {
		block->last_size = env->rvtrace.last_size;
	}
	block->accesses = encoder->accesses + encoder->access_given;
	block->access_count = encoder->access_count - encoder->access_given;
	encoder->access_given = encoder->access_count;
	env->rvtrace.start = block->target;
	env->rvtrace.seq_end = 0;
}

/*
 * WFI leaves its block without a word: where each instruction is a block, it is one before that of
 * what comes behind it.
 */
static void hart_split(CPURISCVState *env, uint64_t end,
		       const struct ingress_block *ending)
{
	struct ingress_block wfi = {
		.itype = INGRESS_NONE,
		.last_size = 2,
		.target = end - 2 * ending->last_size,
	};

	if (env->rvtrace.tb & RVTRACE_INSNS && ending->last_size &&
	    hart_address(env, wfi.target) != env->rvtrace.start) {
		hart_retire(env, wfi.target, &wfi);
	}
}

static inline void hart_report(CPURISCVState *env, uint64_t end,
			       const struct ingress_block *block)
{
	hart_split(env, end, block);
	hart_retire(env, end, block);
	/* With one clock it can be read at the last instruction of a translation block alone. */
	if (icount_enabled() ? env_cpu(env)->neg.can_do_io :
	    env->rvtrace.encoder->waiting >= RVTRACE_BLOCKS) {
		rvtrace_hart_flush(env);
	}
}

/* @info: itype, half-words, source register: RVTRACE_INFO() */
void HELPER(rvtrace_block)(CPURISCVState *env, target_ulong end,
			   target_ulong target, uint32_t info)
{
	uint32_t halfwords = extract32(info, 8, 8);
	uint32_t reg = extract32(info, 16, 8);
	struct ingress_block block = {
		.itype = extract32(info, 0, 8),
		.last_size = halfwords,
		.target = target,
		.sequential = reg && reg == env->rvtrace.seq_reg &&
			env->rvtrace.seq_end == end - 2 * halfwords,
	};

	hart_report(env, end, &block);
}

/*
 * The instruction under way accessed memory, or a CSR: @address is its number then. @operand:
 * of what reads and writes. @info: RVTRACE_ACCESS()
 */
void HELPER(rvtrace_access)(CPURISCVState *env, target_ulong address,
			    uint64_t data, uint64_t operand, uint32_t info)
{
	RVTraceEncoder *encoder = env->rvtrace.encoder;
	uint32_t flags = info >> 16;

	encoder->accesses[encoder->access_count++] = (struct ingress_access) {
		.pc = env->rvtrace.start,
		.address = hart_address(env, address),
		.data = { data },
		.operand = { operand },
		.dtype = extract32(info, 0, 8),
		.size = extract32(info, 8, 8),
		.unread = flags & RVTRACE_ACCESS_UNREAD,
		.unwritten = flags & RVTRACE_ACCESS_UNWRITTEN,
		.unsigned_order = flags & RVTRACE_ACCESS_UNSIGNED,
	};
}

uint32_t rvtrace_event_csr;
bool rvtrace_event_hint;

static bool hart_has_port(const CPURISCVState *env)
{
	return env->rvtrace.encoder && env->rvtrace.encoder->config.port;
}

bool rvtrace_has_events(const CPURISCVState *env)
{
	return hart_has_port(env) || env->rvtrace.stm;
}

/* Behind all that the hart did up to now. */
static void encoder_tell_event(CPURISCVState *env, uint16_t id, uint64_t value)
{
	RVTraceEncoder *encoder = env->rvtrace.encoder;
	struct ingress_context context = hart_context(env);
	uint64_t ticks;

	QEMU_LOCK_GUARD(&encoder->parent_obj.lock);
	hart_tell(env, encoder);
	ticks = rvtrace_ticks();
	te_model_event(encoder->model, id, value, &context,
		       rvtrace_time(env, ticks), ticks);
}

static void hart_tell_event(CPURISCVState *env, uint16_t id, uint64_t value)
{
	if (hart_has_port(env)) {
		encoder_tell_event(env, id, value);
	}
	rvtrace_stm_event(env, id, value);
}

/* Where blocks are reported, that of the instruction comes first. */
void rvtrace_event(CPURISCVState *env, uint16_t id)
{
	uint64_t value = hart_address(env, env->gpr[xA0]);

	if (env->rvtrace.tb & RVTRACE_TB) {
		env->rvtrace.event = id;
		env->rvtrace.event_value = value;
	} else {
		hart_tell_event(env, id, value);
	}
}

static void encoder_tell_thread(CPURISCVState *env, uint64_t value)
{
	RVTraceEncoder *encoder = env->rvtrace.encoder;
	struct ingress_context context = hart_context(env);
	uint64_t ticks;

	QEMU_LOCK_GUARD(&encoder->parent_obj.lock);
	hart_tell(env, encoder);
	ticks = rvtrace_ticks();
	te_model_thread(encoder->model, value, &context,
			rvtrace_time(env, ticks), ticks);
}

/* tp was written by the instruction before @end, of @halfwords. */
void HELPER(rvtrace_thread)(CPURISCVState *env, target_ulong end,
			    uint32_t halfwords)
{
	uint64_t value = hart_address(env, env->gpr[xTP]);
	struct ingress_block block = {
		.itype = INGRESS_NONE,
		.last_size = halfwords,
		.target = end,
	};

	if (env->rvtrace.tb & RVTRACE_TB) {
		hart_report(env, end, &block);
	}
	if (env->rvtrace.encoder) {
		encoder_tell_thread(env, value);
	}
	rvtrace_stm_thread(env, value);
}

/* A hint before @end emits an event. */
void HELPER(rvtrace_hint)(CPURISCVState *env, target_ulong end, uint32_t id)
{
	struct ingress_block block = {
		.itype = INGRESS_NONE,
		.last_size = 2,
		.target = end,
	};

	if (!rvtrace_has_events(env)) {
		return;
	}
	if (env->rvtrace.tb & RVTRACE_TB) {
		hart_report(env, end, &block);
	}
	hart_tell_event(env, id, hart_address(env, env->gpr[xA0]));
}

/* scontext, or the CSR of events, was written by the instruction before @end. */
void HELPER(rvtrace_context)(CPURISCVState *env, target_ulong end)
{
	struct ingress_block block = {
		.itype = INGRESS_NONE,
		.last_size = 2,
		.target = end,
	};

	hart_report(env, end, &block);
	if (env->rvtrace.event) {
		hart_tell_event(env, env->rvtrace.event,
				env->rvtrace.event_value);
		env->rvtrace.event = 0;
	}
}

void rvtrace_trap(CPURISCVState *env, uint64_t epc, bool interrupt,
		  uint64_t cause, uint64_t tval)
{
	struct ingress_block block = {
		.itype = interrupt ? INGRESS_INTERRUPT : INGRESS_EXCEPTION,
		.target = env->pc,
		.cause = cause,
		.tval = tval,
	};

	if (env->rvtrace.tb & RVTRACE_TB) {
		block.ebreak = cause == RISCV_EXCP_BREAKPOINT &&
			!env->rvtrace.encoder->breakpoint;
		env->rvtrace.encoder->breakpoint = false;
		/* What it cut short is executed again. */
		env->rvtrace.encoder->access_count =
			env->rvtrace.encoder->access_given;
		hart_report(env, epc, &block);
	}
}

void rvtrace_xret(CPURISCVState *env, uint64_t target)
{
	struct ingress_block block = {
		.itype = INGRESS_TRAP_RETURN,
		.last_size = 2,
		.target = target,
	};

	if (env->rvtrace.tb & RVTRACE_TB) {
		hart_report(env, env->pc + 4, &block);
	}
}

bool rvtrace_trigger(CPURISCVState *env, int action)
{
	RVTraceEncoder *encoder = env->rvtrace.encoder;

	if (encoder && !action) {
		encoder->breakpoint = true;
	}
	if (action <= 0 || !(env->rvtrace.debug_actions >> action & 1)) {
		return false;
	}
	if (encoder) {
		QEMU_LOCK_GUARD(&encoder->parent_obj.lock);
		hart_tell(env, encoder);
		te_model_debug_trigger(encoder->model, action);
	}
	return true;
}

static void hart_start(CPURISCVState *env, RVTraceEncoder *encoder)
{
	struct ingress_context context = hart_context(env);
	uint64_t ticks = rvtrace_ticks();

	env->rvtrace.start = hart_address(env, env->pc);
	env->rvtrace.seq_end = 0;
	env->rvtrace.last_size = 0;
	te_model_started(encoder->model, env->rvtrace.start, &context,
			 rvtrace_time(env, ticks), ticks);
	env->rvtrace.tb &= RVTRACE_THREADS;
	env->rvtrace.tb |= RVTRACE_TB;
	if (te_model_needs_sizes(encoder->model)) {
		env->rvtrace.tb |= RVTRACE_SIZES;
	}
	if (te_model_needs_instructions(encoder->model)) {
		env->rvtrace.tb |= RVTRACE_INSNS;
	}
	if (te_model_needs_accesses(encoder->model)) {
		env->rvtrace.tb |= RVTRACE_INSNS | RVTRACE_ACCESSES;
		encoder->access_count = 0;
		encoder->access_given = 0;
		if (!encoder->accesses) {
			encoder->accesses = g_new(struct ingress_access,
						  (RVTRACE_MAX_BLOCKS + 1) *
						  RVTRACE_MAX_ACCESSES);
		}
	}
}

static void hart_stop(CPURISCVState *env, RVTraceEncoder *encoder)
{
	uint64_t ticks = rvtrace_ticks();

	env->rvtrace.tb &= RVTRACE_THREADS;
	te_model_stopped(encoder->model, hart_address(env, env->pc),
			 rvtrace_time(env, ticks), ticks);
}

static void hart_switch(CPURISCVState *env, RVTraceEncoder *encoder)
{
	if (env->rvtrace.tb & RVTRACE_TB) {
		struct ingress_block block = {
			.itype = INGRESS_NONE,
			.target = env->pc,
		};

		hart_retire(env, env->pc, &block);
		hart_tell(env, encoder);
	}
	if (encoder->wanted) {
		hart_start(env, encoder);
	} else {
		hart_stop(env, encoder);
	}
}

/* A spare encoder sees a hart that stands still at address 0. */
static void spare_switch(CPURISCVState *env, RVTraceEncoder *encoder)
{
	struct ingress_context context = { 0 };
	uint64_t ticks = rvtrace_ticks();
	uint64_t time = rvtrace_time(env, ticks);

	if (encoder->wanted) {
		te_model_started(encoder->model, 0, &context, time, ticks);
	} else {
		te_model_stopped(encoder->model, 0, time, ticks);
	}
}

void rvtrace_hart_threads(CPURISCVState *env, uint32_t who, bool on)
{
	env->rvtrace.listeners &= ~who;
	env->rvtrace.listeners |= on ? who : 0;
	env->rvtrace.tb &= ~(uint64_t)RVTRACE_THREADS;
	env->rvtrace.tb |= env->rvtrace.listeners ? RVTRACE_THREADS : 0;
}

/* Runs on the hart's thread between two translation blocks: env->pc is exact. */
static void hart_answer(CPUState *cs, run_on_cpu_data data)
{
	RVTraceEncoder *encoder = data.host_ptr;
	CPURISCVState *env = cpu_env(cs);

	rvtrace_hart_flush(env);
	qemu_mutex_lock(&encoder->parent_obj.lock);
	encoder->queued = false;
	if (encoder->asked) {
		encoder->asked = false;
		if (encoder->spare) {
			spare_switch(env, encoder);
		} else {
			hart_switch(env, encoder);
		}
	}
	if (!encoder->spare) {
		encoder->threads = te_model_hears_threads(encoder->model);
		rvtrace_hart_threads(env, RVTRACE_ENCODER_LISTENS, encoder->threads);
	}
	qemu_mutex_unlock(&encoder->parent_obj.lock);
}

static void hart_queue(RVTraceEncoder *encoder)
{
	if (!encoder->queued) {
		encoder->queued = true;
		async_run_on_cpu(CPU(encoder->cpu), hart_answer,
				 RUN_ON_CPU_HOST_PTR(encoder));
	}
}

void rvtrace_hart_ask(RVTraceEncoder *encoder, bool on)
{
	encoder->asked = true;
	encoder->wanted = on;
	hart_queue(encoder);
}

void rvtrace_hart_listen(RVTraceEncoder *encoder)
{
	bool threads = te_model_hears_threads(encoder->model);

	if (encoder->spare || encoder->threads == threads) {
		return;
	}
	encoder->threads = threads;
	hart_queue(encoder);
}

void rvtrace_hart_reset(RVTraceEncoder *encoder)
{
	encoder->asked = false;
	encoder->waiting = 0;
	encoder->threads = false;
	if (!encoder->spare) {
		encoder->cpu->env.rvtrace.tb = 0;
		encoder->cpu->env.rvtrace.listeners = 0;
		encoder->cpu->env.rvtrace.event = 0;
	}
}

/* What came before tracing was off still waits. */
static bool hart_stalls(RVTraceEncoder *encoder)
{
	QEMU_LOCK_GUARD(&encoder->parent_obj.lock);
	return te_model_stalls(encoder->model);
}

/* On the hart's thread, which must go on for the machine to pause or to end */
static void hart_wait(CPUState *cs, run_on_cpu_data data)
{
	RVTraceEncoder *encoder = data.host_ptr;
	QemuCond never;

	qemu_cond_init(&never);
	while (hart_stalls(encoder) && !cs->stop) {
		qemu_cond_timedwait_bql(&never, 1);
	}
	qemu_cond_destroy(&never);
}

void rvtrace_hart_stand_still(RVTraceEncoder *encoder)
{
	if (encoder->wanted && !encoder->spare && !icount_enabled()) {
		async_run_on_cpu(CPU(encoder->cpu), hart_wait,
				 RUN_ON_CPU_HOST_PTR(encoder));
	}
}

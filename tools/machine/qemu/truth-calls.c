// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ground truth: the log of calls, that is, of all that changes a stack of calls.
 *
 * As truth.c, it knows neither encoders nor blocks.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "target/riscv/cpu.h"
#include "exec/helper-proto.h"
#include "hw/rvtrace/rvtrace.h"
#include "hw/rvtrace/truth-log.h"
#include "tools/machine/truth.h"

#define CALLS_BUFFER	4096

struct RVTruthCalls {
	int fd;
	char *path;
	unsigned int count;
	uint64_t tp;
	uint64_t satp;
	struct truth_call buffer[CALLS_BUFFER];
};

static void calls_write(struct RVTruthCalls *calls, const void *data,
			size_t size)
{
	if (qemu_write_full(calls->fd, data, size) != size) {
		error_report("%s: %s", calls->path, strerror(errno));
		exit(1);
	}
}

void rvtruth_calls_flush(CPURISCVState *env)
{
	struct RVTruthCalls *calls = env->rvtruth.calls;

	if (calls) {
		calls_write(calls, calls->buffer,
			    calls->count * sizeof(calls->buffer[0]));
		calls->count = 0;
	}
}

static void calls_put(CPURISCVState *env, struct truth_call call)
{
	struct RVTruthCalls *calls = env->rvtruth.calls;

	call.index = rvtruth_index(env);
	call.sp = env->gpr[xSP];
	if (env->rvtruth.sp_loaded) {
		call.flags |= TRUTH_CALL_SP_LOADED;
		env->rvtruth.sp_loaded = false;
	}
	calls->buffer[calls->count++] = call;
	if (calls->count == CALLS_BUFFER) {
		rvtruth_calls_flush(env);
	}
}

/* Where the clock can be read */
static void calls_put_now(CPURISCVState *env, struct truth_call call)
{
	call.ticks = rvtrace_ticks();
	call.time = rvtrace_time(env, call.ticks);
	calls_put(env, call);
}

/* @info: kind, size of the instruction, register that it writes */
void HELPER(rvtruth_jump)(CPURISCVState *env, target_ulong pc,
			  target_ulong target, uint32_t info)
{
	uint32_t rd = extract32(info, 16, 8);
	struct truth_call call = {
		.kind = extract32(info, 0, 8),
		.priv = env->priv,
		.to_priv = env->priv,
		.size = extract32(info, 8, 8),
		.pc = pc,
		.target = target,
		.link = env->gpr[xRA],
	};

	if (rd == xRA || rd == xT0) {
		call.link = pc + call.size;
	}
	calls_put_now(env, call);
}

void rvtruth_trap(CPURISCVState *env, uint64_t epc, bool interrupt,
		  uint64_t cause, uint32_t priv)
{
	if (!(env->rvtruth.tb & RVTRUTH_CALLS)) {
		return;
	}
	calls_put_now(env, (struct truth_call) {
		.kind = TRUTH_CALL_TRAP,
		.priv = priv,
		.to_priv = env->priv,
		.flags = interrupt ? TRUTH_CALL_INTERRUPT : 0,
		.pc = epc,
		.target = env->pc,
		.link = env->gpr[xA7],
		.value = cause,
	});
}

void rvtruth_xret(CPURISCVState *env, uint64_t target, uint32_t priv)
{
	if (!(env->rvtruth.tb & RVTRUTH_CALLS)) {
		return;
	}
	calls_put_now(env, (struct truth_call) {
		.kind = TRUTH_CALL_XRET,
		.priv = priv,
		.to_priv = env->priv,
		.size = 4,
		.pc = env->pc,
		.target = target,
		.link = env->gpr[xRA],
	});
}

void rvtruth_calls_state(CPURISCVState *env)
{
	struct RVTruthCalls *calls = env->rvtruth.calls;

	if (!calls || (calls->tp == env->gpr[xTP] && calls->satp == env->satp)) {
		return;
	}
	calls->tp = env->gpr[xTP];
	calls->satp = env->satp;
	calls_put(env, (struct truth_call) {
		.kind = TRUTH_CALL_STATE,
		.priv = env->priv,
		.to_priv = env->priv,
		.target = env->gpr[xTP],
		.link = env->satp,
	});
}

void rvtruth_calls_window(CPURISCVState *env, bool begin)
{
	if (!env->rvtruth.calls) {
		return;
	}
	calls_put(env, (struct truth_call) {
		.kind = begin ? TRUTH_CALL_WINDOW : TRUTH_CALL_END,
		.priv = env->priv,
		.to_priv = env->priv,
		.target = env->gpr[xTP],
		.link = env->satp,
	});
	env->rvtruth.calls->tp = env->gpr[xTP];
	env->rvtruth.calls->satp = env->satp;
	if (!begin) {
		rvtruth_calls_flush(env);
	}
}

void rvtruth_calls_open(const char *prefix, CPURISCVState *env, Error **errp)
{
	struct truth_header header = {
		.magic = TRUTH_CALLS_MAGIC,
		.hart = env->mhartid,
	};
	struct RVTruthCalls *calls = g_new0(struct RVTruthCalls, 1);

	calls->path = g_strdup_printf("%s.calls." TARGET_FMT_ld, prefix,
				      env->mhartid);
	calls->fd = qemu_create(calls->path, O_WRONLY | O_TRUNC | O_BINARY,
				0644, errp);
	if (calls->fd < 0) {
		return;
	}
	calls_write(calls, &header, sizeof(header));
	env->rvtruth.calls = calls;
}

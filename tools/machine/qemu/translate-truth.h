/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translation hooks of the ground truth; part of target/riscv/translate.c.
 *
 * Inside a window every instruction stores its address at rvtruth.next before
 * it executes, and the pointer moves past it only when the next instruction of
 * the block begins or the block is left the normal way. What traps or is
 * executed again therefore never counts.
 */
#include "hw/rvtrace/tools/machine/truth.h"

static void lookup_and_goto_ptr(DisasContext *ctx);

static void rvtruth_gen_tb_start(DisasContext *ctx)
{
	if (ctx->rvtruth) {
		gen_helper_rvtruth_tb(tcg_env);
	}
}

static void rvtruth_gen_commit(DisasContext *ctx)
{
	TCGv_ptr next;

	if (!ctx->rvtruth) {
		return;
	}
	next = tcg_temp_new_ptr();
	tcg_gen_ld_ptr(next, tcg_env, offsetof(CPURISCVState, rvtruth.next));
	tcg_gen_addi_ptr(next, next, sizeof(uint64_t));
	tcg_gen_st_ptr(next, tcg_env, offsetof(CPURISCVState, rvtruth.next));
}

static void rvtruth_gen_insn_start(DisasContext *ctx)
{
	TCGv_ptr next;
	TCGv pc;

	ctx->rvtruth_tp = false;
	if (!ctx->rvtruth) {
		return;
	}
	if (ctx->base.num_insns > 1) {
		rvtruth_gen_commit(ctx);
	}
	next = tcg_temp_new_ptr();
	pc = tcg_temp_new();
	tcg_gen_ld_ptr(next, tcg_env, offsetof(CPURISCVState, rvtruth.next));
	gen_pc_plus_diff(pc, ctx, 0);
	tcg_gen_st_i64(pc, next, 0);
}

/* Leave the block, so that the next one is looked up with the new state. */
static void rvtruth_gen_leave(DisasContext *ctx)
{
	ctx->rvtruth = false;
	gen_update_pc(ctx, ctx->cur_insn_len);
	lookup_and_goto_ptr(ctx);
	ctx->base.is_jmp = DISAS_NORETURN;
}

static void rvtruth_gen_insn_end(DisasContext *ctx, CPURISCVState *env)
{
	if (!env->rvtruth.log || ctx->base.is_jmp != DISAS_NEXT) {
		return;
	}
	if (!ctx->rvtruth && ctx->opcode == TRUTH_MARKER_BEGIN) {
		TCGv pc = tcg_temp_new();

		gen_pc_plus_diff(pc, ctx, 0);
		gen_helper_rvtruth_begin(tcg_env, pc);
		rvtruth_gen_leave(ctx);
	} else if (ctx->rvtruth && ctx->opcode == TRUTH_MARKER_END) {
		rvtruth_gen_commit(ctx);
		gen_helper_rvtruth_end(tcg_env);
		rvtruth_gen_leave(ctx);
	} else if (ctx->rvtruth && ctx->rvtruth_tp) {
		/* The next block logs the new state before it begins. */
		ctx->base.is_jmp = DISAS_TOO_MANY;
	}
}

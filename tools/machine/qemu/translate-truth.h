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

static bool rvtruth_is_link(int reg)
{
	return reg == xRA || reg == xT0;
}

/* A jump of @kind, the last instruction of its block, goes to @target and writes @rd. */
static void rvtruth_gen_jump(DisasContext *ctx, int kind, int rd, TCGv target)
{
	TCGv pc;

	if (!ctx->rvtruth_calls) {
		return;
	}
	pc = tcg_temp_new();
	gen_pc_plus_diff(pc, ctx, 0);
	gen_helper_rvtruth_jump(tcg_env, pc, target,
				tcg_constant_i32(kind | ctx->cur_insn_len << 8 |
						 rd << 16));
}

static void rvtruth_gen_jal(DisasContext *ctx, int rd, target_long diff)
{
	TCGv target;

	if (!ctx->rvtruth_calls || !rvtruth_is_link(rd)) {
		return;
	}
	target = tcg_temp_new();
	gen_pc_plus_diff(target, ctx, diff);
	rvtruth_gen_jump(ctx, TRUTH_CALL_CALL, rd, target);
}

static void rvtruth_gen_jalr(DisasContext *ctx, int rd, int rs1, TCGv target)
{
	int kind = TRUTH_CALL_JUMP;

	if (rvtruth_is_link(rd)) {
		kind = rvtruth_is_link(rs1) && rs1 != rd ? TRUTH_CALL_SWAP :
							   TRUTH_CALL_CALL;
	} else if (rvtruth_is_link(rs1)) {
		kind = TRUTH_CALL_RETURN;
	}
	rvtruth_gen_jump(ctx, kind, rd, target);
}

/* LD and C.LDSP to sp: another stack, or another place of it */
static bool rvtruth_loads_sp(DisasContext *ctx)
{
	if (ctx->cur_insn_len == 4) {
		return (ctx->opcode & 0xfff) == (0x003 | xSP << 7);
	}
	return (ctx->opcode & 0xef83) == (0x6002 | xSP << 7);
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
	if (ctx->rvtruth_calls && rvtruth_loads_sp(ctx)) {
		tcg_gen_st8_i32(tcg_constant_i32(1), tcg_env,
				offsetof(CPURISCVState, rvtruth.sp_loaded));
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translation hooks of the block trace; part of target/riscv/translate.c.
 *
 * Addresses are computed at run time: with CF_PCREL a block runs at other
 * addresses than those it was translated for.
 */
#include "hw/rvtrace/insns.h"
#include "hw/rvtrace/tools/encode/ingress.h"
#include "hw/rvtrace/tools/machine/truth.h"

/* What a block ended with, as helper_rvtrace_block() takes it */
#define RVTRACE_INFO(itype, halfwords, reg) \
	((itype) | (halfwords) << 8 | (reg) << 16)

static bool rvtrace_is_link(int reg)
{
	return reg == xRA || reg == xT0;
}

static void rvtrace_gen_block(DisasContext *ctx, int itype, int reg,
			      TCGv target)
{
	TCGv end = tcg_temp_new();

	gen_pc_plus_diff(end, ctx, ctx->cur_insn_len);
	gen_helper_rvtrace_block(tcg_env, end, target,
		tcg_constant_i32(RVTRACE_INFO(itype, ctx->cur_insn_len / 2,
					      reg)));
	ctx->rvtrace_told = true;
}

static void rvtrace_gen_direct(DisasContext *ctx, int itype, target_long diff)
{
	TCGv target;

	if (!ctx->rvtrace) {
		return;
	}
	target = tcg_temp_new();
	gen_pc_plus_diff(target, ctx, diff);
	rvtrace_gen_block(ctx, itype, 0, target);
}

static void rvtrace_gen_branch(DisasContext *ctx, bool taken, target_long diff)
{
	rvtrace_gen_direct(ctx, taken ? INGRESS_BRANCH_TAKEN :
			   INGRESS_BRANCH_NOT_TAKEN, diff);
}

static void rvtrace_gen_jal(DisasContext *ctx, int rd, target_long diff)
{
	rvtrace_gen_direct(ctx, rvtrace_is_link(rd) ? INGRESS_DIRECT_CALL :
			   rd == 0 ? INGRESS_DIRECT_JUMP :
			   INGRESS_OTHER_DIRECT_JUMP, diff);
}

/* Classes by link register: E-Trace 2.0 table "itype Encoding (JALR)" */
static void rvtrace_gen_jalr(DisasContext *ctx, int rd, int rs1, TCGv target)
{
	int itype;

	if (!ctx->rvtrace) {
		return;
	}
	if (rvtrace_is_link(rd)) {
		itype = rvtrace_is_link(rs1) && rs1 != rd ?
			INGRESS_COROUTINE_SWAP : INGRESS_INDIRECT_CALL;
	} else if (rvtrace_is_link(rs1)) {
		itype = INGRESS_RETURN;
	} else {
		itype = rd == 0 ? INGRESS_INDIRECT_JUMP :
			INGRESS_OTHER_INDIRECT_JUMP;
	}
	rvtrace_gen_block(ctx, itype, rs1, target);
}

/*
 * The instruction retires: how long it is, for a trap or cut right behind it.
 * What follows a branch or jump is a block of its own, so that it does not
 * matter which way of a branch remembers it.
 */
static void rvtrace_gen_size(DisasContext *ctx)
{
	if (!ctx->rvtrace_sizes || ctx->rvtrace_size == ctx->cur_insn_len) {
		return;
	}
	tcg_gen_st16_i32(tcg_constant_i32(ctx->cur_insn_len / 2), tcg_env,
			 offsetof(CPURISCVState, rvtrace.last_size));
	ctx->rvtrace_size = ctx->cur_insn_len;
}

/* Their helpers tell of them. */
static bool rvtrace_is_xret(uint32_t opcode)
{
	return opcode == 0x10200073 || opcode == 0x30200073 ||
	       opcode == 0x70200073;
}

/* The instruction retires: it is a block, unless that was told already. */
static void rvtrace_gen_insn(DisasContext *ctx)
{
	TCGv end;

	if (!ctx->rvtrace_insns || ctx->rvtrace_told ||
	    (ctx->cur_insn_len == 4 && rvtrace_is_xret(ctx->opcode))) {
		return;
	}
	end = tcg_temp_new();
	gen_pc_plus_diff(end, ctx, ctx->cur_insn_len);
	rvtrace_gen_block(ctx, INGRESS_NONE, 0, end);
}

static void rvtrace_gen_retire(DisasContext *ctx)
{
	rvtrace_gen_size(ctx);
	rvtrace_gen_insn(ctx);
}

static void rvtrace_gen_insn_start(DisasContext *ctx)
{
	ctx->rvtrace_told = false;
}

/*
 * tp was written; @end: of the instruction that did it, the last one of its translation block, so
 * that the clock can be read.
 */
static void rvtrace_gen_thread(DisasContext *ctx, TCGv end)
{
	translator_io_start(&ctx->base);
	gen_helper_rvtrace_thread(tcg_env, end,
				  tcg_constant_i32(ctx->cur_insn_len / 2));
	ctx->rvtrace_told = true;
}

/* After a CSR instruction; cpu_pc is that of the next one. */
static void rvtrace_gen_csr(DisasContext *ctx)
{
	uint32_t csr = ctx->opcode >> 20;

	if (ctx->rvtrace && (csr == CSR_RVTRACE_SCONTEXT ||
			     (csr && csr == rvtrace_event_csr))) {
		gen_helper_rvtrace_context(tcg_env, cpu_pc);
		ctx->rvtrace_told = true;
	}
	if (ctx->rvtrace_threads && ctx->rvtruth_tp) {
		rvtrace_gen_thread(ctx, cpu_pc);
	}
}

/* After an instruction that goes on with the next one */
static void rvtrace_gen_tp(DisasContext *ctx)
{
	TCGv end;

	if (!ctx->rvtrace_threads || !ctx->rvtruth_tp ||
	    ctx->base.is_jmp != DISAS_NEXT) {
		return;
	}
	end = tcg_temp_new();
	gen_pc_plus_diff(end, ctx, ctx->cur_insn_len);
	rvtrace_gen_thread(ctx, end);
}

/*
 * Behind SLTI with x0, which has no effect of its own. Markers of the ground
 * truth are no events. The clock can be read behind a block's end.
 */
static void rvtrace_gen_hint(DisasContext *ctx)
{
	uint32_t opcode = ctx->opcode;
	uint32_t id = extract32(opcode, 20, 12) | extract32(opcode, 15, 5) << 12;
	TCGv end;

	if (!rvtrace_event_hint || ctx->cur_insn_len != 4 ||
	    (opcode & 0x7fff) != 0x2013 || !id || id > UINT16_MAX ||
	    opcode == TRUTH_MARKER_BEGIN || opcode == TRUTH_MARKER_END ||
	    ctx->base.is_jmp != DISAS_NEXT) {
		return;
	}
	end = tcg_temp_new();
	gen_pc_plus_diff(end, ctx, ctx->cur_insn_len);
	gen_helper_rvtrace_hint(tcg_env, end, tcg_constant_i32(id));
	ctx->base.is_jmp = DISAS_TOO_MANY;
}

/* What the instruction may write over, for what is told of it behind that. */
static TCGv rvtrace_keep(DisasContext *ctx, TCGv value)
{
	TCGv copy;

	if (!ctx->rvtrace_accesses) {
		return value;
	}
	copy = tcg_temp_new();
	tcg_gen_mov_tl(copy, value);
	return copy;
}

static void rvtrace_gen_access(DisasContext *ctx, TCGv address, TCGv_i64 data,
			       TCGv_i64 operand, uint32_t info)
{
	if (ctx->rvtrace_accesses) {
		gen_helper_rvtrace_access(tcg_env, address, data, operand,
					  tcg_constant_i32(info));
	}
}

static void rvtrace_gen_load(DisasContext *ctx, TCGv address, TCGv_i64 data,
			     MemOp memop)
{
	rvtrace_gen_access(ctx, address, data, tcg_constant_i64(0),
			   RVTRACE_ACCESS(INGRESS_LOAD, memop & MO_SIZE, 0));
}

static void rvtrace_gen_store(DisasContext *ctx, TCGv address, TCGv_i64 data,
			      MemOp memop)
{
	rvtrace_gen_access(ctx, address, data, tcg_constant_i64(0),
			   RVTRACE_ACCESS(INGRESS_STORE, memop & MO_SIZE, 0));
}

/* SC has stored if @result is 0. */
static void rvtrace_gen_store_if_0(DisasContext *ctx, TCGv result,
				   TCGv address, TCGv_i64 data, MemOp memop)
{
	TCGLabel *failed;

	if (!ctx->rvtrace_accesses) {
		return;
	}
	failed = gen_new_label();
	tcg_gen_brcondi_tl(TCG_COND_NE, result, 0, failed);
	rvtrace_gen_store(ctx, address, data, memop);
	gen_set_label(failed);
}

static void rvtrace_gen_amo(DisasContext *ctx, TCGv address, TCGv old,
			    TCGv operand, MemOp memop)
{
	static const uint8_t dtypes[32] = {
		[0] = INGRESS_ADD, [1] = INGRESS_SWAP, [4] = INGRESS_XOR,
		[8] = INGRESS_OR, [12] = INGRESS_AND, [16] = INGRESS_MIN,
		[20] = INGRESS_MAX, [24] = INGRESS_MIN, [28] = INGRESS_MAX,
	};
	uint32_t funct5 = ctx->opcode >> 27;

	rvtrace_gen_access(ctx, address, old, operand,
			   RVTRACE_ACCESS(dtypes[funct5], memop & MO_SIZE,
					  funct5 >= 24 ?
					  RVTRACE_ACCESS_UNSIGNED : 0));
}

static void rvtrace_gen_csr_read(DisasContext *ctx, int csr, TCGv value)
{
	rvtrace_gen_access(ctx, tcg_constant_tl(csr), value,
			   tcg_constant_i64(0),
			   RVTRACE_ACCESS(INGRESS_CSR_RW, 0,
					  RVTRACE_ACCESS_UNWRITTEN));
}

static void rvtrace_gen_csr_write(DisasContext *ctx, int csr, TCGv value)
{
	rvtrace_gen_access(ctx, tcg_constant_tl(csr), tcg_constant_i64(0),
			   value, RVTRACE_ACCESS(INGRESS_CSR_RW, 0,
						 RVTRACE_ACCESS_UNREAD));
}

/* Bits of @mask were written. */
static void rvtrace_gen_csr_swap(DisasContext *ctx, int csr, TCGv old,
				 TCGv value, TCGv mask)
{
	TCGv kept = tcg_temp_new(), written = tcg_temp_new();

	tcg_gen_andc_tl(kept, old, mask);
	tcg_gen_and_tl(written, value, mask);
	tcg_gen_or_tl(written, written, kept);
	rvtrace_gen_access(ctx, tcg_constant_tl(csr), old, written,
			   RVTRACE_ACCESS(INGRESS_CSR_RW, 0, 0));
}

/* Register that LUI, C.LUI or AUIPC writes, else 0 */
static int rvtrace_upper_reg(DisasContext *ctx)
{
	int rd = extract32(ctx->opcode, 7, 5);
	int major = ctx->opcode & 0x7f;

	if (ctx->cur_insn_len == 4) {
		return major == 0x37 || major == 0x17 ? rd : 0;
	}
	return (ctx->opcode & 0xe003) == 0x6001 && rd != xSP ? rd : 0;
}

/* Remember the first half of a sequentially inferable jump. */
static void rvtrace_gen_upper(DisasContext *ctx)
{
	int reg = rvtrace_upper_reg(ctx);
	TCGv end;

	if (!ctx->rvtrace || !reg || ctx->base.is_jmp != DISAS_NEXT) {
		return;
	}
	end = tcg_temp_new();
	gen_pc_plus_diff(end, ctx, ctx->cur_insn_len);
	tcg_gen_st_i64(end, tcg_env,
		       offsetof(CPURISCVState, rvtrace.seq_end));
	tcg_gen_st16_i32(tcg_constant_i32(reg), tcg_env,
			 offsetof(CPURISCVState, rvtrace.seq_reg));
}

static void rvtrace_gen_insn_end(DisasContext *ctx)
{
	rvtrace_gen_upper(ctx);
	rvtrace_gen_tp(ctx);
	rvtrace_gen_hint(ctx);
	if (ctx->base.is_jmp != DISAS_NORETURN) {
		rvtrace_gen_retire(ctx);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flags of translation blocks, remembered; part of target/riscv/cpu_helper.c.
 *
 * They are asked for at every return and at every jump to another page, and seldom
 * change: computing them is an eighth of what a kernel takes here. They are known as long
 * as what they are made of is the same. Where more goes into them, they are computed.
 */
#define RVTRACE_FLAGS_MSTATUS                                            \
	(MSTATUS_FS | MSTATUS_VS | MSTATUS_SUM | MSTATUS_MXR | MSTATUS_MPRV | \
	 MSTATUS_MPP | MSTATUS_MPV | MSTATUS64_UXL | MSTATUS64_SXL)
#define RVTRACE_FLAGS_VALID	BIT(31)

static inline uint64_t rvtrace_flags_mode(const CPURISCVState *env)
{
	return RVTRACE_FLAGS_VALID | env->priv | env->xl << 8 |
	       env->virt_enabled << 16 | env->itrigger_enabled << 17 |
	       (uint64_t)env->misa_ext << 32;
}

static inline bool rvtrace_flags_known(const CPURISCVState *env,
				       uint32_t *flags)
{
	const RVTraceFlags *known = &env->rvtrace_flags;

	*flags = known->flags;
	return known->mode == rvtrace_flags_mode(env) &&
	       known->mstatus == (env->mstatus & RVTRACE_FLAGS_MSTATUS) &&
	       known->satp == env->satp;
}

static inline void rvtrace_flags_remember(CPURISCVState *env, uint32_t flags)
{
	const RISCVCPUConfig *cfg = riscv_cpu_cfg(env);

	if (env->virt_enabled || env->mstatus & MSTATUS_MPRV ||
	    !riscv_has_ext(env, RVF) || cfg->ext_zve32x || cfg->ext_zicfilp ||
	    cfg->ext_zicfiss || cfg->ext_smmpm || cfg->ext_smnpm ||
	    cfg->ext_ssnpm) {
		return;
	}
	env->rvtrace_flags = (RVTraceFlags) {
		.mode = rvtrace_flags_mode(env),
		.mstatus = env->mstatus & RVTRACE_FLAGS_MSTATUS,
		.satp = env->satp,
		.flags = flags,
	};
}

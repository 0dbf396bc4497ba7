// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System Trace Module of Open SoC Debug of one hart: software trace alone, which goes to memory by
 * itself.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/rvtrace/rvtrace.h"

static const struct stm_ops stm_ops = {
	.now = rvtrace_now,
	.schedule = rvtrace_schedule,
	.dma_write = rvtrace_dma_write,
};

static bool stm_create(RVTraceComponent *c, Error **errp)
{
	RVTraceStm *stm = RVTRACE_STM(c);
	CPURISCVState *env = &stm->cpu->env;
	const char *wrong;

	if (!stm->config.valwidth) {
		stm->config.valwidth = env->misa_mxl == MXL_RV32 ? 32 : 64;
	}
	wrong = stm_config_check(&stm->config);
	if (wrong) {
		error_setg(errp, "%s: %s", c->name, wrong);
		return false;
	}
	stm->model = stm_model_new(&stm->config, &stm_ops, stm);
	if (!stm->model) {
		error_setg(errp, "%s: out of memory", c->name);
		return false;
	}
	env->rvtrace.stm = stm;
	return true;
}

static void stm_reset(RVTraceComponent *c)
{
	RVTraceStm *stm = RVTRACE_STM(c);

	stm_model_reset(stm->model);
	stm->threads = false;
	rvtrace_hart_threads(&stm->cpu->env, RVTRACE_STM_LISTENS, false);
}

static void stm_tick(RVTraceComponent *c)
{
	stm_model_tick(RVTRACE_STM(c)->model);
}

static uint32_t stm_read(RVTraceComponent *c, uint32_t offset)
{
	return stm_model_read(RVTRACE_STM(c)->model, offset, 4);
}

static uint32_t stm_read_part(RVTraceComponent *c, uint32_t offset,
			      unsigned int size)
{
	return stm_model_read(RVTRACE_STM(c)->model, offset, size);
}

/* Runs on the hart's thread between two translation blocks. */
static void stm_answer(CPUState *cs, run_on_cpu_data data)
{
	RVTraceStm *stm = data.host_ptr;

	QEMU_LOCK_GUARD(&stm->parent_obj.lock);
	rvtrace_hart_threads(cpu_env(cs), RVTRACE_STM_LISTENS, stm->threads);
}

static void stm_write_part(RVTraceComponent *c, uint32_t offset,
			   uint32_t value, unsigned int size)
{
	RVTraceStm *stm = RVTRACE_STM(c);
	bool threads;

	stm_model_write(stm->model, offset, value, size);
	threads = stm_model_hears_threads(stm->model);
	if (stm->threads != threads) {
		stm->threads = threads;
		async_run_on_cpu(CPU(stm->cpu), stm_answer,
				 RUN_ON_CPU_HOST_PTR(stm));
	}
}

static void stm_write(RVTraceComponent *c, uint32_t offset, uint32_t value)
{
	stm_write_part(c, offset, value, 4);
}

void rvtrace_stm_event(CPURISCVState *env, uint16_t id, uint64_t value)
{
	RVTraceStm *stm = env->rvtrace.stm;

	if (!stm) {
		return;
	}
	QEMU_LOCK_GUARD(&stm->parent_obj.lock);
	stm_model_event(stm->model, id, value,
			rvtrace_time(env, rvtrace_ticks()));
}

/* Firmware swaps tp at every trap: that is no switch. */
void rvtrace_stm_thread(CPURISCVState *env, uint64_t value)
{
	RVTraceStm *stm = env->rvtrace.stm;

	if (!stm || env->priv == PRV_M) {
		return;
	}
	QEMU_LOCK_GUARD(&stm->parent_obj.lock);
	stm_model_thread(stm->model, value,
			 rvtrace_time(env, rvtrace_ticks()));
}

static void stm_init(Object *obj)
{
	RVTraceStm *stm = RVTRACE_STM(obj);

	stm_config_init(&stm->config);
	stm->config.valwidth = 0;
}

#define U32(name, field)	RVTRACE_PROP_U32(name, RVTraceStm, field)
#define U64(name, field)	RVTRACE_PROP_U64(name, RVTraceStm, field)

static const Property stm_properties[] = {
	U32("valwidth", valwidth),
	U32("depth", depth),
	U32("packet-words", packet_words),
	U64("word-time", word_time),
};

static void stm_class_init(ObjectClass *oc, void *data)
{
	RVTraceComponentClass *cc = RVTRACE_COMPONENT_CLASS(oc);

	cc->kind = RVTRACE_KIND_STM;
	/* It is of none: as sinks. */
	cc->generation = TCI_1_0;
	cc->halves = true;
	cc->create = stm_create;
	cc->reset = stm_reset;
	cc->read = stm_read;
	cc->read_part = stm_read_part;
	cc->write = stm_write;
	cc->write_part = stm_write_part;
	cc->tick = stm_tick;
	device_class_set_props(DEVICE_CLASS(oc), stm_properties);
	DEVICE_CLASS(oc)->desc = "Open SoC Debug System Trace Module";
}

static const TypeInfo stm_types[] = {
	{
		.name = TYPE_RVTRACE_STM,
		.parent = TYPE_RVTRACE_COMPONENT,
		.instance_size = sizeof(RVTraceStm),
		.instance_init = stm_init,
		.class_init = stm_class_init,
	},
};

DEFINE_TYPES(stm_types)

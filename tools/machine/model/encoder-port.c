// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Software trace port (Software Trace Module, "Core Interface"): what software
 * emits by a CSR, and writes to tp, become messages: N-Trace's DataAcquisition
 * with the identifier in IDTAG and the value in DQDATA, or packets of E-Trace's
 * encapsulation with a type of their own.
 */
#include "include/uapi/linux/rvtrace_regs.h"
#include "include/uapi/linux/rvtrace_regs_1_0.h"
#include "tools/machine/model/encoder-internal.h"

/* Identifiers by their upper two bits */
#define EVERY_GROUP								\
	(RVTRACE_SOFTWARE_TRACE_USER | RVTRACE_SOFTWARE_TRACE_COM |		\
	 RVTRACE_SOFTWARE_TRACE_RESERVED | RVTRACE_SOFTWARE_TRACE_SYS)
#define GROUPS	(EVERY_GROUP >> 4)
#define GROUP_SYS	(RVTRACE_SOFTWARE_TRACE_SYS >> 4)

#define REGISTERS(prefix, control, lost) {					\
	REG(prefix "SoftwareTrace", control,					\
	    { RVTRACE_SOFTWARE_TRACE_ENABLE, REG_RW, TE_PORT_ENABLE },		\
	    { RVTRACE_SOFTWARE_TRACE_THREADS, REG_RW, TE_PORT_THREADS },	\
	    { EVERY_GROUP, REG_RW, TE_PORT_GROUPS },				\
	    { RVTRACE_SOFTWARE_TRACE_SWITCH, REG_RW, TE_PORT_SWITCH }),		\
	REG(prefix "SoftwareTraceLost", lost,					\
	    { 0xffffffff, REG_RC, TE_PORT_LOST }),				\
	{}									\
}

const struct reg_spec te_port[] =
	REGISTERS("te", RVTRACE_SOFTWARE_TRACE, RVTRACE_SOFTWARE_TRACE_LOST);
const struct reg_spec te_port_1_0[] =
	REGISTERS("trTe", RVTRACE_TR_TE_SOFTWARE_TRACE,
		  RVTRACE_TR_TE_SOFTWARE_TRACE_LOST);

static const struct reg_ops ops;

void te_add_port(struct te_model *te)
{
	if (!te->config.port)
		return;
	component_add(&te->component, &(struct reg_block) {
		.specs = te->generation->port,
		.values = te->fields,
		.legal = te->legal,
		.ops = &ops,
		.owner = te,
	});
}

bool te_model_hears_events(const struct te_model *te)
{
	const struct te_protocol *protocol = te->protocol;

	return te->config.port && te->enabled && te->fields[TE_TRACING] &&
	       te->fields[TE_PORT_ENABLE] && protocol->event &&
	       (!protocol->carries_events || protocol->carries_events(te));
}

bool te_model_hears_threads(const struct te_model *te)
{
	if (te->protocol->hears_threads)
		return te->enabled && te->fields[TE_TRACING] && te->protocol->hears_threads(te);
	return te_model_hears_events(te) && te->fields[TE_PORT_THREADS];
}

/* That of THREAD_SWITCH comes before the ranges. */
static bool is_wanted(const struct te_model *te, uint16_t id)
{
	uint32_t group = 1u << (id >> 14);

	if (id == te->fields[TE_PORT_SWITCH])
		group = GROUP_SYS;
	return id && te->fields[TE_PORT_GROUPS] & GROUPS & group;
}

static bool has_room(struct te_model *te)
{
	uint32_t room = te->protocol->event_room;

	if (te->fifo.used + room > te->fifo.size)
		te_drain(te, false);
	return !te->choked && te->fifo.used + room <= te->fifo.size;
}

static void lose(struct te_model *te)
{
	te->stats.lost_events++;
	if (te->fields[TE_PORT_LOST] != UINT32_MAX)
		te->fields[TE_PORT_LOST]++;
}

static void speak(struct te_model *te, uint16_t id, uint64_t value,
		  uint64_t time)
{
	te->stats.events++;
	if (!has_room(te)) {
		te->protocol->lose_event(te, time);
		lose(te);
		return;
	}
	te->urgent = true;
	if (!te->protocol->event(te, id, value, time))
		lose(te);
	te->urgent = false;
	te_drain(te, false);
}

void te_catch_up(struct te_model *te, uint64_t time)
{
	const struct te_protocol *protocol = te->protocol;

	if (protocol->owes_loss && protocol->owes_loss(te) && has_room(te))
		protocol->report_loss(te, time);
}

static bool is_filtered(const struct te_model *te,
			const struct ingress_context *context)
{
	return te->config.filter_machine && context->priv == INGRESS_PRIV_M;
}

void te_model_event(struct te_model *te, uint16_t id, uint64_t value,
		    const struct ingress_context *context, uint64_t time,
		    uint64_t cycles)
{
	if (te_model_hears_events(te) && is_wanted(te, id) &&
	    !is_filtered(te, context))
		speak(te, id, value, te_time_of(te, time, cycles));
}

/* Firmware swaps tp at every trap: that is no switch. */
void te_model_thread(struct te_model *te, uint64_t value,
		     const struct ingress_context *context, uint64_t time,
		     uint64_t cycles)
{
	if (!te_model_hears_threads(te) || context->priv == INGRESS_PRIV_M)
		return;
	if (te->protocol->thread)
		te->protocol->thread(te, value);
	else
		speak(te, te->fields[TE_PORT_SWITCH], value,
		      te_time_of(te, time, cycles));
}

// SPDX-License-Identifier: GPL-2.0
/* Trace encoder: the control block (TCI 0.9.4 chapters 5 and 15). */
#include <linux/bits.h>
#include <linux/minmax.h>

#include "access.h"
#include "activate.h"
#include "discover.h"
#include "encoder.h"
#include "field.h"
#include "graph.h"
#include "rvtrace.h"
#include "stm.h"
#include "switch_sync.h"
#include "watch.h"

/* Instruction trace comes of it that the driver knows of. */
static bool encoder_is_traced(const struct rvtrace_kind *kind, u32 value)
{
	const u8 *mode;

	for (mode = kind->inst_mode_order; *mode != RVTRACE_INST_MODE_OFF; mode++)
		if (*mode == value)
			return true;
	return false;
}

/* The best mode the hardware has. */
static int encoder_choose_mode(struct rvtrace_component *c)
{
	const u8 *mode;

	for (mode = c->kind->inst_mode_order; *mode != RVTRACE_INST_MODE_OFF; mode++)
		if (rvtrace_keeps(c, RVTRACE_INST_MODE, *mode))
			break;
	if (*mode == RVTRACE_INST_MODE_OFF)
		return dev_err_probe(c->parent, -ENODEV,
				     "hardware has no mode of instruction trace: not an encoder\n");
	if (!encoder_is_traced(c->kind, c->wanted[RVTRACE_INST_MODE]))
		c->wanted[RVTRACE_INST_MODE] = *mode;
	return 0;
}

/* The first of @values the hardware keeps, or what it has now. */
static void encoder_prefer(struct rvtrace_component *c, enum rvtrace_field_id id,
			   const u32 *values, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (rvtrace_keeps(c, id, values[i])) {
			c->wanted[id] = values[i];
			return;
		}
	}
}

/**
 * rvtrace_encoder_defaults() - useful settings where reset leaves trace off
 * @c: an encoder after discovery
 *
 * Return: 0; -ENODEV when it does not trace, or to no sink the driver can use
 */
int rvtrace_encoder_defaults(struct rvtrace_component *c)
{
	static const u32 formats[] = { RVTRACE_FORMAT_NTRACE, RVTRACE_FORMAT_ETRACE };
	static const u32 syncs[] = { RVTRACE_SYNC_MODE_MESSAGES, RVTRACE_SYNC_MODE_CYCLES,
				     RVTRACE_SYNC_MODE_HALF_WORDS };
	/* Reserved identifiers are for nobody to emit. */
	static const enum rvtrace_field_id port[] = { RVTRACE_PORT_ENABLE, RVTRACE_PORT_THREADS,
						      RVTRACE_PORT_USER, RVTRACE_PORT_COM,
						      RVTRACE_PORT_SYS };
	static const u32 widths[] = { 4, 5, 6, 7, 8, 9, 10, 11, 12, 3, 2, 1 };
	/* One for each hart, which stm.c writes to */
	u32 stimulus = GENMASK(clamp_t(u32, c->hart_count, 1, RVTRACE_ITC_OWNERSHIP) - 1, 0);
	unsigned int i;
	int ret;

	ret = encoder_choose_mode(c);
	if (ret)
		return ret;
	if (c->wanted[RVTRACE_SYNC_MODE] == RVTRACE_SYNC_MODE_OFF)
		encoder_prefer(c, RVTRACE_SYNC_MODE, syncs, ARRAY_SIZE(syncs));
	if (!c->wanted[RVTRACE_SYNC_MAX])
		rvtrace_prefer(c, RVTRACE_SYNC_MAX, 8); /* 4096 messages */
	if (!c->wanted[RVTRACE_SRC_BITS])
		encoder_prefer(c, RVTRACE_SRC_BITS, widths, ARRAY_SIZE(widths));
	encoder_prefer(c, RVTRACE_FORMAT, formats, ARRAY_SIZE(formats));
	rvtrace_prefer(c, RVTRACE_CONTEXT, 1);
	rvtrace_prefer(c, RVTRACE_INHIBIT_SRC, 0);
	for (i = 0; i < ARRAY_SIZE(port); i++)
		rvtrace_prefer(c, port[i], 1);
	rvtrace_prefer(c, RVTRACE_INSTRUMENTATION, RVTRACE_INSTRUMENTATION_ITC);
	rvtrace_prefer(c, RVTRACE_ITC_TRACE, stimulus << RVTRACE_ITC_TIMESTAMPED | stimulus);
	if (!c->wanted[RVTRACE_PORT_SWITCH])
		rvtrace_prefer(c, RVTRACE_PORT_SWITCH, RVTRACE_THREAD_SWITCH);
	return rvtrace_choose_sink(c);
}

/**
 * rvtrace_encoder_stalls() - whether harts wait when their trace is not taken
 * @c: an encoder
 */
bool rvtrace_encoder_stalls(const struct rvtrace_component *c)
{
	return c->wanted[RVTRACE_INST_STALL_EN] || c->wanted[RVTRACE_DATA_STALL_ENABLE];
}

/**
 * rvtrace_encoder_start() - start tracing, as far as that is not for a trigger to do
 * @c: an enabled encoder
 *
 * Return: 0 or the error of the access
 */
int rvtrace_encoder_start(struct rvtrace_component *c)
{
	int ret;

	if (c->te.tracing) {
		ret = rvtrace_switch(c, RVTRACE_INST_TRACING, true);
		if (ret)
			return ret;
	}
	if (c->te.data_tracing) {
		ret = rvtrace_switch(c, RVTRACE_DATA_TRACING, true);
		if (ret)
			return ret;
	}
	dev_dbg(&c->dev, "started: instructions %d, data %d\n", c->te.tracing,
		c->te.data_tracing);
	c->phase = RVTRACE_PHASE_STARTED;
	rvtrace_stm_connect(c);
	return 0;
}

/* What triggers made of it since it was started is how it is to go on. */
static int encoder_look(struct rvtrace_component *c)
{
	u32 data;
	int ret;

	ret = rvtrace_watch_look(c);
	if (ret || !c->wanted[RVTRACE_DATA_IMPLEMENTED])
		return ret;
	ret = rvtrace_get(c, RVTRACE_DATA_TRACING, &data);
	if (ret || READ_ONCE(c->te.let_go))
		return ret;
	c->te.data_tracing = data && c->wanted[RVTRACE_ENABLE];
	return 0;
}

/**
 * rvtrace_encoder_stop() - stop tracing (chapter 15, disabling, step 1)
 * @c: an encoder that is enabled
 *
 * Hardware may have cleared teEnable at a wrap: writing it as 1 would set it
 * again, so it stays as it reads. A trigger may have stopped or started trace of
 * instructions, or of data: the next start leaves it so.
 *
 * Return: 0 or the error of the access
 */
int rvtrace_encoder_stop(struct rvtrace_component *c)
{
	int ret = c->phase == RVTRACE_PHASE_STARTED ? encoder_look(c) : 0;

	dev_dbg(&c->dev, "stop: instructions %d, data %d\n", c->te.tracing, c->te.data_tracing);
	rvtrace_stm_disconnect(c);
	c->phase = RVTRACE_PHASE_ENABLED;
	if (!ret)
		ret = rvtrace_switch(c, RVTRACE_INST_TRACING, false);
	if (ret || !c->wanted[RVTRACE_DATA_IMPLEMENTED])
		return ret;
	return rvtrace_switch(c, RVTRACE_DATA_TRACING, false);
}

/* Before the next start, or reset, clears it. */
static void encoder_keep_events(struct rvtrace_component *c)
{
	static const enum rvtrace_field_id events[] = {
		RVTRACE_INST_STALL_OR_OVERFLOW, RVTRACE_DATA_STALL, RVTRACE_DATA_DROP,
		RVTRACE_PORT_LOST
	};
	unsigned int i;
	u32 happened;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (rvtrace_has(c, events[i]) && !rvtrace_get(c, events[i], &happened))
			c->wanted[events[i]] = happened;
}

/**
 * rvtrace_encoder_drain() - wait until all trace has left (chapter 15, step 3)
 * @c: an encoder that was disabled
 * @deadline: wait no longer
 *
 * What happened until then is remembered: stalls, overflows, what was dropped or lost. Where it
 * fails the encoder is to be put to reset.
 *
 * Return: 0, also when there is nothing to wait for; -ETIMEDOUT; an access error
 */
int rvtrace_encoder_drain(struct rvtrace_component *c, ktime_t deadline)
{
	bool pending = c->pending == RVTRACE_PENDING_DISABLE;
	int ret;

	ret = rvtrace_disable_end(c, deadline);
	if (pending)
		encoder_keep_events(c);
	/* Its hart may wait for what does not leave, and others for that hart. */
	if (ret && rvtrace_encoder_stalls(c))
		rvtrace_let_hart_go(c);
	return ret;
}

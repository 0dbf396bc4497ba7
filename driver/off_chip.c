// SPDX-License-Identifier: GPL-2.0
/*
 * PIB and ATB sinks in the page of the component that owns them (TCI 0.9.4
 * chapters 12, 13 and 15). In TCI 1.0 they are components like any other.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/time64.h>

#include "access.h"
#include "activate.h"
#include "field.h"
#include "graph.h"
#include "off_chip.h"
#include "power.h"
#include "rvtrace.h"
#include "wait.h"

static int off_chip_set_settle_ms(const char *value, const struct kernel_param *param)
{
	return param_set_uint_minmax(value, param, 0, RVTRACE_WAIT_MS_MAX);
}

static const struct kernel_param_ops off_chip_settle_ms_ops = {
	.set = off_chip_set_settle_ms,
	.get = param_get_uint,
};

static unsigned int pib_settle_ms;
module_param_cb(pib_settle_ms, &off_chip_settle_ms_ops, &pib_settle_ms, 0644);
MODULE_PARM_DESC(pib_settle_ms, "How long the pins' clock runs before trace is sent, in ms, to 60000");

struct off_chip_sink {
	enum rvtrace_field_id active;
	enum rvtrace_field_id enable;
	enum rvtrace_field_id empty;
};

static const struct off_chip_sink off_chip_pib = {
	.active = RVTRACE_PIB_ACTIVE,
	.enable = RVTRACE_PIB_ENABLE,
	.empty = RVTRACE_PIB_EMPTY,
};

static const struct off_chip_sink off_chip_atb = {
	.active = RVTRACE_ATB_ACTIVE,
	.enable = RVTRACE_ATB_ENABLE,
	.empty = RVTRACE_ATB_EMPTY,
};

/* The block that the component's trace goes to, or NULL. */
static const struct off_chip_sink *off_chip_chosen(const struct rvtrace_component *c)
{
	switch (rvtrace_sink_choice(c)) {
	case RVTRACE_SINK_PIB:
		return rvtrace_has(c, RVTRACE_PIB_ACTIVE) ? &off_chip_pib : NULL;
	case RVTRACE_SINK_ATB:
		return rvtrace_has(c, RVTRACE_ATB_ACTIVE) ? &off_chip_atb : NULL;
	default:
		return NULL;
	}
}

/* Pins that are off take nothing, and what leads to them would never be empty. */
static int off_chip_check_pins(const struct rvtrace_component *c)
{
	if (c->wanted[RVTRACE_PIB_MODE] != RVTRACE_PIB_MODE_OFF)
		return 0;
	dev_err_ratelimited(&c->dev, "%s: off, no trace would leave the chip\n",
			    rvtrace_field_name(RVTRACE_PIB_MODE));
	return -EINVAL;
}

static int off_chip_check(struct rvtrace_component *c)
{
	return rvtrace_sink_choice(c) == RVTRACE_SINK_PIB ? off_chip_check_pins(c) : 0;
}

/* Not less: ticks that come late would make msleep() end early. */
static void off_chip_wait_ms(unsigned long ms)
{
	usleep_range(ms * USEC_PER_MSEC, ms * USEC_PER_MSEC * 5 / 4);
}

/* A probe's PLL follows the clock of the pins before they send (chapter 12). */
static void off_chip_settle(const struct rvtrace_component *c)
{
	if (rvtrace_sink_choice(c) == RVTRACE_SINK_PIB && pib_settle_ms)
		off_chip_wait_ms(pib_settle_ms);
}

/**
 * rvtrace_off_chip_enable() - release, configure and enable a component's sink
 * @c: a component that is held and not enabled; it may have lost its registers
 *
 * In the order of chapter 12: pins are quiescent before anything is sent.
 *
 * Return: 0, also for a component that has no such sink; -EINVAL when hardware
 * does not keep a setting, or pins are off; -ETIMEDOUT; an access error
 */
int rvtrace_off_chip_enable(struct rvtrace_component *c)
{
	const struct off_chip_sink *block = off_chip_chosen(c);
	int ret;

	ret = off_chip_check(c);
	if (ret)
		return ret;
	if (!block) {
		off_chip_settle(c);
		return 0;
	}
	dev_dbg(&c->dev, "release and enable %s\n", rvtrace_field_name(block->enable));
	c->wanted[block->enable] = 0;
	ret = rvtrace_block_release(c, block->active);
	if (ret)
		goto disable;
	ret = rvtrace_configure(c);
	if (ret)
		goto disable;
	off_chip_settle(c);
	ret = rvtrace_switch(c, block->enable, true);
	if (ret)
		goto disable;
	ret = rvtrace_poll(c, block->enable, 1, "enable", rvtrace_deadline());
	if (ret)
		goto disable;
	return 0;
disable:
	rvtrace_off_chip_disable(c);
	return ret;
}

/* How long trace may take to leave where the hardware does not say that it has. */
#define BLIND_MS	20

/**
 * rvtrace_off_chip_drain() - wait until all trace has left the chip
 * @c: a component that is held and empty itself
 *
 * Version 0 does not say: "trace control should wait" (TCI 0.9.4 chapter 16).
 *
 * Return: 0; -ETIMEDOUT; an access error
 */
int rvtrace_off_chip_drain(struct rvtrace_component *c)
{
	const struct off_chip_sink *block = off_chip_chosen(c);

	if (!block || !c->wanted[block->enable] || !rvtrace_powered(c))
		return 0;
	if (!rvtrace_has(c, block->empty)) {
		off_chip_wait_ms(BLIND_MS);
		return 0;
	}
	return rvtrace_poll(c, block->empty, 1, "drain", rvtrace_deadline());
}

/**
 * rvtrace_off_chip_disable() - undo rvtrace_off_chip_enable()
 * @c: a component that is held and disabled
 *
 * Return: 0; -ETIMEDOUT or an access error; it is disabled all the same
 */
int rvtrace_off_chip_disable(struct rvtrace_component *c)
{
	const struct off_chip_sink *block = off_chip_chosen(c);
	int ret, err;

	/* A start that failed may not have come so far. */
	if (!block || !c->wanted[block->active])
		return 0;
	if (!rvtrace_powered(c)) {
		c->wanted[block->enable] = 0;
		c->wanted[block->active] = 0;
		return 0;
	}
	dev_dbg(&c->dev, "drain and reset %s\n", rvtrace_field_name(block->enable));
	ret = rvtrace_off_chip_drain(c);
	err = rvtrace_switch(c, block->enable, false);
	ret = ret ?: err;
	err = rvtrace_block_reset(c, block->active);
	return ret ?: err;
}

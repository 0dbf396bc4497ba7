// SPDX-License-Identifier: GPL-2.0
/*
 * Components in and out of reset, and enabled or not.
 *
 * Hardware takes its time. So that many components take it together, every step
 * has two halves: one writes, the other waits where rvtrace_component.pending says
 * that there is something to wait for. What fails leaves steps half done: to undo
 * them begins the opposite one.
 */
#include "access.h"
#include "activate.h"
#include "field.h"
#include "power.h"
#include "rvtrace.h"
#include "wait.h"

static bool activate_take_pending(struct rvtrace_component *c, enum rvtrace_pending step)
{
	if (c->pending != step)
		return false;
	c->pending = RVTRACE_PENDING_NONE;
	return true;
}

static int activate_write(struct rvtrace_component *c, bool on)
{
	const struct rvtrace_field *f = &c->kind->fields[RVTRACE_ACTIVE];

	c->wanted[RVTRACE_ACTIVE] = on;
	c->pending = on ? RVTRACE_PENDING_HOLD : RVTRACE_PENDING_RELEASE;
	if (!rvtrace_powered(c))
		return 0;
	return regmap_write(c->regmap, f->reg, on ? f->mask : 0);
}

/* Put a component that nobody holds into reset, whatever it is in now, and wait. */
static int activate_reset(struct rvtrace_component *c)
{
	int ret, err;

	ret = rvtrace_power_get(c);
	if (ret)
		return ret;
	c->late = false;
	ret = activate_write(c, false);
	err = rvtrace_release_end(c, rvtrace_deadline());
	return ret ?: err;
}

/**
 * rvtrace_hold_begin() - release a component from reset and keep it so
 * @c: the component
 *
 * Until Active reads 1 nothing else may be touched (decisions of TCI 0.9.4
 * chapter 5 and 1.0). Configuration is not restored: rvtrace_configure(). One that may
 * still be on its way into reset, where Active reads 1 as well, is waited for first.
 *
 * Return: 0; -ENODEV when all harts are offline that it follows; -ETIMEDOUT when
 * it is not in reset yet; an access error. After an error nothing is held
 */
int rvtrace_hold_begin(struct rvtrace_component *c)
{
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	if (!rvtrace_powered(c)) {
		dev_err_ratelimited(rvtrace_device(c), "not accessible while its harts are offline or the system sleeps\n");
		return -ENODEV;
	}
	if (!c->active && c->reset_pending) {
		ret = activate_reset(c);
		if (ret)
			return ret;
	}
	if (c->active++)
		return 0;
	ret = rvtrace_power_get(c);
	if (ret) {
		c->active = 0;
		return ret;
	}
	c->unrouted = 0;
	rvtrace_blank(c);
	dev_dbg(rvtrace_device(c), "release from reset\n");
	ret = activate_write(c, true);
	if (ret)
		rvtrace_release(c);
	return ret;
}

/**
 * rvtrace_hold_end() - wait until a component is out of reset
 * @c: the component
 * @deadline: wait no longer
 *
 * Return: 0, also when there is nothing to wait for; -ETIMEDOUT; an access error; it
 * is held all the same
 */
int rvtrace_hold_end(struct rvtrace_component *c, ktime_t deadline)
{
	if (!activate_take_pending(c, RVTRACE_PENDING_HOLD))
		return 0;
	return rvtrace_poll(c, RVTRACE_ACTIVE, 1, "release from reset", deadline);
}

/**
 * rvtrace_hold() - release a component from reset and wait until it is
 * @c: the component
 *
 * Return: 0; -ETIMEDOUT; what rvtrace_hold_begin() returns; then nothing is held
 */
int rvtrace_hold(struct rvtrace_component *c)
{
	int ret;

	ret = rvtrace_hold_begin(c);
	if (ret)
		return ret;
	ret = rvtrace_hold_end(c, rvtrace_deadline());
	if (ret)
		rvtrace_release(c);
	return ret;
}

/**
 * rvtrace_hold_anew() - the same for a component that may be as somebody else left it
 * @c: a component that nobody holds
 *
 * Firmware, a debugger or the kernel before this one may trace: it is put into reset
 * first (TCI 1.0, chapter "Reset and Discovery").
 *
 * Return: what rvtrace_hold() returns
 */
int rvtrace_hold_anew(struct rvtrace_component *c)
{
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	ret = activate_reset(c);
	return ret ?: rvtrace_hold(c);
}

/**
 * rvtrace_hold_again() - release a component again if it went to reset by itself
 * @c: a component that is held and not enabled
 *
 * Then it lost its registers, as in a suspend, and is to be configured again. Ends
 * with rvtrace_hold_end().
 *
 * Return: 0, or an access error
 */
int rvtrace_hold_again(struct rvtrace_component *c)
{
	u32 active;
	int ret;

	ret = rvtrace_get(c, RVTRACE_ACTIVE, &active);
	if (ret || active)
		return ret;
	dev_dbg(&c->dev, "lost its registers: release from reset again\n");
	rvtrace_blank(c);
	return activate_write(c, true);
}

/**
 * rvtrace_release_begin() - undo one rvtrace_hold_begin()
 * @c: the component; the last holder puts it into reset
 *
 * Return: 0 or an access error; nothing is held all the same
 */
int rvtrace_release_begin(struct rvtrace_component *c)
{
	lockdep_assert_held(&rvtrace_lock);
	if (WARN_ON(!c->active) || --c->active)
		return 0;
	dev_dbg(rvtrace_device(c), "reset\n");
	return activate_write(c, false);
}

/**
 * rvtrace_release_end() - wait until a component is in reset
 * @c: the component
 * @deadline: wait no longer
 *
 * Return: 0, also when there is nothing to wait for; -ETIMEDOUT; an access error
 */
int rvtrace_release_end(struct rvtrace_component *c, ktime_t deadline)
{
	int ret = 0;

	if (!activate_take_pending(c, RVTRACE_PENDING_RELEASE))
		return 0;
	if (rvtrace_powered(c)) {
		ret = rvtrace_poll(c, RVTRACE_ACTIVE, 0, "reset", deadline);
		c->reset_pending = ret;
	} else {
		c->reset_pending = true;
	}
	rvtrace_power_put(c);
	return ret;
}

/**
 * rvtrace_release() - undo one rvtrace_hold() and wait until it is done
 * @c: the component; the last holder puts it into reset
 *
 * Return: 0; -ETIMEDOUT when reset is not acknowledged, or an access error;
 * nothing is held all the same
 */
int rvtrace_release(struct rvtrace_component *c)
{
	int ret, err;

	ret = rvtrace_release_begin(c);
	err = rvtrace_release_end(c, rvtrace_deadline());
	return ret ?: err;
}

/**
 * rvtrace_reset_late() - reset a component that was released without power or did not react
 * @c: any component
 *
 * Return: whether it is known to be in reset, held, or without power since before it could fail
 *	to react
 */
bool rvtrace_reset_late(struct rvtrace_component *c)
{
	lockdep_assert_held(&rvtrace_lock);
	if (c->active || !c->reset_pending)
		return true;
	return rvtrace_powered(c) ? !activate_reset(c) : !c->late;
}

/**
 * rvtrace_block_release() - release a block of a component's page from reset, and wait
 * @c: a component that is held
 * @active: RVTRACE_PIB_ACTIVE or RVTRACE_ATB_ACTIVE
 *
 * Return: 0, also when there is no such block; -ETIMEDOUT; an access error
 */
int rvtrace_block_release(struct rvtrace_component *c, enum rvtrace_field_id active)
{
	int ret;

	if (!rvtrace_has(c, active))
		return 0;
	ret = rvtrace_activate(c, active);
	return ret ?: rvtrace_poll(c, active, 1, "release from reset", rvtrace_deadline());
}

/**
 * rvtrace_block_reset() - undo rvtrace_block_release(), and wait
 * @c: a component that is held
 * @active: the same
 *
 * Return: 0; -ETIMEDOUT or an access error
 */
int rvtrace_block_reset(struct rvtrace_component *c, enum rvtrace_field_id active)
{
	int ret;

	if (!rvtrace_has(c, active))
		return 0;
	ret = rvtrace_switch(c, active, false);
	return ret ?: rvtrace_poll(c, active, 0, "reset", rvtrace_deadline());
}

/**
 * rvtrace_enable_begin() - let a component accept trace
 * @c: a component that is held and configured
 *
 * Setting teEnable clears teInstStallOrOverflow, which was read before.
 *
 * Return: 0 or an access error
 */
int rvtrace_enable_begin(struct rvtrace_component *c)
{
	dev_dbg(&c->dev, "enable\n");
	c->phase = RVTRACE_PHASE_ENABLED;
	c->pending = RVTRACE_PENDING_ENABLE;
	return rvtrace_switch(c, RVTRACE_ENABLE, true);
}

/**
 * rvtrace_enable_end() - wait until a component accepts trace
 * @c: the component
 * @deadline: wait no longer
 *
 * Return: 0, also when there is nothing to wait for; -ETIMEDOUT or an access error,
 * and then it is not enabled
 */
int rvtrace_enable_end(struct rvtrace_component *c, ktime_t deadline)
{
	int ret;

	if (!activate_take_pending(c, RVTRACE_PENDING_ENABLE))
		return 0;
	ret = rvtrace_poll(c, RVTRACE_ENABLE, 1, "enable", deadline);
	if (!ret)
		return 0;
	rvtrace_switch(c, RVTRACE_ENABLE, false);
	c->phase = RVTRACE_PHASE_CONFIGURED;
	return ret;
}

/**
 * rvtrace_lost() - say that a component went to reset by itself in a session
 * @c: a component whose Active reads 0 although it is held, as when power fails
 *
 * Return: -EIO
 */
int rvtrace_lost(struct rvtrace_component *c)
{
	if (!c->late)
		dev_err(&c->dev, "lost its registers and the trace that it held\n");
	c->late = true;
	return -EIO;
}

/**
 * rvtrace_disable_begin() - flush what a component holds
 * @c: an encoder that was stopped, or a component whose sources are empty
 *
 * It does not count as enabled any more, drained or not.
 *
 * Return: 0; -EIO when it lost its registers; an access error
 */
int rvtrace_disable_begin(struct rvtrace_component *c)
{
	u32 active;
	int ret;

	c->phase = RVTRACE_PHASE_CONFIGURED;
	ret = rvtrace_get(c, RVTRACE_ACTIVE, &active);
	if (!ret && !active)
		return rvtrace_lost(c);
	dev_dbg(&c->dev, "disable\n");
	c->pending = RVTRACE_PENDING_DISABLE;
	return rvtrace_switch(c, RVTRACE_ENABLE, false);
}

/**
 * rvtrace_disable_end() - wait until all trace has left a component
 * @c: the component
 * @deadline: wait no longer
 *
 * Return: 0, also when there is nothing to wait for; -ETIMEDOUT; an access error
 */
int rvtrace_disable_end(struct rvtrace_component *c, ktime_t deadline)
{
	int ret;

	if (!activate_take_pending(c, RVTRACE_PENDING_DISABLE))
		return 0;
	ret = rvtrace_poll(c, RVTRACE_ENABLE, 0, "disable", deadline);
	return ret ?: rvtrace_poll(c, RVTRACE_EMPTY, 1, "drain", deadline);
}

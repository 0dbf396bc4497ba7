// SPDX-License-Identifier: GPL-2.0
/* Components in and out of reset, and enabled or not. */
#include <linux/pm_runtime.h>

#include "rvtrace.h"

/**
 * rvtrace_hold() - release a component from reset and keep it so
 * @c: the component
 *
 * Until Active reads 1 nothing else may be touched (decisions of TCI 0.9.4
 * chapter 5 and 1.0). Configuration is not restored: rvtrace_configure().
 *
 * Return: 0, -ETIMEDOUT, or an access error; then nothing is held
 */
int rvtrace_hold(struct rvtrace_component *c)
{
	const struct rvtrace_field *f = &c->kind->fields[RVTRACE_ACTIVE];
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	if (c->active) {
		c->active++;
		return 0;
	}
	ret = pm_runtime_resume_and_get(c->parent);
	if (ret)
		return ret;
	c->late = false;
	c->wanted[RVTRACE_ACTIVE] = 1;
	ret = regmap_write(c->regmap, f->reg, f->mask);
	if (!ret)
		ret = rvtrace_poll(c, RVTRACE_ACTIVE, 1, "release from reset");
	if (ret) {
		c->wanted[RVTRACE_ACTIVE] = 0;
		regmap_write(c->regmap, f->reg, 0);
		pm_runtime_put(c->parent);
		return ret;
	}
	c->active = 1;
	return 0;
}

/**
 * rvtrace_release() - undo one rvtrace_hold()
 * @c: the component; the last holder puts it into reset
 *
 * Return: 0; -ETIMEDOUT when reset is not acknowledged, or an access error;
 * nothing is held all the same
 */
int rvtrace_release(struct rvtrace_component *c)
{
	int ret;

	lockdep_assert_held(&rvtrace_lock);
	if (WARN_ON(!c->active) || --c->active)
		return 0;
	c->wanted[RVTRACE_ACTIVE] = 0;
	ret = regmap_write(c->regmap, c->kind->fields[RVTRACE_ACTIVE].reg, 0);
	if (!ret)
		ret = rvtrace_poll(c, RVTRACE_ACTIVE, 0, "reset");
	pm_runtime_put(c->parent);
	return ret;
}

/**
 * rvtrace_revive() - release a component again that went to reset by itself
 * @c: a component that is held and not enabled
 *
 * It lost its registers, as in a suspend: @c->lost says so. It is to be configured
 * again.
 *
 * Return: 0, -ETIMEDOUT, or an access error
 */
int rvtrace_revive(struct rvtrace_component *c)
{
	const struct rvtrace_field *f = &c->kind->fields[RVTRACE_ACTIVE];
	u32 active;
	int ret;

	ret = rvtrace_get(c, RVTRACE_ACTIVE, &active);
	c->lost = !ret && !active;
	if (!c->lost)
		return ret;
	c->late = false;
	ret = regmap_write(c->regmap, f->reg, f->mask);
	return ret ?: rvtrace_poll(c, RVTRACE_ACTIVE, 1, "release from reset");
}

/**
 * rvtrace_enable() - let a component accept trace
 * @c: a component that is held and configured
 *
 * Setting teEnable clears teInstStallOrOverflow, which was read before.
 *
 * Return: 0; -ETIMEDOUT or an access error, and then it is not enabled
 */
int rvtrace_enable(struct rvtrace_component *c)
{
	int ret;

	ret = rvtrace_switch(c, RVTRACE_ENABLE, true);
	if (!ret)
		ret = rvtrace_poll(c, RVTRACE_ENABLE, 1, "enable");
	if (ret)
		rvtrace_switch(c, RVTRACE_ENABLE, false);
	c->enabled = !ret;
	return ret;
}

/**
 * rvtrace_disable() - flush what is behind the encoders and wait until all has left
 * @c: a component whose sources are empty
 *
 * Return: 0; -ETIMEDOUT; an access error
 */
int rvtrace_disable(struct rvtrace_component *c)
{
	int ret;

	c->enabled = false;
	ret = rvtrace_switch(c, RVTRACE_ENABLE, false);
	if (!ret)
		ret = rvtrace_poll(c, RVTRACE_ENABLE, 0, "disable");
	if (!ret)
		ret = rvtrace_poll(c, RVTRACE_EMPTY, 1, "drain");
	return ret;
}

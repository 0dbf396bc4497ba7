// SPDX-License-Identifier: GPL-2.0
/* Waiting for hardware to acknowledge what was written. */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>

#include "access.h"
#include "field.h"
#include "rvtrace.h"
#include "trace.h"
#include "wait.h"

static int wait_set_timeout_ms(const char *value, const struct kernel_param *param)
{
	return param_set_uint_minmax(value, param, 1, RVTRACE_WAIT_MS_MAX);
}

static const struct kernel_param_ops wait_timeout_ms_ops = {
	.set = wait_set_timeout_ms,
	.get = param_get_uint,
};

static unsigned int timeout_ms = 1000;
module_param_cb(timeout_ms, &wait_timeout_ms_ops, &timeout_ms, 0644);
MODULE_PARM_DESC(timeout_ms, "How long hardware may take to acknowledge, in ms, 1 to 60000");

/**
 * rvtrace_deadline() - until when hardware may take to acknowledge what is written now
 */
ktime_t rvtrace_deadline(void)
{
	return ktime_add_ms(ktime_get(), timeout_ms);
}

/**
 * rvtrace_device() - the device by which messages name a component
 * @c: the component; while it is being probed it is known by its node
 */
struct device *rvtrace_device(struct rvtrace_component *c)
{
	return device_is_registered(&c->dev) ? &c->dev : c->parent;
}

/**
 * rvtrace_poll() - wait until a field reads a value
 * @c: a component that is held
 * @id: the field
 * @value: what it shall read
 * @what: what is waited for, for the message
 * @deadline: wait no longer
 *
 * Sleeps. A component that was late before is not waited for until it was reset, and
 * nothing more is said of it.
 *
 * Return: 0; -ETIMEDOUT; an access error
 */
int rvtrace_poll(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value,
		 const char *what, ktime_t deadline)
{
	u64 begun = ktime_get_ns();
	unsigned int us = 10;
	bool late;
	u32 now;
	int ret;

	for (;;) {
		late = c->late || ktime_after(ktime_get(), deadline);
		ret = rvtrace_get(c, id, &now);
		if (ret)
			return ret;
		if (now == value) {
			dev_dbg(rvtrace_device(c), "%s: acknowledged, %s is %u\n", what,
				rvtrace_field_name(id), now);
			trace_rvtrace_step(c, what, ktime_get_ns() - begun, 0);
			return 0;
		}
		if (late)
			break;
		usleep_range(us, 2 * us);
		us = min(2 * us, 2000U);
	}
	if (!c->late)
		dev_err(rvtrace_device(c), "%s: %s still %u after %u ms\n", what,
			rvtrace_field_name(id), now, timeout_ms);
	c->late = true;
	trace_rvtrace_step(c, what, ktime_get_ns() - begun, -ETIMEDOUT);
	return -ETIMEDOUT;
}

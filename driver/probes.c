// SPDX-License-Identifier: GPL-2.0
/*
 * Probes in the kernel's tracepoints, attached while somebody needs them.
 *
 * Tracepoints that modules may attach to are found by name. Attaching patches kernel
 * text, which takes cpu_hotplug_lock: not with rvtrace_lock held. So who opens the
 * device or asks for records attaches, a session keeps what is attached, and what
 * nobody needs any more is detached by a work item. Every processor is interrupted to
 * patch text, and any reader may open and close the device all the time: so they stay
 * for a while.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "probes.h"
#include "rvtrace.h"

#define PROBES_STAY	(HZ / 2)	/* after nobody needed them */

static void probes_find(struct tracepoint *tracepoint, void *data)
{
	struct rvtrace_probes *probes = data;
	unsigned int i;

	for (i = 0; i < probes->count; i++)
		if (!strcmp(tracepoint->name, probes->list[i].name))
			probes->list[i].tracepoint = tracepoint;
}

static void probes_unregister(struct rvtrace_probes *probes, unsigned int count)
{
	while (count--)
		tracepoint_probe_unregister(probes->list[count].tracepoint,
					    probes->list[count].function, NULL);
	tracepoint_synchronize_unregister();
}

static void probes_detach_unneeded(struct work_struct *work)
{
	struct rvtrace_probes *probes = container_of(to_delayed_work(work), struct rvtrace_probes,
						    detach);

	mutex_lock(&probes->lock);
	if (probes->attached && !atomic_read(&probes->armed)) {
		probes_unregister(probes, probes->count);
		probes->attached = false;
	}
	mutex_unlock(&probes->lock);
}

/**
 * rvtrace_probes_init() - find the tracepoints
 * @probes: @list and @count are given
 *
 * Return: whether the kernel has all of them
 */
bool rvtrace_probes_init(struct rvtrace_probes *probes)
{
	unsigned int i;

	mutex_init(&probes->lock);
	INIT_DELAYED_WORK(&probes->detach, probes_detach_unneeded);
	for_each_kernel_tracepoint(probes_find, probes);
	for (i = 0; i < probes->count; i++)
		if (!probes->list[i].tracepoint)
			return false;
	return true;
}

static int probes_attach(struct rvtrace_probes *probes)
{
	unsigned int i;
	int ret;

	if (probes->before)
		probes->before();
	for (i = 0; i < probes->count; i++) {
		ret = tracepoint_probe_register(probes->list[i].tracepoint,
						probes->list[i].function, NULL);
		if (ret) {
			probes_unregister(probes, i);
			return ret;
		}
	}
	return 0;
}

/**
 * rvtrace_probes_arm() - need the probes, and attach them
 * @probes: whose tracepoints were all found
 *
 * Return: 0 or why a probe could not be attached
 */
int rvtrace_probes_arm(struct rvtrace_probes *probes)
{
	int ret = 0;

	lockdep_assert_not_held(&rvtrace_lock);
	mutex_lock(&probes->lock);
	if (!probes->attached) {
		ret = probes_attach(probes);
		if (ret)
			goto unlock;
	}
	probes->attached = true;
	atomic_inc(&probes->armed);
unlock:
	mutex_unlock(&probes->lock);
	return ret;
}

/**
 * rvtrace_probes_try_keep() - need the probes once more, if they are attached
 * @probes: the probes
 *
 * Return: whether they are, and stay
 */
bool rvtrace_probes_try_keep(struct rvtrace_probes *probes)
{
	return atomic_inc_not_zero(&probes->armed);
}

/**
 * rvtrace_probes_keep() - need the probes once more, where they are attached
 * @probes: the probes
 */
void rvtrace_probes_keep(struct rvtrace_probes *probes)
{
	WARN_ON(!rvtrace_probes_try_keep(probes));
}

/**
 * rvtrace_probes_disarm() - undo one rvtrace_probes_arm() or rvtrace_probes_keep()
 * @probes: the probes
 *
 * May be called with any lock held: the probes are detached a little later.
 */
void rvtrace_probes_disarm(struct rvtrace_probes *probes)
{
	if (atomic_dec_and_test(&probes->armed))
		schedule_delayed_work(&probes->detach, PROBES_STAY);
}

/**
 * rvtrace_probes_exit() - wait until the probes are detached
 * @probes: nobody needs them
 */
void rvtrace_probes_exit(struct rvtrace_probes *probes)
{
	flush_delayed_work(&probes->detach);
}

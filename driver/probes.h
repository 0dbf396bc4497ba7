/* SPDX-License-Identifier: GPL-2.0 */
/* Functions in the kernel's tracepoints: see probes.c. */
#ifndef RVTRACE_PROBES_H
#define RVTRACE_PROBES_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct tracepoint;

/**
 * struct rvtrace_probe - a function in a tracepoint
 * @name: of the tracepoint
 * @function: what it calls, with NULL before its own arguments. Whoever has it checks the type:
 *	check_trace_callback_type_NAME()
 * @tracepoint: NULL when the kernel has none of that name
 */
struct rvtrace_probe {
	const char *name;
	void *function;
	struct tracepoint *tracepoint;
};

/**
 * struct rvtrace_probes - probes that are attached together
 * @list: the probes
 * @count: how many
 * @before: called before they are attached, or NULL
 * @armed: openers and sessions that need them
 * @attached: they are attached [@lock]
 * @lock: serialises attaching and detaching
 * @detach: detaches them, a while after nobody needed them
 */
struct rvtrace_probes {
	struct rvtrace_probe *list;
	unsigned int count;
	void (*before)(void);
	atomic_t armed;
	bool attached;
	struct mutex lock;	/* serialises attaching and detaching */
	struct delayed_work detach;
};

bool rvtrace_probes_init(struct rvtrace_probes *probes);
int rvtrace_probes_arm(struct rvtrace_probes *probes);
void rvtrace_probes_keep(struct rvtrace_probes *probes);
bool rvtrace_probes_try_keep(struct rvtrace_probes *probes);
void rvtrace_probes_disarm(struct rvtrace_probes *probes);
void rvtrace_probes_exit(struct rvtrace_probes *probes);

#endif /* RVTRACE_PROBES_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RISC-V trace: what all files of the driver share.
 *
 * A component is one register block with a device-tree node. A sink is memory
 * that a component's RAM block writes to, read through a character device. A
 * session is everything between the start of trace into a sink and the moment
 * it is drained and stopped.
 *
 * Locks, outermost first:
 *   cpu_hotplug_lock	held when a hart goes or comes, by our callback as well. What
 *			takes it, such as attaching to a tracepoint, must be done
 *			without the following, and is, in probes.c: a session that
 *			begins finds its probes attached, one that ends leaves them to
 *			a work item
 *   rvtrace_lock	components, graph, sessions, every configuration register
 *   rvtrace_sink.reader	one reader at a time moves the tail; nobody waits for
 *			trace with it, but for a page of user space, for as long as a
 *			file system likes; so only readers take it
 *   rvtrace_sink.mapping	the memory, against being used while it goes; taken
 *			under mmap_lock, so nobody copies to user space with it
 *   rvtrace_sram.copying	the read pointer of SRAM
 *   rvtrace_sink.lock	positions, record ring, control page; raw, because the
 *			scheduler's tracepoint writes records
 *   rvtrace_component.access	one access to registers, or a restart of an encoder; raw,
 *			because the scheduler's tracepoint restarts
 * A hart that has one of the last two may stand still for its trace: where they are waited for,
 * interrupts come in between, if they were on (guard.c).
 */
#ifndef RVTRACE_H
#define RVTRACE_H

#include <linux/mutex.h>

#include "component.h"
#include "sink.h"

/*
 * The bus, its platform driver and their folder in debugfs. Other trace drivers call theirs
 * "rvtrace", and two of one name cannot be registered.
 */
#define RVTRACE_NAME	"rvtrace_tci"

/* Components, the graph, sessions and every configuration register. */
extern struct mutex rvtrace_lock;

#endif /* RVTRACE_H */

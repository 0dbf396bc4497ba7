/* SPDX-License-Identifier: GPL-2.0 */
/* The way of trace from component to component. */
#ifndef RVTRACE_TRACECTL_PATH_H
#define RVTRACE_TRACECTL_PATH_H

#include <rvtrace/device.h>

/**
 * path_next() - the component that receives a component's trace
 * @devices: what was found
 * @component: of them
 *
 * Of several, the one that it is routed to.
 *
 * Return: the next one, or NULL: there is none, or it is not bound.
 */
const struct rvtrace_device *path_next(const struct rvtrace_devices *devices,
				       const struct rvtrace_device *component);

#endif /* RVTRACE_TRACECTL_PATH_H */

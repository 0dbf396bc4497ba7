/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which components a board has, and how they are connected.
 */
#ifndef HW_RVTRACE_TOPOLOGY_H
#define HW_RVTRACE_TOPOLOGY_H

#include "hw/rvtrace/rvtrace.h"

/* As in tools/machine/README.md */
enum rvtrace_topology {
	RVTRACE_FLAT,
	RVTRACE_NESTED,
	RVTRACE_MIXED,
	RVTRACE_MANY,
	RVTRACE_TOPOLOGIES
};

#define RVTRACE_MAX_MANY	32

extern const char *const rvtrace_topology_names[RVTRACE_TOPOLOGIES];

/**
 * struct RVTraceNode - a component
 * @c: it
 * @hart: what it traces; < 0: nothing
 * @memory: it has a sink in system memory, or writes there as one does
 * @hidden: the device tree does not tell of it
 */
typedef struct RVTraceNode {
	RVTraceComponent *c;
	int hart;
	bool memory;
	bool hidden;
} RVTraceNode;

/**
 * struct RVTraceBoard - what to build
 * @harts: how many there are
 * @encoders: how many there are with RVTRACE_MANY, 1 to RVTRACE_MAX_MANY
 * @spares: encoders and funnels more, hidden; RVTRACE_FLAT only
 * @stm: each hart has a System Trace Module
 * @base: of the page of the encoder of hart 0
 */
typedef struct RVTraceBoard {
	enum rvtrace_topology topology;
	enum tci generation;
	unsigned int harts;
	uint32_t encoders;
	uint32_t spares;
	bool stm;
	hwaddr base;
} RVTraceBoard;

/* Return: array of RVTraceNode by address, or NULL and an error. */
GArray *rvtrace_topology_build(const RVTraceBoard *board, Error **errp);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Components: what the driver knows of each register block */
#ifndef RVTRACE_COMPONENT_H
#define RVTRACE_COMPONENT_H

#include <linux/device.h>
#include <linux/list.h>
#include <linux/pm_qos.h>
#include <linux/types.h>

#include "kind.h"

struct rvtrace_sink;

/* Components between an encoder and its sink, the encoder included. */
#define RVTRACE_PATH_MAX	16

/**
 * struct rvtrace_hart - a hart that an encoder follows
 * @cpu: its number
 * @awake: keeps it from idling deeply while registers are accessed
 */
struct rvtrace_hart {
	unsigned int cpu;
	struct dev_pm_qos_request awake;
};

/**
 * struct rvtrace_unit_state - units of an encoder that have the same number
 * @wanted: what software wants each field to be
 * @legal: bit n: the field keeps the value n; of a wide one, the bits that can be
 *	set; nothing where there is no such unit
 * @defaults: what each field was after discovery
 */
struct rvtrace_unit_state {
	u32 wanted[RVTRACE_UNIT_FIELDS];
	u32 legal[RVTRACE_UNIT_FIELDS];
	u32 defaults[RVTRACE_UNIT_FIELDS];
};

/* What was written to a component and not acknowledged yet. */
enum rvtrace_pending {
	RVTRACE_PENDING_NONE,
	RVTRACE_PENDING_HOLD,
	RVTRACE_PENDING_RELEASE,
	RVTRACE_PENDING_ENABLE,
	RVTRACE_PENDING_DISABLE,
};

/**
 * struct rvtrace_component - one register block
 * @dev: on the bus "rvtrace"
 * @parent: the platform device
 * @kind: what it is
 * @id: its number among components of its role
 * @regmap: its registers
 * @registers: the same, for what is read many times over
 * @impl: its implementation register
 * @address_bits: width of an address of system memory that its RAM block keeps, or 0
 * @software_trace: encoder: the device tree says that it has a software trace port
 * @wanted: what software wants each configuration field to be; what the hardware
 *	says of itself; what it says that happened, in this session or the last one
 * @legal: bit n: the configuration field keeps the value n; of a wide one, the bits
 *	that can be set
 * @defaults: what discovery chose for each configuration field
 * @units: encoder: its filters and comparators, or NULL
 * @node: in the list of components
 * @harts: encoder: the harts it follows
 * @hart_count: how many; 0 where the device tree does not say
 * @active: holders that need the component released from reset
 * @users: encoders of a session whose trace goes through it
 * @fresh: the session is new to it, what happened in the last one still counts
 * @enabled: its enable bit was set by us
 * @pending: what was begun and not waited for yet
 * @late: it missed to acknowledge something since it was released from reset
 * @lingers: nobody holds it, and it did not acknowledge its reset, or had no power then
 * @blank: it was not configured since it was released from reset
 * @held: the session holds it
 * @paused: encoder: its harts are offline, and it takes no part in its session for now
 * @since: encoder: ktime_get_boottime_ns() when it was paused
 * @started: encoder: the session started it; what it does since is for triggers to say
 * @tracing: encoder: it was tracing when it was last looked at
 * @data_tracing: encoder: the same of data, which is looked at when it is stopped
 * @waits: encoder: a trigger starts trace, not the session
 * @data: encoder: what the session starts is trace of data as well
 * @stage: in the session's list of encoders or of what is behind them
 * @depth: components between it and the sink's owner
 * @route: which of its out-ports its trace takes
 * @unrouted: funnel: inputs it throws away, for what comes there is routed elsewhere
 * @path: encoder: components from itself to the sink's owner, while in a session
 * @path_length: how many
 * @session: encoder: the sink its trace goes to, while in a session
 * @asked_src_id: encoder: its source id as it was before its session chose one
 * @asked_src_bits: encoder: the same of its width
 * @ts_clock: encoder: Hz of the timestamp unit's clock by the device tree, or 0
 * @ts_frequency: encoder: Hz of the timestamp as measured
 * @ts_settings: encoder: settings it was measured with, or 0
 * @ts_begun: its counter has begun to count for a session
 * @ts_image: what resets the counter, when it is about to
 * @ts_stage: in the list of counters that are about to begin
 * @sink: the sink whose RAM block this component owns, or NULL
 * @debugfs: its folder there
 *
 * Everything is protected by rvtrace_lock.
 */
struct rvtrace_component {
	struct device dev;
	struct device *parent;
	const struct rvtrace_kind *kind;
	int id;
	struct regmap *regmap;
	void __iomem *registers;
	u32 impl;
	u8 address_bits;
	bool software_trace;
	u32 wanted[RVTRACE_FIELDS];
	u64 legal[RVTRACE_FIELDS];
	u32 defaults[RVTRACE_FIELDS];
	struct rvtrace_unit_state *units;
	struct list_head node;
	struct rvtrace_hart *harts;
	unsigned int hart_count;
	unsigned int active;
	unsigned int users;
	bool fresh;
	bool enabled;
	enum rvtrace_pending pending;
	bool late;
	bool lingers;
	bool blank;
	bool held;
	bool paused;
	u64 since;
	bool started;
	bool tracing;
	bool data_tracing;
	bool waits;
	bool data;
	struct list_head stage;
	unsigned int depth;
	unsigned int route;
	u32 unrouted;
	struct rvtrace_component *path[RVTRACE_PATH_MAX];
	unsigned int path_length;
	struct rvtrace_sink *session;
	u32 asked_src_id;
	u32 asked_src_bits;
	u64 ts_clock;
	u64 ts_frequency;
	u32 ts_settings;
	bool ts_begun;
	u32 ts_image;
	struct list_head ts_stage;
	struct rvtrace_sink *sink;
	struct dentry *debugfs;
};

#define to_rvtrace_component(d) container_of(d, struct rvtrace_component, dev)

#endif

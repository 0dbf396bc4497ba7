/* SPDX-License-Identifier: GPL-2.0 */
/* Components: what the driver knows of each register block */
#ifndef RVTRACE_COMPONENT_H
#define RVTRACE_COMPONENT_H

#include <linux/compiler.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/pm_qos.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "kind.h"

struct clk;
struct rvtrace_sink;
struct rvtrace_window;

/* Components between an encoder and its sink, the encoder included. */
#define RVTRACE_PATH_MAX	16

/**
 * struct rvtrace_hart - a hart that a component follows
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

/* What makes an encoder synchronize where tasks switch. */
enum rvtrace_switch_sync {
	RVTRACE_SWITCH_SYNC_AUTO,
	RVTRACE_SWITCH_SYNC_TRIGGER,
	RVTRACE_SWITCH_SYNC_RESTART,
	RVTRACE_SWITCH_SYNC_OFF,
	RVTRACE_SWITCH_SYNCS
};

/**
 * struct rvtrace_encoder - what only an encoder has
 * @units: its filters and comparators, or NULL
 * @software_trace: the device tree says that it has a software trace port
 * @wait_for_trigger: a trigger starts trace, not the session
 * @data_trace: what the session starts is trace of data as well
 * @sync_on_switch: what users choose to make it synchronize where tasks switch
 * @switch_sync: what did in this session or the last one
 * @switch_triggers: debug triggers of its hart that do
 * @switch_probe: the session keeps the tracepoint of switches attached for it
 * @guarded: in the list of those that trace, and for whose trace harts wait
 * @let_go: its trace was not taken, so stalls were switched off until it is put to reset; by an
 *	interrupt, or when it was stopped
 * @session: the sink its trace goes to, while in a session
 * @path: components from itself to the sink's owner, while in a session
 * @path_length: how many
 * @tracing: it was tracing when it was last looked at
 * @data_tracing: the same of data, which is looked at when it is stopped
 * @asked_src_id: its source id as it was before its session chose one
 * @asked_src_bits: the same of its width
 */
struct rvtrace_encoder {
	struct rvtrace_unit_state *units;
	bool software_trace;
	bool wait_for_trigger;
	bool data_trace;
	enum rvtrace_switch_sync sync_on_switch;
	enum rvtrace_switch_sync switch_sync;
	unsigned long switch_triggers;
	bool switch_probe;
	struct list_head guarded;
	bool let_go;
	struct rvtrace_sink *session;
	struct rvtrace_component *path[RVTRACE_PATH_MAX];
	unsigned int path_length;
	bool tracing;
	bool data_tracing;
	u32 asked_src_id;
	u32 asked_src_bits;
};

/**
 * struct rvtrace_timestamp - a timestamp unit
 * @source: its clock by the device tree, on while the component has power, or NULL
 * @clock: Hz of that, or by the device tree, or 0
 * @frequency: Hz of the timestamp as measured
 * @settings: settings it was measured with, or 0
 * @begun: its counter has begun to count for a session
 * @image: what resets the counter, when it is about to
 * @stage: in the list of counters that are about to begin
 */
struct rvtrace_timestamp {
	struct clk *source;
	u64 clock;
	u64 frequency;
	u32 settings;
	bool begun;
	u32 image;
	struct list_head stage;
};

/**
 * struct rvtrace_atb - a bridge to CoreSight
 * @id: its ID on the bus as discovery chose it, which no other has, or 0
 * @system: CoreSight gave it
 */
struct rvtrace_atb {
	u8 id;
	bool system;
};

/* How far a component is in its session. */
enum rvtrace_phase {
	RVTRACE_PHASE_IDLE,		/* no session holds it */
	RVTRACE_PHASE_HELD,		/* its registers are as reset leaves them */
	RVTRACE_PHASE_CONFIGURED,
	RVTRACE_PHASE_ENABLED,		/* its enable bit was set by us */
	RVTRACE_PHASE_STARTED,		/* encoder: what it does since is for triggers to say */
};

/**
 * struct rvtrace_component - one register block
 * @dev: on the bus "rvtrace_tci"
 * @parent: the platform device
 * @kind: what it is
 * @window: what @kind is part of where not all of its registers are there, or NULL
 * @id: its number among components of its role
 * @regmap: its registers
 * @registers: the same, for what is read many times over
 * @access: held for each access that @regmap makes, and by rvtrace_restart(); innermost
 * @access_flags: of who holds @access for @regmap
 * @impl: its implementation register
 * @harts: harts whose power its registers follow; of an encoder, those it traces
 * @hart_count: how many; 0 where the device tree does not say
 * @address_bits: width of an address of system memory that its RAM block keeps, or 0
 * @wanted: what software wants each configuration field to be; what the hardware
 *	says of itself; what it says that happened, in this session or the last one
 * @legal: bit n: the configuration field keeps the value n; of a wide one, the bits
 *	that can be set
 * @defaults: what discovery chose for each configuration field
 * @node: in the list of components
 * @active: holders that need the component released from reset
 * @users: encoders of a session whose trace goes through it
 * @fresh: the session is new to it, what happened in the last one still counts
 * @paused: its harts are offline, or those of what its trace goes through, and it takes no
 *	part in its session for now
 * @since: ktime_get_boottime_ns() when it was paused
 * @phase: how far it is in its session
 * @pending: what was begun and not waited for yet
 * @late: it missed to acknowledge something since it was released from reset
 * @reset_pending: nobody holds it, and it did not acknowledge its reset, or had no power then
 * @stage: in the session's list of encoders or of what is behind them
 * @depth: components between it and the sink's owner
 * @route: which of its out-ports its trace takes
 * @unrouted: funnel: inputs it throws away, for what comes there is routed elsewhere
 * @sink: the sink whose RAM block this component owns, or NULL
 * @te: encoder: what only an encoder has
 * @ts: its timestamp unit, if it has one
 * @atb: its bridge to CoreSight, if it has one
 * @debugfs: its folder there
 *
 * Everything else is protected by rvtrace_lock.
 */
struct rvtrace_component {
	struct device dev;
	struct device *parent;
	const struct rvtrace_kind *kind;
	struct rvtrace_window *window;
	int id;
	struct regmap *regmap;
	void __iomem *registers;
	raw_spinlock_t access;	/* one access, or all of a restart */
	unsigned long access_flags;
	u32 impl;
	struct rvtrace_hart *harts;
	unsigned int hart_count;
	u8 address_bits;
	u32 wanted[RVTRACE_FIELDS];
	u64 legal[RVTRACE_FIELDS];
	u32 defaults[RVTRACE_FIELDS];
	struct list_head node;
	unsigned int active;
	unsigned int users;
	bool fresh;
	bool paused;
	u64 since;
	enum rvtrace_phase phase;
	enum rvtrace_pending pending;
	bool late;
	bool reset_pending;
	struct list_head stage;
	unsigned int depth;
	unsigned int route;
	u32 unrouted;
	struct rvtrace_sink *sink;
	struct rvtrace_encoder te;
	struct rvtrace_timestamp ts;
	struct rvtrace_atb atb;
	struct dentry *debugfs;
};

/* Read without rvtrace_lock by the sampler and by who shows it. */
static inline bool rvtrace_is_enabled(const struct rvtrace_component *c)
{
	return READ_ONCE(c->phase) >= RVTRACE_PHASE_ENABLED;
}

#define to_rvtrace_component(d) container_of(d, struct rvtrace_component, dev)

#endif /* RVTRACE_COMPONENT_H */

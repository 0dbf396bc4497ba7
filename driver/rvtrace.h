/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RISC-V trace: what the files of the driver share.
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
 *			trace with it, but for a page of user space; so who waits
 *			for it has not rvtrace_lock
 *   rvtrace_sink.mapping	the memory, against being mapped while it goes; taken
 *			under mmap_lock, which a reader's copy may take
 *   rvtrace_sram.copying	the read pointer of SRAM
 *   rvtrace_sink.lock	positions, record ring, control page; raw, because the
 *			scheduler's tracepoint writes records
 */
#ifndef RVTRACE_H
#define RVTRACE_H

#include <linux/bits.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pm_qos.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <linux/rvtrace.h>

#include "kind.h"
#include "ring.h"

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

struct rvtrace_sink;
struct seq_file;

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

/**
 * struct rvtrace_region - reserved memory that one ring uses
 * @node: in the list of all of them
 * @dev: the device that writes to it
 * @base: its first byte
 * @size: bytes; 0 when there is none
 */
struct rvtrace_region {
	struct list_head node;
	struct device *dev;
	phys_addr_t base;
	size_t size;
};

/**
 * struct rvtrace_memory - memory a RAM block writes to
 * @dev: the device that writes
 * @page: its first page
 * @virt: cached mapping of all of it
 * @dma: the device writes there
 * @bus: address of its first byte as the device sees it
 * @size: bytes
 * @region: the reserved memory it is; allocated pages if there is none
 * @written: the device may still write there, and nobody can stop it
 */
struct rvtrace_memory {
	struct device *dev;
	struct page *page;
	void *virt;
	bool dma;
	dma_addr_t bus;
	size_t size;
	struct rvtrace_region region;
	bool written;
};

/* Longest time that a module parameter may ask for */
#define RVTRACE_WAIT_MS_MAX	60000U

/* "SRAM is always accessed by 32-bit words" */
#define RVTRACE_SRAM_WORD	4U

/**
 * struct rvtrace_sram - a sink's SRAM, from which its ring is filled
 * @used: trace of the session goes there [as rvtrace_sink.off_chip]
 * @base: address of its first word
 * @size: bytes, found when a session into it starts [rvtrace_lock]
 * @lap: what of it was copied [rvtrace_sink.lock]
 * @followed: when the write pointer was last read [rvtrace_sink.lock]
 * @waits: it cannot be read while the hardware runs
 * @failed: it cannot be read [@copying]
 * @copying: one at a time moves the read pointer
 * @words: what was read from it, so much at a time that what a hart that is traced
 *	does for it makes far less trace [@copying]
 * @work: copies while a session is live
 */
struct rvtrace_sram {
	bool used;
	u32 base;
	u32 size;
	struct rvtrace_lap lap;
	u64 followed;
	bool waits;
	bool failed;
	struct mutex copying;	/* one at a time moves the read pointer */
	u32 words[2048];
	struct work_struct work;
};

/**
 * struct rvtrace_sink - where trace ends: a ring in memory and its character device,
 *	or the pins or the bus by which it leaves the chip
 * @dev: in the class "rvtrace_sink"
 * @cdev: /dev/rvtraceN
 * @id: N
 * @owner: component whose sink it is; NULL once unbound
 *	[changed with rvtrace_lock and @lock]
 * @encoders: encoders in the session [rvtrace_lock]
 * @downstream: components behind them, nearest to the sink first [rvtrace_lock]
 * @memory: the most the ring can be; nothing where the owner has no RAM block
 *	[freed with @reader and @mapping]
 * @off_chip: trace of the session leaves the chip, and there is none in the ring
 *	[rvtrace_lock; changed while no session is live]
 * @sram: the owner's SRAM
 * @size: bytes of the ring, used from the next session on [rvtrace_lock]
 * @width: bytes the hardware writes at once, found when first used
 * @dirty: bytes from its start that may hold old trace [rvtrace_lock]
 * @open: a reader has the device open [@lock; set with rvtrace_lock as well]
 * @opened: number of the last session that had ended when it was opened
 * @reader: serialises the reader's calls, except while they wait for trace
 * @mapping: serialises mapping and freeing @memory
 * @pages: what the open file maps, or NULL [@mapping]
 * @watermark: unread bytes from which poll() reports data [@lock]
 * @wanted: unread bytes a blocked read() waits for [@lock]
 * @last_wake: when a reader was last woken [@lock]
 * @wait: readers
 * @lock: positions, records and @control
 * @ring: positions [@lock]
 * @state: enum rvtrace_state [@lock]
 * @session: number of the current or last session [@lock]
 * @control: the control page, as readers map it
 * @records: the record ring
 * @records_head: position after its last record [@lock]
 * @records_tail: position of the first record not consumed [@lock]
 * @records_lost: dropped in this session [@lock]
 * @records_others: position after the last one that is not of a task [@lock]
 * @addresses: records may say where the kernel is [@lock]
 * @tasks: the reader asked for records of tasks [changed with rvtrace_lock and @lock]
 * @tasks_kept: the session needs the probes that write them [rvtrace_lock]
 * @tasks_lost: some were not written since the last one that was [@lock]
 * @check: bytes of the ring as they were at the last sample [@lock]
 * @check_at: their offset [@lock]
 * @check_valid: there are any [@lock]
 * @sampled: when the hardware was last sampled [@lock]
 * @clocked: when clocks were last paired [@lock]
 * @paused: pauses: everything is drained, and registers are left alone [@lock; changed
 *	with rvtrace_lock as well]
 * @rewound: the ring had wrapped when its pointer was written again [@lock]
 * @resumed: head before what was last paused traced again [rvtrace_lock]
 * @restarted: its timestamp counters count from 0 again, which no record says yet [rvtrace_lock]
 * @rate: how fast the ring fills [@lock]
 * @bad_pointer: the hardware's pointer was outside the ring [@lock]
 * @sink_error: trace of the session was not taken [rvtrace_lock]
 * @timer: samples while a session is live
 * @full: ends a session whose ring is full
 * @watch: looks whether trace stopped by itself
 * @clock: encoder whose timestamp is paired with clocks [@lock]
 * @live: in rvtrace_live while a session is
 * @state_file: its file "state", to notify those who poll it
 * @session_file: its file "session", likewise
 */
struct rvtrace_sink {
	struct device dev;
	struct cdev cdev;
	int id;
	struct rvtrace_component *owner;
	struct list_head encoders;
	struct list_head downstream;
	struct rvtrace_memory memory;
	bool off_chip;
	struct rvtrace_sram sram;
	u32 size;
	u32 width;
	u32 dirty;
	bool open;
	u32 opened;
	struct mutex reader;	/* one reader at a time moves the tail */
	struct mutex mapping;	/* against mapping memory that goes */
	struct address_space *pages;
	u64 watermark;
	u64 wanted;
	u64 last_wake;
	wait_queue_head_t wait;
	raw_spinlock_t lock;
	struct rvtrace_ring ring;
	u32 state;
	u32 session;
	struct rvtrace_control *control;
	void *records;
	u64 records_head;
	u64 records_tail;
	u64 records_lost;
	u64 records_others;
	bool addresses;
	bool tasks;
	bool tasks_kept;
	bool tasks_lost;
	u8 check[RVTRACE_RING_CHECK_LENGTH];
	u32 check_at;
	bool check_valid;
	u64 sampled;
	u64 clocked;
	unsigned int paused;
	bool rewound;
	u64 resumed;
	bool restarted;
	struct rvtrace_rate rate;
	bool bad_pointer;
	bool sink_error;
	struct hrtimer timer;
	struct work_struct full;
	struct delayed_work watch;
	struct rvtrace_component *clock;
	struct list_head live;
	struct kernfs_node *state_file;
	struct kernfs_node *session_file;
};

#define to_rvtrace_sink(d) container_of(d, struct rvtrace_sink, dev)

/**
 * struct rvtrace_moment - one moment on several clocks
 * @trace: the trace timestamp
 * @monotonic: CLOCK_MONOTONIC in ns
 * @realtime: CLOCK_REALTIME in ns
 */
struct rvtrace_moment {
	u64 trace;
	u64 monotonic;
	u64 realtime;
};

/* Components, the graph, sessions and every configuration register. */
extern struct mutex rvtrace_lock;

/* core.c */
int rvtrace_find(const struct device_node *np, struct rvtrace_component **found);
void rvtrace_reset_all_late(void);
int rvtrace_walk_encoders(int (*function)(struct rvtrace_component *, void *),
			  void *data);
void rvtrace_probe_again(void);

/* field.c: one register or field at a time */
const char *rvtrace_field_name(enum rvtrace_field_id id);
bool rvtrace_configurable(enum rvtrace_field_id id);
bool rvtrace_constant(enum rvtrace_field_id id);
bool rvtrace_lasting(enum rvtrace_field_id id);
void rvtrace_forget(struct rvtrace_component *c);
bool rvtrace_has(const struct rvtrace_component *c, enum rvtrace_field_id id);
bool rvtrace_is_there(const struct rvtrace_component *c, u16 reg);
u32 rvtrace_max(const struct rvtrace_component *c, enum rvtrace_field_id id);
u32 rvtrace_field_of(const struct rvtrace_component *c, enum rvtrace_field_id id, u32 reg);
int rvtrace_get(struct rvtrace_component *c, enum rvtrace_field_id id, u32 *value);
int rvtrace_set(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value);
int rvtrace_try(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value, u32 *kept);
int rvtrace_activate(struct rvtrace_component *c, enum rvtrace_field_id active);
int rvtrace_switch(struct rvtrace_component *c, enum rvtrace_field_id id, bool on);
int rvtrace_image(struct rvtrace_component *c, enum rvtrace_field_id id, u32 *image);
int rvtrace_update(struct rvtrace_component *c, enum rvtrace_field_id id);
int rvtrace_check_atb_id(struct rvtrace_component *c, u32 value);
void rvtrace_blank(struct rvtrace_component *c);
int rvtrace_configure(struct rvtrace_component *c);
int rvtrace_reset(struct rvtrace_component *c);

/* wait.c */
struct device *rvtrace_device(struct rvtrace_component *c);
int rvtrace_poll(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value,
		 const char *what, ktime_t deadline);
ktime_t rvtrace_deadline(void);

/* activate.c: one component at a time */
int rvtrace_hold_begin(struct rvtrace_component *c);
int rvtrace_hold_end(struct rvtrace_component *c, ktime_t deadline);
int rvtrace_hold(struct rvtrace_component *c);
int rvtrace_hold_anew(struct rvtrace_component *c);
int rvtrace_hold_again(struct rvtrace_component *c);
int rvtrace_release_begin(struct rvtrace_component *c);
int rvtrace_release_end(struct rvtrace_component *c, ktime_t deadline);
bool rvtrace_reset_late(struct rvtrace_component *c);
int rvtrace_release(struct rvtrace_component *c);
int rvtrace_block_release(struct rvtrace_component *c, enum rvtrace_field_id active);
int rvtrace_block_reset(struct rvtrace_component *c, enum rvtrace_field_id active);
int rvtrace_enable_begin(struct rvtrace_component *c);
int rvtrace_enable_end(struct rvtrace_component *c, ktime_t deadline);
int rvtrace_lost(struct rvtrace_component *c);
int rvtrace_disable_begin(struct rvtrace_component *c);
int rvtrace_disable_end(struct rvtrace_component *c, ktime_t deadline);

/**
 * struct rvtrace_trial - a field of which is to be found out what it keeps
 * @write: write a value, which becomes what software wants, and read what is kept; 0 or
 *	an access error
 * @c: its component, which is held and not enabled
 * @unit: of a filter, comparator or word: its number
 * @id: enum rvtrace_field_id, or of those enum rvtrace_unit_field_id
 * @max: the largest value that can be written, less than 64 unless it is
 * @wide: too wide for every value to be tried
 */
struct rvtrace_trial {
	int (*write)(const struct rvtrace_trial *t, u32 value, u32 *kept);
	struct rvtrace_component *c;
	unsigned int unit;
	unsigned int id;
	u32 max;
	bool wide;
};

/* discover.c */
int rvtrace_find_legal(const struct rvtrace_trial *t, u32 *value, u64 *legal);
int rvtrace_discover(struct rvtrace_component *c);
int rvtrace_settle(struct rvtrace_component *c);
int rvtrace_discover_end(struct rvtrace_component *c);
bool rvtrace_is_wide(const struct rvtrace_component *c, enum rvtrace_field_id id);
bool rvtrace_keeps(const struct rvtrace_component *c, enum rvtrace_field_id id, u32 value);
void rvtrace_prefer(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value);

/* filter.c: filters and comparators, by number */
const char *rvtrace_unit_name(enum rvtrace_unit_field_id id);
const char *rvtrace_unit_field_name(enum rvtrace_unit_field_id id);
bool rvtrace_unit_field_is(enum rvtrace_unit_field_id id, enum rvtrace_unit unit);
bool rvtrace_unit_has(const struct rvtrace_component *c, unsigned int i,
		      enum rvtrace_unit_field_id id);
bool rvtrace_unit_is_wide(const struct rvtrace_component *c, enum rvtrace_unit_field_id id);
u64 rvtrace_unit_legal(const struct rvtrace_component *c, unsigned int i,
		       enum rvtrace_unit_field_id id);
u64 rvtrace_unit_get(const struct rvtrace_component *c, unsigned int i,
		     enum rvtrace_unit_field_id id);
int rvtrace_unit_set(struct rvtrace_component *c, unsigned int i,
		     enum rvtrace_unit_field_id id, u64 value);
int rvtrace_units_discover(struct rvtrace_component *c);
int rvtrace_units_configure(struct rvtrace_component *c);
void rvtrace_units_reset(struct rvtrace_component *c);
void rvtrace_units_show(struct seq_file *m, const struct rvtrace_component *c, u16 reg, u32 value);

/* filter_sysfs.c */
int rvtrace_units_add_files(struct rvtrace_component *c);

/* power.c */
int rvtrace_power_start(void);
void rvtrace_power_stop(void);
int rvtrace_power_init(struct rvtrace_component *c);
void rvtrace_power_harts(const struct rvtrace_component *c, struct cpumask *mask);
bool rvtrace_powered(const struct rvtrace_component *c);
int rvtrace_power_get(struct rvtrace_component *c);
void rvtrace_power_put(struct rvtrace_component *c);

/* source.c */
int rvtrace_sources_choose(struct list_head *joining, struct list_head *live);
void rvtrace_sources_undo(struct list_head *joining);

/* encoder.c, timestamp.c: blocks */
int rvtrace_encoder_check(struct device *dev);
int rvtrace_encoder_defaults(struct rvtrace_component *c);
int rvtrace_encoder_start(struct rvtrace_component *c);
int rvtrace_encoder_stop(struct rvtrace_component *c);
int rvtrace_encoder_drain(struct rvtrace_component *c, ktime_t deadline);
int rvtrace_timestamp_init(struct rvtrace_component *c);
void rvtrace_timestamp_defaults(struct rvtrace_component *c);
int rvtrace_timestamp_configure(struct rvtrace_component *c);
int rvtrace_timestamp_release(struct rvtrace_component *c);
int rvtrace_timestamp_ready(struct rvtrace_component *c, ktime_t deadline);
int rvtrace_timestamp_begin(struct list_head *joining, struct list_head *live);
void rvtrace_timestamp_moment(struct rvtrace_component *c, struct rvtrace_moment *moment);
int rvtrace_timestamp_reset(struct rvtrace_component *c);
int rvtrace_timestamp_frequency(struct rvtrace_component *c, u64 *hz, bool *measured);

/* off_chip.c */
int rvtrace_off_chip_enable(struct rvtrace_component *c);
int rvtrace_off_chip_drain(struct rvtrace_component *c);
int rvtrace_off_chip_disable(struct rvtrace_component *c);

/**
 * struct rvtrace_input - an in-port of a component
 * @from: the component that leads there, or NULL
 * @port: its number
 * @chosen: the trace of @from takes it
 */
struct rvtrace_input {
	struct rvtrace_component *from;
	unsigned int port;
	bool chosen;
};

/* graph.c */
u32 rvtrace_sink_choice(const struct rvtrace_component *c);
bool rvtrace_has_ring(const struct rvtrace_component *c);
bool rvtrace_can_sink(struct rvtrace_component *c);
int rvtrace_choose_sink(struct rvtrace_component *c);
int rvtrace_graph_check(struct device *dev, const struct rvtrace_kind *kind);
bool rvtrace_graph_has_output(struct rvtrace_component *c);
unsigned int rvtrace_graph_outputs(const struct rvtrace_component *c);
unsigned int rvtrace_graph_first_output(const struct rvtrace_component *c);
bool rvtrace_graph_output(struct rvtrace_component *c, unsigned int n,
			  struct rvtrace_component **next);
bool rvtrace_graph_input(struct rvtrace_component *c, unsigned int n,
			 struct rvtrace_input *input);
int rvtrace_graph_path(struct rvtrace_component *encoder, bool report,
		       struct rvtrace_component **path, unsigned int *length);

/* route.c */
extern const struct attribute_group rvtrace_route_group;
int rvtrace_route_apply(struct rvtrace_component *c);

/* session.c: all with rvtrace_lock held */
int rvtrace_session_start(struct rvtrace_sink *sink);
int rvtrace_session_stop(struct rvtrace_sink *sink, int error);
int rvtrace_session_flush(struct rvtrace_sink *sink);
int rvtrace_session_pause(struct rvtrace_sink *sink);
int rvtrace_session_resume(struct rvtrace_sink *sink, u32 reason, u64 since);
int rvtrace_session_pause_encoder(struct rvtrace_component *encoder);
int rvtrace_session_resume_encoder(struct rvtrace_component *encoder);
int rvtrace_session_add(struct rvtrace_component *encoder);
int rvtrace_session_remove(struct rvtrace_component *encoder);
void rvtrace_session_unbind(struct rvtrace_component *c);

/* ramsink.c */
int rvtrace_ram_defaults(struct rvtrace_component *c);
int rvtrace_ram_reach(struct rvtrace_component *c);
int rvtrace_ram_set(struct rvtrace_component *c, u16 reg, const char *name, u32 value);
int rvtrace_ram_setup(struct rvtrace_sink *sink, u32 offset);
void rvtrace_ram_pointer(struct rvtrace_sink *sink, u32 *offset, bool *wrap);
bool rvtrace_ram_drained(struct rvtrace_sink *sink);

/* sram.c */
bool rvtrace_sram_readable(const struct rvtrace_component *c);
int rvtrace_sram_setup(struct rvtrace_sink *sink);
bool rvtrace_sram_follow(struct rvtrace_sink *sink);
void rvtrace_sram_copy(struct rvtrace_sink *sink);
void rvtrace_sram_init(struct rvtrace_sink *sink);
void rvtrace_sram_begin(struct rvtrace_sink *sink);
void rvtrace_sram_due(struct rvtrace_sink *sink);
void rvtrace_sram_quiet(struct rvtrace_sink *sink);

/* region.c */
int rvtrace_region_claim(struct rvtrace_region *region, struct device *dev);
void rvtrace_region_release(struct rvtrace_region *region);

/* memory.c */
int rvtrace_memory_init(struct rvtrace_memory *memory, struct device *dev,
			unsigned int address_bits);
void rvtrace_memory_free(struct rvtrace_memory *memory);
void rvtrace_memory_sync(struct rvtrace_memory *memory, u32 offset, u32 size);
void rvtrace_memory_clear(struct rvtrace_memory *memory, size_t offset, size_t size);
int rvtrace_memory_map(struct rvtrace_memory *memory, struct vm_area_struct *vma);

/* sampler.c */
void rvtrace_sampler_init(struct rvtrace_sink *sink);
void rvtrace_sampler_begin(struct rvtrace_sink *sink, struct rvtrace_component *clock);
void rvtrace_sampler_clock(struct rvtrace_sink *sink, struct rvtrace_component *clock);
void rvtrace_sampler_pair(struct rvtrace_sink *sink);
void rvtrace_sampler_rates(struct rvtrace_sink *sink, struct rvtrace_rate *rates);
int rvtrace_sampler_moment(struct rvtrace_sink *sink, struct rvtrace_moment *moment);
bool rvtrace_sampler_pause(struct rvtrace_sink *sink);
u32 rvtrace_sampler_rewind(struct rvtrace_sink *sink);
void rvtrace_sampler_resume(struct rvtrace_sink *sink);
int rvtrace_sampler_end(struct rvtrace_sink *sink, int error);
void rvtrace_sampler_forget(struct rvtrace_sink *sink);
void rvtrace_sampler_gap(struct rvtrace_sink *sink, u32 reason, u32 encoder, u64 since);
void rvtrace_sampler_tracing(struct rvtrace_sink *sink, u32 encoder, bool tracing);
void rvtrace_sample_locked(struct rvtrace_sink *sink);
void rvtrace_publish_locked(struct rvtrace_sink *sink);

/* watch.c */
int rvtrace_watch_look(struct rvtrace_component *c);
void rvtrace_watch_errors(struct rvtrace_sink *sink, struct list_head *encoders);
int rvtrace_watch_begin(struct rvtrace_sink *sink);
void rvtrace_watch_init(struct rvtrace_sink *sink);

/* Sinks with a live session, changed with rvtrace_lock held, walked under RCU. */
extern struct list_head rvtrace_live;

/* records.c: with rvtrace_sink.lock held */
#define RVTRACE_RECORDS_SIZE	0x40000U
void rvtrace_records_reader(struct rvtrace_sink *sink, bool privileged);
void rvtrace_record(struct rvtrace_sink *sink, struct rvtrace_record *record,
		    u16 type, u32 size, u64 position);
void rvtrace_record_loss(struct rvtrace_sink *sink);
void rvtrace_record_clock(struct rvtrace_sink *sink);
bool rvtrace_records_begin_at(struct rvtrace_sink *sink, u64 position);
bool rvtrace_records_many(const struct rvtrace_sink *sink);
bool rvtrace_records_due(const struct rvtrace_sink *sink);
void rvtrace_record_address_space(struct rvtrace_sink *sink, u32 context, s32 pid,
				  const char *comm);
void rvtrace_record_task(struct rvtrace_sink *sink, const struct rvtrace_record_task *task);
void rvtrace_record_text(struct rvtrace_sink *sink, const struct rvtrace_record_text *text);
void rvtrace_record_code(struct rvtrace_sink *sink, struct rvtrace_record_code *code);

/* sink.c, chardev.c, sink_sysfs.c, sysfs.c */
extern struct class rvtrace_sink_class;
int rvtrace_sinks_init(void);
void rvtrace_sinks_exit(void);
int rvtrace_sink_register(struct rvtrace_component *owner);
int rvtrace_sink_resize(struct rvtrace_sink *sink, u64 size);
void rvtrace_sink_gone(struct rvtrace_sink *sink, bool stopped);
void rvtrace_sink_unregister(struct rvtrace_sink *sink);
void rvtrace_sink_notify(struct rvtrace_sink *sink);
void rvtrace_sink_announce(struct rvtrace_sink *sink);
extern const struct file_operations rvtrace_fops;
extern const struct attribute_group *rvtrace_sink_groups[];
extern const struct device_type rvtrace_component_types[RVTRACE_ROLES];
int rvtrace_lock_component(struct rvtrace_component *c);
ssize_t rvtrace_store(struct device *dev, struct device_attribute *attr, u64 value, size_t count,
		      int (*set)(struct rvtrace_component *c, struct device_attribute *attr,
				 u64 value));
ssize_t rvtrace_store_switch(struct device *dev, struct device_attribute *attr, const char *buf,
			     size_t count, int (*set)(struct device *dev, bool on));
int rvtrace_not_written(struct device *dev, const struct device_attribute *attr, const char *buf,
			const char *why, int error);
int rvtrace_parse_switch(struct device *dev, const struct device_attribute *attr, const char *buf,
			 bool *on);
int rvtrace_parse_one(struct device *dev, const struct device_attribute *attr, const char *buf);

/* field_sysfs.c */
extern const struct attribute_group rvtrace_field_group;
const char *rvtrace_value_name(const struct rvtrace_component *c, enum rvtrace_field_id id,
			       u32 value);
void rvtrace_field_sysfs_init(void);

/* debugfs.c */
void rvtrace_debugfs_init(void);
void rvtrace_debugfs_exit(void);
void rvtrace_debugfs_add(struct rvtrace_component *c);
void rvtrace_debugfs_remove(struct rvtrace_component *c);

/* tasks.c */
void rvtrace_tasks_init(void);
void rvtrace_tasks_exit(void);
int rvtrace_tasks_ask(struct rvtrace_sink *sink, bool wanted);
void rvtrace_tasks_begin(struct rvtrace_sink *sink);
void rvtrace_tasks_end(struct rvtrace_sink *sink);

/* context.c */
void rvtrace_context_init(void);
void rvtrace_context_exit(void);
int rvtrace_context_arm(void);
void rvtrace_context_keep(void);
void rvtrace_context_disarm(void);
void rvtrace_context_begin(struct rvtrace_sink *sink);

/* text.c */
int rvtrace_text_init(void);
void rvtrace_text_exit(void);

#endif /* RVTRACE_H */

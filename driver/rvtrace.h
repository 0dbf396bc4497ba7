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
#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <linux/rvtrace.h>

#include "component.h"
#include "sink.h"

struct seq_file;

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
struct rvtrace_component *rvtrace_component_alloc(struct device *parent,
						  const struct rvtrace_kind *kind);
void rvtrace_component_add(struct rvtrace_component *c);

/* bind.c */
int rvtrace_bind_init(void);
void rvtrace_bind_exit(void);
void rvtrace_probe_again(void);

/* field.c: what a field is */
const char *rvtrace_field_name(enum rvtrace_field_id id);
bool rvtrace_configurable(enum rvtrace_field_id id);
bool rvtrace_constant(enum rvtrace_field_id id);
bool rvtrace_lasting(enum rvtrace_field_id id);
enum rvtrace_field_id rvtrace_within(enum rvtrace_field_id id);
bool rvtrace_has(const struct rvtrace_component *c, enum rvtrace_field_id id);
bool rvtrace_is_there(const struct rvtrace_component *c, u16 reg);
u32 rvtrace_max(const struct rvtrace_component *c, enum rvtrace_field_id id);
u32 rvtrace_field_of(const struct rvtrace_component *c, enum rvtrace_field_id id, u32 reg);

/* access.c: one register or field at a time */
void rvtrace_forget(struct rvtrace_component *c);
int rvtrace_get(struct rvtrace_component *c, enum rvtrace_field_id id, u32 *value);
int rvtrace_refused(struct rvtrace_component *c, enum rvtrace_field_id id, u32 asked, u32 kept);
int rvtrace_switch(struct rvtrace_component *c, enum rvtrace_field_id id, bool on);
int rvtrace_activate(struct rvtrace_component *c, enum rvtrace_field_id active);
int rvtrace_image(struct rvtrace_component *c, enum rvtrace_field_id id, u32 *image);
int rvtrace_update(struct rvtrace_component *c, enum rvtrace_field_id id);
int rvtrace_verify(struct rvtrace_component *c, u16 reg);
int rvtrace_configure(struct rvtrace_component *c);
void rvtrace_blank(struct rvtrace_component *c);
int rvtrace_try(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value, u32 *kept);

/* setting.c */
int rvtrace_check_atb_id(struct rvtrace_component *c, u32 value);
int rvtrace_set(struct rvtrace_component *c, enum rvtrace_field_id id, u32 value);
int rvtrace_reset(struct rvtrace_component *c);

/* wait.c, and the longest time that a module parameter may ask for */
#define RVTRACE_WAIT_MS_MAX	60000U
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
void rvtrace_sources_tell(struct list_head *joining);

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

/* sequence.c, session.c, pause.c: all with rvtrace_lock held */
int rvtrace_sequence_each(struct rvtrace_sink *sink, struct list_head *encoders,
			  int (*function)(struct rvtrace_component *c, ktime_t deadline));
int rvtrace_sequence_prepare(struct rvtrace_sink *sink, struct list_head *encoders);
int rvtrace_sequence_run(struct rvtrace_sink *sink, struct list_head *encoders);
int rvtrace_sequence_disable_encoders(struct list_head *encoders);
int rvtrace_sequence_disable_downstream(struct rvtrace_sink *sink, bool unused);
int rvtrace_sequence_release(struct rvtrace_sink *sink, struct list_head *encoders);
int rvtrace_session_start(struct rvtrace_sink *sink);
int rvtrace_session_stop(struct rvtrace_sink *sink, int error);
int rvtrace_session_add(struct rvtrace_component *encoder);
int rvtrace_session_remove(struct rvtrace_component *encoder);
bool rvtrace_session_choose_clock(struct rvtrace_sink *sink);
void rvtrace_session_resumes(struct rvtrace_sink *sink, struct list_head *encoders);
void rvtrace_session_unbind(struct rvtrace_component *c);
int rvtrace_session_pause(struct rvtrace_sink *sink);
int rvtrace_session_resume(struct rvtrace_sink *sink, u32 reason, u64 since);
int rvtrace_session_pause_encoder(struct rvtrace_component *encoder);
int rvtrace_session_resume_encoder(struct rvtrace_component *encoder);
int rvtrace_session_flush(struct rvtrace_sink *sink);

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
void rvtrace_sampler_resume(struct rvtrace_sink *sink, struct rvtrace_component *clock);
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
void rvtrace_publish_records(struct rvtrace_sink *sink);
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
void rvtrace_log_loss(struct rvtrace_sink *sink);
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
int rvtrace_tasks_ask(struct rvtrace_sink *sink, bool wanted, bool addresses);
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

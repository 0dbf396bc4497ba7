/* SPDX-License-Identifier: GPL-2.0 */
/* Sinks: where trace ends, and the memory it is in */
#ifndef RVTRACE_SINK_H
#define RVTRACE_SINK_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/processor.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <uapi/linux/rvtrace.h>

#include "memory.h"
#include "rate.h"
#include "ring.h"
#include "sram.h"

struct rvtrace_component;
struct rvtrace_task_buffer;

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
 *	[freed with @mapping]
 * @off_chip: trace of the session leaves the chip, and there is none in the ring
 *	[rvtrace_lock; changed while no session is live]
 * @sram: the owner's SRAM
 * @size: bytes of the ring, used from the next session on [rvtrace_lock]
 * @width: bytes the hardware writes at once, found when first used
 * @dirty: bytes from its start that may hold old trace [rvtrace_lock]
 * @open: a reader has the device open [@lock; set with rvtrace_lock as well]
 * @opened: number of the last session that had ended when it was opened
 * @ended: number of the last session whose end the reader knows of [@lock]
 * @reads_records: the reader mapped the record ring [@lock]
 * @reads: the reader took bytes by read() [@lock]
 * @loss_logged: number of the last session whose loss is in the kernel's log [@lock]
 * @reader: serialises the reader's calls, except while they wait for trace
 * @mapping: serialises mapping, reading and freeing @memory
 * @bounce: what read() copies through, or NULL [@reader, or the last close()]
 * @pages: what the open file maps, or NULL [@mapping]
 * @mapped: a reader may have mapped something, of which pages outlive the mapping [@mapping;
 *	cleared while nobody can map]
 * @watermark: unread bytes from which poll() reports data [@lock]
 * @wanted: unread bytes that wake those who wait: the fewest that any of them asked for
 *	since they were last woken [@lock]
 * @last_wake: when they were last woken [@lock]
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
 * @task_addresses: and for what tp is of each [@lock]
 * @tasks_kept: the session needs the probes that write them [rvtrace_lock]
 * @tasks_begun: when each hart was last asked what it runs, in ns [rvtrace_lock]
 * @task_buffers: what harts keep of them, or NULL where no reader asked yet
 *	[set with rvtrace_lock, before @tasks]
 * @tasks_lost: some were not written since the last one that was [@lock]
 * @check: bytes of the ring as they were at the last sample [@lock]
 * @check_at: their offset [@lock]
 * @check_valid: there are any [@lock]
 * @sampled: when the hardware was last sampled [@lock]
 * @clocked: when clocks were last paired [@lock]
 * @paused: pauses: everything is drained, and registers are left alone [@lock; changed
 *	with rvtrace_lock as well]
 * @rewound: the ring had wrapped when its pointer was written again [@lock]
 * @resumed: what had landed before what was last paused traced again [rvtrace_lock]
 * @restarted: timestamps of its session count from 0 again, which no record says yet
 *	[rvtrace_lock]
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
	u64 size;
	u32 width;
	u64 dirty;
	bool open;
	u32 opened;
	u32 ended;
	bool reads_records;
	bool reads;
	u32 loss_logged;
	struct mutex reader;	/* one reader at a time moves the tail */
	struct mutex mapping;	/* against using memory that goes */
	struct address_space *pages;
	bool mapped;
	void *bounce;
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
	bool task_addresses;
	bool tasks_kept;
	u64 tasks_begun;
	struct rvtrace_task_buffer __percpu *task_buffers;
	bool tasks_lost;
	u8 check[RVTRACE_RING_CHECK_LENGTH];
	u64 check_at;
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

/* Interrupts come in between: who has it may stand still for its trace, guard.c. */
static inline void rvtrace_sink_lock(struct rvtrace_sink *sink) __acquires(&sink->lock)
{
	lockdep_assert_irqs_enabled();
	local_irq_disable();
	might_lock(&sink->lock);
	while (!raw_spin_trylock(&sink->lock)) {
		local_irq_enable();
		cpu_relax();
		local_irq_disable();
	}
}

static inline void rvtrace_sink_unlock(struct rvtrace_sink *sink) __releases(&sink->lock)
{
	raw_spin_unlock_irq(&sink->lock);
}

extern struct class rvtrace_sink_class;

int rvtrace_sinks_init(void);
void rvtrace_sinks_exit(void);
int rvtrace_sink_register(struct rvtrace_component *owner);
int rvtrace_sink_resize(struct rvtrace_sink *sink, u64 size);
void rvtrace_sink_gone(struct rvtrace_sink *sink, bool stopped);
void rvtrace_sink_unregister(struct rvtrace_sink *sink);

#endif /* RVTRACE_SINK_H */

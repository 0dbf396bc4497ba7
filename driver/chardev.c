// SPDX-License-Identifier: GPL-2.0
/* /dev/rvtraceN: trace bytes for one reader, see include/uapi/linux/rvtrace.h. */
#include <linux/capability.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "chardev.h"
#include "chardev_read.h"
#include "compat.h"
#include "context.h"
#include "memory.h"
#include "records.h"
#include "rvtrace.h"
#include "sampler.h"
#include "sink_sysfs.h"
#include "tasks.h"

/* Addresses of the kernel. Who may not simply is not told: that is nothing for the audit log. */
static bool chardev_may_see_addresses(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYSLOG);
}

/**
 * rvtrace_pages_held() - whether somebody has pages of a sink that nobody maps
 * @sink: a sink with an owner, that nobody maps
 *
 * Who had it open may have put what it mapped into a pipe.
 */
bool rvtrace_pages_held(struct rvtrace_sink *sink)
{
	unsigned int at;

	lockdep_assert_held(&rvtrace_lock);
	for (at = 0; sink->mapped && at < RVTRACE_RECORDS_SIZE; at += PAGE_SIZE)
		if (page_count(vmalloc_to_page(sink->records + at)) > 1)
			return true;
	sink->mapped = sink->mapped && (page_count(vmalloc_to_page(sink->control)) > 1 ||
					rvtrace_memory_held(&sink->memory));
	return sink->mapped;
}

/*
 * Whether the sink can be opened now.
 *
 * Return: 0; -ENODEV; -EBUSY when it is open, or somebody who had it open still has pages that it
 * mapped, in a pipe for example: the next reader's trace would be seen there
 */
static int chardev_check(struct rvtrace_sink *sink, bool report)
{
	if (!sink->owner)
		return -ENODEV;
	if (READ_ONCE(sink->open))
		return -EBUSY;
	if (!rvtrace_pages_held(sink))
		return 0;
	if (report)
		dev_err_ratelimited(&sink->dev,
				    "not opened, an earlier reader still maps its pages\n");
	return -EBUSY;
}

/* The kernel itself may hold a page for a moment: that is waited for. */
#define TRIES	20

/* Locked, unless it fails. */
static int chardev_lock_to_open(struct rvtrace_sink *sink)
{
	unsigned int tries = TRIES;
	int ret;

	while (tries--) {
		if (mutex_lock_interruptible(&rvtrace_lock))
			return -ERESTARTSYS;
		ret = chardev_check(sink, !tries);
		if (!ret)
			return 0;
		mutex_unlock(&rvtrace_lock);
		if (ret != -EBUSY || READ_ONCE(sink->open))
			break;
		fsleep(USEC_PER_MSEC);
	}
	return ret;
}

static int chardev_open(struct inode *inode, struct file *file)
{
	struct rvtrace_sink *sink = container_of(inode->i_cdev, struct rvtrace_sink, cdev);
	bool privileged = chardev_may_see_addresses();
	int ret;

	ret = rvtrace_context_arm();
	if (ret)
		return ret;
	ret = chardev_lock_to_open(sink);
	if (ret) {
		rvtrace_context_disarm();
		return ret;
	}

	rvtrace_sampler_forget(sink);
	rvtrace_sink_lock(sink);
	WRITE_ONCE(sink->open, true);
	sink->opened = sink->session;
	if (sink->state != RVTRACE_STATE_IDLE)
		sink->opened--;
	else
		sink->records_tail = sink->records_head;
	sink->ended = sink->opened;
	sink->reads_records = false;
	sink->watermark = 1;
	sink->wanted = U64_MAX;
	rvtrace_publish_locked(sink);
	rvtrace_sink_unlock(sink);
	rvtrace_records_reader(sink, privileged);
	mutex_lock(&sink->mapping);
	sink->pages = file->f_mapping;
	mutex_unlock(&sink->mapping);
	file->private_data = sink;
	stream_open(inode, file);
	mutex_unlock(&rvtrace_lock);
	return 0;
}

/**
 * rvtrace_log_loss() - log what was lost of the current or last session
 * @sink: the sink
 *
 * Once for each session, and only for a reader that has no records: it sees no hole in
 * what it reads.
 */
void rvtrace_log_loss(struct rvtrace_sink *sink)
{
	u64 lost = 0;
	u32 session;

	rvtrace_sink_lock(sink);
	session = sink->session;
	if (sink->reads && !sink->reads_records && sink->loss_logged != session)
		lost = sink->ring.lost;
	if (lost)
		sink->loss_logged = session;
	rvtrace_sink_unlock(sink);
	if (lost)
		dev_warn_ratelimited(&sink->dev,
				     "session %u: %llu bytes were lost before they were read, see the file lost\n",
				     session, lost);
}

static int chardev_release(struct inode *inode, struct file *file)
{
	struct rvtrace_sink *sink = file->private_data;

	rvtrace_log_loss(sink);
	if (sink->tasks)
		rvtrace_tasks_ask(sink, false, false);
	mutex_lock(&sink->mapping);
	sink->pages = NULL;
	mutex_unlock(&sink->mapping);
	kvfree(sink->bounce);
	sink->bounce = NULL;
	/* Who still has a page of records would see what comes next. */
	mutex_lock(&rvtrace_lock);
	rvtrace_records_reader(sink, sink->owner && !rvtrace_pages_held(sink));
	mutex_unlock(&rvtrace_lock);
	rvtrace_sink_lock(sink);
	sink->reads = false;
	/* Last: another reader may come at once. */
	WRITE_ONCE(sink->open, false);
	rvtrace_sink_unlock(sink);
	rvtrace_context_disarm();
	return 0;
}

/*
 * Whether a reader has anything to come for. The end of a session counts until the
 * reader knows of it: from a read() of 0 bytes or from RVTRACE_IOC_CONSUME.
 */
static bool chardev_has_news(struct rvtrace_sink *sink)
{
	switch (rvtrace_readiness_locked(sink, sink->watermark)) {
	case RVTRACE_DATA:
		return true;
	case RVTRACE_FINISHED:
		if (sink->state == RVTRACE_STATE_GONE || sink->ended != sink->session)
			return true;
		fallthrough;
	default:
		return rvtrace_records_due(sink);
	}
}

static __poll_t chardev_poll(struct file *file, poll_table *wait)
{
	struct rvtrace_sink *sink = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &sink->wait, wait);
	rvtrace_sample(sink);
	rvtrace_sink_lock(sink);
	sink->wanted = min(sink->wanted, sink->watermark);
	if (chardev_has_news(sink))
		events = EPOLLIN | EPOLLRDNORM;
	if (sink->state == RVTRACE_STATE_GONE)
		events |= EPOLLHUP;
	rvtrace_sink_unlock(sink);
	return events;
}

/*
 * Many pages at once. Not in mmap(), where they would escape the unmapping of memory that
 * goes. Where that has gone there are zeros.
 */
static vm_fault_t chardev_data_fault(struct vm_fault *vmf)
{
	struct rvtrace_sink *sink = vmf->vma->vm_private_data;
	vm_fault_t ret = VM_FAULT_NOPAGE;
	int error;

	mutex_lock(&sink->mapping);
	if (!sink->memory.virt) {
		vmf->page = alloc_page(GFP_HIGHUSER | __GFP_ACCOUNT | __GFP_ZERO);
		ret = vmf->page ? 0 : VM_FAULT_OOM;
	} else {
		error = rvtrace_memory_map(&sink->memory, vmf->vma, vmf->address);
		if (error)
			ret = vmf_error(error);
	}
	mutex_unlock(&sink->mapping);
	return ret;
}

static const struct vm_operations_struct chardev_data_operations = {
	.fault = chardev_data_fault,
};

static void chardev_map_data(struct rvtrace_sink *sink, struct vm_area_struct *vma)
{
	vma->vm_private_data = sink;
	vma->vm_ops = &chardev_data_operations;
	vm_flags_set(vma, VM_MIXEDMAP);
}

static int chardev_map_records(struct rvtrace_sink *sink, struct vm_area_struct *vma)
{
	int ret = remap_vmalloc_range(vma, sink->records, 0);

	if (ret)
		return ret;
	rvtrace_sink_lock(sink);
	sink->reads_records = true;
	rvtrace_sink_unlock(sink);
	return 0;
}

static int chardev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct rvtrace_sink *sink = file->private_data;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 size = vma->vm_end - vma->vm_start;
	int ret = 0;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	/* A shared mapping of a file that was opened read-only lacks VM_SHARED. */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);

	mutex_lock(&sink->mapping);
	sink->mapped = true;
	if (!sink->memory.virt)
		ret = -ENODEV;
	else if (offset == RVTRACE_MMAP_CONTROL && size <= PAGE_SIZE)
		ret = remap_vmalloc_range(vma, sink->control, 0);
	else if (offset == RVTRACE_MMAP_RECORDS && size <= RVTRACE_RECORDS_SIZE)
		ret = chardev_map_records(sink, vma);
	else if (offset == RVTRACE_MMAP_DATA && size <= sink->size)
		chardev_map_data(sink, vma);
	else
		ret = -EINVAL;
	mutex_unlock(&sink->mapping);
	return ret;
}

/* 0 if both positions can be given back, else an error. A wrong one must not cost a sample. */
static int chardev_check_positions(struct rvtrace_sink *sink, const struct rvtrace_consume *c)
{
	int ret = 0;

	rvtrace_sink_lock(sink);
	if (sink->state == RVTRACE_STATE_GONE)
		ret = -ENODEV;
	else if (c->reserved || !rvtrace_ring_consumable(&sink->ring, c->position))
		ret = -EINVAL;
	rvtrace_sink_unlock(sink);
	if (!ret && !rvtrace_records_begin_at(sink, c->records_position))
		ret = -EINVAL;
	return ret;
}

static int chardev_consume_locked(struct rvtrace_sink *sink, struct rvtrace_consume *c)
{
	int ret;

	if (sink->state == RVTRACE_STATE_GONE)
		return -ENODEV;
	ret = rvtrace_consume_locked(sink, c->position);
	if (ret)
		return ret;
	sink->records_tail = c->records_position;
	if (sink->state == RVTRACE_STATE_IDLE)
		sink->ended = sink->session;
	sink->wanted = min(sink->wanted, sink->watermark);
	rvtrace_publish_locked(sink);
	c->head = sink->ring.head;
	c->valid_from = sink->ring.valid_from;
	c->records_head = sink->records_head;
	c->state = sink->state;
	return 0;
}

static long chardev_consume(struct rvtrace_sink *sink, struct rvtrace_consume __user *argument)
{
	struct rvtrace_consume c;
	u32 state;
	int ret;

	if (copy_from_user(&c, argument, sizeof(c)))
		return -EFAULT;
	ret = chardev_check_positions(sink, &c);
	if (ret)
		return ret;
	rvtrace_sample(sink);
	rvtrace_sink_lock(sink);
	state = sink->state;
	ret = chardev_consume_locked(sink, &c);
	rvtrace_sink_unlock(sink);
	rvtrace_report_change(sink, state);
	if (!ret && copy_to_user(argument, &c, sizeof(c)))
		ret = -EFAULT;
	return ret;
}

static long chardev_set_watermark(struct rvtrace_sink *sink, u64 __user *argument)
{
	u64 bytes;

	if (copy_from_user(&bytes, argument, sizeof(bytes)))
		return -EFAULT;
	if (!bytes || bytes > sink->size)
		return -EINVAL;
	rvtrace_sink_lock(sink);
	sink->watermark = bytes;
	/* epoll does not ask again before it is woken */
	sink->wanted = min(sink->wanted, bytes);
	rvtrace_sink_unlock(sink);
	return 0;
}

static long chardev_ask_tasks(struct rvtrace_sink *sink, u32 __user *argument)
{
	u32 wanted;

	if (copy_from_user(&wanted, argument, sizeof(wanted)))
		return -EFAULT;
	if (wanted && wanted != RVTRACE_TASKS_WANTED &&
	    wanted != (RVTRACE_TASKS_WANTED | RVTRACE_TASKS_ADDRESSES))
		return -EINVAL;
	return rvtrace_tasks_ask(sink, wanted, wanted & RVTRACE_TASKS_ADDRESSES);
}

static long chardev_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct rvtrace_sink *sink = file->private_data;
	long ret;

	/* Not with a lock held that is taken within cpu_hotplug_lock. */
	if (command == RVTRACE_IOC_TASKS)
		return chardev_ask_tasks(sink, (u32 __user *)argument);

	if (mutex_lock_interruptible(&sink->reader))
		return -ERESTARTSYS;
	switch (command) {
	case RVTRACE_IOC_CONSUME:
		ret = chardev_consume(sink, (struct rvtrace_consume __user *)argument);
		break;
	case RVTRACE_IOC_WATERMARK:
		ret = chardev_set_watermark(sink, (u64 __user *)argument);
		break;
	default:
		ret = -ENOTTY;
	}
	mutex_unlock(&sink->reader);
	return ret;
}

const struct file_operations rvtrace_fops = {
	.owner = THIS_MODULE,
	.open = chardev_open,
	.release = chardev_release,
	.read = rvtrace_read,
	.poll = chardev_poll,
	.mmap = chardev_mmap,
	.unlocked_ioctl = chardev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

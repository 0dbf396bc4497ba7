// SPDX-License-Identifier: GPL-2.0
/* Sinks as devices of the class "rvtrace_sink". */
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/vmalloc.h>

#include "chardev.h"
#include "compat.h"
#include "graph.h"
#include "memory.h"
#include "ramsink.h"
#include "records.h"
#include "rvtrace.h"
#include "sampler.h"
#include "sink_sysfs.h"
#include "task_buffer.h"
#include "watch.h"

#define MINORS	256

static dev_t sink_devt;
static DEFINE_IDA(sink_ids);

struct class rvtrace_sink_class = {
	.name = "rvtrace_sink",
	.dev_groups = rvtrace_sink_groups,
};

/**
 * rvtrace_sinks_init() - register the class and its device numbers
 *
 * Return: 0 or the error
 */
int rvtrace_sinks_init(void)
{
	int ret;

	ret = alloc_chrdev_region(&sink_devt, 0, MINORS, "rvtrace");
	if (ret)
		return ret;
	ret = class_register(&rvtrace_sink_class);
	if (ret)
		unregister_chrdev_region(sink_devt, MINORS);
	return ret;
}

/**
 * rvtrace_sinks_exit() - undo rvtrace_sinks_init()
 */
void rvtrace_sinks_exit(void)
{
	class_unregister(&rvtrace_sink_class);
	unregister_chrdev_region(sink_devt, MINORS);
	ida_destroy(&sink_ids);
}

static void sink_release(struct device *dev)
{
	struct rvtrace_sink *sink = to_rvtrace_sink(dev);

	sysfs_put(sink->state_file);
	sysfs_put(sink->session_file);
	rvtrace_task_buffers_free(sink);
	vfree(sink->records);
	vfree(sink->control);
	ida_free(&sink_ids, sink->id);
	kfree(sink);
}

static struct rvtrace_sink *sink_alloc(struct rvtrace_component *owner)
{
	struct rvtrace_sink *sink;
	int ret;

	sink = kzalloc_obj(*sink);
	if (!sink)
		return ERR_PTR(-ENOMEM);
	sink->id = ida_alloc_max(&sink_ids, MINORS - 1, GFP_KERNEL);
	if (sink->id == -ENOSPC)
		dev_err(owner->parent, "no more than %d sinks\n", MINORS);
	ret = sink->id;
	if (ret < 0)
		goto free;
	ret = -ENOMEM;
	sink->control = vmalloc_user(PAGE_SIZE);
	sink->records = vmalloc_user(RVTRACE_RECORDS_SIZE);
	if (!sink->control || !sink->records)
		goto free_id;

	sink->owner = owner;
	sink->addresses = true;
	INIT_LIST_HEAD(&sink->encoders);
	INIT_LIST_HEAD(&sink->downstream);
	mutex_init(&sink->reader);
	mutex_init(&sink->mapping);
	init_waitqueue_head(&sink->wait);
	raw_spin_lock_init(&sink->lock);
	rvtrace_sampler_init(sink);
	rvtrace_watch_init(sink);

	device_initialize(&sink->dev);
	sink->dev.class = &rvtrace_sink_class;
	sink->dev.parent = &owner->dev;
	sink->dev.release = sink_release;
	return sink;
free_id:
	vfree(sink->records);
	vfree(sink->control);
	ida_free(&sink_ids, sink->id);
free:
	kfree(sink);
	return ERR_PTR(ret);
}

static void sink_set_size(struct rvtrace_sink *sink, u64 size)
{
	sink->size = size;
	sink->ring.size = size;
	sink->control->data_size = size;
}

/**
 * rvtrace_sink_resize() - choose how much of the memory is the ring
 * @sink: the sink
 * @size: bytes; a multiple of the page size up to what the memory has
 *
 * Return: 0; -EINVAL; -EBUSY while a session is live or unread, or the device
 * is open
 */
int rvtrace_sink_resize(struct rvtrace_sink *sink, u64 size)
{
	int ret = -EBUSY;

	lockdep_assert_held(&rvtrace_lock);
	if (!size || size % PAGE_SIZE || size > sink->memory.size)
		return -EINVAL;
	rvtrace_sink_lock(sink);
	if (!sink->open && sink->state == RVTRACE_STATE_IDLE) {
		sink_set_size(sink, size);
		ret = 0;
	}
	rvtrace_sink_unlock(sink);
	return ret;
}

/**
 * rvtrace_sink_register() - make the sink of a component known
 * @owner: a component that was registered; with a RAM block it gets a ring
 *
 * Return: 0; -ENOMEM; -ENOSPC when there are as many as there can be; or why its memory
 * cannot be used
 */
int rvtrace_sink_register(struct rvtrace_component *owner)
{
	struct rvtrace_sink *sink;
	int ret;

	sink = sink_alloc(owner);
	if (IS_ERR(sink))
		return PTR_ERR(sink);
	ret = dev_set_name(&sink->dev, "rvtrace%d", sink->id);
	if (ret)
		goto put;
	if (rvtrace_has_ring(owner))
		ret = rvtrace_memory_init(&sink->memory, owner->parent, owner->address_bits);
	if (ret)
		goto put;
	sink->control->abi_version = RVTRACE_ABI_VERSION;
	sink->control->records_size = RVTRACE_RECORDS_SIZE;
	sink_set_size(sink, sink->memory.size);
	/* A reader of the last sink of this memory may still have pages of it. */
	sink->mapped = true;
	ret = rvtrace_ram_adopt(sink);
	if (ret)
		goto free;

	/* Where nothing can be read there is no device. */
	if (sink->size)
		sink->dev.devt = MKDEV(MAJOR(sink_devt), sink->id);
	cdev_init(&sink->cdev, &rvtrace_fops);
	sink->cdev.owner = THIS_MODULE;
	ret = cdev_device_add(&sink->cdev, &sink->dev);
	if (ret)
		goto free;
	sink->state_file = sysfs_get_dirent(sink->dev.kobj.sd, "state");
	sink->session_file = sysfs_get_dirent(sink->dev.kobj.sd, "session");
	owner->sink = sink;
	return 0;
free:
	rvtrace_memory_free(&sink->memory);
put:
	put_device(&sink->dev);
	return ret;
}

/**
 * rvtrace_sink_gone() - the owner is about to go: wake and turn away readers
 * @sink: a sink without a live session; its memory is there until rvtrace_sink_unregister()
 * @stopped: hardware does not write to it any more
 */
void rvtrace_sink_gone(struct rvtrace_sink *sink, bool stopped)
{
	lockdep_assert_held(&rvtrace_lock);
	sink->memory.written = !stopped;
	rvtrace_sink_lock(sink);
	WRITE_ONCE(sink->owner, NULL);
	sink->state = RVTRACE_STATE_GONE;
	rvtrace_ring_discard(&sink->ring);
	rvtrace_record_loss(sink);
	rvtrace_publish_locked(sink);
	rvtrace_sink_unlock(sink);
	wake_up_interruptible_all(&sink->wait);
	rvtrace_sink_notify(sink);
}

static void sink_free_memory(struct rvtrace_sink *sink)
{
	mutex_lock(&sink->mapping);
	if (sink->pages)
		unmap_mapping_range(sink->pages, RVTRACE_MMAP_DATA, 0, 1);
	rvtrace_memory_free(&sink->memory);
	mutex_unlock(&sink->mapping);
}

/**
 * rvtrace_sink_unregister() - remove a sink that is gone
 * @sink: the sink; freed with its last reader
 *
 * Not with rvtrace_lock held: what it waits for may take that.
 */
void rvtrace_sink_unregister(struct rvtrace_sink *sink)
{
	cancel_work_sync(&sink->full);
	cancel_delayed_work_sync(&sink->watch);
	sink_free_memory(sink);
	cdev_device_del(&sink->cdev, &sink->dev);
	put_device(&sink->dev);
}

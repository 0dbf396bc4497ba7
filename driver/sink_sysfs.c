// SPDX-License-Identifier: GPL-2.0
/* Attributes of sinks, see docs/ABI/sysfs-class-rvtrace_sink. */
#include <linux/kstrtox.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "pause.h"
#include "rvtrace.h"
#include "sampler.h"
#include "session.h"
#include "setting.h"
#include "sink_clock.h"
#include "sink_sysfs.h"
#include "sysfs.h"
#include "timestamp.h"

static const char * const sink_states[] = {
	[RVTRACE_STATE_IDLE] = "idle",
	[RVTRACE_STATE_RUNNING] = "running",
	[RVTRACE_STATE_STOPPED] = "stopped",
	[RVTRACE_STATE_GONE] = "gone",
};

static const char * const sink_modes[] = {
	[RVTRACE_MODE_STREAM] = "stream",
	[RVTRACE_MODE_FILL] = "fill",
};

/* A file that tells of the trace: for those who may read it, see the udev rule. */
#define READER_ATTR(name)						\
	struct device_attribute dev_attr_##name = __ATTR(name, 0440, name##_show, NULL)

/* Lock against sessions; fails once the sink's component is unbound. */
static int sink_lock(struct rvtrace_sink *sink)
{
	int ret = mutex_lock_interruptible(&rvtrace_lock);

	if (ret)
		return ret;
	if (sink->owner)
		return 0;
	mutex_unlock(&rvtrace_lock);
	return -ENODEV;
}

/* The rest of a store, when it is known what was written */
static ssize_t sink_store(struct device *dev, struct device_attribute *attr, u64 value,
			  size_t count,
			  int (*set)(struct rvtrace_sink *sink, struct device_attribute *attr,
				     u64 value))
{
	struct rvtrace_sink *sink = to_rvtrace_sink(dev);
	int ret;

	ret = sink_lock(sink);
	if (ret)
		return ret;
	ret = set(sink, attr, value);
	mutex_unlock(&rvtrace_lock);
	return ret ?: count;
}

static ssize_t tracing_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct rvtrace_sink *sink = to_rvtrace_sink(dev);

	return sysfs_emit(buf, "%d\n", READ_ONCE(sink->state) == RVTRACE_STATE_RUNNING);
}

static int sink_set_tracing(struct device *dev, bool on)
{
	struct rvtrace_sink *sink = to_rvtrace_sink(dev);

	if (!sink->owner)
		return -ENODEV;
	return on ? rvtrace_session_start(sink) : rvtrace_session_stop(sink, 0);
}

static ssize_t tracing_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	return rvtrace_store_switch(dev, attr, buf, count, sink_set_tracing);
}
static DEVICE_ATTR_RW(tracing);

static int sink_flush(struct rvtrace_sink *sink, struct device_attribute *attr, u64 value)
{
	int ret = rvtrace_session_flush(sink);

	if (ret == -ENODATA)
		dev_err_ratelimited(&sink->dev, "%s: there is no session\n", attr->attr.name);
	return ret;
}

static ssize_t flush_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	int ret = rvtrace_parse_one(dev, attr, buf);

	return ret ?: sink_store(dev, attr, 1, count, sink_flush);
}
static DEVICE_ATTR_WO(flush);

static ssize_t mode_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct rvtrace_sink *sink = to_rvtrace_sink(dev);
	bool fill;
	int ret;

	ret = sink_lock(sink);
	if (ret)
		return ret;
	fill = sink->owner->wanted[RVTRACE_STOP_ON_WRAP];
	mutex_unlock(&rvtrace_lock);
	return sysfs_emit(buf, "%s\n", sink_modes[fill]);
}

static int sink_set_mode(struct rvtrace_sink *sink, struct device_attribute *attr, u64 mode)
{
	return rvtrace_set(sink->owner, RVTRACE_STOP_ON_WRAP, mode == RVTRACE_MODE_FILL);
}

static ssize_t mode_store(struct device *dev, struct device_attribute *attr,
			  const char *buf, size_t count)
{
	u32 mode;
	int ret;

	ret = sysfs_match_string(sink_modes, buf);
	if (ret >= 0) {
		mode = ret;
	} else {
		ret = kstrtou32(buf, 0, &mode);
		if (!ret && mode >= ARRAY_SIZE(sink_modes))
			ret = -EINVAL;
		if (ret)
			return rvtrace_not_written(dev, attr, buf, "is neither stream nor fill",
						   ret);
	}
	return sink_store(dev, attr, mode, count, sink_set_mode);
}
static DEVICE_ATTR_RW(mode);

static ssize_t buffer_size_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct rvtrace_sink *sink = to_rvtrace_sink(dev);

	return sysfs_emit(buf, "%llu\n", READ_ONCE(sink->size));
}

static int sink_set_buffer_size(struct rvtrace_sink *sink, struct device_attribute *attr, u64 size)
{
	int ret = rvtrace_sink_resize(sink, size);

	if (ret)
		dev_err_ratelimited(&sink->dev, "%s: %llu not written, %s\n", attr->attr.name, size,
				    ret == -EBUSY ? "a session or a reader uses the buffer" :
				    "this buffer size is not supported");
	return ret;
}

static ssize_t buffer_size_store(struct device *dev, struct device_attribute *attr,
				 const char *buf, size_t count)
{
	u64 size;
	int ret;

	ret = kstrtou64(buf, 0, &size);
	if (ret)
		return rvtrace_not_written(dev, attr, buf, "is not a number of bytes", ret);
	return sink_store(dev, attr, size, count, sink_set_buffer_size);
}
static DEVICE_ATTR_RW(buffer_size);

static ssize_t buffer_size_max_show(struct device *dev, struct device_attribute *attr,
				    char *buf)
{
	return sysfs_emit(buf, "%zu\n", to_rvtrace_sink(dev)->memory.size);
}
static DEVICE_ATTR_RO(buffer_size_max);

static ssize_t sram_size_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(to_rvtrace_sink(dev)->sram.size));
}
static DEVICE_ATTR_RO(sram_size);

static ssize_t state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", sink_states[READ_ONCE(to_rvtrace_sink(dev)->state)]);
}
static DEVICE_ATTR_RO(state);

static ssize_t session_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(to_rvtrace_sink(dev)->session));
}
static DEVICE_ATTR_RO(session);

static ssize_t sink_show_position(struct device *dev, char *buf, const u64 *position)
{
	struct rvtrace_sink *sink = to_rvtrace_sink(dev);
	u64 value;

	rvtrace_sample(sink);
	rvtrace_sink_lock(sink);
	value = *position;
	rvtrace_sink_unlock(sink);
	return sysfs_emit(buf, "%llu\n", value);
}

static ssize_t head_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sink_show_position(dev, buf, &to_rvtrace_sink(dev)->ring.head);
}
static READER_ATTR(head);

static ssize_t tail_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sink_show_position(dev, buf, &to_rvtrace_sink(dev)->ring.tail);
}
static READER_ATTR(tail);

static ssize_t lost_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sink_show_position(dev, buf, &to_rvtrace_sink(dev)->ring.lost);
}
static READER_ATTR(lost);

static ssize_t component_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_name(dev->parent));
}
static DEVICE_ATTR_RO(component);

static ssize_t clock_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct rvtrace_moment moment;
	int ret;

	ret = rvtrace_clock_moment(to_rvtrace_sink(dev), &moment);
	return ret ?: sysfs_emit(buf, "%llu %llu %llu\n", moment.trace, moment.monotonic,
				 moment.realtime);
}

static READER_ATTR(clock);

static ssize_t rate_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct rvtrace_rate rates;

	rvtrace_sampler_rates(to_rvtrace_sink(dev), &rates);
	return sysfs_emit(buf, "%llu\n", rates.recent);
}

static READER_ATTR(rate);

static ssize_t peak_rate_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct rvtrace_rate rates;

	rvtrace_sampler_rates(to_rvtrace_sink(dev), &rates);
	return sysfs_emit(buf, "%llu %s\n", rates.given ?: rates.highest,
			  rates.given ? "devicetree" : "measured");
}

static READER_ATTR(peak_rate);

static struct attribute *sink_attributes[] = {
	&dev_attr_tracing.attr,
	&dev_attr_flush.attr,
	&dev_attr_mode.attr,
	&dev_attr_buffer_size.attr,
	&dev_attr_buffer_size_max.attr,
	&dev_attr_sram_size.attr,
	&dev_attr_state.attr,
	&dev_attr_session.attr,
	&dev_attr_head.attr,
	&dev_attr_tail.attr,
	&dev_attr_lost.attr,
	&dev_attr_component.attr,
	&dev_attr_clock.attr,
	&dev_attr_rate.attr,
	&dev_attr_peak_rate.attr,
	NULL
};

static const struct attribute_group sink_group = {
	.attrs = sink_attributes,
};

const struct attribute_group *rvtrace_sink_groups[] = {
	&sink_group,
	NULL
};

/**
 * rvtrace_sink_notify() - wake those who poll the files "state" and "session"
 * @sink: the sink
 *
 * May be called while the files are not there yet, or not any more. No uevent: that would
 * wake udev for every session, which would trace what udev does.
 */
void rvtrace_sink_notify(struct rvtrace_sink *sink)
{
	if (sink->state_file)
		sysfs_notify_dirent(sink->state_file);
	if (sink->session_file)
		sysfs_notify_dirent(sink->session_file);
}

// SPDX-License-Identifier: GPL-2.0
/* Putting a session's settings into the hardware, through sysfs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "privileged.h"
#include "settings.h"
#include "sysfs.h"

int settings_idle(const char *sink, struct rvtrace_failure *error)
{
	char state[32];

	sysfs_read(SYSFS_SINKS, sink, "state", state, sizeof(state));
	if (strcmp(state, "running"))
		return 0;
	return rvtrace_fail(error, EBUSY, 0,
			    "%s: a session that rvtraced did not start is running; stop it first",
			    sink);
}

static int write_attribute(const char *folder, const char *device, const char *attribute,
			   const char *value, struct rvtrace_failure *error)
{
	char kept[SYSFS_VALUE_MAX];
	int ret = sysfs_write(folder, device, attribute, value);

	if (!ret)
		return 0;
	if (ret == -EBUSY)
		return rvtrace_fail(error, EBUSY, 0,
				    "%s: %s = %s: it is in use, or holds unread bytes",
				    device, attribute, value);
	if (sysfs_read(folder, device, attribute, kept, sizeof(kept)))
		return rvtrace_fail(error, -ret, 0, "%s: %s = %s: %s", device, attribute, value,
				    strerror(-ret));
	return rvtrace_fail(error, -ret, 0, "%s: %s = %s: %s (it is %.128s)", device, attribute,
			    value, strerror(-ret), kept);
}

static bool contains(struct json_object *array, const char *name)
{
	size_t i;

	for (i = 0; i < json_object_array_length(array); i++)
		if (!strcmp(json_object_get_string(json_object_array_get_idx(array, i)), name))
			return true;
	return false;
}

/*
 * Whether it is a setting of sessions: the driver says what it can be (NAME_available), or it is
 * one of the two switches of software. What begins or ends a session, or resets something, is none,
 * nor is what the kernel gives every device.
 */
static bool is_setting(const char *component, const char *name)
{
	char available[128], value[SYSFS_VALUE_MAX];

	if (!strcmp(name, "wait_for_trigger") || !strcmp(name, "data_trace"))
		return true;
	return snprintf(available, sizeof(available), "%s_available", name) <
		       (int)sizeof(available) &&
	       !sysfs_read(SYSFS_COMPONENTS, component, available, value, sizeof(value));
}

static int write_attributes(const char *component, struct json_object *values,
			    struct rvtrace_failure *error)
{
	json_object_object_foreach(values, name, value) {
		int ret;

		if (!is_setting(component, name))
			return rvtrace_fail(error, EINVAL, 0, "%s: '%.64s' is not a setting of it",
					    component, name);
		ret = write_attribute(SYSFS_COMPONENTS, component, name,
				      json_object_get_string(value), error);
		if (ret)
			return ret;
	}
	return 0;
}

/* "*" first, so that a component's own values win. */
static int apply_attributes(const struct session_settings *settings, struct json_object *encoders,
			    struct rvtrace_failure *error)
{
	struct json_object *values;
	char component[64];
	size_t i;
	int ret = 0;

	if (json_object_object_get_ex(settings->attributes, "*", &values))
		for (i = 0; !ret && i < json_object_array_length(encoders); i++)
			ret = write_attributes(json_object_get_string(
						       json_object_array_get_idx(encoders, i)),
					       values, error);
	if (ret)
		return ret;
	sysfs_read(SYSFS_SINKS, settings->sink, "component", component, sizeof(component));
	json_object_object_foreach(settings->attributes, name, object) {
		if (!strcmp(name, "*"))
			continue;
		if (!contains(encoders, name) && strcmp(name, component))
			return rvtrace_fail(error, EINVAL, 0,
					    "%s: '%.64s' is not a component of this session",
					    settings->sink, name);
		ret = write_attributes(name, object, error);
		if (ret)
			return ret;
	}
	return 0;
}

static int check_encoders(const struct session_settings *settings,
			  struct rvtrace_failure *error)
{
	struct json_object *all = sysfs_encoders(settings->sink);
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < json_object_array_length(settings->encoders); i++) {
		const char *name = json_object_get_string(
			json_object_array_get_idx(settings->encoders, i));

		if (!contains(all, name))
			ret = rvtrace_fail(error, ENODEV, 0, "%s: no encoder '%.64s' feeds it",
					   settings->sink, name);
	}
	json_object_put(all);
	return ret;
}

int settings_apply(const struct session_settings *settings, struct json_object *encoders,
		   struct rvtrace_failure *error)
{
	char size[32];
	int ret = 0;

	if (settings->encoders)
		ret = check_encoders(settings, error);
	if (!ret && settings->mode)
		ret = write_attribute(SYSFS_SINKS, settings->sink, "mode", settings->mode, error);
	if (!ret && settings->buffer_size) {
		snprintf(size, sizeof(size), "%llu", (unsigned long long)settings->buffer_size);
		ret = write_attribute(SYSFS_SINKS, settings->sink, "buffer_size", size, error);
	}
	if (!ret && settings->attributes)
		ret = apply_attributes(settings, encoders, error);
	return ret;
}

int settings_start(const char *sink, struct json_object *encoders,
		   struct rvtrace_failure *error)
{
	size_t i;
	int ret;

	if (!encoders) {
		ret = privileged_write(SYSFS_SINKS, sink, "tracing", "1");
		if (ret)
			return rvtrace_fail(error, -ret, 0, "%s: starting: %s (see the kernel log)",
					    sink, strerror(-ret));
		return 0;
	}
	for (i = 0; i < json_object_array_length(encoders); i++) {
		const char *name = json_object_get_string(json_object_array_get_idx(encoders, i));

		ret = privileged_write(SYSFS_COMPONENTS, name, "enable", "1");
		if (ret)
			return rvtrace_fail(error, -ret, 0, "%s: starting: %s (see the kernel log)",
					    name, strerror(-ret));
	}
	return 0;
}

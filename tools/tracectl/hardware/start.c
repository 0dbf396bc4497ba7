// SPDX-License-Identifier: GPL-2.0
/* tracectl start: configure the encoders of a sink and start them together. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/tracectl/tracectl.h"
#include "changes.h"
#include "settings.h"

struct start {
	struct settings settings;
	const char *sink;
};

static error_t parse_start(int key, char *arg, struct argp_state *state)
{
	struct start *start = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &start->settings;
		return 0;
	case ARGP_KEY_ARG:
		if (start->sink)
			argp_error(state, "more than one sink");
		start->sink = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Whether the attributes of @component, or "*", are for @device. */
static bool is_for(const char *component, const struct rvtrace_device *device, const char *sink)
{
	char value[RVTRACE_ATTRIBUTE_MAX];

	if (strcmp(component, "*"))
		return !strcmp(component, device->name);
	return device->kind == RVTRACE_DEVICE_ENCODER &&
	       !strcmp(attribute(device, "sink_name", value), sink);
}

/* Whether an attribute decides which sink a trace goes to. */
static bool is_way(const char *name)
{
	return !strcmp(name, "route") || !strcmp(name, "sink");
}

/* Those that decide the way, or those that do not. */
static int configure(const struct rvtrace_devices *devices, const char *sink,
		     struct json_object *attributes, bool ways)
{
	bool found;
	size_t i;
	int ret;

	json_object_object_foreach(attributes, component, values) {
		found = !strcmp(component, "*");
		for (i = 0; i < devices->count; i++) {
			if (!is_for(component, &devices->items[i], sink))
				continue;
			found = true;
			json_object_object_foreach(values, name, value) {
				if (is_way(name) != ways)
					continue;
				ret = changes_write(&devices->items[i], name,
						    json_object_get_string(value));
				if (ret)
					return ret;
			}
		}
		if (!found)
			return -ENODEV;		/* it went meanwhile: settings_check() knew it */
	}
	return 0;
}

static int start_sink(const struct rvtrace_devices *devices, const struct rvtrace_device *sink,
		      const struct settings *settings)
{
	struct json_object *attributes;
	char size[32], state[RVTRACE_ATTRIBUTE_MAX];
	int ret;

	/* Settings of a session are fixed: each of them would be refused. */
	if (!strcmp(attribute(sink, "state", state), "running")) {
		error_text("%s: it traces already; stop it first", sink->name);
		return -EBUSY;
	}
	ret = settings_check(settings, devices, sink);
	if (ret)
		return ret;
	attributes = settings_attributes(settings, devices);
	/* Who leads to the sink is known when the ways are. */
	ret = configure(devices, sink->name, attributes, true);
	if (!ret)
		ret = configure(devices, sink->name, attributes, false);
	json_object_put(attributes);
	if (!ret && settings->sink_mode)
		ret = changes_write(sink, "mode", settings->sink_mode);
	snprintf(size, sizeof(size), "%llu", (unsigned long long)settings->buffer_size);
	if (!ret && settings->buffer_size)
		ret = changes_write(sink, "buffer_size", size);
	return ret ? ret : changes_write(sink, "tracing", "1");
}

int verb_start(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &settings_argp }, { .argp = &global_argp }, { },
	};
	static const struct argp argp = {
		.parser = parse_start, .children = children, .args_doc = "[SINK]",
		.doc = "Configure every encoder that can reach the sink, then start them.\v"
		       "Read the trace from /dev/SINK.",
	};
	struct rvtrace_failure error;
	const struct rvtrace_device *sink;
	struct rvtrace_devices devices;
	struct start start = { };
	int ret, status;

	settings_init(&start.settings);
	parse_options(&argp, argc, argv, 0, NULL, &start);
	ret = rvtrace_devices_scan("", &devices, &error);
	if (ret) {
		error_text("%s", error.text);
		status = status_of(ret);
	} else {
		status = pick_sink(&devices, start.sink, &sink);
		if (!status) {
			ret = changes_end(start_sink(&devices, sink, &start.settings));
			status = ret ? status_of(ret) : EXIT_OK;
		}
		rvtrace_devices_free(&devices);
	}
	settings_free(&start.settings);
	return status;
}

// SPDX-License-Identifier: GPL-2.0
/* tracectl status: what every sink and encoder is doing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/tracectl/suggest.h"
#include "tools/tracectl/tracectl.h"

static const char *const sink_attributes[] = {
	"state", "session", "mode", "buffer_size", "head", "tail", "lost", NULL
};

static const char *const encoder_attributes[] = {
	"enable", "inst_mode", "inst_tracing", "empty", "inst_stall_or_overflow", "sink_name", NULL
};

static struct json_object *status_json(const struct rvtrace_device *device,
				       const char *const *names)
{
	struct json_object *object = json_object_new_object();
	char value[RVTRACE_ATTRIBUTE_MAX], *end;
	long long number;

	json_object_object_add(object, "name", json_object_new_string(device->name));
	for (; *names; names++) {
		attribute(device, *names, value);
		number = strtoll(value, &end, 10);
		json_object_object_add(object, *names, !*value ? NULL : *end ?
				       json_object_new_string(value) :
				       json_object_new_int64(number));
	}
	return object;
}

/* What is overwritten leaves the tail where it is: more may lie between than the ring holds. */
static unsigned long long unread(const char *head, const char *tail, const char *size)
{
	unsigned long long bytes = strtoull(head, NULL, 10) - strtoull(tail, NULL, 10);
	unsigned long long most = strtoull(size, NULL, 10);

	return bytes < most ? bytes : most;
}

static void print_sink(const struct rvtrace_device *sink)
{
	char state[RVTRACE_ATTRIBUTE_MAX], session[RVTRACE_ATTRIBUTE_MAX];
	char mode[RVTRACE_ATTRIBUTE_MAX], size[RVTRACE_ATTRIBUTE_MAX];
	char head[RVTRACE_ATTRIBUTE_MAX], tail[RVTRACE_ATTRIBUTE_MAX];
	char lost[RVTRACE_ATTRIBUTE_MAX];

	/* Both grow meanwhile: the tail is not to be in front of the head. */
	attribute(sink, "tail", tail);
	attribute(sink, "head", head);
	printf("%-10s %-8s session %s, %s, head %s, unread %llu, lost %s\n", sink->name,
	       attribute(sink, "state", state), attribute(sink, "session", session),
	       attribute(sink, "mode", mode), head,
	       unread(head, tail, attribute(sink, "buffer_size", size)),
	       attribute(sink, "lost", lost));
}

static void print_encoder(const struct rvtrace_device *encoder)
{
	char enable[RVTRACE_ATTRIBUTE_MAX], mode[RVTRACE_ATTRIBUTE_MAX];
	char tracing[RVTRACE_ATTRIBUTE_MAX], lost[RVTRACE_ATTRIBUTE_MAX];

	attribute(encoder, "enable", enable);
	attribute(encoder, "inst_tracing", tracing);
	attribute(encoder, "inst_stall_or_overflow", lost);
	printf("%-10s %-8s %s%s\n", encoder->name,
	       !strcmp(tracing, "1") ? "tracing" : !strcmp(enable, "1") ? "stopped" : "idle",
	       attribute(encoder, "inst_mode", mode),
	       !strcmp(lost, "1") ? ", stalled or overflowed" : "");
}

static int print_all(const struct rvtrace_devices *devices, const char *only)
{
	struct json_object *all, *sinks, *encoders;
	size_t i;

	all = json_object_new_object();
	sinks = json_object_new_array();
	encoders = json_object_new_array();
	json_object_object_add(all, "schema", json_object_new_int(JSON_SCHEMA));
	json_object_object_add(all, "sinks", sinks);
	json_object_object_add(all, "encoders", encoders);
	for (i = 0; i < devices->count; i++) {
		const struct rvtrace_device *device = &devices->items[i];

		if (only && strcmp(only, device->name))
			continue;
		if (global.json && device->kind == RVTRACE_DEVICE_SINK)
			json_object_array_add(sinks, status_json(device, sink_attributes));
		else if (global.json && device->kind == RVTRACE_DEVICE_ENCODER)
			json_object_array_add(encoders, status_json(device, encoder_attributes));
		else if (device->kind == RVTRACE_DEVICE_SINK)
			print_sink(device);
		else if (device->kind == RVTRACE_DEVICE_ENCODER)
			print_encoder(device);
	}
	if (global.json)
		return print_json(all);
	json_object_put(all);
	return EXIT_OK;
}

static error_t parse_name(int key, char *arg, struct argp_state *state)
{
	const char **only = state->input;

	if (key != ARGP_KEY_ARG || state->arg_num > 0)
		return ARGP_ERR_UNKNOWN;
	*only = arg;
	return 0;
}

int verb_status(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.parser = parse_name, .children = children, .args_doc = "[SINK|ENCODER]",
		.doc = "Show the state of every sink and encoder, or of one.",
	};
	struct rvtrace_failure error;
	const struct rvtrace_device *device;
	struct rvtrace_devices devices;
	const char *only = NULL;
	int status;

	parse_options(&argp, argc, argv, 0, NULL, &only);
	if (rvtrace_devices_scan("", &devices, &error)) {
		error_text("%s", error.text);
		return EXIT_NO_DEVICE;
	}
	device = only ? rvtrace_device_find(&devices, only) : NULL;
	if (only && (!device || (device->kind != RVTRACE_DEVICE_SINK &&
				 device->kind != RVTRACE_DEVICE_ENCODER))) {
		no_such_device(&devices, 1u << RVTRACE_DEVICE_SINK | 1u << RVTRACE_DEVICE_ENCODER,
			       "sink or encoder", only);
		status = EXIT_NO_DEVICE;
	} else {
		status = print_all(&devices, only);
	}
	rvtrace_devices_free(&devices);
	return status;
}

// SPDX-License-Identifier: GPL-2.0
/* tracectl list: components, how they are connected, what they support. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/tracectl/tracectl.h"
#include "components.h"
#include "path.h"

/* To be freed */
static char *kind_of(const struct rvtrace_device *device)
{
	return device->kind == RVTRACE_DEVICE_SINK ? strdup("sink") : component_kind(device);
}

static bool ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && !strcmp(text + a - b, end);
}

static struct json_object *device_json(const struct rvtrace_device *device)
{
	struct json_object *object = json_object_new_object();
	struct json_object *attributes = json_object_new_object();
	char value[RVTRACE_ATTRIBUTE_MAX], **names, *kind = kind_of(device);
	int count, i;

	json_object_object_add(object, "name", json_object_new_string(device->name));
	json_object_object_add(object, "kind", json_object_new_string(kind));
	free(kind);
	json_object_object_add(object, "attributes", attributes);
	count = rvtrace_device_attributes(device, &names);
	for (i = 0; i < count; i++) {
		if (rvtrace_device_read(device, names[i], value, sizeof(value), NULL) >= 0)
			json_object_object_add(attributes, names[i],
					       json_object_new_string(value));
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return object;
}

static int list_json(const struct rvtrace_devices *devices)
{
	struct json_object *all = json_object_new_object(), *list = json_object_new_array();
	size_t i;

	json_object_object_add(all, "schema", json_object_new_int(JSON_SCHEMA));
	json_object_object_add(all, "devices", list);
	for (i = 0; i < devices->count; i++)
		json_object_array_add(list, device_json(&devices->items[i]));
	return print_json(all);
}

/* What it can do: every *_available, the names behind the attribute's own. */
static void print_supported(const struct rvtrace_device *device)
{
	char value[RVTRACE_ATTRIBUTE_MAX], **names;
	int count = rvtrace_device_attributes(device, &names), i;

	for (i = 0; i < count; i++) {
		if (ends_with(names[i], "_available"))
			printf("    %.*s: %s\n", (int)(strlen(names[i]) - strlen("_available")),
			       names[i], attribute(device, names[i], value));
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

/* Every component from the encoder to @owner, which has the sink */
static void print_path(const struct rvtrace_devices *devices,
		       const struct rvtrace_device *encoder, const char *owner)
{
	const struct rvtrace_device *next = encoder;
	size_t steps = 0;

	while (strcmp(next->name, owner)) {
		next = steps++ < devices->count ? path_next(devices, next) : NULL;
		if (!next) {
			printf(" -> ... -> %s", owner);
			return;
		}
		printf(" -> %s", next->name);
	}
}

static void print_encoder(const struct rvtrace_devices *devices,
			  const struct rvtrace_device *encoder)
{
	char cpus[RVTRACE_ATTRIBUTE_MAX], sink[RVTRACE_ATTRIBUTE_MAX];
	char owner[RVTRACE_ATTRIBUTE_MAX] = "", generation[RVTRACE_ATTRIBUTE_MAX];
	const struct rvtrace_device *end;

	attribute(encoder, "sink_name", sink);
	end = *sink ? rvtrace_device_find(devices, sink) : NULL;
	if (end)
		attribute(end, "component", owner);
	printf("%-10s encoder %s, CPU %s", encoder->name,
	       attribute(encoder, "generation", generation), attribute(encoder, "cpus", cpus));
	if (*owner)
		print_path(devices, encoder, owner);
	if (*sink)
		printf(" -> %s\n", sink);
	else
		puts(", no path to a sink");
}

static void print_sink(const struct rvtrace_device *sink)
{
	char owner[RVTRACE_ATTRIBUTE_MAX], size[RVTRACE_ATTRIBUTE_MAX];
	char most[RVTRACE_ATTRIBUTE_MAX];

	printf("%-10s sink of %s", sink->name, attribute(sink, "component", owner));
	if (strcmp(attribute(sink, "buffer_size_max", most), "0"))
		printf(", /dev/%s, ring %s bytes, at most %s\n", sink->name,
		       attribute(sink, "buffer_size", size), most);
	else
		printf(", trace leaves the chip\n");
}

static void print_device(const struct rvtrace_devices *devices,
			 const struct rvtrace_device *device)
{
	char generation[RVTRACE_ATTRIBUTE_MAX], route[RVTRACE_ATTRIBUTE_MAX], *kind;

	switch (device->kind) {
	case RVTRACE_DEVICE_ENCODER:
		print_encoder(devices, device);
		break;
	case RVTRACE_DEVICE_SINK:
		print_sink(device);
		return;
	default:
		attribute(device, "route", route);
		kind = kind_of(device);
		printf("%-10s %s %s%s%s\n", device->name, kind,
		       attribute(device, "generation", generation), *route ? " -> " : "", route);
		free(kind);
	}
	if (global.verbose)
		print_supported(device);
}

int verb_list(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.children = children,
		.doc = "List trace components, their paths to the sinks and, with -v, what they support.",
	};
	struct rvtrace_failure error;
	struct rvtrace_devices devices;
	int status = EXIT_OK;
	size_t i;

	parse_options(&argp, argc, argv, 0, NULL, NULL);
	if (rvtrace_devices_scan("", &devices, &error)) {
		error_text("%s", error.text);
		return EXIT_NO_DEVICE;
	}
	if (global.json)
		status = list_json(&devices);
	else
		for (i = 0; i < devices.count; i++)
			print_device(&devices, &devices.items[i]);
	rvtrace_devices_free(&devices);
	return status;
}

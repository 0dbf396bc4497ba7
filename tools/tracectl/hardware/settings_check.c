// SPDX-License-Identifier: GPL-2.0
/* Options of `start` and `record` that this machine cannot have: said before anything is changed. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/tracectl/suggest.h"
#include "tools/tracectl/tracectl.h"
#include "settings.h"

/* Numbers and bits are the driver's business; of names, the hardware's choices are known. */
static bool is_choice(const struct rvtrace_device *device, const char *name, const char *value,
		      char list[RVTRACE_ATTRIBUTE_MAX])
{
	char file[96], copy[RVTRACE_ATTRIBUTE_MAX], *word, *rest = NULL;
	bool names = false;

	snprintf(file, sizeof(file), "%s_available", name);
	attribute(device, file, list);
	memcpy(copy, list, sizeof(copy));
	for (word = strtok_r(copy, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		names |= isalpha((unsigned char)*word);
		if (!strcmp(word, value))
			return true;
	}
	return !names || isdigit((unsigned char)*value);
}

/* @option: as the user wrote it */
static int check_value(const struct rvtrace_device *device, const char *option, const char *name,
		       const char *value)
{
	char list[RVTRACE_ATTRIBUTE_MAX], words[RVTRACE_ATTRIBUTE_MAX], meant[SUGGESTION_TEXT];
	struct suggestion s = suggest(value, strlen(value));
	char *word, *rest = NULL;

	if (is_choice(device, name, value, list))
		return 0;
	memcpy(words, list, sizeof(words));
	for (word = strtok_r(words, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
		suggest_name(&s, word);
	error_text("--%s: %s is not one of the values of %s: %s%s", option, value, device->name, list,
		   suggest_text(&s, meant));
	return -EINVAL;
}

static int no_attribute(const struct rvtrace_device *device, const char *name, char **names,
			int count)
{
	struct suggestion s = suggest(name, strlen(name));
	char meant[SUGGESTION_TEXT];

	for (int i = 0; i < count; i++)
		suggest_name(&s, names[i]);
	suggest_text(&s, meant);
	error_text("--set: %s has no attribute %s%s", device->name, name,
		   *meant ? meant : "; tracectl list -v shows what it has");
	return -ENOENT;
}

static int check_attribute(const struct rvtrace_device *device, const char *name,
			   const char *value)
{
	char option[160], **names;
	int count = rvtrace_device_attributes(device, &names), ret = 0, i;
	bool found = count < 0;

	for (i = 0; i < count; i++)
		found |= !strcmp(names[i], name);
	if (!found)
		ret = no_attribute(device, name, names, count);
	for (i = 0; i < count; i++)
		free(names[i]);
	if (count >= 0)
		free(names);
	snprintf(option, sizeof(option), "set %.60s.%.80s", device->name, name);
	return ret ? ret : check_value(device, option, name, value);
}

static const struct rvtrace_device *first_encoder(const struct rvtrace_devices *devices)
{
	for (size_t i = 0; i < devices->count; i++)
		if (devices->items[i].kind == RVTRACE_DEVICE_ENCODER)
			return &devices->items[i];
	return NULL;
}

static int check_sets(const struct settings *settings, const struct rvtrace_devices *devices)
{
	int ret = 0;

	json_object_object_foreach(settings->sets, component, values) {
		const struct rvtrace_device *device = strcmp(component, "*") ?
			rvtrace_device_find(devices, component) : first_encoder(devices);

		if (!device && strcmp(component, "*")) {
			no_such_device(devices, ~(1u << RVTRACE_DEVICE_SINK), "component",
				       component);
			return -ENODEV;
		}
		if (!device)
			continue;
		json_object_object_foreach(values, name, value) {
			ret = ret ? ret : check_attribute(device, name,
							  json_object_get_string(value));
		}
	}
	return ret;
}

static int check_buffer(uint64_t size, const struct rvtrace_device *sink)
{
	char text[RVTRACE_ATTRIBUTE_MAX];
	uint64_t max = strtoull(attribute(sink, "buffer_size_max", text), NULL, 10);

	if (!max || size <= max)
		return 0;
	error_text("--buffer-size: %llu bytes are more than the %llu of memory that %s has since the driver was loaded (memory-region in the device tree, else rvtrace.ring_size)",
		   (unsigned long long)size, (unsigned long long)max, sink->name);
	return -EINVAL;
}

int settings_check(const struct settings *settings, const struct rvtrace_devices *devices,
		   const struct rvtrace_device *sink)
{
	const struct rvtrace_device *encoder = first_encoder(devices);
	int ret = 0;

	if (encoder && settings->format)
		ret = check_value(encoder, "format", "format", settings->format);
	if (!ret && encoder && settings->inst_mode)
		ret = check_value(encoder, "mode", "inst_mode", settings->inst_mode);
	if (!ret && encoder && settings->explicit_sync)
		ret = check_value(encoder, "sync", "sync_mode", settings->sync_mode);
	if (!ret)
		ret = check_sets(settings, devices);
	return ret || !sink ? ret : check_buffer(settings->buffer_size, sink);
}

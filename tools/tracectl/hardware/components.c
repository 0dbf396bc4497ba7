// SPDX-License-Identifier: GPL-2.0
/* Verbs that do something with every component, or with those that are named. */
#include <string.h>

#include <json-c/json.h>

#include "tools/tracectl/suggest.h"
#include "components.h"

error_t parse_components(int key, char *arg, struct argp_state *state)
{
	struct component_names *names = state->input;

	(void)arg;
	if (key != ARGP_KEY_ARGS)
		return ARGP_ERR_UNKNOWN;
	names->list = state->argv + state->next;
	names->count = state->argc - state->next;
	return 0;
}

static const struct rvtrace_device *find(const struct rvtrace_devices *devices, const char *name)
{
	const struct rvtrace_device *device = rvtrace_device_find(devices, name);

	return device && device->kind != RVTRACE_DEVICE_SINK ? device : NULL;
}

static bool is_meant(const struct component_names *names, const struct rvtrace_device *device)
{
	int i;

	if (device->kind == RVTRACE_DEVICE_SINK)
		return false;
	for (i = 0; i < names->count; i++)
		if (!strcmp(names->list[i], device->name))
			return true;
	return !names->count;
}

static int act_on_all(const struct rvtrace_devices *devices, const struct component_names *names,
		      component_fn act, void *data)
{
	int status = EXIT_OK, ret, i;
	size_t n;

	for (i = 0; i < names->count; i++) {
		if (!find(devices, names->list[i])) {
			no_such_device(devices, ~(1u << RVTRACE_DEVICE_SINK), "component",
				       names->list[i]);
			return EXIT_NO_DEVICE;
		}
	}
	for (n = 0; n < devices->count; n++) {
		if (!is_meant(names, &devices->items[n]))
			continue;
		ret = act(devices, &devices->items[n], data);
		status = ret == EXIT_OK ? status : ret;
	}
	return status;
}

int each_component(const struct component_names *names, component_fn act, void *data)
{
	struct rvtrace_failure error;
	struct rvtrace_devices devices;
	int status;

	if (rvtrace_devices_scan("", &devices, &error)) {
		error_text("%s", error.text);
		return EXIT_NO_DEVICE;
	}
	status = act_on_all(&devices, names, act, data);
	rvtrace_devices_free(&devices);
	return status;
}

int show_components(int argc, char **argv, const char *doc, component_fn show)
{
	const struct argp_child children[] = GLOBAL_CHILDREN;
	const struct argp argp = {
		.parser = parse_components, .children = children, .args_doc = "[COMPONENT...]",
		.doc = doc,
	};
	struct json_object *all = json_object_new_object(), *list = json_object_new_array();
	struct component_names names = { };
	int status;

	parse_options(&argp, argc, argv, 0, NULL, &names);
	json_object_object_add(all, "schema", json_object_new_int(JSON_SCHEMA));
	json_object_object_add(all, "components", list);
	status = each_component(&names, show, list);
	if (global.json && status == EXIT_OK)
		return print_json(all);
	json_object_put(all);
	return status;
}

struct encoder_act {
	int (*function)(const struct rvtrace_device *encoder, void *data);
	void *data;
	bool named;
};

static int act_on_encoder(const struct rvtrace_devices *devices,
			  const struct rvtrace_device *component, void *data)
{
	const struct encoder_act *act = data;
	int ret;

	if (component->kind != RVTRACE_DEVICE_ENCODER) {
		if (act->named)
			no_such_device(devices, 1u << RVTRACE_DEVICE_ENCODER, "encoder",
				       component->name);
		return act->named ? EXIT_NO_DEVICE : EXIT_OK;
	}
	ret = act->function(component, act->data);
	return ret ? status_of(ret) : EXIT_OK;
}

int each_encoder(const struct component_names *names,
		 int (*function)(const struct rvtrace_device *encoder, void *data), void *data)
{
	struct encoder_act act = { .function = function, .data = data, .named = names->count };

	return each_component(names, act_on_encoder, &act);
}

char *component_kind(const struct rvtrace_device *component)
{
	return strndup(component->name, strcspn(component->name, "0123456789"));
}

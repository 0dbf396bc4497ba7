// SPDX-License-Identifier: GPL-2.0
/* tracectl trigger: what starts, stops and marks trace, and what that tells others. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/tracectl/parse.h"
#include "tools/tracectl/tracectl.h"
#include "changes.h"
#include "components.h"

#define TRIGGERS	8

enum { OPTION_IN = 0x2000, OPTION_OUT, OPTION_ENABLE, OPTION_WAIT, OPTION_CLEAR };

/**
 * struct trigger - what the command line asks for
 * @names: encoders
 * @values: to be written, by attribute
 * @list: JSON of all encoders, or NULL
 */
struct trigger {
	struct component_names names;
	struct json_object *values;
	struct json_object *list;
};

/* Attributes of triggers that can have another value than none */
static bool is_there(const struct rvtrace_device *encoder, const char *name)
{
	char available[RVTRACE_ATTRIBUTE_MAX], file[64];

	snprintf(file, sizeof(file), "%s_available", name);
	attribute(encoder, file, available);
	return *available && strcmp(available, "none") && strcmp(available, "0") &&
	       strcmp(available, "0x0");
}

static int each_trigger(const struct rvtrace_device *encoder,
			int (*function)(const struct rvtrace_device *encoder, const char *name,
					void *data), void *data)
{
	static const char *const single[] = { "inst_trig_en", "data_trig_enable", "dbg_trigger" };
	static const char *const kinds[] = { "xtrig_in_action", "xtrig_out_event" };
	unsigned int i;
	char name[32];
	int ret;

	ret = function(encoder, "wait_for_trigger", data);
	for (i = 0; !ret && i < sizeof(single) / sizeof(single[0]); i++)
		if (is_there(encoder, single[i]))
			ret = function(encoder, single[i], data);
	for (i = 0; !ret && i < 2 * TRIGGERS; i++) {
		snprintf(name, sizeof(name), "%s%u", kinds[i / TRIGGERS], i % TRIGGERS);
		if (is_there(encoder, name))
			ret = function(encoder, name, data);
	}
	return ret;
}

static int clear_one(const struct rvtrace_device *encoder, const char *name, void *data)
{
	(void)data;
	return changes_write(encoder, name, "0");
}

static int change_encoder(const struct rvtrace_device *encoder, void *data)
{
	struct trigger *trigger = data;
	int ret = 0;

	json_object_object_foreach(trigger->values, name, value) {
		if (!strcmp(name, "clear"))
			ret = each_trigger(encoder, clear_one, NULL);
		else
			ret = changes_write(encoder, name, json_object_get_string(value));
		if (ret)
			break;
	}
	return changes_end(ret);
}

static int show_one(const struct rvtrace_device *encoder, const char *name, void *data)
{
	struct json_object *object = data;
	char value[RVTRACE_ATTRIBUTE_MAX];

	attribute(encoder, name, value);
	if (object)
		json_object_object_add(object, name, json_object_new_string(value));
	else
		printf("    %-17s %s\n", name, value);
	return 0;
}

static int show_encoder(const struct rvtrace_device *encoder, void *data)
{
	struct trigger *trigger = data;
	struct json_object *object;

	if (!trigger->list) {
		printf("%s\n", encoder->name);
		return each_trigger(encoder, show_one, NULL);
	}
	object = json_object_new_object();
	json_object_object_add(object, "name", json_object_new_string(encoder->name));
	json_object_array_add(trigger->list, object);
	return each_trigger(encoder, show_one, object);
}

/* N:VALUE of @option */
static void parse_numbered(struct argp_state *state, struct trigger *trigger, const char *option,
			   const char *attribute, char *arg)
{
	char *colon = strchr(arg, ':'), name[32];
	uint64_t n = TRIGGERS;

	if (colon && colon[1]) {
		*colon = 0;
		if (parse_number(arg, &n))
			n = TRIGGERS;
		*colon = ':';
	}
	if (n >= TRIGGERS)
		argp_error(state, "%s: %s is not N:VALUE with N from 0 to %d", option, arg,
			   TRIGGERS - 1);
	snprintf(name, sizeof(name), "%s%u", attribute, (unsigned int)n);
	json_object_object_add(trigger->values, name, json_object_new_string(colon + 1));
}

static error_t parse_trigger(int key, char *arg, struct argp_state *state)
{
	struct trigger *trigger = state->input;
	bool on;

	switch (key) {
	case OPTION_IN:
		parse_numbered(state, trigger, "--in", "xtrig_in_action", arg);
		return 0;
	case OPTION_OUT:
		parse_numbered(state, trigger, "--out", "xtrig_out_event", arg);
		return 0;
	case OPTION_ENABLE:
	case OPTION_WAIT:
		if (parse_switch(arg, &on))
			argp_error(state, "%s is neither on nor off", arg);
		json_object_object_add(trigger->values,
				       key == OPTION_WAIT ? "wait_for_trigger" : "inst_trig_en",
				       json_object_new_string(on ? "1" : "0"));
		return 0;
	case OPTION_CLEAR:
		json_object_object_add(trigger->values, "clear", NULL);
		return 0;
	case ARGP_KEY_ARGS:
		trigger->names.list = state->argv + state->next;
		trigger->names.count = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ "in", OPTION_IN, "N:ACTION", 0,
	  "Action of external trigger input N: none, start, stop, sync", 1 },
	{ "out", OPTION_OUT, "N:EVENT[,EVENT]", 0,
	  "Events that fire external trigger output N: none, start, stop", 1 },
	{ "enable", OPTION_ENABLE, "on|off", 0, "Let triggers start and stop trace", 1 },
	{ "wait", OPTION_WAIT, "on|off", 0, "Begin tracing when a trigger starts it", 1 },
	{ "clear", OPTION_CLEAR, NULL, 0, "Clear all triggers", 1 },
	{ },
};

static int show(struct trigger *trigger)
{
	struct json_object *all;
	int status;

	if (!global.json)
		return each_encoder(&trigger->names, show_encoder, trigger);
	all = json_object_new_object();
	trigger->list = json_object_new_array();
	json_object_object_add(all, "schema", json_object_new_int(JSON_SCHEMA));
	json_object_object_add(all, "encoders", trigger->list);
	status = each_encoder(&trigger->names, show_encoder, trigger);
	if (status == EXIT_OK)
		return print_json(all);
	json_object_put(all);
	return status;
}

int verb_trigger(int argc, char **argv)
{
	static const struct argp_child children[] = GLOBAL_CHILDREN;
	static const struct argp argp = {
		.options = options, .parser = parse_trigger, .children = children,
		.args_doc = "[ENCODER...]",
		.doc = "Set what triggers do, in the order of the options. Without an option, "
		       "show their settings.",
	};
	struct trigger trigger = { .values = json_object_new_object() };
	int status;

	parse_options(&argp, argc, argv, 0, NULL, &trigger);
	if (json_object_object_length(trigger.values))
		status = each_encoder(&trigger.names, change_encoder, &trigger);
	else
		status = show(&trigger);
	json_object_put(trigger.values);
	return status;
}

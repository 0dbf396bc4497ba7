// SPDX-License-Identifier: GPL-2.0
/* Options of `start` and `record`: attributes of the encoders and the sink. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/lib/base/size.h"
#include "tools/tracectl/parse.h"
#include "tools/tracectl/tracectl.h"
#include "settings.h"

enum {
	OPTION_MODE = 0x2000, OPTION_TIMESTAMPS, OPTION_CONTEXT, OPTION_SYNC, OPTION_SET,
	OPTION_SINK_MODE, OPTION_BUFFER, OPTION_FORMAT,
};

void settings_init(struct settings *settings)
{
	*settings = (struct settings) {
		.timestamps = true, .context = true, .sync_mode = "messages", .sync_max = 6,
		.sets = json_object_new_object(),
	};
}

void settings_free(struct settings *settings)
{
	json_object_put(settings->sets);
}

/* MODE[:DISTANCE]; the register holds n of 2^(n + 4). */
static void parse_sync(struct argp_state *state, struct settings *s, char *arg)
{
	char *colon = strchr(arg, ':');
	uint64_t distance;

	s->explicit_sync = true;
	if (colon)
		*colon = 0;
	s->sync_mode = sync_unit(arg);
	if (!colon)
		return;
	if (size_parse(colon + 1, &distance) || distance < 16 || distance > 512 * 1024 ||
	    distance & (distance - 1))
		argp_error(state, "--sync: %s is not a power of two from 16 to 512k", colon + 1);
	for (s->sync_max = 0; distance > 16ULL << s->sync_max; )
		s->sync_max++;
}

/* COMPONENT.ATTRIBUTE=VALUE or ATTRIBUTE=VALUE */
static void parse_set(struct argp_state *state, struct settings *s, char *arg)
{
	char *value = strchr(arg, '='), *dot;
	const char *component = "*", *name = arg;
	struct json_object *object;

	if (!value || value == arg) {
		argp_error(state, "--set: %s is not [COMPONENT.]ATTRIBUTE=VALUE", arg);
		return;
	}
	*value++ = 0;
	dot = strchr(arg, '.');
	if (dot) {
		*dot = 0;
		component = arg;
		name = dot + 1;
	}
	if (!*component || !*name || strchr(name, '/') || strchr(component, '/'))
		argp_error(state, "--set: %s%s%s is not a component and an attribute",
			   dot ? component : "", dot ? "." : "", name);
	if (!json_object_object_get_ex(s->sets, component, &object)) {
		object = json_object_new_object();
		json_object_object_add(s->sets, component, object);
	}
	json_object_object_add(object, name, json_object_new_string(value));
}

static const struct option_value formats[] = {
	{ "ntrace", 0 }, { "etrace", 0 }, { "vendor", 0 }, { },
};

static const struct option_value sink_modes[] = { { "stream", 0 }, { "fill", 0 }, { } };

static error_t parse_setting(int key, char *arg, struct argp_state *state)
{
	struct settings *s = state->input;

	switch (key) {
	case OPTION_FORMAT:
		option_choice(state, "format", formats, arg);
		s->format = arg;
		return 0;
	case OPTION_MODE:
		s->inst_mode = arg;
		return 0;
	case OPTION_TIMESTAMPS:
		s->explicit_timestamps = true;
		if (parse_switch(arg, &s->timestamps))
			argp_error(state, "--timestamps: %s is neither on nor off", arg);
		return 0;
	case OPTION_CONTEXT:
		s->explicit_context = true;
		if (parse_switch(arg, &s->context))
			argp_error(state, "--context: %s is neither on nor off", arg);
		return 0;
	case OPTION_SYNC:
		parse_sync(state, s, arg);
		return 0;
	case OPTION_SINK_MODE:
		option_choice(state, "sink-mode", sink_modes, arg);
		s->sink_mode = arg;
		return 0;
	case OPTION_BUFFER:
		s->buffer_size = option_size(state, "buffer-size", arg);
		return 0;
	case OPTION_SET:
		parse_set(state, s, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ "format", OPTION_FORMAT, "ntrace|etrace|vendor", 0,
	  "Format of the trace (N-Trace, if the encoders have it)", 1 },
	{ "mode", OPTION_MODE, "MODE", 0,
	  "branch, history or history-optimized (default: the most compact one that the encoder has; for version 0 history)", 1 },
	{ "timestamps", OPTION_TIMESTAMPS, "on|off", 0, "Timestamps in the trace (on)", 1 },
	{ "context", OPTION_CONTEXT, "on|off", 0,
	  "Privilege and address space in the trace (on)", 1 },
	{ "sync", OPTION_SYNC, "MODE[:DISTANCE]", 0,
	  "Periodic synchronization: off, messages, cycles or half-words (messages:1k)", 1 },
	{ "sink-mode", OPTION_SINK_MODE, "stream|fill", 0,
	  "Drain while tracing, or stop when the ring is full", 1 },
	{ "buffer-size", OPTION_BUFFER, "SIZE", 0, "Bytes of the ring", 1 },
	{ "set", OPTION_SET, "[COMPONENT.]ATTRIBUTE=VALUE", 0,
	  "Write any attribute before the start; without COMPONENT, on every encoder", 1 },
	{ },
};

const struct argp settings_argp = { .options = options, .parser = parse_setting };

static const struct rvtrace_device *first_encoder(const struct rvtrace_devices *devices)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (devices->items[i].kind == RVTRACE_DEVICE_ENCODER)
			return &devices->items[i];
	return NULL;
}

/* Whether the attribute @available lists @value */
static bool lists(const struct rvtrace_device *encoder, const char *available, const char *value)
{
	char list[RVTRACE_ATTRIBUTE_MAX], *word, *rest = NULL;

	attribute(encoder, available, list);
	for (word = strtok_r(list, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
		if (!strcmp(word, value))
			return true;
	return false;
}

/* The first of @choices, up to NULL, that is listed */
static const char *best_of(const struct rvtrace_device *encoder, const char *available,
			   const char *const *choices)
{
	while (*choices && !lists(encoder, available, *choices))
		choices++;
	return *choices;
}

static const char *best_mode(const struct rvtrace_device *encoder)
{
	static const char *const modes[] = { "history-optimized", "history", "branch", NULL };
	char generation[RVTRACE_ATTRIBUTE_MAX];
	/* version 0, optimized, leaves returns out that lead to another task */
	bool plain = !strcmp(attribute(encoder, "generation", generation), "TCI 0");

	return best_of(encoder, "inst_mode_available", plain ? modes + 1 : modes);
}

static const char *best_format(const struct rvtrace_device *encoder)
{
	static const char *const formats[] = { "ntrace", "etrace", "vendor", NULL };

	return best_of(encoder, "format_available", formats);
}

static void put(struct json_object *object, const struct rvtrace_device *encoder,
		const char *name, const char *value, bool always)
{
	char current[RVTRACE_ATTRIBUTE_MAX];

	if (!value || (!always && !*attribute(encoder, name, current)))
		return;
	json_object_object_add(object, name, json_object_new_string(value));
}

struct json_object *settings_attributes(const struct settings *settings,
					const struct rvtrace_devices *devices)
{
	const struct rvtrace_device *encoder = first_encoder(devices);
	struct json_object *all = json_object_new_object(), *every = json_object_new_object();
	struct json_object *target;
	char number[16], type[RVTRACE_ATTRIBUTE_MAX];

	json_object_object_add(all, "*", every);
	if (encoder) {
		put(every, encoder, "format", settings->format ? settings->format :
		    best_format(encoder), settings->format);
		put(every, encoder, "inst_mode",
		    settings->inst_mode ? settings->inst_mode : best_mode(encoder),
		    settings->inst_mode);
		/* Not with E-Trace: whether there is one is part of the hardware. */
		if (settings->explicit_context || lists(encoder, "context_available", "1"))
			put(every, encoder, "context", settings->context ? "1" : "0",
			    settings->explicit_context);
		/* The driver has chosen one where the hardware has any. */
		if (settings->timestamps && !strcmp(attribute(encoder, "ts_type", type), "none"))
			put(every, encoder, "ts_type", "external", false);
		put(every, encoder, "ts_enable", settings->timestamps ? "1" : "0",
		    settings->explicit_timestamps);
		put(every, encoder, "sync_mode", settings->sync_mode, settings->explicit_sync);
		snprintf(number, sizeof(number), "%u", settings->sync_max);
		put(every, encoder, "sync_max", number, settings->explicit_sync);
	}
	json_object_object_foreach(settings->sets, component, attributes) {
		if (!json_object_object_get_ex(all, component, &target)) {
			target = json_object_new_object();
			json_object_object_add(all, component, target);
		}
		json_object_object_foreach(attributes, name, value)
			json_object_object_add(target, name, json_object_get(value));
	}
	return all;
}
